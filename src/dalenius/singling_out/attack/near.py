"""Conditions around released rows: equal to a row, or near it in every column.

Copies of people are met by the first, people who were perturbed (noise, small groups replaced by their
means, ranks swapped) by the others. Everything comes from the released rows alone: a reach is measured in
standard deviations of a released column, or in places of its released order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dalenius.conditions.boxes.boxes import GONE, LARGEST, Boxes, places
from dalenius.people.rows.columns import NumberColumn, RowColumn
from dalenius.people.rows.rows import Rows, distinct

Floats = NDArray[np.float64]

MOST_ROWS = 10_000
"""Released rows around which conditions are written; of more, so many are drawn."""


class Reach(NamedTuple):
    """How far numbers may be from those of the released row; labels must always be the same."""

    name: str
    deviations: float = 0.0
    ranks: float = 0.0


EQUAL = Reach("equal rows")
REACHES = (
    EQUAL,
    Reach("rows within 0.05 standard deviations", deviations=0.05),
    Reach("rows within 0.25 standard deviations", deviations=0.25),
    Reach("rows within 0.5 standard deviations", deviations=0.5),
    Reach("rows within 2% of the ranks", ranks=0.02),
    Reach("rows within 7% of the ranks", ranks=0.07),
    Reach("rows within 15% of the ranks", ranks=0.15),
)


def different_rows(released: Rows, rng: np.random.Generator, most: int = MOST_ROWS) -> Rows:
    """The different released rows, or as many of them drawn as conditions are written about."""
    found = distinct(released).representatives
    if found.size > most:
        found = np.sort(rng.permutation(found)[:most])
    return released.take(found)


def around(rows: Rows, released: Rows, reach: Reach) -> Boxes:
    """One condition around each of some rows, on all columns.

    Parameters
    ----------
    rows
        The rows to write conditions about.
    released
        All released rows, which say how columns are spread.
    reach
        How far from a row.

    Examples
    --------
    >>> ages = Rows((NumberColumn("age", np.array([20.0, 40.0, 60.0]), "integer"),))
    >>> made = around(ages, ages, Reach("near", deviations=0.25))
    >>> made.low[:, 0].round(1), made.high[:, 0].round(1)
    (array([15.9, 35.9, 55.9]), array([24.1, 44.1, 64.1]))
    """
    sides = [_sides(rows.column(name), released.column(name), reach) for name in rows.names]
    low, high = (np.stack(own, axis=1) for own in zip(*sides, strict=True))
    return Boxes(rows.columns, np.tile(np.arange(len(sides)), (len(rows), 1)), low, high)


def _sides(column: RowColumn, released: RowColumn, reach: Reach) -> tuple[Floats, Floats]:
    x = places(column)
    if not (isinstance(column, NumberColumn) and isinstance(released, NumberColumn)) or column.kind == "bool":
        return x, x
    low, high, known = x, x, released.rising
    if not known.size:
        return x, x
    if reach.deviations:
        most = max(float(np.abs(known).max()), 1e-300)  # squares of the largest numbers are none
        width = reach.deviations * float(np.std(known / most)) * most
        with np.errstate(over="ignore"):  # beyond the largest number lies nobody
            low, high = (np.clip(x + side * min(width, LARGEST), -LARGEST, LARGEST) for side in (-1, 1))
    if reach.ranks:
        far = reach.ranks * known.size
        left = np.searchsorted(known, x, "left") - far
        right = np.searchsorted(known, x, "right") - 1 + far
        low = np.minimum(low, known[np.clip(left, 0, known.size - 1).astype(np.intp)])
        high = np.maximum(high, known[np.clip(np.ceil(right), 0, known.size - 1).astype(np.intp)])
    gone = x == GONE
    return np.where(gone, x, low), np.where(gone, x, high)
