"""Many conditions of one form on rows: some columns each within a range or equal to a value.

A box is a conjunction over a few columns. Numbers are compared as they are, labels by their code, so that
thousands of boxes can be counted over many rows in one compiled pass each.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

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

if TYPE_CHECKING:
    from dalenius.conditions.boxes.bits import BoxSides

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
    """Some of them in no order, all if the limit was not reached; what is beyond the count means nothing."""


class IndexedRows:
    """Rows made ready for many boxes.

    A value is the place of it among the different ones of its column: small numbers, quickly compared.
    """

    def __init__(self, rows: Rows) -> None:
        from dalenius.conditions.boxes.bits import cut_rows

        self.columns = {column.name: (j, column) for j, column in enumerate(rows.columns)}
        self.size = len(rows)
        coded = [_placed(column) for column in rows.columns]
        self.different = [values for values, _ in coded]
        self.places = np.stack([placed for _, placed in coded], axis=1)
        self.bits = cut_rows(self.places)


def rows_inside(boxes: Boxes, rows: Rows | IndexedRows, limit: int) -> Inside:
    """Find rows in every box, up to ``limit`` of them; which ones where there are more is not said.

    Examples
    --------
    >>> ages = NumberColumn("age", np.array([20.0, 30.0, np.nan, 41.0]), "integer")
    >>> over = Boxes((ages,), np.array([[0], [0]]), np.array([[30.0], [GONE]]), np.array([[LARGEST], [GONE]]))
    >>> rows_inside(over, Rows((ages,)), limit=5).counts
    array([2, 1])
    """
    index = rows if isinstance(rows, IndexedRows) else IndexedRows(rows)
    return rows_between(_as_places(boxes, index), index, limit)


def rows_between(sides: BoxSides, index: IndexedRows, limit: int) -> Inside:
    """Do the same for limits that are places among the different values of these very rows."""
    from dalenius.conditions.boxes.bits import FIRST_BIT, find_rows

    size = len(sides.columns)
    counts, found = np.zeros(size, np.int64), np.zeros((size, limit), np.int64)

    def some(start: int, stop: int) -> None:
        find_rows(index.places, index.bits, sides, (start, stop), FIRST_BIT, counts, found)

    if size:
        share_out(some, size, threads=cores() if size > FEW_BOXES else 1)
    return Inside(counts, found)


FEW_BOXES = 2000
"""Boxes up to which one thread is done before others have begun."""


def _as_places(boxes: Boxes, index: IndexedRows) -> BoxSides:
    """The limits as places in the rows."""
    from dalenius.conditions.boxes.bits import BoxSides

    columns, low, high = (np.empty(boxes.columns.shape, np.int32) for _ in range(3))
    for here, j in _where(boxes.columns):
        like = boxes.space[j]
        at, column = index.columns[like.name]
        columns[here] = at
        from_to = [_recoded(limits[here], column, like) for limits in (boxes.low, boxes.high)]
        low[here] = np.searchsorted(index.different[at], from_to[0], "left")
        high[here] = np.searchsorted(index.different[at], from_to[1], "right") - 1
    return BoxSides(columns, low, high)


def _where(columns: Ints) -> Iterator[tuple[tuple[Any, ...], int]]:
    """Where boxes speak of each column: the same place of all of them, or wherever it is."""
    if len(columns) and (columns == columns[0]).all():
        yield from (((slice(None), c), j) for c, j in enumerate(columns[0].tolist()))
    else:
        yield from ((np.nonzero(columns == j), j) for j in np.unique(columns).tolist())


def places(column: RowColumn) -> Floats:
    """Where the values of a column lie: numbers as they are, labels by code, missing values beyond all."""
    if isinstance(column, TextColumn):
        return np.where(column.codes < 0, GONE, column.codes)
    return np.where(column.missing, GONE, np.clip(column.values, -LARGEST, LARGEST))


def _placed(column: RowColumn) -> tuple[Floats, NDArray[np.int32]]:
    """The different places of a column's values, rising, and for every row which of them is its own."""
    codes = column.codes
    if isinstance(column, TextColumn):
        known = np.arange(len(column.levels), dtype=np.float64)
    else:
        known, moved = np.unique(np.clip(column.different, -LARGEST, LARGEST), return_inverse=True)
        if known.size < column.different.size:  # infinity beside the largest number
            codes = np.where(codes < 0, -1, moved.astype(np.int32)[codes])
    gone = codes < 0
    if gone.any():
        return np.append(known, GONE), np.where(gone, np.int32(known.size), codes)
    return known, codes


def _recoded(limits: Floats, column: RowColumn, like: RowColumn) -> Floats:
    """Limits on a column of other rows: labels get the codes that they have there, unknown ones none."""
    if isinstance(column, TextColumn) and isinstance(like, TextColumn):
        if column.levels == like.levels:
            return limits
        codes = np.array([*(column.labels.code_of.get(level, -1.0) for level in like.levels), GONE])
        return codes[np.where(limits == GONE, -1, limits).astype(np.intp)]
    if isinstance(column, NumberColumn) and isinstance(like, NumberColumn):
        return limits
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
