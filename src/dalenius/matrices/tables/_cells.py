"""The cells of many tables by number, and how they follow from counts of pairs of levels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dalenius.matrices.answers import Vector

WAYS = 3
"""Columns of a table at the most."""

Index = NDArray[np.intp]


@dataclass(frozen=True)
class TableCells:
    """For every cell, the first column and level of a three-way table (else -1), and two places.

    Place 0 is everybody; the levels of all columns follow.
    """

    column: Index
    level: Index
    first: Index
    second: Index


def number_cells(levels: Index, sets: Sequence[Sequence[int]]) -> TableCells:
    """Number the cells of all tables: the levels of the last column run first."""
    # an imaginary column with one level, at place 0, makes up tables of fewer columns
    offset = np.concatenate([np.cumsum(levels) - levels + 1, [0]])
    sizes = np.concatenate([levels, [1]])
    table = np.full((len(sets), WAYS), levels.size, np.intp)
    for row, own in zip(table, sets, strict=True):
        row[WAYS - len(own) :] = own
    cells = sizes[table].prod(axis=1)
    which = np.repeat(np.arange(len(sets)), cells)
    left = np.arange(which.size) - np.repeat(np.cumsum(cells) - cells, cells)
    code = np.empty((which.size, WAYS), np.intp)
    for way in reversed(range(WAYS)):
        size = sizes[table[which, way]]
        code[:, way] = left % size
        left //= size
    columns = table[which]
    three = columns[:, 0] < levels.size
    places = np.sort(offset[columns[:, 1:]] + code[:, 1:], axis=1)
    return TableCells(
        np.where(three, columns[:, 0], -1), np.where(three, code[:, 0], -1), places[:, 0], places[:, 1]
    )


def _expansion(sizes: Index) -> sparse.csr_array:
    """The matrix that makes all places from everybody and the kept levels; first = everybody less others."""
    first = 1 + np.cumsum(sizes) - sizes
    other = np.setdiff1d(np.arange(1, 1 + sizes.sum()), first)
    column = 1 + np.arange(other.size)
    row = np.concatenate([[0], first, other, np.repeat(first, sizes - 1)])
    at = np.concatenate([[0], np.zeros_like(first), column, column])
    value = np.concatenate([np.ones(1 + first.size + other.size), np.full(other.size, -1.0)])
    return sparse.csr_array((value, (row, at)), shape=(1 + int(sizes.sum()), 1 + other.size))


class Pairs:
    """The places of some columns, each with each, and how first levels follow from the others."""

    def __init__(self, columns: Index, levels: Index, first: Index, second: Index) -> None:
        offset, kept = np.cumsum(levels) - levels + 1, np.cumsum(levels - 1) - levels + 2
        places = np.concatenate([[0], *(offset[c] + np.arange(levels[c]) for c in columns)])
        own = [kept[c] + np.arange(levels[c] - 1) for c in columns]
        self.kept = np.concatenate([[0], *own]).astype(np.intp)
        self._expand = _expansion(levels[columns])
        self._size = places.size
        self._flat = np.searchsorted(places, first) * places.size + np.searchsorted(places, second)

    def read(self, product: NDArray[np.float64]) -> Vector:
        """The cells, from the counts of all pairs of kept levels."""
        both = np.triu(product) + np.triu(product, 1).T
        full = self._expand @ (self._expand @ both).T
        cells: Vector = np.asarray(full).ravel()[self._flat]
        return cells

    def shrink(self, diagonal: Vector) -> NDArray[np.float64]:
        """A diagonal form of all places as a form of the kept levels."""
        form: NDArray[np.float64] = (self._expand.T @ sparse.diags_array(diagonal) @ self._expand).toarray()
        return form

    def fold(self, weights: Vector) -> NDArray[np.float64]:
        """The transpose of `read`: weights of cells as one form of the kept levels, above the diagonal."""
        full = np.bincount(self._flat, weights, self._size**2).reshape(self._size, self._size)
        form = np.asarray(self._expand.T @ (self._expand.T @ full).T)
        folded: NDArray[np.float64] = np.triu(form) + np.tril(form, -1).T
        return folded
