"""Tables of people without a secret, published: every combination of so many columns, under one mechanism."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dalenius.errors import InputError
from dalenius.matrices.answers import Sensitivity
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.random import sealed
from dalenius.records.cells.cell import NO_LIMIT
from dalenius.records.cells.columns import RecordColumns
from dalenius.records.cells.grid import Codes, GroupedCells, Whole
from dalenius.records.cells.noisy import NoisyCells
from dalenius.records.cells.release import PublishedRecords
from dalenius.records.referee.control import published_again
from dalenius.statistics.parse import check

MOST_CELLS = 2_000_000
"""Cells of one table that are printed, zeros too; of a larger one the zeros are not printed but meant."""


def chosen_tables(statistics: Sequence[str], columns: RecordColumns) -> list[tuple[int, ...]]:
    """Which columns each table crosses: ``tables:k=2`` every two, ``attributes=a+b+c`` of these.

    Raises
    ------
    InputError
        If a statistic is about a secret, or crosses more columns than there are.

    Examples
    --------
    >>> columns = RecordColumns.of({"sex": ["f", "m"], "ill": ["no", "yes"]})
    >>> chosen_tables(["tables:k=1", "tables:k=2"], columns)
    [(0,), (1,), (0, 1)]
    """
    found: dict[tuple[int, ...], None] = {}
    for text in statistics:
        options = check(text)
        if options.name != "tables":
            rule = "must be tables where the attacker does not know who is in the data"
            raise InputError(f"statistics: {text!r}", rule, options.name, "As in tables:k=2.")
        among = options.text("attributes", "+".join(columns.names)).split("+")
        places = sorted(columns.position(name.strip()) for name in among)
        k = options.whole("k", least=0)
        if k > len(places):
            raise InputError(f"statistics: {text!r}", f"must cross at most {len(places)} columns", str(k))
        found |= dict.fromkeys(itertools.combinations(places, k))
    return list(found)


def draw_sample(people: Codes, mechanism: str, *, rng: np.random.Generator) -> tuple[Codes, str]:
    """Return whom tables are about, and what is done to their counts: a random sample, if that comes first.

    Examples
    --------
    >>> sample, done = draw_sample(np.zeros((99, 2), int), "subsample:rate=0.5", rng=np.random.default_rng(1))
    >>> 30 < len(sample) < 70, done
    (True, 'exact')
    """
    chain = parse_mechanism(mechanism)
    if chain.of_sample is None:
        return people, mechanism
    chosen = chain.sample_rows(len(people), rng=sealed(rng, _digest(people)))
    return people[chosen], str(chain.of_sample)


def publish_tables(
    name: str,
    columns: RecordColumns,
    people: Codes,
    statistics: Sequence[str],
    mechanism: str,
    *,
    rng: np.random.Generator,
) -> PublishedRecords:
    """Count every table, and protect the counts.

    A promise holds for the whole release: somebody is in one cell of each table, and in two if replaced.
    """
    chosen = chosen_tables(statistics, columns)
    chain = parse_mechanism(mechanism).resolve(Sensitivity(2 * len(chosen), 2 * len(chosen)))
    known = str(chain)
    quiet = chain.noise[0] == "none"
    exact = quiet and chain.whole and chain.moves == (0.0, 0.0) and not chain.hides
    grids, noisy = [], []
    for table in chosen:
        grid = _grid(columns, table, people, exact=exact)
        if quiet:
            grids.append(grid)
        else:
            noisy.append(NoisyCells(grid, np.zeros((grid.places.size, 4))))
    cells = sum(grid.places.size for grid in grids) + sum(each.grid.places.size for each in noisy)
    names = {each.table: known for each in [*grids, *(every.grid for every in noisy)]}
    draft = PublishedRecords(
        name, columns, tuple(grids), None, cells, known, mechanisms=names, noisy=tuple(noisy)
    )
    again = published_again(draft, people, rng=sealed(rng, _digest(people)))
    return draft if again is None else replace(again, notes=())


def _digest(people: Codes) -> bytes:
    """The records in an order of their own: the seed without them does not give the noise again."""
    order = np.lexsort(people.T[::-1])
    return np.ascontiguousarray(people[order], np.int64).tobytes()


def _grid(columns: RecordColumns, table: tuple[int, ...], people: Codes, *, exact: bool) -> GroupedCells:
    """An empty table; with every place where numbers are changed, so that zeros are protected too."""
    groups = tuple(np.arange(columns.sizes[at], dtype=np.int32) for at in table)
    name = "*".join(columns.names[at] for at in table) or "everybody"
    size = int(np.prod([columns.sizes[at] for at in table]))
    places: Whole = np.arange(size if not exact else 0, dtype=np.int64)
    if not exact and size > MOST_CELLS:
        raise InputError(f"table {name}", f"must have at most {MOST_CELLS:,} cells", f"{size:,}")
    ends = np.zeros(places.size, np.int64), np.full(places.size, NO_LIMIT)
    return GroupedCells(name, table, groups, places, ends[0], ends[1], complete=exact)
