"""Partial records that are in every data set although no whole one is: some columns fixed, others free."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
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


def partial_claims(bounds: RecordBounds, unit: int | None = None) -> list[CertainClaim]:
    """Partial records that are certain and follow neither from finer claims nor from one published cell.

    The column of units is never free. A claim is left out if, for some free column, claims about all of
    its levels add up to it.
    """
    if not bounds.pieces:
        return []
    columns = range(len(bounds.system.columns.names))
    free = [at for at in columns if at != unit]
    deepest = len(free) if len(free) <= 6 else MOST_FREE
    more: dict[Key, Counter[Key]] = {tuple(columns): Counter()}
    programs: dict[int, OpenProgram] = {}  # of one piece, for all claims
    found = []
    for count in range(1, deepest + 1):
        for left in itertools.combinations(free, count):
            kept = tuple(at for at in columns if at not in left)
            more[kept] = _excess(bounds, kept, programs)
            found += [_claim(bounds, kept, key, more[kept][key]) for key in _fresh(more, kept, left)]
    named = [claim for claim in found if claim.least > claim.read]
    return sorted(named, key=lambda claim: [-1 if code is None else code for code in claim.levels])


def _excess(bounds: RecordBounds, kept: Key, programs: dict[int, OpenProgram]) -> Counter[Key]:
    """By levels of some columns, how many people must have them besides those with certain records."""
    found: Counter[Key] = Counter()
    for at, settled in enumerate(bounds.pieces):
        records = bounds.system.records[settled.piece.records][:, list(kept)]
        keys, group = np.unique(records, axis=0, return_inverse=True)
        size = len(records)
        ones = np.ones(size, np.int64)
        groups: Any = sparse.csr_array((ones, (group.ravel(), np.arange(size))), shape=(len(keys), size))
        certain: Whole = groups @ settled.piece.lo
        if settled.complete:
            least: Whole = (groups @ settled.points.T).min(axis=1)
        else:
            program = programs.setdefault(at, OpenProgram(settled.piece))
            least = _proven_sums(settled, groups, certain, program)
        for key, extra in zip(keys, least - certain, strict=True):
            if extra > 0:
                found[tuple(int(code) for code in key)] += int(extra)
    return found


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


def _claim(bounds: RecordBounds, kept: Key, key: Key, extra: int) -> CertainClaim:
    system = bounds.system
    match = (system.records[:, list(kept)] == np.array(key, np.int32)).all(axis=1)
    levels: list[int | None] = [None] * len(system.columns.names)
    for at, code in zip(kept, key, strict=True):
        levels[at] = code
    row = np.zeros((1, len(levels)), np.int32)
    row[0, list(kept)] = key
    read = int(_readings(system, kept, row)[0]) if kept else 0
    return CertainClaim(tuple(levels), int(bounds.lo[match].sum()) + extra, read)


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
    place = grid.places
    best: dict[Key, int] = {}
    digits: list[Whole] = []
    for size in reversed(grid.sizes):
        place, own = np.divmod(place, size)
        digits.append(own)
    by_column = dict(zip(grid.columns, reversed(digits), strict=True))
    for row in range(grid.places.size):
        key = tuple(int(by_column[at][row]) for at in kept)
        best[key] = max(best.get(key, 0), int(grid.low[row]))
    groups = {at: grid.groups[grid.columns.index(at)] for at in kept}
    keys = [tuple(int(groups[at][record[at]]) for at in kept) for record in records]
    return np.array([best.get(key, 0) for key in keys], np.int64)
