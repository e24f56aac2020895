"""Tails by counting: every outcome where they are few, a grid with outward rounding where they are many."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import TooLargeError
from dalenius.tracing.attack.tails.record_law import Law

Values = NDArray[np.float64]

ENUMERABLE = 22
"""Two-valued attributes whose outcomes are all listed: four million sums."""

FEWEST_CELLS, MOST_CELLS = 1 << 14, 1 << 23
CLOSE = 1.01
"""How far apart the two ends of a bracket may be, as a quotient."""

TIE = 1e-12
"""Sums of the same numbers in another order differ by about this share of their size."""


TRIM, NOTHING = 16, 1e-5
"""How often the lowest sums are let go, and how little of the tail all of those may weigh."""


def enumerate_tail(t: float, law: Law, v: Values) -> float:
    """Add up the probabilities of all outcomes with ``<y, v> >= t``, halves against each other.

    Outcomes of the first half of the attributes are sorted; each outcome of the other half then needs those
    above a threshold, whose probabilities are one difference of a running sum.
    """
    middle = v.size // 2
    first, weight_1 = _outcomes(law, v, slice(0, middle))
    other, weight_2 = _outcomes(law, v, slice(middle, v.size))
    order = np.argsort(first)
    tail = np.append(np.cumsum(weight_1[order][::-1])[::-1], 0.0)
    slack = TIE * max(float(np.abs(v).sum()), abs(t))
    start = np.searchsorted(first[order], t - slack - other, side="left")
    return float(min((tail[start] * weight_2).sum(), 1.0))


def _outcomes(law: Law, v: Values, which: slice) -> tuple[Values, Values]:
    """All sums of some attributes and their probabilities."""
    sums, weights = np.zeros(1), np.ones(1)
    steps = (v * law.values)[:, which].T
    for step, chance in zip(steps, law.chance[:, which].T, strict=True):
        possible = chance > 0
        sums = (sums[:, None] + step[possible]).ravel()
        weights = (weights[:, None] * chance[possible]).ravel()
    return sums, weights


def bracket(t: float, law: Law, v: Values, *, tilt: float, guess: float) -> tuple[float, float]:
    """Enclose the tail: steps rounded down to a grid for the lower end, up for the upper one.

    Parameters
    ----------
    t, law, v
        The score, and an outsider's law and weights; every attribute varies.
    tilt
        About how fast the log-tail falls, which says how fine a grid is needed.
    guess
        About how large the tail is: mass far below it is given to the upper end and taken from the lower one.
    """
    moves = np.where(law.chance > 0, v * law.values, np.inf)
    least = moves.min(axis=0)
    moves = np.where(law.chance > 0, moves - least, 0.0)
    goal = t - float(least.sum())
    span = float(moves.max(axis=0).sum())
    goal -= TIE * max(span, abs(goal))
    cells = max(FEWEST_CELLS, math.ceil(tilt * v.size * span / math.log(CLOSE)))
    while cells <= MOST_CELLS:
        width = span / cells
        low = _above(np.floor(moves / width + TIE), law.chance, goal / width, guess)[0]
        high = _above(np.ceil(moves / width - TIE), law.chance, goal / width, guess)[1]
        if high <= CLOSE * low or high == 0:
            return low, high
        cells *= 2
    raise TooLargeError(
        "the exact tail",
        f"must need at most {MOST_CELLS:,} cells",
        f"{v.size:,} attributes, {cells:,} cells",
        "Use the tail chernoff, which is proved as well, or saddlepoint.",
    )


def lattice_tail(t: float, law: Law, v: Values, step: float) -> float | None:
    """Return the tail of a sum whose steps are all whole multiples of ``step``; ``None`` if they are not."""
    moves = np.where(law.chance > 0, v * law.values, np.inf)
    least = moves.min(axis=0)
    units = np.where(law.chance > 0, moves - least, 0.0) / step
    whole = np.rint(units)
    if np.abs(units - whole).max() > 1e-9 * max(1.0, float(units.max())) or whole.sum() > MOST_CELLS:
        return None
    return _above(whole, law.chance, (t - float(least.sum())) / step - 1e-6, 0.0)[1]


def _above(units: Values, chance: Values, goal: float, guess: float) -> tuple[float, float]:
    """Enclose the probability that a sum of independent whole numbers is at least ``goal``.

    Sums that have reached it are lumped together; the lowest ones, of no weight beside ``guess``, are let go,
    counted as not reaching it below and as reaching it above.
    """
    if goal <= 0:
        return 1.0, 1.0
    last, size = int(np.ceil(goal)), units.shape[1]
    below, start, reached, lost = np.ones(1), 0, 0.0, 0.0  # below[i]: mass at start + i
    for j, (moves, weights) in enumerate(zip(units.T.astype(np.int64), chance.T, strict=True)):
        new = np.zeros(min(last - start, below.size + int(moves.max())))
        for move, weight in zip(moves, weights, strict=True):
            stay = min(below.size, max(last - start - int(move), 0))
            new[move : move + stay] += weight * below[:stay]
            reached += weight * float(below[stay:].sum())
        below = new
        if guess > 0 and j % TRIM == TRIM - 1:
            drop = int(np.searchsorted(np.cumsum(below), NOTHING * guess / size))
            lost += float(below[:drop].sum())
            below, start = below[drop:], start + drop
    rounding = 1 + 8 * size * float(np.finfo(float).eps)
    return min(reached / rounding, 1.0), min((reached + lost) * rounding, 1.0)
