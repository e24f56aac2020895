"""Which records can be there at all: joined column by column from cells that are not zero.

The domain, which may have 10^12 records and more, is never written out. A partial record is kept only if
every grid allows it whose columns are all present, or whose further columns may be left out because each
of their levels is in some group: then a place is empty if all places behind it are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import TooLargeError
from dalenius.records.cells.columns import RecordColumns
from dalenius.records.cells.grid import DENSE, Codes, GroupedCells, Whole

MOST_PARTIAL = 3_000_000
"""Partial records: more do not fit, or would take too long after this step."""


def find_support(columns: RecordColumns, grids: Sequence[GroupedCells], most: int = MOST_PARTIAL) -> Codes:
    """Return the records that no zero forbids, one row each, in the order of their levels.

    Raises
    ------
    TooLargeError
        If there are too many partial records; it names the column at which.

    Examples
    --------
    >>> from dalenius.records.cells.cell import cell
    >>> from dalenius.records.cells.grid import grids_of
    >>> columns = RecordColumns.of({"sex": ["f", "m"], "ill": ["no", "yes"]})
    >>> cells = [cell(columns, {"sex": ["f"]}, 0, 0), cell(columns, {"sex": ["m"]}, 2, 2)]
    >>> find_support(columns, grids_of(columns, cells)).tolist()
    [[1, 0], [1, 1]]
    """
    order = sorted(range(len(columns.names)), key=lambda at: -columns.sizes[at])
    partial = np.zeros((1, len(order)), np.int32)
    done: list[int] = []
    for column in order:
        filters = [
            found
            for grid in grids
            if column in grid.columns and (found := _filter(grid, column, done)) is not None
        ]
        partial = _extend(partial, column, columns, filters, most)
        done.append(column)
    return partial[np.lexsort(partial.T[::-1])]


@dataclass(frozen=True)
class _PlaceFilter:
    """The places of a grid, seen over some of its columns, that are not empty; the new column is the last."""

    columns: tuple[int, ...]
    groups: tuple[Codes, ...]
    sizes: tuple[int, ...]
    allowed: Whole

    def place_of(self, partial: Codes, count: int) -> tuple[Whole, NDArray[np.bool_]]:
        """The place over the first columns, and whether it is outside the universe."""
        place = np.zeros(len(partial), np.int64)
        outside = np.zeros(len(partial), np.bool_)
        for column, group, size in list(zip(self.columns, self.groups, self.sizes, strict=True))[:count]:
            own = group[partial[:, column]]
            outside |= own < 0
            place = place * size + own
        return np.where(outside, 0, place), outside

    def keeps(self, partial: Codes) -> NDArray[np.bool_]:
        """Whether each partial record is allowed."""
        place, outside = self.place_of(partial, len(self.columns))
        size = int(np.prod(np.array(self.sizes, object)))
        if size <= DENSE:
            full = np.zeros(size, np.bool_)
            full[self.allowed] = True
            inside: NDArray[np.bool_] = full[place]
            return outside | inside
        if not self.allowed.size:
            return outside
        at = np.minimum(np.searchsorted(self.allowed, place), self.allowed.size - 1)
        found: NDArray[np.bool_] = self.allowed[at] == place
        return outside | found

    def choices(self, partial: Codes) -> tuple[Whole, Whole] | None:
        """For each partial record the first and last of ``allowed`` that go on from it.

        ``None`` where some go on without a place: outside the universe anything is allowed.
        """
        place, outside = self.place_of(partial, len(self.columns) - 1)
        if outside.any() or (self.groups[-1] < 0).any():
            return None
        first = place * self.sizes[-1]
        return (
            np.searchsorted(self.allowed, first).astype(np.int64),
            np.searchsorted(self.allowed, first + self.sizes[-1]).astype(np.int64),
        )


def _filter(grid: GroupedCells, column: int, done: Sequence[int]) -> _PlaceFilter | None:
    """The grid over the columns that are present; ``None`` where the others cannot be left out."""
    present = [at for at in grid.columns if at in done]
    own = [*present, column]
    at = {name: j for j, name in enumerate(grid.columns)}
    rest = [j for j, name in enumerate(grid.columns) if name not in own]
    if any((grid.groups[j] < 0).any() for j in rest):
        return None
    sizes = tuple(grid.sizes[at[name]] for name in own)
    if not grid.complete and int(np.prod(np.array(sizes, object))) > DENSE:
        return None  # zeros are few then, and the record finds its cell later
    digits = dict(zip(range(len(grid.columns)), _digits(grid), strict=True))
    place = np.zeros(grid.places.size, np.int64)
    for name, size in zip(own, sizes, strict=True):
        place = place * size + digits[at[name]]
    if grid.complete:
        allowed = np.unique(place[grid.high > 0])
    else:
        behind = int(np.prod(np.array([grid.sizes[j] for j in rest], object))) if rest else 1
        zeros = np.bincount(place[grid.high <= 0], minlength=int(np.prod(np.array(sizes, object))))
        allowed = np.flatnonzero(zeros < behind)
    return _PlaceFilter(tuple(own), tuple(grid.groups[at[name]] for name in own), sizes, allowed)


def _digits(grid: GroupedCells) -> list[Whole]:
    """The groups of every cell, one array a column."""
    place, found = grid.places, []
    for size in reversed(grid.sizes):
        place, own = np.divmod(place, size)
        found.append(own)
    return found[::-1]


def _extend(
    partial: Codes, column: int, columns: RecordColumns, filters: Sequence[_PlaceFilter], most: int
) -> Codes:
    """Go on from every partial record with the levels that some filter allows, and keep what all allow."""
    best: tuple[int, _PlaceFilter, Whole, Whole] | None = None
    for each in filters:
        found = each.choices(partial)
        if found is not None:
            count = int((found[1] - found[0]).sum())
            if best is None or count < best[0]:
                best = count, each, *found
    size = columns.sizes[column]
    if best is None or best[0] >= len(partial) * size:
        _refuse_wide(len(partial) * size, columns, column, most)
        which = np.repeat(np.arange(len(partial)), size)
        levels = np.tile(np.arange(size, dtype=np.int32), len(partial))
    else:
        which, levels = _choose(*best[1:], columns, column, most)
    longer = partial[which]
    longer[:, column] = levels
    for each in filters:
        longer = longer[each.keeps(longer)]
    return longer


def _choose(
    each: _PlaceFilter, first: Whole, last: Whole, columns: RecordColumns, column: int, most: int
) -> tuple[Whole, Codes]:
    """Repeat every partial record once for each level that it may go on with."""
    counts = last - first
    which = np.repeat(np.arange(counts.size), counts)
    starts = np.cumsum(counts) - counts
    own = each.allowed[first[which] + np.arange(which.size) - starts[which]] % each.sizes[-1]
    group = each.groups[-1]
    levels = np.argsort(group, kind="stable").astype(np.int32)
    members = np.bincount(group, minlength=each.sizes[-1])
    begins = np.cumsum(members) - members
    many = members[own]
    _refuse_wide(int(many.sum()), columns, column, most)
    again = np.repeat(np.arange(own.size), many)
    offset = np.cumsum(many) - many
    return which[again], levels[begins[own[again]] + np.arange(again.size) - offset[again]]


def _refuse_wide(count: int, columns: RecordColumns, column: int, most: int) -> None:
    if count > most:
        raise TooLargeError(
            f"tables, at column {columns.names[column]!r}",
            f"must leave at most {most:,} partial records",
            f"{count:,}",
            "Give tables that cross this column with others, or fewer columns.",
        )
