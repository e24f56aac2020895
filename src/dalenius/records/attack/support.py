"""Which records can be there at all: joined column by column from cells that are not zero.

The domain, which may have 10^12 records and more, is never written out. A partial record is kept only if
every grid allows it whose columns are all present, or whose further columns may be left out because each
of their levels is in some group: then a place is empty if all places behind it are. Levels are bits: a grid
has, for each place over the columns that are present, those with which it may go on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from math import prod

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import TooLargeError
from dalenius.records.attack._join_kernels import WORD, extend_by, levels_allowed, mark_levels
from dalenius.records.cells.columns import RecordColumns
from dalenius.records.cells.grid import DENSE, Codes, GroupedCells, Whole

MOST_PARTIAL = 3_000_000
"""Partial records: more do not fit, or would take too long after this step."""

SMALL = 1 << 16
"""Places up to which levels are marked for each, also for those that no cell has."""

MOST_SUBSETS = 6
"""Columns of a grid up to which it is remembered what it says of fewer of them."""


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
    joined = [_JoinedGrid(grid) for grid in grids]
    partial = np.zeros((1, len(order)), np.int32)
    done: set[int] = set()
    for column in order:
        filters = _filters(joined, column, done)
        partial = _extend(partial, column, columns, filters, most)
        done.add(column)
    return partial[np.lexsort(partial.T[::-1])]


class _JoinedGrid:
    """A grid with the groups of every cell, one array per column."""

    def __init__(self, grid: GroupedCells) -> None:
        self.grid = grid
        self.sizes = dict(zip(grid.columns, grid.sizes, strict=True))
        self.groups = dict(zip(grid.columns, grid.groups, strict=True))
        self.whole = {column: bool((group >= 0).all()) for column, group in self.groups.items()}
        self.same = {column: (column, group.tobytes()) for column, group in self.groups.items()}
        place, self.digits = grid.places, {}
        for column in reversed(grid.columns):
            place, self.digits[column] = np.divmod(place, self.sizes[column])

    def masks(self, column: int, present: Sequence[int]) -> _LevelMasks | None:
        """The levels of a column by place over those present; ``None`` where others cannot be left out."""
        own = [*present, column]
        rest = [name for name in self.grid.columns if name not in own]
        if not all(self.whole[name] for name in rest):
            return None
        size = prod(self.sizes[name] for name in own)
        high = self.grid.high
        if self.grid.complete:
            some = np.flatnonzero(high > 0)
            place, group = self._prefix(present, some), self.digits[column][some]
        elif size > DENSE:
            return None  # zeros are few then, and the record finds its cell later
        else:
            empty = np.flatnonzero(high <= 0)
            zeros = np.bincount(self._prefix(own, empty), minlength=size)
            behind = prod(self.sizes[name] for name in rest)
            place, group = np.divmod(np.flatnonzero(zeros < behind), self.sizes[column])
        return self._marked(column, present, place, group)

    def _prefix(self, names: Sequence[int], cells: Whole) -> Whole:
        place = np.zeros(cells.size, np.int64)
        for name in names:
            place = place * self.sizes[name] + self.digits[name][cells]
        return place

    def _marked(self, column: int, present: Sequence[int], place: Whole, group: Whole) -> _LevelMasks:
        count = prod(self.sizes[name] for name in present)
        keys = np.zeros(0, np.int64)
        if count > max(SMALL, 4 * place.size):
            keys, place = np.unique(place, return_inverse=True)
            keys = keys if keys.size else np.array([-1])  # no place at all: none is found
            count = keys.size + 1
        levels = self.groups[column]
        masks = np.empty((count, -(-levels.size // WORD)), np.uint64)
        mark_levels(masks, place, group, levels)
        sizes = [self.sizes[name] for name in present]
        steps = [prod(sizes[at + 1 :]) for at in range(len(sizes))]
        return _LevelMasks(tuple(present), tuple(self.groups[name] for name in present), steps, masks, keys)


@dataclass(frozen=True)
class _LevelMasks:
    """The levels of one column that go on from each place over others, as bits.

    ``steps`` is by how much each group counts in a place. Where there are ``keys`` a place is found among
    them, and one that is not has the last row.
    """

    columns: tuple[int, ...]
    groups: tuple[Codes, ...]
    steps: list[int]
    masks: NDArray[np.uint64]
    keys: Whole

    def parts(self) -> Iterator[tuple[int, Codes, int]]:
        """The columns of a place, the groups of their levels, and how much a group counts."""
        return zip(self.columns, self.groups, self.steps, strict=True)


def _filters(grids: Sequence[_JoinedGrid], column: int, done: set[int]) -> list[_LevelMasks]:
    """What each grid says of a column, those with most columns present first.

    A complete grid over fewer columns says nothing beside a complete one over more, in the same groups.
    """
    found, said = [], set()
    having = [each for each in grids if column in each.groups]
    for each in sorted(having, key=lambda own: -len(done.intersection(own.groups))):
        present = [name for name in each.grid.columns if name in done]
        key = frozenset(each.same[name] for name in (*present, column))
        if each.grid.complete and key in said and len(present) + 1 < len(each.groups):
            continue
        masks = each.masks(column, present)
        if masks is not None:
            found.append(masks)
            if each.grid.complete and len(key) <= MOST_SUBSETS:
                sizes = range(len(key) + 1)
                said |= {frozenset(some) for some in chain.from_iterable(combinations(key, n) for n in sizes)}
    return found


def _extend(
    partial: Codes, column: int, columns: RecordColumns, filters: Sequence[_LevelMasks], most: int
) -> Codes:
    """Go on from every partial record with the levels that all filters allow."""
    size = columns.sizes[column]
    words = -(-size // WORD)
    if not filters:
        _refuse_wide(len(partial) * size, columns, column, most)
    allowed = np.full((len(partial), words), ~np.uint64(0))
    if size % WORD:
        allowed[:, -1] = np.uint64((1 << size % WORD) - 1)
    used = [(name, group, step) for own in filters for name, group, step in own.parts()]
    begins = np.cumsum([0, *(group.size for _, group, _ in used)])
    ends = [(len(own.columns), len(own.masks), own.keys.size) for own in filters]
    parts = [(name, begin, step) for (name, _, step), begin in zip(used, begins[:-1], strict=True)]
    count = levels_allowed(
        partial,
        np.cumsum([(0, 0, 0), *ends], axis=0),
        np.array(parts, np.int64).reshape(-1, 3),
        np.concatenate([np.zeros(0, np.int32), *(group for _, group, _ in used)]),
        np.concatenate([np.zeros((0, words), np.uint64), *(own.masks for own in filters)]),
        np.concatenate([np.zeros(0, np.int64), *(own.keys for own in filters)]),
        allowed,
    )
    _refuse_wide(int(count), columns, column, most)
    longer = np.empty((count, partial.shape[1]), np.int32)
    extend_by(partial, allowed, column, longer)
    return longer


def _refuse_wide(count: int, columns: RecordColumns, column: int, most: int) -> None:
    if count > most:
        raise TooLargeError(
            f"tables, at column {columns.names[column]!r}",
            f"must leave at most {most:,} partial records",
            f"{count:,}",
            "Give tables that cross this column with others, or fewer columns.",
        )
