"""Released rows as they may have stood before numbers were moved, or values were put in another order.

Adding half a standard deviation to every number, or another rising change of it, hides rows from conditions
near them, and from no attacker who knows how the values of other people are spread: the value with the same
rank among those is the one before the change, about. Values that changed places within a row are still the
values of that row.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dalenius.people.rows.columns import NumberColumn, RowColumn, TextColumn
from dalenius.people.rows.rows import Rows

Floats = NDArray[np.float64]


def on_scale_of(others: Rows, released: Rows, *, turned: bool = False) -> Rows:
    """Replace released numbers by those with the same rank among other people.

    Parameters
    ----------
    others
        People of the same population.
    released
        What was released.
    turned
        By the rank from the other end, for numbers that were turned round.

    Examples
    --------
    >>> ages = Rows((NumberColumn("age", np.array([20.0, 30.0, 60.0]), "float"),))
    >>> moved = Rows((NumberColumn("age", np.array([9.0, 1.0, 2.0]), "float"),))
    >>> on_scale_of(ages, moved).column("age").values
    array([60., 20., 30.])
    """
    return Rows(tuple(_moved(column, others.column(column.name), turned) for column in released.columns))


def _moved(column: RowColumn, others: RowColumn, turned: bool) -> RowColumn:
    if not (isinstance(column, NumberColumn) and isinstance(others, NumberColumn)) or column.kind == "bool":
        return column
    theirs = others.rising
    known = np.isfinite(column.different)
    often = column.counts[known]
    if not (often.size and theirs.size):
        return column
    middle = np.cumsum(often) - often / 2  # of those with the same value
    rank = middle / often.sum()
    levels = (np.arange(theirs.size) + 0.5) / theirs.size
    moved = np.full(known.size + 1, np.nan)  # the last is that of missing values
    moved[:-1][known] = np.interp(1 - rank if turned else rank, levels, theirs)
    return NumberColumn(column.name, moved[column.codes], "float")


def in_order(rows: Rows) -> Rows | None:
    """Sort the numbers of every row, and its labels; ``None`` where no column has another of its kind.

    Examples
    --------
    >>> sums = {"pay": [5.0, 2.0], "rent": [4.0, 3.0]}
    >>> rows = Rows(tuple(NumberColumn(name, np.array(own), "float") for name, own in sums.items()))
    >>> [column.values.tolist() for column in in_order(rows).columns]
    [[4.0, 2.0], [5.0, 3.0]]
    """
    numbers = [column for column in rows.columns if isinstance(column, NumberColumn)]
    labels = [column for column in rows.columns if isinstance(column, TextColumn)]
    if max(len(numbers), len(labels)) < 2:
        return None
    return Rows((*_sorted_numbers(numbers), *_sorted_labels(labels)))


def _sorted_numbers(columns: list[NumberColumn]) -> list[NumberColumn]:
    if not columns:
        return []
    values = np.sort(np.stack([column.values for column in columns]), axis=0)  # what is missing comes last
    return [NumberColumn(f"number {j}", own, "float") for j, own in enumerate(values, 1)]


def _sorted_labels(columns: list[TextColumn]) -> list[TextColumn]:
    """Sort by the labels themselves, so that rows of every file are sorted alike."""
    if not columns:
        return []
    levels = tuple(sorted({level for column in columns for level in column.levels}))
    place = {level: j for j, level in enumerate(levels)}
    moved = [np.array([*(place[level] for level in own.levels), -1], np.int32)[own.codes] for own in columns]
    return [
        TextColumn(f"label {j}", own, levels) for j, own in enumerate(np.sort(np.stack(moved), axis=0), 1)
    ]
