"""Conditions that single out one synthetic row, in the hope that they single out a real one.

The attacks of Giomi et al., *A Unified Framework for Quantifying Privacy Risk in Synthetic Data* (PoPETs
2023), made here from the synthetic rows alone. One column: a value that occurs once, the least or the
greatest number. Several columns: a synthetic row drawn at random and columns drawn at random; of each column
the row's label, or its number and all that are further from the median. Only conditions that match exactly
one of the different synthetic rows are kept, each once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dalenius.conditions.boxes.boxes import GONE, LARGEST, Boxes, OrderedRows, places, rows_inside
from dalenius.errors import InputError
from dalenius.people.rows.columns import NumberColumn, RowColumn
from dalenius.people.rows.rows import Rows, distinct
from dalenius.shown import hides_people

Mode = Literal["univariate", "multivariate"]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Side = tuple[int, float, float]
Condition = tuple[NDArray[np.int64], Floats, Floats, int]

BATCH = 1000
"""Conditions drawn before the synthetic rows are looked through."""

MOST_ATTEMPTS = 1_000_000
"""Conditions drawn at most: where columns are coarse, nearly none singles out."""


@hides_people()
@dataclass(frozen=True, eq=False)
class GuessedConditions:
    """The conditions of one attack.

    Parameters
    ----------
    boxes
        The conditions.
    rows
        For each, which synthetic row it matches.
    attempts
        How many conditions were drawn to find them.
    """

    boxes: Boxes
    rows: NDArray[np.int64]
    attempts: int


def guess(
    synthetic: Rows,
    mode: Mode,
    attacks: int,
    rng: np.random.Generator,
    *,
    columns: int = 3,
    most_attempts: int = MOST_ATTEMPTS,
) -> GuessedConditions:
    """Find up to ``attacks`` different conditions that match exactly one synthetic row.

    Parameters
    ----------
    synthetic
        What was released.
    mode
        ``univariate`` or ``multivariate``.
    attacks
        How many conditions are wanted; there may be fewer.
    rng
        The attacker's stream.
    columns
        Columns of a multivariate condition.
    most_attempts
        When to give up.
    """
    if attacks < 1:
        raise InputError("attacks", "must be 1 or more", str(attacks))
    different = synthetic.take(distinct(synthetic).representatives)
    if mode == "univariate":
        boxes = _one_column(different)
        counts, rows = rows_inside(boxes, different, 2)
        order = rng.permutation(np.flatnonzero(counts == 1))[:attacks]
        return GuessedConditions(boxes.take(order), rows[order, 0], len(boxes))
    if not 1 <= columns <= len(different.columns):
        got, known = str(columns), len(different.columns)
        raise InputError("columns of a condition", f"must be from 1 to the {known} there are", got)
    return _several_columns(different, attacks, columns, rng, most_attempts)


def _one_column(rows: Rows) -> Boxes:
    sides = [side for j, column in enumerate(rows.columns) for side in _rare(j, column)]
    table = np.unique(np.array(sides).reshape(-1, 3), axis=0)
    return Boxes(rows.columns, table[:, :1].astype(np.int64), table[:, 1:2].copy(), table[:, 2:].copy())


def _rare(j: int, column: RowColumn) -> list[Side]:
    """What singles out in one column: a value that occurs once (missing is one), and both ends."""
    values, counts = np.unique(places(column), return_counts=True)
    found = [(j, x, x) for x in values[counts == 1].tolist()]
    known = values[values <= LARGEST]
    if not (_is_scale(column) and known.size):
        return found
    return [*found, (j, -LARGEST, float(known[0])), (j, float(known[-1]), LARGEST)]


def _is_scale(column: RowColumn) -> bool:
    """Whether more and less mean something."""
    return isinstance(column, NumberColumn) and column.kind != "bool"


def _several_columns(
    rows: Rows, attacks: int, width: int, rng: np.random.Generator, most: int
) -> GuessedConditions:
    values = np.stack([places(column) for column in rows.columns])
    middles = np.array([_middle(column) for column in rows.columns])
    index = OrderedRows(rows)
    kept: dict[bytes, Condition] = {}
    attempts, there_are = 0, None
    while len(kept) < (attacks if there_are is None else there_are) and attempts < most:
        size = min(BATCH, most - attempts)
        attempts += size
        drawn = rng.integers(0, len(rows), size)
        chosen = np.sort(np.argsort(rng.random((size, len(rows.columns))), axis=1)[:, :width], axis=1)
        for key, condition in _alone(rows, index, values, middles, drawn, chosen):
            kept.setdefault(key, condition)
        if there_are is None and len(kept) < attacks and attempts >= len(rows) * comb(values.shape[0], width):
            there_are = min(attacks, _all_there_are(rows, index, values, middles, width))
    best = list(kept.values())[:attacks]
    if not best:
        none = np.empty((0, width))
        return GuessedConditions(
            Boxes(rows.columns, none.astype(np.int64), none, none), np.empty(0, np.int64), attempts
        )
    sides = (np.array([own[i] for own in best]) for i in range(3))
    return GuessedConditions(Boxes(rows.columns, *sides), np.array([own[3] for own in best]), attempts)


def _alone(
    rows: Rows, index: OrderedRows, values: Floats, middles: Floats, drawn: Ints, chosen: Ints
) -> Iterator[tuple[bytes, Condition]]:
    """The conditions about these rows and columns that match one row alone, each with what tells it apart."""
    low, high = _further_out(values[chosen, drawn[:, None]], middles[chosen])
    counts, found = rows_inside(Boxes(rows.columns, chosen, low, high), index, 2)
    for p in np.flatnonzero(counts == 1).tolist():
        key = chosen[p].tobytes() + low[p].tobytes() + high[p].tobytes()
        yield key, (chosen[p], low[p], high[p], int(found[p, 0]))


def _all_there_are(rows: Rows, index: OrderedRows, values: Floats, middles: Floats, width: int) -> int:
    """How many different conditions can be found at all: who has them need not go on drawing."""
    seen: set[bytes] = set()
    everybody = np.arange(len(rows))
    for some in combinations(range(len(rows.columns)), width):
        for start in range(0, len(rows), BATCH):
            drawn = everybody[start : start + BATCH]
            chosen = np.tile(np.array(some, np.int64), (drawn.size, 1))
            seen.update(key for key, _ in _alone(rows, index, values, middles, drawn, chosen))
    return len(seen)


def _middle(column: RowColumn) -> float:
    """The median of finite numbers; not a number for labels, which are only equal or not."""
    if not _is_scale(column):
        return np.nan
    known = places(column)
    known = known[np.abs(known) < LARGEST]
    return 2 * float(np.median(known / 2)) if known.size else 0.0  # sums of the largest numbers are none


def _further_out(x: Floats, middle: Floats) -> tuple[Floats, Floats]:
    """From a value away from the median; a label and a missing value stand alone."""
    alone = np.isnan(middle) | (x == GONE)
    above = x > middle
    low = np.where(alone | above, x, -LARGEST)
    return low, np.where(alone | ~above, x, LARGEST)
