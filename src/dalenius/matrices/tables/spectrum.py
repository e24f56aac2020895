"""What is known about the spectrum of many tables, for solvers that would otherwise find it out step by step.

Two people are in the same cell of a table when they agree on its columns, so ``A^T A`` counts the tables on
which two people agree. Written with the agreement on each column as its mean ``p`` and the rest, that is a
constant, a weighted sum of agreements on single columns, and agreements on several columns at once. The
first two are few directions with eigenvalues many times those of the last, which is what a solver needs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from dalenius.matrices.answers import Vector

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
