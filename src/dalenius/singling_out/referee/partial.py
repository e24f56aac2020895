"""Released rows that agree with somebody in most columns, and differ in the others.

A copy of which a few columns were drawn anew equals nobody, and is near nobody in every column. The columns
that stayed may be enough to know the person by. So every released row is held against all people of the pool,
column by column: agreeing where few released rows would counts more. Whoever is alone the likest of a row is
pointed at, those first whom most speaks for. Who is an original is not looked at, so that luck has originals
among them as blindly picked people would be.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dalenius.accelerate import kernel
from dalenius.conditions.boxes.boxes import GONE, places
from dalenius.people.rows.columns import NumberColumn, RowColumn
from dalenius.people.rows.numbered import numbered_rising
from dalenius.people.rows.rows import Rows, stacked
from dalenius.singling_out.referee.pooled import Pointed, PooledRows

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Places = NDArray[np.int32]

WITHIN = 0.05
"""Standard deviations of the released column that numbers may differ by and agree."""

FEWEST = 8
"""People pointed at first; then twice as many, and so on."""

MOST_COMPARED = 400_000_000
"""Values compared at most: of more released rows, so many are drawn as that allows."""

PEOPLE_AT_ONCE = 512
"""People of the pool whose scores fit into the fastest memory."""

SIDES: tuple[tuple[int, Literal["left", "right"]], ...] = ((-1, "left"), (1, "right"))

APART = 1e300
"""The place of what is missing: equal to itself, and near to nothing."""


def alike_in_most(pool: PooledRows, rows: Rows, rng: np.random.Generator) -> Pointed:
    """Whom released rows are likest to, of those they agree with in more than half of the columns.

    Parameters
    ----------
    pool
        Originals and others.
    rows
        The different released rows.
    rng
        Draws rows, where there are too many.
    """
    most = max(1, MOST_COMPARED // (len(pool.rows) * len(rows.columns)))
    if len(rows) > most:
        rows = rows.take(np.sort(rng.permutation(len(rows))[:most]))
    together = stacked(rows, pool.rows)
    sides = [compared(column, len(rows)) for column in together.columns]
    first, past, placed = (np.stack(own) for own in zip(*map(_agreeing, sides), strict=True))
    told = np.ascontiguousarray(np.stack([_told(side) for side in sides]).T)
    score = np.zeros(len(pool.rows))
    likest(np.ascontiguousarray(first.T), np.ascontiguousarray((past - first).T), placed, told, score)
    return _most_telling(pool, score)


class ComparedColumn(NamedTuple):
    """A column of the released rows and of the pool, and how near two values must be to agree."""

    mine: Floats
    theirs: Floats
    width: float


def _agreeing(side: ComparedColumn) -> tuple[Places, Places, Places]:
    """The first of the pool's values that agrees with each row, the one past the last, and everybody's."""
    rising, placed = numbered_rising(side.theirs)
    first, past = (np.searchsorted(rising, side.mine + way * side.width, where) for way, where in SIDES)
    return first.astype(np.int32), past.astype(np.int32), placed


def _told(side: ComparedColumn) -> Floats:
    """What agreeing with each released row tells: the fewer of them would, the more."""
    rising = np.sort(side.mine)
    first, past = (np.searchsorted(rising, side.mine + way * side.width, where) for way, where in SIDES)
    told: Floats = -np.log((past - first) / rising.size)
    return told


def compared(column: RowColumn, released: int) -> ComparedColumn:
    """Part a column into that of the released rows and that of the pool."""
    x = places(column)
    x = np.where(x == GONE, APART, x)
    mine, theirs = x[:released], x[released:]
    known = mine[np.abs(mine) < APART]
    is_scale = isinstance(column, NumberColumn) and column.kind != "bool"
    width = WITHIN * float(np.std(known)) if is_scale and known.size else 0.0
    width = width if np.isfinite(width) else 0.0
    return ComparedColumn(mine, theirs, width)


def _most_telling(pool: PooledRows, score: Floats) -> Pointed:
    """The people most spoken for, as many as tell most; the looks at several numbers of them are paid for."""
    ranked = np.sort(score[score > 0])[::-1]
    cuts = sorted({min(FEWEST << j, ranked.size) for j in range(32)}) if ranked.size else []
    best = Pointed(0, 0, 1.0, 1.0)
    for cut in cuts:
        people = np.flatnonzero(score >= ranked[cut - 1])
        seen = pool.counted(people)
        if seen.chance < best.chance or not best.original + best.control:
            best = seen
    looks = max(1, len(cuts))
    return best._replace(chance=min(1.0, looks * best.chance), at_best=min(1.0, looks * best.at_best))


@kernel
def likest(first: Places, span: Places, placed: Places, told: Floats, score: Floats) -> None:
    """For everybody of the pool what speaks for them at most, of the rows to which nobody is as like.

    A row agrees with the places from ``first`` on, as many as ``span``. ``placed`` has a line per column, and
    columns that agree are counted for many people at once: only where they are most it is added up what
    they tell.
    """
    columns, people = first.shape[1], placed.shape[1]
    agreed = np.empty(PEOPLE_AT_ONCE, np.int32)
    for i in range(first.shape[0]):
        best, who, alone = 0.0, -1, False
        for start in range(0, people, PEOPLE_AT_ONCE):
            size = min(PEOPLE_AT_ONCE, people - start)
            for p in range(size):
                agreed[p] = np.int32(0)
            for c in range(columns):
                low, wide, row = first[i, c], np.uint32(span[i, c]), placed[c, start : start + size]
                for p in range(size):
                    alike = (
                        np.uint32(np.int32(row[p] - low)) < wide
                    )  # below the first wraps round to far above
                    agreed[p] = np.int32(agreed[p] + (np.int32(1) if alike else np.int32(0)))
            for p in range(size):
                if 2 * agreed[p] > columns:
                    total = 0.0
                    for c in range(columns):
                        if np.uint32(np.int32(placed[c, start + p] - first[i, c])) < np.uint32(span[i, c]):
                            total += told[i, c]
                    if total >= best:
                        alone = total > best
                        best, who = total, start + p
        if alone and best > score[who]:
            score[who] = best
