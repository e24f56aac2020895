"""Many conditions of one form on rows: some columns each within a range or equal to a value.

A box is a conjunction over a few columns. Numbers are compared as they are, labels by their code, so that
thousands of boxes can be counted over many rows in one compiled pass each.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from dalenius.accelerate import cores, share_out
from dalenius.conditions.leaves import Between, Equals
from dalenius.conditions.predicate import And, Predicate
from dalenius.errors import InputError, nearest_column
from dalenius.people.rows.columns import NumberColumn, RowColumn, TextColumn, number_text
from dalenius.people.rows.rows import Rows
from dalenius.people.schema import MISSING
from dalenius.shown import hides_people

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LARGEST = float(np.finfo(np.float64).max)
"""Values end here; beyond it lies what is missing."""

GONE = float("inf")
"""The place of a missing value."""


@hides_people()
@dataclass(frozen=True, eq=False)
class Boxes:
    """Boxes over the columns of some rows.

    Parameters
    ----------
    space
        The columns, with the labels that codes stand for; their rows do not matter.
    columns
        For every box the columns that it limits, as numbers within ``space``.
    low, high
        The limits, both included.
    """

    space: tuple[RowColumn, ...]
    columns: Ints
    low: Floats
    high: Floats

    def __len__(self) -> int:
        return len(self.columns)

    def take(self, which: NDArray[np.intp]) -> Boxes:
        """Keep these boxes."""
        return Boxes(self.space, self.columns[which], self.low[which], self.high[which])

    def predicate(self, p: int) -> Predicate:
        """One box as a condition on original rows."""
        sides = zip(self.columns[p].tolist(), self.low[p].tolist(), self.high[p].tolist(), strict=True)
        parts = tuple(_side(self.space[j], low, high) for j, low, high in sides)
        return parts[0] if len(parts) == 1 else And(parts)


class Inside(NamedTuple):
    """What lies in each of several boxes."""

    counts: Ints
    """How many rows, at most the limit."""
    rows: Ints
    """The first of them, one line per box; what is beyond the count means nothing."""


def rows_inside(boxes: Boxes, rows: Rows, limit: int) -> Inside:
    """Find the rows in every box, up to ``limit`` of them.

    Examples
    --------
    >>> ages = NumberColumn("age", np.array([20.0, 30.0, np.nan, 41.0]), "integer")
    >>> over = Boxes((ages,), np.array([[0], [0]]), np.array([[30.0], [GONE]]), np.array([[LARGEST], [GONE]]))
    >>> rows_inside(over, Rows((ages,)), limit=5).counts
    array([2, 1])
    """
    from dalenius.conditions.boxes._kernels import BoxSides, find_rows

    values = np.stack([_places(rows, column) for column in boxes.space])
    counts, found = np.zeros(len(boxes), np.int64), np.zeros((len(boxes), limit), np.int64)
    order, among = _in_order(boxes, values)
    if order is not None:
        values = np.ascontiguousarray(values[:, order])
    sides = BoxSides(boxes.columns, boxes.low, boxes.high, among)

    def some(start: int, stop: int) -> None:
        find_rows(values, sides, start, stop, counts, found)

    share_out(some, len(boxes), threads=cores())
    return Inside(counts, found if order is None else order[found])


def _in_order(boxes: Boxes, values: Floats) -> tuple[NDArray[np.intp] | None, Ints]:
    """Where all boxes ask for the same column first, rows in its order, and the part that each may hold."""
    first = np.unique(boxes.columns[:, 0]) if len(boxes) else np.empty(0)
    if first.size != 1:
        return None, np.tile([0, values.shape[1]], (len(boxes), 1))
    order = np.argsort(values[first[0]], kind="stable")
    rising = values[first[0], order]
    ends = (
        np.searchsorted(rising, boxes.low[:, 0], "left"),
        np.searchsorted(rising, boxes.high[:, 0], "right"),
    )
    return order, np.stack(ends, axis=1)


def places(column: RowColumn) -> Floats:
    """Where the values of a column lie: numbers as they are, labels by code, missing values beyond all."""
    if isinstance(column, TextColumn):
        return np.where(column.codes < 0, GONE, column.codes)
    return np.where(column.missing, GONE, np.clip(column.values, -LARGEST, LARGEST))


def _places(rows: Rows, like: RowColumn) -> Floats:
    """The same for a column of other rows: their labels get the codes of ours, unknown ones lie in no box."""
    column = rows.column(like.name)
    if isinstance(column, TextColumn) and isinstance(like, TextColumn):
        if column.levels == like.levels:
            return places(column)
        codes = np.array([*(like.labels.code_of.get(level, -1.0) for level in column.levels), GONE])
        return codes[column.codes]
    if isinstance(column, NumberColumn) and isinstance(like, NumberColumn):
        return places(column)
    kinds = ["text" if isinstance(c, TextColumn) else "numbers" for c in (like, column)]
    raise InputError(f"column {like.name!r}", f"must hold {kinds[0]} here as there", kinds[1])


def _side(column: RowColumn, low: float, high: float) -> Predicate:
    if low == GONE:
        return Equals(column.name, MISSING)
    if isinstance(column, TextColumn):
        return Equals(column.name, column.levels[int(low)])
    if low == high:
        exact = low if abs(low) < LARGEST else low * 2  # infinity was moved in
        return Equals(column.name, number_text(exact, column.kind))
    return Between(column.name, None if low == -LARGEST else low, None if high == LARGEST else high, "both")


class Named(Protocol):
    """Anything with columns that have names."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        ...


def check_same_columns(rows: Named, other: Rows, what: str) -> None:
    """Refuse rows without a column that the other rows have."""
    for name in other.names:
        if name not in rows.names:
            raise InputError(
                f"column {name!r}", f"must be in {what}", "no such column", nearest_column(name, rows.names)
            )
