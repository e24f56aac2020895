"""Claims from tables with noise: nothing is certain but what exact tables say; all else is ranked."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from dalenius.errors import TooLargeError
from dalenius.progress import Progress, silent
from dalenius.records.attack.certain.partial import CertainClaim, partial_claims, whole_claims
from dalenius.records.attack.certain.settle import Effort, RecordBounds, settle
from dalenius.records.attack.noise.walk import draw_people
from dalenius.records.attack.ranked.copies import RankedCopies
from dalenius.records.attack.ranked.others import PopulationShares
from dalenius.records.attack.system import CellSystem, make_system
from dalenius.records.attack.units import Units
from dalenius.records.cells.cell import NO_LIMIT
from dalenius.records.cells.grid import Codes, Whole
from dalenius.records.cells.noisy import soft
from dalenius.records.cells.release import PublishedRecords

Record = tuple[int, ...]
Ranked = tuple[RecordBounds, Whole, Units, list[CertainClaim], list[CertainClaim], RankedCopies]


def rank_under_noise(
    published: PublishedRecords,
    others: PopulationShares | None,
    effort: Effort | None,
    *,
    rng: np.random.Generator,
    progress: Progress = silent,
) -> Ranked:
    """Draw data sets; what is certain follows from exact tables alone.

    Returns bounds over the records that were seen, the likeliest data set, units, certain whole and partial
    records, and copies by probability.
    """
    progress(0.0, "drawing data sets")
    exact = _settled(published, effort)
    whole = whole_claims(exact) if exact is not None else []
    partial = partial_claims(exact, published.unit) if exact is not None else []
    cells = [*published.noisy, *(soft(grid) for grid in published.grids)]
    drawn = draw_people(published.columns, cells, published.unit, others, rng=rng, progress=progress)
    certain = {tuple(code or 0 for code in claim.levels): claim.least for claim in whole}
    keys = sorted({*map(tuple, drawn.records.tolist()), *drawn.mode, *certain})
    records = np.array(keys, np.int32).reshape(len(keys), len(published.columns.names))
    number = {key: at for at, key in enumerate(keys)}
    lo = np.array([certain.get(key, 0) for key in keys], np.int64)
    guess = np.maximum(np.array([drawn.mode.get(key, 0) for key in keys], np.int64), lo)
    bounds = RecordBounds(_empty(published, records), lo, np.full(len(keys), NO_LIMIT), ())
    ranked = RankedCopies(
        np.array([number[tuple(record)] for record in drawn.records.tolist()], np.int64),
        drawn.copies,
        drawn.probability,
        0,
        len(keys),
        drawn.apart,
        lost=drawn.lost,
    )
    return bounds, guess, _units(published, records, guess, lo), whole, partial, ranked


def _settled(published: PublishedRecords, effort: Effort | None) -> RecordBounds | None:
    """What exact tables say alone; nothing where there are none, or they leave too many records."""
    if not published.grids:
        return None
    try:
        return settle(
            make_system(published.columns, published.grids, published.sums, published.medians), effort
        )
    except TooLargeError:
        return None


def _empty(published: PublishedRecords, records: Codes) -> CellSystem:
    """A system without rows: no data set is excluded."""
    make: Any = sparse.csr_array  # its types know no whole numbers
    none = np.zeros(0, np.int64)
    return CellSystem(published.columns, records, make((0, len(records)), dtype=np.int64), none, none, ())


def _units(published: PublishedRecords, records: Codes, guess: Whole, lo: Whole) -> Units:
    """Nothing is decided: the truth can differ from the guess in everybody who is not certain."""
    unit = published.unit
    size = 1 if unit is None else published.columns.sizes[unit]
    of = np.zeros(len(records), np.int64) if unit is None else records[:, unit].astype(np.int64)
    people, certain = (np.bincount(of, weights=each, minlength=size).astype(np.int64) for each in (guess, lo))
    open_ = np.full(size, -1)
    none = np.zeros(size, np.bool_)
    return Units(people, open_, certain, np.zeros(size, np.int64), people - certain, none, none.copy())
