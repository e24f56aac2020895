"""Whole data sets under noise: walks over everybody's record, hot at first, until numbers count fully.

Each walk draws from a generator of its own, and is kept when it is done: a run that was stopped goes on with
the next one, and says the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from dalenius.errors import TooLargeError
from dalenius.progress import Progress, silent
from dalenius.random_kernel import state_of
from dalenius.records.attack.noise._metropolis_kernels import anneal
from dalenius.records.attack.ranked.others import PopulationShares
from dalenius.records.cells.columns import RecordColumns
from dalenius.records.cells.grid import Codes, GroupedCells, Whole
from dalenius.records.cells.noisy import NoisyCells
from dalenius.spread.blocks import map_blocks, those_done
from dalenius.spread.digest import digest_of
from dalenius.spread.parts import Arrays

Floats = NDArray[np.float64]
Record = tuple[int, ...]

WALKS = 4
STEPS_A_PERSON = 4_500
LEAST_STEPS, MOST_STEPS = 150_000, 20_000_000
KEPT = 250
"""Data sets that are kept of each walk."""

MOST_RECORDS = 1 << 22
"""Combinations of all columns but that of units: how usual each is is written down."""

MOST_PEOPLE = 100_000


@dataclass(frozen=True)
class DrawnPeople:
    """Probability that at least so many people have a record, likeliest first, and the likeliest data set.

    ``lost`` is how many walks were not made, because whoever made them was lost again and again.
    """

    records: Codes
    copies: Whole
    probability: Floats
    mode: dict[Record, int]
    apart: float
    lost: int = 0


def draw_people(
    columns: RecordColumns,
    cells: Sequence[NoisyCells],
    unit: int | None,
    others: PopulationShares | None = None,
    *,
    rng: np.random.Generator,
    progress: Progress = silent,
) -> DrawnPeople:
    """Draw whole data sets as probable as noisy cells make them.

    Raises
    ------
    TooLargeError
        If there are too many combinations or people.

    Examples
    --------
    >>> from dalenius.records.cells.cell import cell
    >>> from dalenius.records.cells.grid import grids_of
    >>> columns = RecordColumns.of({"sex": ["f", "m"]})
    >>> grid, = grids_of(columns, [cell(columns, {"sex": [s]}, 0, 9) for s in "fm"])
    >>> says = np.array([[4.0, 4.0, 9.0, 1.0], [0.0, 0.0, 9.0, 1.0]])
    >>> draw_people(columns, [NoisyCells(grid, says)], None, rng=np.random.default_rng(1)).mode
    {(0,): 4}
    """
    tables = _Flat(columns, cells, unit, others)
    low, high = people_of(cells)
    if high > MOST_PEOPLE:
        raise TooLargeError("tables with noise", f"must be of at most {MOST_PEOPLE:,} people", f"{high:,}")
    walk = NoiseWalk(tables, low, high, int(rng.integers(1 << 62)))
    done, lost = those_done(
        map_blocks(
            walk.arrays,
            range(WALKS),
            work=walk.name(),
            progress=progress,
            doing="drawing data sets",
            spare=True,
        )
    )
    walks = [(each["kept"], each["sizes"]) for each in done]
    shares = [_copies(kept, sizes) for kept, sizes in walks]
    keys = sorted({key for share in shares for key in share})
    table = np.array([[share.get(key, 0.0) for key in keys] for share in shares])
    mean = table.mean(axis=0)
    order = sorted(range(len(keys)), key=lambda at: (-mean[at], keys[at]))
    # the number of people in the middle: a likelihood alone compares data sets of other sizes, and of more
    # people there are more orders
    usual = int(np.median(np.concatenate([sizes for _, sizes in walks])))
    away = min(int(np.abs(sizes - usual).min()) for _, sizes in walks)
    every = (
        kept[at, :size]
        for kept, sizes in walks
        for at, size in enumerate(sizes)
        if abs(int(size) - usual) == away
    )
    return DrawnPeople(
        np.array([keys[at][0] for at in order], np.int32).reshape(len(keys), len(columns.names)),
        np.array([keys[at][1] for at in order], np.int64),
        mean[order],
        dict(Counter(map(tuple, max(every, key=lambda each: _likelihood(tables, each)).tolist()))),
        float(np.ptp(table, axis=0).max(initial=0.0)),
        lost,
    )


def people_of(cells: Sequence[NoisyCells]) -> tuple[int, int]:
    """How many people there are about: of the table that counts everybody with the least noise in its sum."""
    best: tuple[float, float] | None = None
    for each in cells:
        if any((group < 0).any() for group in each.grid.groups) or each.grid.places.size != each.grid.size:
            continue
        if not np.isfinite(each.says[:, 1]).all():
            continue
        exact = bool((each.says[:, 2] >= 12.0).all() and (each.says[:, 0] == each.says[:, 1]).all())
        spread = 0.0 if exact else float(np.sqrt((2 / each.says[:, 2] ** 2).sum()))
        total = float((each.says[:, 0] + each.says[:, 1]).sum() / 2)
        if best is None or spread < best[0]:
            best = spread, total
    if best is None:
        total = max((float(np.maximum(each.says[:, 0], 0).sum()) for each in cells), default=0.0)
        best = total / 4 + 5, total
    spread, total = best
    return max(round(total - 5 * spread), 0), max(round(total + 5 * spread), 0)


class _Flat:
    """Grids as flat arrays, as the compiled walk reads them, and how usual each record is."""

    def __init__(
        self,
        columns: RecordColumns,
        cells: Sequence[NoisyCells],
        unit: int | None,
        others: PopulationShares | None,
    ) -> None:
        self.levels = np.array(columns.sizes, np.int64)
        self.unit = -1 if unit is None else unit
        sizes = [1 if at == unit else size for at, size in enumerate(columns.sizes)]
        domain = int(np.prod(np.array(sizes, object)))
        if domain > MOST_RECORDS:
            rule = f"must have at most {MOST_RECORDS:,} combinations of levels"
            raise TooLargeError("tables with noise", rule, f"{domain:,}", "Leave out a column.")
        after = np.concatenate([np.cumprod(np.array(sizes[::-1], np.int64))[::-1][1:], [1]])
        self.steps = np.array([0 if at == unit else after[at] for at in range(len(sizes))], np.int64)
        self.log_p = np.full(domain, -np.log(domain))
        if others is not None:
            every = np.stack(np.unravel_index(np.arange(domain), sizes), axis=1).astype(np.int32)
            self.log_p = np.log(others.shares(columns, every))
        self.cumulated = np.cumsum(np.exp(self.log_p))
        self.says = np.concatenate([each.says for each in cells])
        self.grids = _flat_grids([each.grid for each in cells])


def _flat_grids(grids: Sequence[GroupedCells]) -> tuple[Whole, ...]:
    grid_start, column, size, group_start, groups, row_start, row_of = [0], [], [], [], [], [], []
    places = before = levels = 0
    for grid in grids:
        for at, group, own in zip(grid.columns, grid.groups, grid.sizes, strict=True):
            column.append(at)
            size.append(own)
            group_start.append(levels)
            groups.append(group.astype(np.int64))
            levels += group.size
        grid_start.append(len(column))
        table = np.full(grid.size, -1, np.int64)
        table[grid.places] = before + np.arange(grid.places.size)
        row_start.append(places)
        row_of.append(table)
        places, before = places + table.size, before + grid.places.size
    flat = (grid_start, column, size, group_start)
    none = [np.zeros(0, np.int64)]
    return (
        *(np.array(each, np.int64) for each in flat),
        np.concatenate(groups or none),
        np.array(row_start, np.int64),
        np.concatenate(row_of or none),
    )


@dataclass(frozen=True)
class NoiseWalk:
    """What every walk needs: the cells, how many people there are about, and where its randomness is from."""

    tables: _Flat
    low: int
    high: int
    key: int

    def arrays(self, number: int) -> Arrays:
        """Walk by its number: data sets on the way, and how many people each has."""
        tables, rng = self.tables, np.random.default_rng([self.key, number])
        d, size = tables.levels.size, (self.low + self.high) // 2
        people = np.zeros((max(self.high, size) + 1, d), np.int64)
        people[:size] = rng.integers(0, tables.levels, (size, d))
        counts = _counted(tables, people[:size])
        kept = np.zeros((KEPT, *people.shape), np.int64)
        sizes = np.zeros(KEPT, np.int64)
        work = int(np.clip(STEPS_A_PERSON * size, LEAST_STEPS, MOST_STEPS))
        run: Any = anneal  # grids are seven of its arguments
        usual = tables.levels, tables.steps, tables.unit, tables.log_p, tables.cumulated, tables.says
        moves = self.low < self.high
        run(state_of(rng), people, size, moves, *usual, counts, *tables.grids, kept, sizes, work)
        return {"kept": kept, "sizes": sizes}

    def name(self) -> str:
        """The same for the same work on the same numbers alone."""
        own = self.tables
        numbers = own.levels, own.steps, own.log_p, own.says, *own.grids
        return f"noise-{digest_of(*numbers, own.unit, self.low, self.high, self.key, WALKS, KEPT)[:16]}"


def _counted(tables: _Flat, people: Whole) -> Floats:
    """How many people each row counts."""
    start, column, size, group_start, groups, row_start, row_of = tables.grids
    counts = np.zeros(len(tables.says))
    for g in range(start.size - 1):
        place = np.zeros(len(people), np.int64)
        outside = np.zeros(len(people), np.bool_)
        for k in range(start[g], start[g + 1]):
            own = groups[group_start[k] + people[:, column[k]]]
            outside |= own < 0
            place = place * size[k] + own
        row = row_of[row_start[g] + place[~outside]]
        counts += np.bincount(row[row >= 0], minlength=counts.size)
    return counts


def _likelihood(tables: _Flat, people: Whole) -> float:
    away = _counted(tables, people)
    low, high, sharp, by_size = tables.says.T
    missed = np.maximum(np.maximum(low - away, away - high), 0) * sharp
    _, copies = np.unique(people, axis=0, return_counts=True)
    orders = gammaln(len(people) + 1.0) - gammaln(copies + 1.0).sum()
    fits = np.where(by_size > 0, missed, missed**2 / 2).sum()
    return float(tables.log_p[people @ tables.steps].sum() + orders - fits)


def _copies(kept: Whole, sizes: Whole) -> dict[tuple[Record, int], float]:
    """How often, over the data sets kept, at least so many people had each record."""
    seen: Counter[tuple[Record, int]] = Counter()
    for people, size in zip(kept, sizes, strict=True):
        records, counts = np.unique(people[:size], axis=0, return_counts=True)
        for record, count in zip(records.tolist(), counts.tolist(), strict=True):
            for copy in range(1, count + 1):
                seen[tuple(record), copy] += 1
    return {key: count / len(kept) for key, count in seen.items()}
