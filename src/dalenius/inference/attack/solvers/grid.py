"""Exact beliefs on an open rectangular grid: a transfer matrix carries one column's bits to the next."""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import shortest_path

from dalenius.inference.attack.identical import one_a_person
from dalenius.inference.attack.solvers.weight_table import log_odds_of_table
from dalenius.knowledge.correlation.model import CorrelationModel, Floats

TALLEST = 16
"""The most rows: a column then has 65,536 combinations."""


@dataclass(frozen=True)
class GridNetwork:
    """A network whose people stand in rows and columns, related with the next in both.

    Parameters
    ----------
    place
        The person at each row and column; there are at least as many columns as rows.
    down
        Couplings with the next row, one row fewer.
    across
        Couplings with the next column, one column fewer.
    """

    place: NDArray[np.int64]
    down: Floats
    across: Floats

    def __len__(self) -> int:
        return int(self.place.size)


def recognise(model: CorrelationModel) -> GridNetwork | None:
    """Return the network as a grid of 2 to 16 rows if it is one.

    Examples
    --------
    >>> square = CorrelationModel("id", np.array(["a", "b", "c", "d"]),
    ...                           np.array([[0, 1], [1, 2], [2, 3], [3, 0]]), np.full(4, 0.5), np.zeros(4))
    >>> recognise(square).place
    array([[0, 1],
           [3, 2]])
    """
    shape = _shape(len(model), len(model.edges))
    if shape is None or shape[0] > TALLEST or not np.isfinite(model.coupling).all():
        return None
    position = _positions(model, shape)
    return None if position is None else _laid_out(model, position, shape)


def log_odds(grid: GridNetwork, field: Floats) -> Floats:
    """Return everybody's log-odds of 0 against 1: forward and backward along the columns."""
    h = one_a_person(grid, field)[grid.place]
    columns = grid.place.shape[1]
    own = [_column(grid, h, c) for c in range(columns)]
    ahead = [np.zeros_like(own[0])]  # what the columns to the right say about each column, last first
    for c in range(columns - 2, -1, -1):
        ahead.append(_carried(own[c + 1] + ahead[-1], grid.across[:, c]))
    u, behind = np.empty(len(grid)), np.zeros_like(own[0])
    for c in range(columns):
        here = own[c] + behind
        u[grid.place[:, c]] = log_odds_of_table(here + ahead.pop())
        if c + 1 < columns:
            behind = _carried(here, grid.across[:, c])
    return u


def _column(grid: GridNetwork, h: Floats, c: int) -> Floats:
    """Logarithms of the weights of a column's combinations by themselves: one axis per row, 0 first."""
    rows = h.shape[0]
    spin = [
        np.array([1.0, -1.0]).reshape([2 if axis == r else 1 for axis in range(rows)]) for r in range(rows)
    ]
    weight = np.zeros((2,) * rows)
    for r in range(rows):
        weight += h[r, c] * spin[r]
    for r in range(rows - 1):
        weight += grid.down[r, c] * (spin[r] * spin[r + 1])
    return weight


def _carried(weight: Floats, coupling: Floats) -> Floats:
    """Sum over a column's bits what they say about the next column, bit after bit."""
    for axis, J in enumerate(coupling):
        zero, one = np.moveaxis(weight, axis, 0)
        weight = np.stack([np.logaddexp(zero + J, one - J), np.logaddexp(zero - J, one + J)], axis=axis)
    result: Floats = weight - weight.max()  # only differences matter
    return result


def _shape(people: int, links: int) -> tuple[int, int] | None:
    """Rows and columns of a grid with so many people and links: they add up to ``2 n - m``."""
    both = 2 * people - links
    root = isqrt(max(both * both - 4 * people, 0))
    if root * root != both * both - 4 * people or (both - root) % 2:
        return None
    rows, columns = (both - root) // 2, (both + root) // 2
    return (rows, columns) if rows >= 2 else None


def _positions(model: CorrelationModel, shape: tuple[int, int]) -> NDArray[np.int64] | None:
    """Everybody's row and column, from how far they are from two corners of a long side."""
    corners = np.flatnonzero(model.degrees == 2)
    if corners.size != 4:
        return None
    links = model.matrix(np.ones(len(model.edges)))
    from_first = shortest_path(links, unweighted=True, directed=False, indices=int(corners[0]))
    side = shape[1] - 1
    ends = corners[from_first[corners] == side]
    if not ends.size:
        return None
    from_end = shortest_path(links, unweighted=True, directed=False, indices=int(ends[0]))
    twice = np.stack([from_first + from_end - side, from_first - from_end + side], axis=1)
    position = twice / 2
    inside = (position >= 0).all() and (position < shape).all() and (position % 1 == 0).all()
    return position.astype(np.int64) if inside else None


def _laid_out(
    model: CorrelationModel, position: NDArray[np.int64], shape: tuple[int, int]
) -> GridNetwork | None:
    """The grid, if every place is taken and every link joins neighbours; there are as many as needed."""
    rows, columns = shape
    place = np.full(shape, -1, np.int64)
    place[position[:, 0], position[:, 1]] = np.arange(len(model))
    ends = position[model.edges]
    step = np.abs(ends[:, 0] - ends[:, 1])
    if (place < 0).any() or (step.sum(axis=1) != 1).any():
        return None
    down, across = np.empty((rows - 1, columns)), np.empty((rows, columns - 1))
    start, vertical = ends.min(axis=1), step[:, 0] == 1
    down[tuple(start[vertical].T)] = model.coupling[vertical]
    across[tuple(start[~vertical].T)] = model.coupling[~vertical]
    return GridNetwork(place, down, across)
