"""Conditions of one family, counted in the original and in a control: success, luck, and the difference.

Both sides are compared among as many people as the smaller file has, by the unbiased estimators of
`dalenius.findings.luck`, and scaled to the people of the original: the size of the control moves no
expectation, only the width of the interval.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.findings.interval import Interval
from dalenius.findings.luck import alone_when_drawn
from dalenius.records.boxes import Boxes, Inside, rows_inside
from dalenius.records.rows import Rows

METHOD = "Efron-Stein variance over rows, as many rows compared on either side"

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Family:
    """What conditions of one kind achieved.

    Parameters
    ----------
    name
        What the conditions are.
    boxes
        The conditions.
    matches, control_matches
        For each, how many rows of the original and of the control it matches, up to a limit beyond which it
        surely isolates nobody.
    success, luck
        The share that isolates somebody, and the share that would by luck.
    advantage
        Their difference.
    """

    name: str
    boxes: Boxes
    matches: Ints
    control_matches: Ints
    success: float
    luck: Interval
    advantage: Interval

    @property
    def attacks(self) -> int:
        """How many conditions were tried."""
        return self.matches.size

    @property
    def successes(self) -> int:
        """How many of them match exactly one original row."""
        return int((self.matches == 1).sum())


def compare(
    name: str, boxes: Boxes, together: float, original: Rows, control: Rows, confidence: float
) -> Family:
    """Count the conditions of a family on either side.

    Parameters
    ----------
    name
        What they are.
    boxes
        The conditions.
    together
        How many of them speak of the same synthetic row, on average.
    original, control
        The people behind the synthetic rows, and others.
    confidence
        Of the intervals.
    """
    from scipy.special import ndtri

    n, N = len(original), len(control)
    if not len(boxes):
        none = np.empty(0, np.int64)
        everything = Interval(0.0, -1.0, 1.0, confidence, METHOD)
        return Family(name, boxes, none, none, 0.0, everything, everything)
    drawn, z = min(n, N), float(ndtri((1 + confidence) / 2))
    scale = n / drawn
    here, there = (
        _mean(scale * alone_when_drawn(len(rows), drawn), boxes, rows, z, together)
        for rows in (original, control)
    )
    wide = z * there.variance**0.5
    luck = Interval(there.value, max(0.0, there.value - wide), there.value + wide, confidence, METHOD)
    gain, wide = here.value - there.value, z * (here.variance + there.variance) ** 0.5
    low, high = (float(np.clip(end, -1.0, 1.0)) for end in (gain - wide, gain + wide))
    advantage = Interval(float(np.clip(gain, -1.0, 1.0)), low, high, confidence, METHOD)
    return Family(name, boxes, here.counts, there.counts, here.value, luck, advantage)


def together_on(rows: Ints) -> float:
    """How many conditions match the synthetic row of a condition, on average over the conditions."""
    often = np.bincount(rows) if rows.size else np.zeros(1)
    return float((often**2).sum() / max(often.sum(), 1))


@dataclass(frozen=True, eq=False)
class _Mean:
    """A mean over the conditions, the variance that the draw of the rows gives it, and the matches."""

    value: float
    variance: float
    counts: Ints


def _mean(values: Floats, boxes: Boxes, rows: Rows, z: float, together: float) -> _Mean:
    """The mean of a function of the counts, and a variance that is not too small.

    Efron and Stein (1981): the variance is at most the expected sum over the rows of the squared change when
    a row is left out, also when many conditions match the same rows. What each condition alone adds to that
    sum is replaced by the spread of the function over the conditions, which bounds their mean variance and is
    about a third of it. A row that matched nothing changed nothing, yet might have: z squared more changes of
    the usual size stand for those, as with Wilson.
    """
    inside = rows_inside(boxes, rows, values.size)
    T = len(boxes)
    padded = np.append(values, 0.0)
    found = padded[inside.counts]
    change = found - padded[np.maximum(inside.counts - 1, 0)]
    shared = (_by_row(inside, change, len(rows)) ** 2).sum() - (inside.counts * change**2).sum()
    usual = together * abs(float(values[1] - values[0])) / T
    variance = (found.var() * T + max(0.0, float(shared))) / T**2 + (z * usual) ** 2
    return _Mean(float(found.mean()), float(variance), inside.counts)


def _by_row(inside: Inside, change: Floats, rows: int) -> Floats:
    """What leaving out each row changes, summed over the conditions that match it."""
    listed = np.arange(inside.rows.shape[1]) < inside.counts[:, None]
    each = np.broadcast_to(change[:, None], listed.shape)[listed]
    return np.asarray(np.bincount(inside.rows[listed], each, rows), np.float64)
