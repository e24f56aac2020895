"""The released rows nearest to somebody of whom some columns are known.

Gower's distance over columns: labels are the same or not, numbers differ by the share of the released rows
that lie between them. Everything is measured in the released rows, so that any number of people asked about,
in the data or not, are treated alike. Ties are broken by lot, anew for every few people.
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

TOGETHER = 64
"""People for whom ties are broken by the same lot."""

ROWS_AT_ONCE = 512
"""Rows whose distances fit into the fastest memory."""


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
    mine, theirs = (on_scale(rows, scale) for rows in (people, among.select(people.names)))
    k = min(k, len(among))
    found = np.empty((len(people), k), np.int64)
    far = np.empty((len(people), k), np.float32)
    for start in range(0, len(people), TOGETHER):
        part = slice(start, start + TOGETHER)
        lot = rng.permutation(len(among))
        search(mine[part], np.ascontiguousarray(theirs[lot].T), found[part], far[part])
        found[part] = lot[found[part]]
    return NearestRows(found, far)


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
def search(people: Floats, among: Floats, found: Ints, far: Floats) -> None:
    """Write down the nearest rows of everybody, nearest first; of rows as near the first stays.

    ``among`` has a line for each column: that is added up for many rows at once, which beats giving far
    rows up one by one.
    """
    k, rows = found.shape[1], among.shape[1]
    apart = np.empty(ROWS_AT_ONCE, np.float32)
    for i in range(people.shape[0]):
        far[i, :] = np.inf
        for start in range(0, rows, ROWS_AT_ONCE):
            size = min(ROWS_AT_ONCE, rows - start)
            apart[:size] = np.float32(0.0)
            for c in range(people.shape[1]):
                place = people[i, c]
                for j in range(size):
                    apart[j] += min(abs(place - among[c, start + j]), np.float32(1.0))
            for j in range(size):
                distance = apart[j]
                if distance < far[i, k - 1]:
                    at = k - 1
                    while at > 0 and far[i, at - 1] > distance:
                        far[i, at] = far[i, at - 1]
                        found[i, at] = found[i, at - 1]
                        at -= 1
                    far[i, at] = distance
                    found[i, at] = start + j
