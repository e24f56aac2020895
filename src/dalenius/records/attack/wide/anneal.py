"""People who fit tables of a wide domain, or nearly: several searches, each from the counts of every column.

A search begins with everybody's levels dealt at random, every column as often as published, and exchanges
levels between two people until the tables fit. What several searches have in common is likely; nothing
follows for certain, and what does was not decided. Each search draws from a generator of its own, and is kept
when it is done: a run that was stopped goes on with the next one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.progress import Progress, silent
from dalenius.random_kernel import state_of
from dalenius.records.attack.wide._swap_kernels import anneal_swaps, misses
from dalenius.records.cells.cell import NO_LIMIT
from dalenius.records.cells.columns import RecordColumns
from dalenius.records.cells.grid import Codes, GroupedCells, Whole
from dalenius.spread.blocks import map_blocks, those_done
from dalenius.spread.digest import digest_of
from dalenius.spread.parts import Arrays

RUNS = 6
STEPS_A_PERSON, MOST_STEPS = 75_000, 30_000_000
HOT, COLD = 0.9, 2.0
"""How strongly a miss counts at first and at last."""

MOST_CELLS = 20_000_000
MOST_PEOPLE = 100_000

Record = tuple[int, ...]
Floats = NDArray[np.float64]

ALIKE: Floats = np.zeros(0)
"""All records are equally usual."""


@dataclass(frozen=True)
class AnnealedPeople:
    """What searches ended with: everybody's record in each, and by how much the tables were missed.

    ``lost`` is how many were not made, because whoever made them was lost again and again.
    """

    people: tuple[Codes, ...]
    missed: tuple[int, ...]
    lost: int = 0

    def copies(self) -> tuple[list[tuple[Record, int]], NDArray[np.float64]]:
        """Records and copies, likeliest first, and in what share of the searches they are; never all."""
        seen: Counter[tuple[Record, int]] = Counter()
        for run in self.people:
            for record, count in Counter(map(tuple, run.tolist())).items():
                seen.update((record, copy + 1) for copy in range(count))
        order = sorted(seen, key=lambda key: (-seen[key], key))
        return order, np.array([seen[key] / (len(self.people) + 1) for key in order])

    @property
    def best(self) -> Codes:
        """The people that miss least."""
        return self.people[int(np.argmin(self.missed))]


def anneal_people(
    columns: RecordColumns,
    grids: Sequence[GroupedCells],
    *,
    rng: np.random.Generator,
    runs: int = RUNS,
    progress: Progress = silent,
) -> AnnealedPeople | None:
    """Search for people who fit; ``None`` where no table says how often some column has each level.

    Examples
    --------
    >>> from dalenius.records.cells.cell import cell
    >>> from dalenius.records.cells.grid import grids_of
    >>> columns = RecordColumns.of({"a": ["0", "1"], "b": ["0", "1"]})
    >>> counts = {("0", "0"): 3, ("0", "1"): 0, ("1", "0"): 0, ("1", "1"): 2}
    >>> cells = [cell(columns, {"a": [a], "b": [b]}, n, n) for (a, b), n in counts.items()]
    >>> found = anneal_people(columns, grids_of(columns, cells), rng=np.random.default_rng(1), runs=1)
    >>> found.missed, sorted(map(tuple, found.best.tolist()))
    ((0,), [(0, 0), (0, 0), (0, 0), (1, 1), (1, 1)])
    """
    search = begin_search(columns, grids, key=int(rng.integers(1 << 62)))
    if search is None:
        return None
    doing = "searching people"
    done, lost = those_done(
        map_blocks(
            search.arrays, range(runs), work=search.name(runs), progress=progress, doing=doing, spare=True
        )
    )
    people, missed = [each["people"] for each in done], [int(each["missed"]) for each in done]
    return AnnealedPeople(tuple(people), tuple(missed), lost)


def begin_search(
    columns: RecordColumns, grids: Sequence[GroupedCells], *, key: int, usual: Floats = ALIKE
) -> SwapSearch | None:
    """What searches need; ``None`` where no table says how often some column has each level."""
    margins = [one_way(columns, grids, at) for at in range(len(columns.names))]
    known = [margin for margin in margins if margin is not None]
    totals = {int(margin.sum()) for margin in known}
    cells = sum(grid.size for grid in grids)
    if (
        len(known) < len(margins)
        or len(totals) != 1
        or not 0 < max(totals) <= MOST_PEOPLE
        or cells > MOST_CELLS
    ):
        return None
    steps = min(STEPS_A_PERSON * max(totals), MOST_STEPS)
    return SwapSearch(_FlatTables(columns, grids), tuple(known), steps, key, usual)


@dataclass(frozen=True)
class SwapSearch:
    """What every search needs: the tables, the counts of every column, and where its randomness is from.

    ``usual`` is how usual each record is that can be written, as a logarithm; empty where all are alike.
    """

    tables: _FlatTables
    margins: tuple[Whole, ...]
    steps: int
    key: int
    usual: Floats

    @property
    def people(self) -> int:
        """How many people are searched for."""
        return int(self.margins[0].sum())

    def arrays(self, number: int) -> Arrays:
        """Search by its number: the people at the end, by how much they miss, and the steps that it took."""
        rng = np.random.default_rng([self.key, number])
        dealt = [rng.permutation(np.repeat(np.arange(own.size), own)) for own in self.margins]
        people = np.ascontiguousarray(np.stack(dealt, axis=1).astype(np.int32))
        missed, taken = self.tables.search(people, self.steps, self.usual, rng)
        return {"people": people, "missed": np.array(missed), "taken": np.array(taken)}

    def name(self, runs: int) -> str:
        """The same for the same work on the same numbers alone."""
        own = self.tables
        numbers = own.low, own.high, own.of_start, own.of_column, own.adds, own.at_table, *self.margins
        return (
            f"wide-{digest_of(*numbers, self.usual, own.widest, self.steps, self.key, runs, HOT, COLD)[:16]}"
        )


def one_way(columns: RecordColumns, grids: Sequence[GroupedCells], at: int) -> Whole | None:
    """How often a column has each level, from an exact table that breaks everybody down by it."""
    for grid in grids:
        if at not in grid.columns or (grid.low != grid.high).any():
            continue
        own = grid.columns.index(at)
        whole = all((group >= 0).all() for group in grid.groups)
        single = np.unique(grid.groups[own]).size == columns.sizes[at]
        if whole and single and (grid.complete or grid.places.size == grid.size):
            shape = np.unravel_index(grid.places, grid.sizes)[own]
            by_group = np.bincount(shape, weights=grid.low, minlength=grid.sizes[own]).astype(np.int64)
            found: Whole = by_group[grid.groups[own]]
            return found
    return None


def strides_of(columns: RecordColumns) -> Whole:
    """What a level of each column adds to the number of a record among all that can be written.

    Where these are too many to have a number it wraps round, and says nothing.
    """
    sizes = np.array([*columns.sizes[1:], 1], np.int64)
    found: Whole = np.cumprod(sizes[::-1])[::-1]
    return found


class _FlatTables:
    """All tables as flat arrays, as the compiled search reads them."""

    def __init__(self, columns: RecordColumns, grids: Sequence[GroupedCells]) -> None:
        self.widest = max(columns.sizes)
        self.first = np.cumsum([0, *(grid.size for grid in grids)])[:-1].astype(np.int64)
        cells = sum(grid.size for grid in grids)
        self.low, self.high = np.zeros(cells, np.int64), np.full(cells, NO_LIMIT)
        of_column, of_start = [], [0]
        adds: list[Whole] = []
        at: list[list[tuple[int, int]]] = [[] for _ in columns.names]
        for number, (grid, first) in enumerate(zip(grids, self.first, strict=True)):
            if grid.complete:
                self.high[first : first + grid.size] = 0
            self.low[first + grid.places], self.high[first + grid.places] = grid.low, grid.high
            step = grid.size
            for column, group, size in zip(grid.columns, grid.groups, grid.sizes, strict=True):
                step //= size
                own = np.full(self.widest, -1, np.int64)
                own[: group.size] = np.where(group >= 0, group * step, -1)
                at[column].append((number, len(adds)))
                adds.append(own)
                of_column.append(column)
            of_start.append(len(of_column))
        self.of_start, self.of_column = np.array(of_start), np.array(of_column, np.int64)
        self.adds = np.concatenate(adds) if adds else np.zeros(0, np.int64)
        self.at_start = np.cumsum([0, *map(len, at)])
        self.at_table = np.array([table for own in at for table, _ in own], np.int64)
        self.at_part = np.array([part for own in at for _, part in own], np.int64)
        self.counts = np.zeros(cells, np.int64)
        self.stride = strides_of(columns)

    def search(self, people: Codes, steps: int, usual: Floats, rng: np.random.Generator) -> tuple[int, int]:
        """Exchange levels in place; returns by how much tables are missed at best, and the steps taken."""
        places = self.of_start, self.of_column, self.adds, self.widest, self.first
        missed = int(misses(people, *places, self.low, self.high, self.counts))
        least, taken = anneal_swaps(
            state_of(rng),
            people,
            *places,
            self.at_start,
            self.at_table,
            self.at_part,
            self.low,
            self.high,
            self.counts,
            usual,
            self.stride,
            missed,
            steps,
            COLD,
            HOT,
        )
        return int(least), int(taken)
