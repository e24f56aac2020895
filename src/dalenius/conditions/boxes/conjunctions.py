"""Conditions on one column each, joined by *and*, in great number: how many rows each matches, and which.

A released record of generalised cells is such a condition, and a million rows have hundred thousands of
different ones; they may overlap. Values become ranks, a condition on a column becomes a range of ranks (with
a list, if it has gaps), and a tree over the rows finds those in every box.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dalenius.accelerate import cores, share_out
from dalenius.conditions.boxes.axis import Axis, Leaves
from dalenius.conditions.leaves import OfColumn
from dalenius.conditions.predicate import And
from dalenius.people.rows.columns import Index
from dalenius.people.rows.rows import Rows


@dataclass(frozen=True, eq=False)
class Conjunctions:
    """Many conjunctions over the same columns.

    Parameters
    ----------
    columns
        The columns.
    leaves
        For each column the different conditions on it.
    codes
        Which of them each box has, one row per box and one column per column.
    """

    columns: tuple[str, ...]
    leaves: tuple[Leaves, ...]
    codes: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.codes)

    def parts(self, i: int) -> tuple[OfColumn, ...]:
        """The conditions of one box."""
        chosen = (leaves[code] for leaves, code in zip(self.leaves, self.codes[i].tolist(), strict=True))
        return tuple(leaf for leaf in chosen if leaf is not None)

    def predicate(self, i: int) -> And:
        """One box as a condition on rows."""
        return And(self.parts(i))

    def take(self, which: Index) -> Conjunctions:
        """Keep these boxes, in this order; one may come twice."""
        return replace(self, codes=self.codes[which])

    def narrow(
        self, column: str, leaves: Sequence[OfColumn | None], codes: NDArray[np.integer]
    ) -> Conjunctions:
        """Replace the conditions on a column, or add a column with conditions."""
        own = codes.astype(np.int32)
        if column not in self.columns:
            joined = np.column_stack([self.codes, own])
            return Conjunctions((*self.columns, column), (*self.leaves, tuple(leaves)), joined)
        j = self.columns.index(column)
        joined = self.codes.copy()
        joined[:, j] = own
        return Conjunctions(self.columns, (*self.leaves[:j], tuple(leaves), *self.leaves[j + 1 :]), joined)


class RankedBoxes(NamedTuple):
    """Boxes in ranks.

    Parameters
    ----------
    cells
        Which cell each box has on each axis.
    ranges
        For each cell the least and the largest rank, and where its list of ranks starts and stops in
        ``lists``, both 0 for a range without gaps.
    lists
        The ranks of cells with gaps, sorted within each.
    """

    cells: NDArray[np.int64]
    ranges: NDArray[np.int64]
    lists: NDArray[np.int64]


class RowsInBoxes(NamedTuple):
    """The rows in each of many boxes: those of box i are ``rows[starts[i]:starts[i + 1]]``."""

    starts: NDArray[np.int64]
    rows: NDArray[np.int64]

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many rows are in each box."""
        return np.diff(self.starts)


class RowIndex:
    """Rows, ordered once so that many boxes over some of their columns can be searched.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from dalenius.conditions.leaves import Between, Equals
    >>> rows = Rows.of_table(pa.table({"age": [31, 37, 52], "sex": ["f", "m", "f"]}))
    >>> conditions = ((Between("age", 30, 40),), (None, Equals("sex", "f")))
    >>> boxes = Conjunctions(("age", "sex"), conditions, np.array([[0, 0], [0, 1]], np.int32))
    >>> RowIndex(rows, ("age", "sex")).count(boxes)
    array([2, 1])
    """

    def __init__(self, rows: Rows, columns: Sequence[str], along: Sequence[str] | None = None) -> None:
        """Order rows by some columns, ``along`` those that the boxes limit: others would cut in vain."""
        from dalenius.conditions.boxes import _kernels

        self._kernels = _kernels
        self.columns = tuple(columns)
        self._axes = {name: Axis(rows.column(name)) for name in self.columns}
        ranks = np.column_stack([axis.ranks for axis in self._axes.values()])
        sizes = np.array(
            [axis.size if along is None or name in along else np.inf for name, axis in self._axes.items()],
            np.float64,
        )
        self._ranks = ranks
        self._tree = None
        if len(rows):
            points = ranks.copy()
            self._tree = (points, *_kernels.build(points, sizes))

    def count(self, boxes: Conjunctions) -> NDArray[np.int64]:
        """How many rows are in each box."""
        return self.members(boxes).counts

    def members(self, boxes: Conjunctions) -> RowsInBoxes:
        """Which rows are in each box."""
        counts = np.zeros(len(boxes), np.int64)
        parts: dict[int, NDArray[np.int64]] = {0: np.empty(0, np.int64)}
        if self._tree is not None:
            tree, search = self._tree, self._kernels.search
            ranked = self._ranks_of(boxes)

            def part(first: int, last: int) -> None:
                if last > first:  # fewer boxes than threads: an empty part starts where another one does
                    parts[first] = search(tree, ranked, first, last, counts)

            share_out(part, len(boxes), threads=cores())
        found = np.concatenate([parts[first] for first in sorted(parts)])
        return RowsInBoxes(np.concatenate([[0], np.cumsum(counts)]), found)

    def among(
        self, outer: RowsInBoxes, of: Index, inner: Conjunctions, columns: Sequence[str]
    ) -> RowsInBoxes:
        """Which rows of box ``of[i]`` are in the narrower box i, which differs in these columns alone."""
        ranked = self._ranks_of(inner)
        axes = np.array([self.columns.index(name) for name in columns if name in self.columns], np.int64)
        counts, none = np.zeros(len(inner), np.int64), np.empty(0, np.int64)
        refine = self._kernels.refine
        refine(self._ranks, outer, of, ranked, axes, counts, RowsInBoxes(none, none))
        starts = np.concatenate([[0], np.cumsum(counts)])
        kept = RowsInBoxes(starts, np.empty(starts[-1], np.int64))
        refine(self._ranks, outer, of, ranked, axes, counts, kept)
        return kept

    def _ranks_of(self, boxes: Conjunctions) -> RankedBoxes:
        ranges: list[NDArray[np.int64]] = []
        lists: list[NDArray[np.int64]] = [np.zeros(1, np.int64)]  # a list never starts at 0
        cells = np.zeros((len(boxes), len(self.columns)), np.int64)
        cells_before, ranks_before = 0, 1
        for j, name in enumerate(self.columns):
            own: Leaves = (None,)
            if name in boxes.columns:
                k = boxes.columns.index(name)
                own = boxes.leaves[k]
                cells[:, j] = boxes.codes[:, k]
            found, listed = self._axes[name].ranges(own)
            cells[:, j] += cells_before
            ranges.append(found + [0, 0, ranks_before, ranks_before] * (found[:, 3:] > 0))
            lists.append(listed)
            cells_before, ranks_before = cells_before + len(found), ranks_before + listed.size
        return RankedBoxes(cells, np.concatenate(ranges), np.concatenate(lists))
