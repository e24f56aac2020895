"""Partial records that are in every data set although no whole one is: some columns fixed, others free."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from dalenius.errors import SolveError
from dalenius.records.attack.certain.ranges import OpenProgram
from dalenius.records.attack.certain.settle import RecordBounds, SettledPiece
from dalenius.records.attack.system import CellSystem
from dalenius.records.cells.grid import Codes, GroupedCells, Whole

MOST_FREE = 3
"""Columns that are left free at most where there are many; beyond it claims say little and are many."""

Key = tuple[int, ...]


@dataclass(frozen=True)
class CertainClaim:
    """At least ``least`` people have these levels, in every data set that fits; ``None`` is a free column.

    ``read`` is the most that a single published cell says about them.
    """

    levels: tuple[int | None, ...]
    least: int
    read: int


def whole_claims(bounds: RecordBounds) -> list[CertainClaim]:
    """The whole records that are certain."""
    system = bounds.system
    at = np.flatnonzero(bounds.lo > 0)
    columns = tuple(range(len(system.columns.names)))
    keys = [tuple(int(code) for code in record) for record in system.records[at]]
    read = _readings(system, columns, system.records[at])
    return [
        CertainClaim(key, int(least), int(said))
        for key, least, said in zip(keys, bounds.lo[at], read, strict=True)
    ]


def free_columns(columns: int, unit: int | None) -> list[Key]:
    """Which columns are left free together, fewest first; that of units never is."""
    free = [at for at in range(columns) if at != unit]
    deepest = len(free) if len(free) <= 6 else MOST_FREE
    return [left for count in range(1, deepest + 1) for left in itertools.combinations(free, count)]


def partial_claims(
    bounds: RecordBounds, unit: int | None = None, excess: Mapping[Key, Counter[Key]] | None = None
) -> list[CertainClaim]:
    """Partial records that are certain and follow neither from finer claims nor from one published cell.

    The column of units is never free. A claim is left out if, for some free column, claims about all of
    its levels add up to it. ``excess`` is what `excess_of` says of all pieces together, if it is known.
    """
    if not bounds.pieces:
        return []
    columns = range(len(bounds.system.columns.names))
    if excess is None:
        excess = add_excess(excess_of(each, bounds.system.records, unit) for each in bounds.pieces)
    more: dict[Key, Counter[Key]] = {tuple(columns): Counter()}
    found = []
    for left in free_columns(len(columns), unit):
        kept = tuple(at for at in columns if at not in left)
        more[kept] = excess.get(kept, Counter())
        fresh = {key: more[kept][key] for key in _fresh(more, kept, left)}
        found += _claims(bounds, kept, fresh)
    named = [claim for claim in found if claim.least > claim.read]
    return sorted(named, key=lambda claim: [-1 if code is None else code for code in claim.levels])


def excess_of(settled: SettledPiece, records: Codes, unit: int | None) -> dict[Key, Counter[Key]]:
    """By columns and their levels, how many people of a piece must have them besides the certain ones."""
    own = records[settled.piece.records]
    columns = range(records.shape[1])
    program = None if settled.complete else OpenProgram(settled.piece)
    found = {}
    for left in free_columns(records.shape[1], unit):
        kept = tuple(at for at in columns if at not in left)
        if more := _excess(settled, own[:, list(kept)], program):
            found[kept] = more
    return found


def add_excess(parts: Iterable[Mapping[Key, Counter[Key]]]) -> dict[Key, Counter[Key]]:
    """Add up what pieces say: they share no people."""
    found: dict[Key, Counter[Key]] = {}
    for part in parts:
        for kept, more in part.items():
            found.setdefault(kept, Counter()).update(more)
    return found


def _excess(settled: SettledPiece, records: Codes, program: OpenProgram | None) -> Counter[Key]:
    keys, group = np.unique(records, axis=0, return_inverse=True)
    size = len(records)
    ones = np.ones(size, np.int64)
    groups: Any = sparse.csr_array((ones, (group.ravel(), np.arange(size))), shape=(len(keys), size))
    certain: Whole = groups @ settled.piece.lo
    if program is None:
        least: Whole = (groups @ settled.points.T).min(axis=1)
    else:
        least = _proven_sums(settled, groups, certain, program)
    more = np.flatnonzero(least > certain)
    return Counter(dict(zip(map(tuple, keys[more].tolist()), (least - certain)[more].tolist(), strict=True)))


def _proven_sums(settled: SettledPiece, groups: Any, certain: Whole, program: OpenProgram) -> Whole:
    """The least that groups of records are proven to add up to."""
    least = certain.copy()
    seen = (groups @ settled.points.T).min(axis=1) if len(settled.points) else certain
    for at in np.flatnonzero((seen > certain) & (groups.sum(axis=1) > 1)):
        cost = groups[[at]].toarray()[0]
        try:
            least[at] = max(int(least[at]), program.least(cost)[0])
        except SolveError:
            continue
    return least


def _fresh(more: dict[Key, Counter[Key]], kept: Key, left: Sequence[int]) -> Iterator[Key]:
    """The levels about which more is certain than finer claims add up to."""
    below: Counter[Key] = Counter()
    for column in left:
        finer = tuple(sorted((*kept, column)))
        drop = finer.index(column)
        sums: Counter[Key] = Counter()
        for key, extra in more[finer].items():
            sums[key[:drop] + key[drop + 1 :]] += extra
        for key, extra in sums.items():
            below[key] = max(below[key], extra)
    for key, extra in more[kept].items():
        if extra > below[key]:
            yield key


def _claims(bounds: RecordBounds, kept: Key, more: Mapping[Key, int]) -> list[CertainClaim]:
    """Claims about levels of some columns: people with certain records, and ``more`` besides."""
    if not more:
        return []
    system, columns = bounds.system, len(bounds.system.columns.names)
    certain = np.flatnonzero(bounds.lo)
    own = map(tuple, system.records[certain][:, list(kept)].tolist())
    counted: Counter[Key] = Counter()
    for key, least in zip(own, bounds.lo[certain].tolist(), strict=True):
        if key in more:
            counted[key] += least
    rows = np.zeros((len(more), columns), np.int32)
    rows[:, list(kept)] = np.array(list(more), np.int32).reshape(len(more), len(kept))
    read = _readings(system, kept, rows) if kept else np.zeros(len(more), np.int64)
    found = []
    for key, said in zip(more, read.tolist(), strict=True):
        levels: list[int | None] = [None] * columns
        for at, code in zip(kept, key, strict=True):
            levels[at] = code
        found.append(CertainClaim(tuple(levels), counted[key] + more[key], said))
    return found


def _readings(system: CellSystem, kept: Key, records: Codes) -> Whole:
    """The largest low end of a published cell that counts nobody but people with these levels."""
    most = np.zeros(len(records), np.int64)
    for grid in system.grids:
        if not set(kept) <= set(grid.columns):
            continue
        single = [np.bincount(group[group >= 0])[group] == 1 for group in grid.groups]
        inside = np.ones(len(records), np.bool_)
        for at in kept:
            own = grid.columns.index(at)
            inside &= single[own][records[:, at]] & (grid.groups[own][records[:, at]] >= 0)
        if set(kept) == set(grid.columns):
            row = grid.row_of(records)
            said = np.where(row >= 0, grid.low[np.maximum(row, 0)], 0)
            most = np.where(inside, np.maximum(most, said), most)
        else:
            most = np.where(inside, np.maximum(most, _finer_reading(grid, kept, records)), most)
    return most


def _finer_reading(grid: GroupedCells, kept: Key, records: Codes) -> Whole:
    """The largest low end of the cells of a grid that break these levels down further."""
    if not grid.places.size:
        return np.zeros(len(records), np.int64)
    place, digits = grid.places, []
    for size in reversed(grid.sizes):
        place, own = np.divmod(place, size)
        digits.append(own)
    of_cells = dict(zip(grid.columns, reversed(digits), strict=True))
    cells, asked = np.zeros(grid.places.size, np.int64), np.zeros(len(records), np.int64)
    for at in kept:
        side = grid.columns.index(at)
        cells = cells * grid.sizes[side] + of_cells[at]
        asked = asked * grid.sizes[side] + grid.groups[side][records[:, at]]
    keys, where = np.unique(cells, return_inverse=True)
    most = np.zeros(keys.size, np.int64)
    np.maximum.at(most, where, grid.low)
    found = np.minimum(np.searchsorted(keys, asked), keys.size - 1)
    best: Whole = np.where(keys[found] == asked, most[found], 0)
    return best
