"""One row of what was measured, and plain values, frozen and versioned, that every shape is made of."""

from __future__ import annotations

import json
import math
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from dalenius.findings.tally import Comparison, Tally, clopper_pearson, paired_difference

Verdict = Literal["pass", "stop", "undecided"]
"""What a policy says: shown to be kept, shown to be broken, or neither; there is no fourth word."""

SCHEMA_VERSION: Final = 2
"""Raised when a field changes its meaning or goes; a new field may come without."""

_DIGITS = 10


class Plain(BaseModel):
    """Frozen plain values; an unknown field is refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


def dump(document: Plain) -> str:
    """Write a document as JSON: sorted keys, ten significant digits; what is not a finite number is null.

    Examples
    --------
    >>> from dalenius.findings.report import Data
    >>> print(dump(Data(source="people.csv", people=3, public=(), secret="ill")), end="")
    {
      "people": 3,
      "public": [],
      "secret": "ill",
      "source": "people.csv"
    }
    """
    plain = _round(document.model_dump(mode="json"))
    return json.dumps(plain, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"


def _round(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _round(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_round(entry) for entry in value]
    if not isinstance(value, float):
        return value
    return float(f"{value:.{_DIGITS}g}") if math.isfinite(value) else None


KNOWN = "known, not estimated"
"""The method of a number that follows from a formula: its interval has no width."""


class Rate(Plain):
    """A share with its interval, and with its counts where something was counted."""

    hits: int | None = Field(default=None, ge=0)
    trials: int | None = Field(default=None, ge=0)
    rate: float
    low: float
    high: float
    confidence: float
    method: str

    @staticmethod
    def of(tally: Tally, confidence: float) -> Counted:
        """Make a rate from counts.

        Examples
        --------
        >>> Rate.of(Tally(3, 4), 0.95).rate
        0.75
        """
        interval = clopper_pearson(tally.hits, tally.trials, confidence)
        return Counted(
            hits=tally.hits,
            trials=tally.trials,
            rate=interval.value,
            low=interval.low,
            high=interval.high,
            confidence=confidence,
            method=interval.method,
        )

    @staticmethod
    def known(rate: float) -> Rate:
        """Make a rate that follows from a formula.

        Examples
        --------
        >>> Rate.known(0.368).low
        0.368
        """
        return Rate(rate=rate, low=rate, high=rate, confidence=1.0, method=KNOWN)


class Counted(Rate):
    """A share of something that was counted."""

    hits: int = Field(ge=0)
    trials: int = Field(ge=0)


class Gain(Plain):
    """A difference with its interval."""

    value: float
    low: float
    high: float
    confidence: float
    method: str

    @staticmethod
    def of(comparison: Comparison, confidence: float) -> Gain:
        """How much more often one of two is right about the same people.

        Examples
        --------
        >>> Gain.of(Comparison(Tally(3, 4), Tally(2, 4), 2, 1), 0.95).value
        0.25
        """
        interval = paired_difference(
            comparison.trials, comparison.only_attack, comparison.only_baseline, confidence
        )
        return Gain(
            value=interval.value,
            low=interval.low,
            high=interval.high,
            confidence=confidence,
            method=interval.method,
        )


class Bound(Plain):
    """What a theorem says about this release.

    ``kind`` says what ``value`` limits: the advantage or the accuracy of every attack (from above), or the
    share of people that the best attack gets wrong (from above).
    """

    statement: str
    text: str
    kind: Literal["advantage-at-most", "accuracy-at-most", "wrong-at-most"]
    value: float


class Measure(Plain):
    """What an attack achieved, at one level, weight or distance where there are several.

    ``label`` and ``at`` say where. ``attack`` is what it achieved with the release, ``baseline`` what the
    best attacker achieves without it, ``advantage`` the difference. The ``unit`` is a share of tries, or the
    exponent nu of the factor by which odds may move. ``control`` is the same advantage where nothing can have
    leaked: it should hold 0. ``at_most`` is what a theorem allows ``attack`` to be here. Where it is not
    ``shown``, the numbers could not have come out otherwise, and decide nothing. A family may add to it.
    """

    model_config = ConfigDict(frozen=True, extra="allow", allow_inf_nan=False)

    label: str = ""
    at: float | None = None
    unit: Literal["share", "nu"] = "share"
    attack: Rate | None = None
    baseline: Rate | None = None
    advantage: Gain | None = None
    control: Gain | None = None
    at_most: float | None = None
    p_value: float | None = None
    shown: bool = True

    @property
    def told(self) -> bool:
        """Whether it is worth a line: its numbers could have come out otherwise, and something was tried.

        Examples
        --------
        >>> Measure(attack=Rate.of(Tally(0, 0), 0.95)).told
        False
        """
        return self.shown and (self.attack is None or self.attack.trials != 0)


MOST_TIMES = 100.0
"""How many times as many people are named as what would decide; beyond, only that it takes far more."""


def to_decide(gain: Gain, limit: float, people: int | None) -> str:
    """Say how many people would decide where an interval holds the limit: its width falls as their root.

    Examples
    --------
    >>> to_decide(Gain(value=0.02, low=-0.04, high=0.08, confidence=0.95, method="m"), 0.05, 300)
    'about 1,200 people would decide, if what is measured stays'
    >>> to_decide(Gain(value=0.0499, low=-0.04, high=0.08, confidence=0.95, method="m"), 0.05, 300)
    'only far more people would decide: what is measured is at the limit'
    """
    end = gain.high if gain.value <= limit else gain.low
    apart = abs(limit - gain.value)
    times = ((end - gain.value) / apart) ** 2 if apart else MOST_TIMES + 1
    if times <= 1:  # it does not hold it: something else is open
        return "more people would decide"
    if people is None or times > MOST_TIMES:
        return "only far more people would decide: what is measured is at the limit"
    needed = max(people + 1, times * people)
    digit = 10 ** max(len(str(int(needed))) - 2, 0)
    rounded = -(-int(needed) // digit) * digit
    return f"about {rounded:,} people would decide, if what is measured stays"
