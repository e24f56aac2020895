"""The released rows nearest to somebody of whom some columns are known.

Gower's distance over columns: labels are the same or not, numbers differ by the share of the released rows
that lie between them. Everything is measured in the released rows, so that any number of people asked about,
in the data or not, are treated alike. Ties are broken by lot: rows stand in a drawn order, and everybody
begins somewhere else in it.

Most rows are far away, and small whole numbers are enough to see that: distances are first added up coarsely,
a little below what they are, and only where that leaves a chance exactly.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dalenius.accelerate import kernel
from dalenius.people.rows.columns import NumberColumn, RowColumn, TextColumn
from dalenius.people.rows.rows import Rows

Ints = NDArray[np.int64]
Floats = NDArray[np.float32]

GONE = -9.0
"""The place of a missing number: a whole column away from every other, at no distance from itself."""

ROWS_AT_ONCE = 512
"""Rows whose distances fit into the fastest memory."""


LARGEST, FINEST = 32_767, 8191
"""The largest number of two bytes, which distances in units stay within, and units of a column at most."""


class CoarsePlaces(NamedTuple):
    """Places in units, of people and of rows (a line for each column), and which columns are labels.

    Distances in units, less the slack, are never above the distances themselves.
    """

    people: NDArray[np.int16]
    among: NDArray[np.int16]
    labels: NDArray[np.bool_]
    unit: int
    slack: int


class NearestRows(NamedTuple):
    """For everybody asked about the nearest rows, nearest first, and how far they are."""

    rows: Ints
    distances: Floats


def nearest(known: Rows, released: Rows, k: int, rng: np.random.Generator) -> NearestRows:
    """Find the k released rows nearest to each of some people, by the columns that are known of them.

    Parameters
    ----------
    known
        What is known of the people asked about.
    released
        The released rows, with at least these columns.
    k
        How many rows; fewer if there are fewer.
    rng
        Breaks ties.

    Examples
    --------
    >>> ages = Rows((NumberColumn("age", np.array([20.0, 40.0, 60.0]), "integer"),))
    >>> asked = Rows((NumberColumn("age", np.array([41.0, 60.0]), "integer"),))
    >>> nearest(asked, ages, 1, np.random.default_rng(1)).rows.ravel()
    array([1, 2])
    """
    columns = [released.column(name) for name in known.names]
    return nearest_of(known, Rows(tuple(columns)), released, k, rng)


def nearest_of(people: Rows, among: Rows, scale: Rows, k: int, rng: np.random.Generator) -> NearestRows:
    """Find the rows nearest to people among any rows, measured in released rows, which one of the two are."""
    columns = len(people.names)
    lot, starts = rng.permutation(len(among)), rng.integers(0, len(among), len(people))
    mine, theirs = on_scale(people, scale), on_scale(among.select(people.names), scale)[lot]
    numbers = np.array([_is_number(people, scale, name) for name in people.names], np.bool_)
    unit = max(1, min(FINEST, LARGEST // columns))
    coarse = [_coarse(places, numbers, unit) for places in (mine, theirs)]
    k = min(k, len(among))
    found = np.empty((len(people), k), np.int64)
    far = np.empty((len(people), k), np.float32)
    # every number is off by half a unit on either side, and sums of floats by less than one
    known = CoarsePlaces(coarse[0], np.ascontiguousarray(coarse[1].T), ~numbers, unit, int(numbers.sum()) + 1)
    search(mine, np.ascontiguousarray(theirs.T), known, starts, found, far)
    return NearestRows(lot[found], far)


def _is_number(people: Rows, scale: Rows, name: str) -> bool:
    return all(isinstance(rows.column(name), NumberColumn) for rows in (people, scale))


def _coarse(places: Floats, numbers: NDArray[np.bool_], unit: int) -> NDArray[np.int16]:
    """Places of numbers in units, and labels as they are; if two become one, the exact distance tells."""
    moved = np.where(numbers, np.maximum(np.rint(places * unit), -2 * unit), places)
    return moved.astype(np.int64).astype(np.int16)


def on_scale(rows: Rows, scale: Rows) -> Floats:
    """Every value as a place from 0 to 1, such that two values are as far apart as their places, at most 1.

    Labels lie whole numbers apart.
    """
    return np.stack([_place(rows.column(name), scale.column(name)) for name in rows.names], axis=1)


def _place(column: RowColumn, scale: RowColumn) -> Floats:
    if isinstance(column, NumberColumn) and isinstance(scale, NumberColumn):
        known, often = np.unique(scale.values[~np.isnan(scale.values)], return_counts=True)
        if not known.size:
            return np.where(np.isnan(column.values), GONE, 0.0).astype(np.float32)
        middle = (np.cumsum(often) - often / 2) / often.sum()
        places = np.interp(column.values, known, middle)
        return np.where(np.isnan(column.values), GONE, places).astype(np.float32)
    own, levels = (c if isinstance(c, TextColumn) else c.as_text for c in (column, scale))
    code_of = levels.labels.code_of
    new = len(levels.levels)  # a label that no released row has is near to none
    places = [float(code_of.get(level, new + i)) for i, level in enumerate(own.levels)]
    return np.array([*places, GONE], np.float32)[own.codes]


@kernel
def search(
    people: Floats, among: Floats, coarse: CoarsePlaces, starts: Ints, found: Ints, far: Floats
) -> None:
    """Write down the nearest rows of everybody, nearest first; of rows as near the first stays.

    ``among`` has a line for each column: that is added up for many rows at once, which beats giving far
    rows up one by one.
    """
    k, rows, columns = found.shape[1], among.shape[1], people.shape[1]
    apart, unit = np.empty(ROWS_AT_ONCE, np.int16), np.int16(coarse.unit)
    for i in range(people.shape[0]):
        for at in range(k):
            far[i, at] = np.inf
        limit, at_row, left = np.int16(LARGEST), starts[i], rows
        while left > 0:
            size = min(ROWS_AT_ONCE, min(rows - at_row, left))
            for j in range(size):
                apart[j] = np.int16(0)
            for c in range(columns):
                place, row = coarse.people[i, c], coarse.among[c, at_row : at_row + size]
                if coarse.labels[c]:
                    for j in range(size):
                        apart[j] = np.int16(apart[j] + (np.int16(0) if row[j] == place else unit))
                else:
                    for j in range(size):
                        step = np.int16(place - row[j])
                        step = step if step >= 0 else np.int16(-step)
                        apart[j] = np.int16(apart[j] + (step if step < unit else unit))
            least = np.int16(LARGEST)
            for j in range(size):
                least = apart[j] if apart[j] < least else least
            if least <= limit:
                for j in range(size):
                    if apart[j] > limit:
                        continue
                    distance = np.float32(0.0)
                    for c in range(columns):
                        distance += min(abs(people[i, c] - among[c, at_row + j]), np.float32(1.0))
                    if distance < far[i, k - 1]:
                        at = k - 1
                        while at > 0 and far[i, at - 1] > distance:
                            far[i, at] = far[i, at - 1]
                            found[i, at] = found[i, at - 1]
                            at -= 1
                        far[i, at] = distance
                        found[i, at] = at_row + j
                        limit = np.int16(min(float(LARGEST), coarse.unit * far[i, k - 1] + coarse.slack))
            left -= size
            at_row += size
            if at_row == rows:
                at_row = 0
