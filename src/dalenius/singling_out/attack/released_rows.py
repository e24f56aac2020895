"""Conditions that single out one synthetic row, in the hope that they single out a real one.

The attacks of Giomi et al., *A Unified Framework for Quantifying Privacy Risk in Synthetic Data* (PoPETs
2023), made here from the synthetic rows alone. One column: a value that occurs once, the least or the
greatest number. Several columns: a synthetic row drawn at random and columns drawn at random; of each column
the row's label, or its number and all that are further from the median. Only conditions that match exactly
one of the different synthetic rows are kept, each once.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dalenius.conditions.boxes.bits import BoxSides
from dalenius.conditions.boxes.boxes import LARGEST, Boxes, IndexedRows, places, rows_between, rows_inside
from dalenius.errors import InputError
from dalenius.people.rows.columns import NumberColumn, RowColumn
from dalenius.people.rows.rows import Rows, distinct
from dalenius.shown import hides_people

Mode = Literal["univariate", "multivariate"]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Side = tuple[int, float, float]
Mask = NDArray[np.bool_]
Condition = tuple[int, ...]
"""A row and columns: whom a condition matches alone is the row that it was made from."""

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
    columns = len(rows.columns)
    outwards = Outwards(rows)
    kept: dict[Condition, None] = {}
    attempts, there_are = 0, None
    while len(kept) < (attacks if there_are is None else there_are) and attempts < most:
        size = min(BATCH, most - attempts)
        attempts += size
        drawn = rng.integers(0, len(rows), size)
        chosen = np.sort(np.argsort(rng.random((size, columns)), axis=1)[:, :width], axis=1)
        kept.update(dict.fromkeys(outwards.alone(drawn, chosen)))
        if there_are is None and len(kept) < attacks and attempts >= len(rows) * comb(columns, width):
            there_are = min(attacks, _all_there_are(outwards, len(rows), columns, width))
    best = np.array(list(kept)[:attacks], np.int64).reshape(-1, width + 1)
    alone, chosen = best[:, 0], best[:, 1:]
    return GuessedConditions(Boxes(rows.columns, chosen, *outwards.limits(alone, chosen)), alone, attempts)


def _all_there_are(outwards: Outwards, rows: int, columns: int, width: int) -> int:
    """How many different conditions can be found at all: who has them need not go on drawing."""
    found = 0
    for some in combinations(range(columns), width):
        for start in range(0, rows, BATCH):
            drawn = np.arange(start, min(start + BATCH, rows))
            found += len(outwards.alone(drawn, np.tile(np.array(some, np.int64), (drawn.size, 1))))
    return found


class Outwards:
    """From values of rows away from the medians of their columns; labels and missing values stand alone."""

    def __init__(self, rows: Rows) -> None:
        self._index = IndexedRows(rows)
        self._scale = np.array([_is_scale(column) for column in rows.columns])
        ends = [
            np.searchsorted(values, (_middle(column), LARGEST), "right")
            for values, column in zip(self._index.different, rows.columns, strict=True)
        ]
        self._first_above, beyond = np.array(ends).T
        self._last = beyond - 1

    def alone(self, drawn: Ints, chosen: Ints) -> list[Condition]:
        """The conditions about these rows and columns that match no other row."""
        x, below, above = self._sides(drawn, chosen)
        low, high = np.where(below, 0, x), np.where(above, self._last[chosen], x)
        sides = BoxSides(*(own.astype(np.int32) for own in (chosen, low, high)))
        alone = rows_between(sides, self._index, 2).counts == 1
        return [tuple(own) for own in np.column_stack([drawn, chosen])[alone].tolist()]

    def limits(self, drawn: Ints, chosen: Ints) -> tuple[Floats, Floats]:
        """The same conditions for other rows, whose values may lie further out."""
        x, below, above = self._sides(drawn, chosen)
        value = np.empty(x.shape)
        for j, values in enumerate(self._index.different):
            value[chosen == j] = values[x[chosen == j]]
        return np.where(below, -LARGEST, value), np.where(above, LARGEST, value)

    def _sides(self, drawn: Ints, chosen: Ints) -> tuple[NDArray[np.int32], Mask, Mask]:
        """Places of values, and whether a condition reaches from there to below all or to above all."""
        x = self._index.places[drawn[:, None], chosen]
        reaches = self._scale[chosen] & (x <= self._last[chosen])
        above = x >= self._first_above[chosen]
        return x, reaches & ~above, reaches & above


def _middle(column: RowColumn) -> float:
    """The median of finite numbers; not a number for labels, which are only equal or not."""
    if not _is_scale(column):
        return np.nan
    known = places(column)
    known = known[np.abs(known) < LARGEST]
    return 2 * float(np.median(known / 2)) if known.size else 0.0  # sums of the largest numbers are none
