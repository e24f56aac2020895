"""What only a finding about secrets says: who is exposed, who is known, how guesses are calibrated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import ConfigDict

from dalenius.findings.default_policy import KNOWN_AT
from dalenius.findings.measure import Counted, Plain
from dalenius.findings.policy import Resampled
from dalenius.findings.report import Details, Finding


class Exposed(Plain):
    """People guessed with at least a stated probability; how many of those guesses are right, where known."""

    confidence: float
    people: int
    right: int | None


class KnownPeople(Plain):
    """People known to have one value because of the release; ``None`` for values that few people have.

    ``before`` are people whom guessing without the release holds as surely; ``held`` those that the attack
    holds at ``known_at`` or more besides, where the release made the difference; ``right`` of them are known.
    ``by_luck`` is how likely as many right guesses are without the release, ``calibrated`` whether claims
    come true as often as they say. People who are certain are counted apart, and so are those
    ``to_insiders``: their value follows for somebody else in the data, who knows their own. Of several values
    that a policy names, a row of its own counts who is known to have one of them, and not which.
    """

    value: str | None
    before: int
    held: int
    right: int
    by_luck: float
    calibrated: bool
    certain: int
    certain_right: int
    to_insiders: int = 0


class Rare(Plain):
    """Confident guesses of another value than the commonest secret, and people who have another."""

    guessed: int
    guessed_right: int
    people: int


class Judged(Plain):
    """What the referee counted: there only where the truth is known.

    ``certain_right`` is how many of the claims that follow by arithmetic the truth confirms, and
    ``certain_wrong`` how many it refutes: then the release was not made as stated, and nobody is certain. The
    advantage is taken over the better baseline, named in ``best_baseline``; ``only_attack`` and
    ``only_baseline`` are the people about whom one of the two alone is right.
    """

    baseline_majority: Counted
    baseline_population: Counted | None
    population_source: Literal["reference", "k-fold"] | None
    best_baseline: Literal["majority", "population"]
    only_attack: int
    only_baseline: int
    mcnemar_p: float
    control_gains: bool
    certain_right: int
    certain_wrong: int = 0
    known_at: float = KNOWN_AT
    known: tuple[KnownPeople, ...] = ()
    rare: Rare
    calibration_error: float
    level_calibration_error: float
    brier: float
    balanced_accuracy: float
    resampled: Resampled | None = None


class BlockGain(Plain):
    """What the attack gains in one block: where its own interval begins, and how often guessing is right."""

    baseline: float
    low: float


class ByBlock(Plain):
    """What an attack comes to block by block, where ``[schema] split`` cuts people; no block is named.

    ``empty`` blocks have no people. ``not_attacked`` is in how many blocks the attack could not be run, on
    ``people_not_attacked``; ``left_out`` names tables that join all blocks and were not attacked.
    ``with_certain`` and ``with_people_at_risk`` are blocks with somebody who is certain, or certain or as
    good as known; in ``all_at_risk`` everybody is. ``worst`` are blocks that gain most beyond chance.
    """

    column: str
    blocks: int
    empty: int
    not_attacked: int
    people_not_attacked: int
    left_out: tuple[str, ...] = ()
    with_certain: int
    with_people_at_risk: int
    all_at_risk: int
    worst: tuple[BlockGain, ...] = ()


class Secrets(Details):
    """What only a finding about secrets says.

    ``expected_right`` is how many guesses the attack itself expects to be right. ``blocks`` is there where
    people are split into blocks.
    """

    model_config = ConfigDict(extra="forbid")

    secret: str
    values: int
    expected_right: float
    exposed: Exposed
    judged: Judged | None
    blocks: ByBlock | None = None


class SecretsFinding(Finding):
    """What one attack learnt about one secret of everybody."""

    goal: Literal["reconstruction"] = "reconstruction"
    details: Secrets

    @property
    def tried_again(self) -> Resampled | None:
        """What came of a pass when it was tried on other people."""
        return None if self.details.judged is None else self.details.judged.resampled

    @property
    def about_these_people(self) -> bool:
        """Whether a pass may be luck of these very people."""
        return self.details.judged is not None


def any_of(values: Sequence[str]) -> str:
    """What several values are called of which somebody has one, whichever it is.

    Examples
    --------
    >>> any_of(("HIV", "hepatitis"))
    'HIV or hepatitis'
    """
    return " or ".join(values)


def about(judged: Judged, values: Sequence[str] | None = None) -> tuple[KnownPeople, ...]:
    """What is counted of these values, and of having any of them; or of all."""
    wanted = None if values is None else {*values, any_of(values)}
    return tuple(row for row in judged.known if wanted is None or row.value in wanted)


def established(judged: Judged, confidence: float, values: Sequence[str] | None = None) -> int:
    """How many people are known to have one of these values (all by default), beyond luck.

    Values whose right guesses luck could explain, or whose claims do not come true as often as they say,
    count for nothing; the level pays for every look and for every value.
    """
    rows = about(judged, values)
    level = (1 - confidence) / max(len(rows), 1)
    return sum(row.right for row in rows if row.calibrated and row.by_luck < level)
