"""Parts so small that every vector of whole numbers in their ranges is tried.

A large table of cells that overlap nowhere falls apart into thousands of parts of one sum each. A linear
program for each takes seconds; trying a few numbers takes none.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dalenius.matrices.answers import Vector
from dalenius.reconstruction.attack.system.system import Whole

POINTS = 600
"""Vectors up to which all are tried."""

SUMS = 8
"""Sums of a part beyond which that is not worth looking at."""

SLACK = 1e-6
"""By how much a row may be missed, so that nothing is excluded by rounding."""


def points_that_fit(
    A: sparse.csr_array, low: Vector, high: Vector, least: Whole, most: Whole
) -> Whole | None:
    """All whole numbers between two ends that meet the rows; ``None`` if they are too many to try.

    Examples
    --------
    >>> rows = sparse.csr_array(np.array([[1.0, 1.0]]))
    >>> points_that_fit(rows, np.array([3.0]), np.array([9.0]), np.array([0, 1]), np.array([2, 2])).tolist()
    [[1, 2], [2, 1], [2, 2]]
    """
    if least.size > SUMS:
        return None
    steps = (most - least + 1).tolist()
    if np.prod(steps, dtype=np.float64) > POINTS:
        return None
    points = least + np.indices(steps).reshape(len(steps), -1).T
    sums = points @ A.toarray().T
    fits = ((sums >= low - SLACK) & (sums <= high + SLACK)).all(axis=1)
    return np.asarray(points[fits], np.int64)


def expected(points: Whole, least: Whole, weights: NDArray[np.float64]) -> Vector:
    """The mean of vectors, each weighted by the product of its numbers' weights, given as logarithms.

    Examples
    --------
    >>> expected(np.array([[0], [1]]), np.array([0]), np.log([[1.0, 3.0]]))
    array([0.75])
    """
    logs = weights[np.arange(least.size), points - least].sum(axis=1)
    chances = np.exp(logs - logs.max())
    return np.asarray(chances @ points / chances.sum(), np.float64)
