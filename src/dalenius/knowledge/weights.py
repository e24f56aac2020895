"""Survey weights: read from the list of people, and as far as they are said to be known."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError, nearest_column
from dalenius.people.files.sheet import Sheet
from dalenius.shown import hides_people
from dalenius.statistics.printed_number import everyday

Floats = NDArray[np.float64]

KNOWN, UNKNOWN = "known", "unknown"
"""What may be said of weights beside the ends between which they lie."""


@hides_people()
@dataclass(frozen=True)
class SurveyWeights:
    """Between which everybody's survey weight lies, as whoever reads the tables knows."""

    low: Floats
    high: Floats

    def __post_init__(self) -> None:
        if not (self.low <= self.high).all() or (self.low < 0).any() or np.isinf(self.low).any():
            raise InputError("survey weights", "must lie between ends from 0 on", "others")

    @staticmethod
    def none(people: int) -> SurveyWeights:
        """Everybody counts once."""
        return SurveyWeights(np.ones(people), np.ones(people))

    @staticmethod
    def between(people: int, low: float, high: float) -> SurveyWeights:
        """All that is known is between which ends every weight lies."""
        return SurveyWeights(np.full(people, low), np.full(people, high))

    @property
    def known(self) -> bool:
        """Whether everybody's weight is known."""
        return bool((self.low == self.high).all())

    @property
    def usual(self) -> Floats:
        """What everybody is taken to weigh where an estimate needs it; nan where nothing is known."""
        with np.errstate(invalid="ignore"):
            between = np.where(np.isfinite(self.high) & (self.low > 0), np.sqrt(self.low * self.high), np.nan)
        return np.where(self.low == self.high, self.low, between)


def parse_weights(text: str) -> tuple[float, float] | None:
    """Read ``known``, ``unknown``, ``5-20`` or ``1+``: between which ends weights lie; None if known.

    Raises
    ------
    InputError
        If it is not written so.

    Examples
    --------
    >>> [parse_weights(text) for text in ("known", "unknown", "5-20.5", "1+")]
    [None, (0.0, inf), (5.0, 20.5), (1.0, inf)]
    """
    if text == KNOWN:
        return None
    if text == UNKNOWN:
        return 0.0, math.inf
    first, dash, last = text.partition("-")
    low, high = everyday(first.strip().removesuffix("+")), everyday(last.strip())
    if first.strip().endswith("+") and not dash:
        high = math.inf
    if low is None or high is None or not 0 <= low <= high or high == 0:
        rule = f"must be {KNOWN}, {UNKNOWN}, or the least and the largest, above 0"
        raise InputError("weights", rule, repr(text), "As in 5-20 or 1+.")
    return low, high


def said_weights(ends: tuple[float, float] | None) -> str:
    """The same in words.

    Examples
    --------
    >>> [said_weights(ends) for ends in (None, (0.0, math.inf), (5.0, 20.5), (1.0, math.inf))]
    ['known', 'unknown', '5-20.5', '1+']
    """
    if ends is None:
        return KNOWN
    if math.isinf(ends[1]):
        return f"{ends[0]:g}+" if ends[0] else UNKNOWN
    return f"{ends[0]:g}-{ends[1]:g}"


def read_weights(sheet: Sheet, name: str) -> Floats:
    """Everybody's weight.

    Raises
    ------
    InputError
        If there is no such column, or not a number above 0 for everybody.
    """
    if name not in sheet:
        what = f"survey weights: column {name!r}"
        raise InputError(what, "must be in the data", "no such column", nearest_column(name, sheet.names))
    weights = np.asarray(sheet.numbers(name), np.float64)
    wrong = int((~(np.isfinite(weights) & (weights > 0))).sum())
    if wrong:
        raise InputError(f"column {name!r}", "must hold a weight above 0 for everybody", f"{wrong:,} others")
    return weights


def known_weights(true: Floats, ends: tuple[float, float] | None) -> SurveyWeights:
    """What is known of weights: all of them, or between which ends they lie.

    Raises
    ------
    InputError
        If one does not lie there.
    """
    if ends is None:
        return SurveyWeights(true, true)
    outside = int(((true < ends[0]) | (true > ends[1])).sum())
    if outside:
        rule = f"must hold every weight, as {ends[0]:g}-{ends[1]:g} does not"
        raise InputError("weights", rule, f"{outside:,} outside")
    return SurveyWeights.between(true.size, *ends)
