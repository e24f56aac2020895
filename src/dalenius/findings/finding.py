"""The shape of a finding: versioned, frozen, plain values; see `document` for the file around it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from dalenius.findings.interval import clopper_pearson, paired_difference
from dalenius.findings.severity import Severity
from dalenius.referee.known import KNOWN_AT
from dalenius.referee.score import Comparison, Tally

Verdict = Literal["pass", "stop", "undecided"]

SCHEMA_VERSION: Final = 1
"""Raised when a field changes its meaning or goes; a new field may come without."""


class Plain(BaseModel):
    """Frozen plain values; an unknown field is refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Rate(Plain):
    """A share with its counts and its interval."""

    hits: int = Field(ge=0)
    trials: int = Field(ge=0)
    rate: float
    low: float
    high: float
    confidence: float
    method: str

    @staticmethod
    def of(tally: Tally, confidence: float) -> Rate:
        """Make a rate from counts.

        Examples
        --------
        >>> Rate.of(Tally(3, 4), 0.95).rate
        0.75
        """
        interval = clopper_pearson(tally.hits, tally.trials, confidence)
        return Rate(
            hits=tally.hits,
            trials=tally.trials,
            rate=interval.value,
            low=interval.low,
            high=interval.high,
            confidence=confidence,
            method=interval.method,
        )


class Difference(Plain):
    """How much more often the attack is right than a baseline on the same people."""

    trials: int = Field(ge=0)
    only_attack: int = Field(ge=0)
    only_baseline: int = Field(ge=0)
    value: float
    low: float
    high: float
    confidence: float
    method: str

    @staticmethod
    def of(comparison: Comparison, confidence: float) -> Difference:
        """Make a difference from counts.

        Examples
        --------
        >>> Difference.of(Comparison(Tally(3, 4), Tally(2, 4), 2, 1), 0.95).value
        0.25
        """
        only_attack, only_baseline = comparison.only_attack, comparison.only_baseline
        interval = paired_difference(comparison.trials, only_attack, only_baseline, confidence)
        return Difference(
            trials=comparison.trials,
            only_attack=only_attack,
            only_baseline=only_baseline,
            value=interval.value,
            low=interval.low,
            high=interval.high,
            confidence=confidence,
            method=interval.method,
        )


class Exposed(Plain):
    """People guessed with at least a stated probability, and how many of those guesses are right."""

    confidence: float
    people: int
    right: int


class KnownPeople(Plain):
    """People known to have one value because of the release; ``None`` for values that few people have.

    ``before`` are people whom guessing without the release holds as surely; ``held`` those that the attack
    holds at ``known_at`` or more besides, where the release made the difference; ``right`` of them are known.
    ``by_luck`` is how likely as many right guesses are without the release, ``calibrated`` whether claims
    come true as often as they say. People who are certain are counted apart.
    """

    value: str | None
    before: int
    held: int
    right: int
    by_luck: float
    calibrated: bool
    certain: int
    certain_right: int


class Resampled(Plain):
    """What came of a release that passes when random samples of the people were published instead.

    ``broken`` of ``draws`` samples, each with this ``share`` of the people, break the policy; ``reason`` is
    the first of the rules broken.
    """

    draws: int
    share: float
    broken: int
    reason: str | None


class Rare(Plain):
    """Such guesses of another value than the commonest secret, and such people."""

    guessed: int
    guessed_right: int
    people: int


class Bound(Plain):
    """What a theorem says about this release.

    ``kind`` says what ``value`` limits: the advantage or the accuracy of every attack (from above), or the
    share of people that the best attack gets wrong (from above).
    """

    statement: str
    text: str
    kind: Literal["advantage-at-most", "accuracy-at-most", "wrong-at-most"]
    value: float


class Finding(Plain):
    """What one attack got out of one release.

    ``certain`` are the people whose secret follows by arithmetic alone, out of all; ``certain_right`` is
    how many of those the truth confirms. ``advantage`` is taken over the better baseline, named in
    ``best_baseline``. ``looks`` is how many findings the intervals were made to hold together for.
    """

    release: str
    goal: Literal["reconstruction"] = "reconstruction"
    attack_method: str
    notes: tuple[str, ...]
    people: int
    secret: str
    values: int
    numbers: int
    mechanism: str
    promise: str | None
    attack: Rate
    baseline_majority: Rate
    baseline_population: Rate | None
    population_source: Literal["reference", "k-fold"] | None
    best_baseline: Literal["majority", "population"]
    advantage: Difference
    mcnemar_p: float
    control: Difference | None
    control_gains: bool
    certain: Rate
    certain_right: int
    exposed: Exposed
    known_at: float = KNOWN_AT
    known: tuple[KnownPeople, ...] = ()
    rare: Rare
    calibration_error: float
    level_calibration_error: float
    brier: float
    balanced_accuracy: float
    bound: Bound | None
    assumptions: tuple[str, ...]
    looks: int
    severity: Severity
    severity_reason: str
    sentence: str
    resampled: Resampled | None = None

    @property
    def better_baseline(self) -> Rate:
        """The baseline that the advantage is taken over."""
        population = self.baseline_population
        return self.baseline_majority if self.best_baseline == "majority" or not population else population

    def established(self, values: Sequence[str] | None = None) -> int:
        """How many people are known to have one of these values (all by default), beyond luck.

        Values whose right guesses luck could explain, or whose claims do not come true as often as they
        say, count for nothing; the level pays for every look and for every value.
        """
        rows = self.about(values)
        level = (1 - self.advantage.confidence) / max(len(rows), 1)
        return sum(row.right for row in rows if row.calibrated and row.by_luck < level)

    def about(self, values: Sequence[str] | None = None) -> tuple[KnownPeople, ...]:
        """What is counted of these values, or of all."""
        return tuple(row for row in self.known if values is None or row.value in values)
