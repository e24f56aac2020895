"""Cells of one table as a grid: groups of levels a column, so that a record finds its cell by arithmetic."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dalenius.records.cells._grid_kernels import cells_of
from dalenius.records.cells.cell import PublishedCell
from dalenius.records.cells.columns import LevelSet, RecordColumns, Where

Codes = NDArray[np.int32]
Whole = NDArray[np.int64]

DENSE = 1 << 24
"""Places up to which a grid is looked up in an array, rather than searched for."""


EMPTY_PLACE = -2
"""The row of a record that a complete table would count where it prints nothing: it cannot be there."""


@dataclass(frozen=True)
class GroupedCells:
    """Cells that are all combinations of groups of levels, or some of them.

    Parameters
    ----------
    table
        The table that they stand in.
    columns
        The columns that are restricted, in order.
    groups
        For each of them the group of each level, -1 for levels that are in none: not in the universe.
    places
        The place of each cell, in order: its groups as digits, the last column's first.
    low, high
        Between which counts each cell is.
    complete
        Whether a place without a cell is 0; otherwise nothing is said about it.
    """

    table: str
    columns: tuple[int, ...]
    groups: tuple[Codes, ...]
    places: Whole
    low: Whole
    high: Whole
    complete: bool = False

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """How many groups each column has."""
        return tuple(int(own.max()) + 1 for own in self.groups)

    @property
    def size(self) -> int:
        """How many places there are."""
        return math.prod(self.sizes)

    def place_of(self, records: Codes) -> Whole:
        """The place of each record, one row each with all columns; -1 for records outside the universe."""
        place = np.zeros(len(records), np.int64)
        outside = np.zeros(len(records), np.bool_)
        for column, group, size in zip(self.columns, self.groups, self.sizes, strict=True):
            own = group[records[:, column]]
            outside |= own < 0
            place = place * size + own
        return np.where(outside, -1, place)

    def row_of(self, records: Codes) -> Whole:
        """The cell of each record: -1 where there is none, `EMPTY_PLACE` where it would be one."""
        absent = EMPTY_PLACE if self.complete else -1
        if self.size <= DENSE:
            table = np.full(self.size, absent, np.int32)
            table[self.places] = np.arange(self.places.size)
            found = np.empty(len(records), np.int64)
            lengths = [group.size for group in self.groups]
            cells_of(
                records,
                np.array(self.columns, np.int64),
                np.concatenate([np.zeros(0, np.int32), *self.groups]),
                np.cumsum([0, *lengths])[:-1],
                np.array(self.sizes, np.int64),
                table,
                found,
            )
            return found
        place = self.place_of(records)
        at = np.minimum(np.searchsorted(self.places, place), self.places.size - 1)
        inside = self.places[at] == place
        return np.where(place < 0, -1, np.where(inside, at, absent))

    def where(self, row: int) -> Where:
        """Whom one of its cells counts."""
        place, found = int(self.places[row]), []
        for column, group, size in reversed(list(zip(self.columns, self.groups, self.sizes, strict=True))):
            place, own = divmod(place, size)
            found.append((column, tuple(int(code) for code in np.flatnonzero(group == own))))
        return tuple(reversed(found))


def grids_of(columns: RecordColumns, cells: Iterable[PublishedCell]) -> list[GroupedCells]:
    """Put cells that count people together as grids, as few as a first fit gives.

    Cells of one table whose sets of levels overlap (a race alone or in combination) become several grids;
    a cell that is printed twice stays twice, each with its own interval.

    Examples
    --------
    >>> columns = RecordColumns.of({"sex": ["f", "m"]})
    >>> both = [PublishedCell(((0, (code,)),), 3, 3, "t") for code in (0, 1)]
    >>> [grid.places.tolist() for grid in grids_of(columns, both)]
    [[0, 1]]
    """
    drafts: dict[tuple[str, tuple[int, ...]], list[_GridDraft]] = {}
    for each in cells:
        key = each.table, tuple(column for column, _ in each.where)
        open_ = drafts.setdefault(key, [])
        sets = tuple(levels for _, levels in each.where)
        if not any(draft.take(sets, each) for draft in open_):
            fresh = _GridDraft(*key, tuple(columns.sizes[column] for column in key[1]))
            fresh.take(sets, each)
            open_.append(fresh)
    return [draft.grid() for same in drafts.values() for draft in same]


@dataclass
class _GridDraft:
    """A grid while cells are still put into it."""

    table: str
    columns: tuple[int, ...]
    sizes: tuple[int, ...]
    sets: list[dict[LevelSet, int]] = field(init=False)
    groups: list[list[int]] = field(init=False)
    cells: dict[tuple[int, ...], PublishedCell] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.sets = [{} for _ in self.columns]
        self.groups = [[-1] * size for size in self.sizes]

    def take(self, sets: Sequence[LevelSet], cell: PublishedCell) -> bool:
        """Add a cell, unless its sets overlap with others or its place is taken."""
        for known, group, own in zip(self.sets, self.groups, sets, strict=True):
            if own not in known and any(group[code] >= 0 for code in own):
                return False
        key = []
        for known, own in zip(self.sets, sets, strict=True):
            key.append(known.get(own, len(known)))
        if tuple(key) in self.cells:
            return False
        for known, group, own, number in zip(self.sets, self.groups, sets, key, strict=True):
            known[own] = number
            for code in own:
                group[code] = number
        self.cells[tuple(key)] = cell
        return True

    def grid(self) -> GroupedCells:
        """The grid of the cells that were taken."""
        sizes = [len(known) for known in self.sets]
        places = np.array([_place(key, sizes) for key in self.cells], np.int64)
        order = np.argsort(places)
        kept = list(self.cells.values())
        ends = np.array([(kept[at].low, kept[at].high) for at in order], np.int64).reshape(-1, 2)
        groups = tuple(np.array(group, np.int32) for group in self.groups)
        return GroupedCells(
            self.table, self.columns, groups, places[order], ends[:, 0].copy(), ends[:, 1].copy()
        )


def _place(key: Sequence[int], sizes: Sequence[int]) -> int:
    place = 0
    for own, size in zip(key, sizes, strict=True):
        place = place * size + own
    return place
