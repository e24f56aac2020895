"""The control: the same tables of other people, attacked, and held against the truth of these.

It shows what an attack gets right because tables are plausible, not because they are about these people.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dalenius.matrices.answers import Counts, Sensitivity
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.mechanisms.stages.noise import Geometric
from dalenius.records.attack.ranked.others import PopulationShares
from dalenius.records.cells.cell import NO_LIMIT
from dalenius.records.cells.grid import Codes, GroupedCells, Whole
from dalenius.records.cells.noisy import NoisyCells, says_of
from dalenius.records.cells.release import PublishedRecords
from dalenius.records.referee.truth import TruePeople


def other_people(
    published: PublishedRecords,
    truth: TruePeople,
    others: PopulationShares | None,
    *,
    rng: np.random.Generator,
) -> Codes | None:
    """Draw as many people for every unit from others; from other units where nobody else is known.

    ``None`` where there is nobody to draw from.
    """
    records, unit = truth.records.copy(), published.unit
    rest = np.array([at for at in range(records.shape[1]) if at != unit], np.int64)
    if others is not None and set(rest.tolist()) <= set(others.columns):
        order = [others.columns.index(at) for at in rest]
        records[:, rest] = others.records[rng.integers(0, len(others.records), len(records))][:, order]
        return records
    if unit is None or np.unique(records[:, unit]).size < 2:
        return None
    own = records[:, unit]
    for here in np.unique(own):
        inside, outside = np.flatnonzero(own == here), np.flatnonzero(own != here)
        drawn = rng.choice(outside, inside.size, replace=inside.size > outside.size)
        records[np.ix_(inside, rest)] = truth.records[np.ix_(drawn, rest)]
    return records


def published_again(
    published: PublishedRecords, records: Codes, *, rng: np.random.Generator
) -> PublishedRecords | None:
    """Publish the same tables about other people, by the same mechanisms; ``None`` if sums or weights are."""
    if published.sums or published.weighted:
        return None
    grids = [_counted(grid, records, published, rng) for grid in published.grids]
    noisy = [_noised(each, records, published, rng) for each in published.noisy]
    return replace(published, grids=tuple(grids), noisy=tuple(noisy), notes=())


def _noised(
    cells: NoisyCells, records: Codes, published: PublishedRecords, rng: np.random.Generator
) -> NoisyCells:
    row = cells.grid.row_of(records)
    counts = np.bincount(row[row >= 0], minlength=cells.grid.places.size)
    chain = parse_mechanism(published.mechanism_of(cells.grid.table))
    table = Counts(counts[:, None], np.zeros(counts.size, np.int64), Sensitivity(1, 1))
    error = chain.error(chain.applied().protect(table, rng=rng))
    geometric = any(isinstance(stage, Geometric) for stage in chain.stages)
    return replace(cells, says=says_of(error, geometric=geometric))


def _counted(
    grid: GroupedCells, records: Codes, published: PublishedRecords, rng: np.random.Generator
) -> GroupedCells:
    place = grid.place_of(records)
    if grid.complete:
        places, counts = np.unique(place[place >= 0], return_counts=True)
    else:
        row = grid.row_of(records)
        places, counts = grid.places, np.bincount(row[row >= 0], minlength=grid.places.size)
    low, high = _protected(counts.astype(np.int64), published.mechanism_of(grid.table), rng)
    return replace(grid, places=places.astype(np.int64), low=low, high=high)


def _protected(counts: Whole, mechanism: str, rng: np.random.Generator) -> tuple[Whole, Whole]:
    chain = parse_mechanism(mechanism)
    table = Counts(counts[:, None], np.zeros(counts.size, np.int64), Sensitivity(1, 1))
    error = chain.error(chain.applied().protect(table, rng=rng))
    high = np.where(np.isinf(error.high[:, 0]), NO_LIMIT, error.high[:, 0])
    return error.low[:, 0].astype(np.int64), high.astype(np.int64)
