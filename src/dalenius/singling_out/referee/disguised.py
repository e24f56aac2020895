"""Copies of people whose numbers were moved, whose values changed places, or of whom some columns are new.

Conditions as they are released meet nobody then. Each disguise is looked through in turn: of everybody in the
pool of originals and others it is asked whom released rows point at, without looking at who is whose.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dalenius.people.rows.rows import Rows
from dalenius.singling_out.attack.disguised import in_order, on_scale_of
from dalenius.singling_out.attack.near import EQUAL, Reach, around, different_rows
from dalenius.singling_out.referee.partial import alike_in_most
from dalenius.singling_out.referee.pooled import Pointed, PooledRows

BY_RANK = (
    Reach("numbers with the same rank, within 7% of the ranks", ranks=0.07),
    Reach("numbers with the same rank, within 15% of the ranks", ranks=0.15),
)
TURNED = Reach("numbers turned round, within 15% of the ranks", ranks=0.15)
REORDERED = (
    EQUAL._replace(name="equal rows, values in another order"),
    Reach("rows within 0.05 standard deviations, values in another order", deviations=0.05),
)
MOST_COLUMNS = "rows that agree in most columns"

LOOKS = len(BY_RANK) + 1 + len(REORDERED) + 1
"""Disguises, which share one chance of being wrong."""


def disguised_copies(
    pool: PooledRows, released: Rows, rng: np.random.Generator
) -> Iterator[tuple[str, Pointed]]:
    """Say for every disguise whom released rows point at behind it.

    Parameters
    ----------
    pool
        Originals and others.
    released
        What was released.
    rng
        Draws rows, where there are too many.
    """
    for name, seen in _looks(pool, released, rng):
        yield (
            name,
            seen._replace(chance=min(1.0, LOOKS * seen.chance), at_best=min(1.0, LOOKS * seen.at_best)),
        )


def _looks(pool: PooledRows, released: Rows, rng: np.random.Generator) -> Iterator[tuple[str, Pointed]]:
    others = pool.others
    for reaches, turned in ((BY_RANK, False), ((TURNED,), True)):
        moved = on_scale_of(others, released, turned=turned)
        rows = different_rows(moved, rng)
        for reach in reaches:
            yield reach.name, pool.counted(pool.alone_in(around(rows, moved, reach)))
    ordered = in_order(released)
    sorted_pool = pool.changed(in_order)
    if ordered is not None and sorted_pool is not None:
        rows = different_rows(ordered, rng)
        for reach in REORDERED:
            yield reach.name, sorted_pool.counted(sorted_pool.alone_in(around(rows, ordered, reach)))
    yield MOST_COLUMNS, alike_in_most(pool, different_rows(released, rng), rng)
