"""The cells of many contingency tables by number, and what is known about their spectrum.

What is known about the spectrum of many tables, for solvers that would otherwise find it out step by step.

Two people are in the same cell of a table when they agree on its columns, so ``A^T A`` counts the tables on
which two people agree. Written with the agreement on each column as its mean ``p`` and the rest, that is a
constant, a weighted sum of agreements on single columns, and agreements on several columns at once. The
first two are few directions with eigenvalues many times those of the last, which is what a solver needs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

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


CHUNK = 1024
"""People whose levels are converted at a time."""


@runtime_checkable
class HasPreconditioner(Protocol):
    """A matrix about whose spectrum something is known beforehand."""

    def preconditioner(self) -> Callable[[Vector], Vector]:
        """Multiplication by the inverse of something near to ``A^T A``, up to a factor."""
        ...


def column_weights(agreement: Vector, sets: Sequence[Sequence[int]]) -> tuple[Vector, float, float]:
    """How often people agree on tables because of one column, because of none, and because of several.

    Parameters
    ----------
    agreement
        For each column, the share of pairs of people who have the same level.
    sets
        The columns of each table.

    Examples
    --------
    >>> column_weights(np.array([0.5, 0.5, 0.25]), [(0, 1), (1, 2)])
    (array([0.5 , 0.75, 0.5 ]), 0.375, 0.625)
    """
    weights, constant, several = np.zeros(agreement.size), 0.0, 0.0
    for ways in {len(columns) for columns in sets}:
        table = np.array([columns for columns in sets if len(columns) == ways], np.intp)
        chance = agreement[table]
        total = chance.prod(axis=1)
        alone = np.zeros_like(total)
        for way in range(ways):
            others = np.delete(chance, way, axis=1).prod(axis=1)
            weights += np.bincount(table[:, way], others, agreement.size)
            alone += others * (1 - chance[:, way])
        constant += float(total.sum())
        several += float((1 - total - alone).sum())
    return weights, constant, several


def make_preconditioner(
    unfolded: NDArray[np.bool_], within: NDArray[np.float64], form: NDArray[np.float64]
) -> Callable[[Vector], Vector]:
    """Make the inverse of ``I + R B R^T``, by the formula of Woodbury (1950).

    Parameters
    ----------
    unfolded
        ``R``: people and levels, 0 or 1.
    within
        ``R^T R``.
    form
        ``B``, symmetric and not negative.
    """
    inner = form @ np.linalg.inv(np.eye(len(form)) + within @ form)

    def apply(x: Vector) -> Vector:
        chunks = [slice(i, i + CHUNK) for i in range(0, x.size, CHUNK)]
        sums = np.zeros(len(form))
        for some in chunks:
            sums += x[some] @ unfolded[some].astype(np.float64)
        step = inner @ sums
        rest: Vector = x - np.concatenate([unfolded[some].astype(np.float64) @ step for some in chunks])
        return rest

    return apply
