"""Conditions of one family, counted in the original and in a control: success, luck, and the difference.

Both sides are compared among as many people as the smaller file has, by the unbiased estimators of
`dalenius.singling_out.released.luck`, and scaled to the people of the original: the size of the control moves
no expectation, only the width of the interval.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.conditions.boxes.boxes import Boxes, IndexedRows, rows_inside
from dalenius.findings.tally import Interval
from dalenius.people.rows.rows import Rows
from dalenius.people.sealed import SealedRows
from dalenius.people.truth import open_rows
from dalenius.singling_out.released.luck import Matched, alone_when_drawn, compared

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class CountedConditions:
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


class BothSides:
    """The people behind released rows, and others: conditions of any family are counted in both."""

    def __init__(self, original: SealedRows, control: Rows) -> None:
        self._sides = [IndexedRows(rows) for rows in (open_rows(original), control)]

    def compare(self, name: str, boxes: Boxes, together: float, confidence: float) -> CountedConditions:
        """Count the conditions of a family on either side.

        Parameters
        ----------
        name
            What they are.
        boxes
            The conditions.
        together
            How many of them speak of the same synthetic row, on average.
        confidence
            Of the intervals.
        """
        n, N = (side.size for side in self._sides)
        drawn = min(n, N)
        here, there = (_matched(boxes, side, alone_when_drawn(side.size, drawn).size) for side in self._sides)
        found = compared(here, there, n, N, together, confidence)
        return CountedConditions(
            name, boxes, here.counts, there.counts, found.success, found.luck, found.advantage
        )


def together_on(rows: Ints) -> float:
    """How many conditions match the synthetic row of a condition, on average over the conditions."""
    often = np.bincount(rows) if rows.size else np.zeros(1)
    return float((often**2).sum() / max(often.sum(), 1))


def _matched(boxes: Boxes, rows: IndexedRows, limit: int) -> Matched:
    inside = rows_inside(boxes, rows, limit)
    listed = np.arange(inside.rows.shape[1]) < inside.counts[:, None]
    return Matched(inside.counts, inside.rows[listed])
