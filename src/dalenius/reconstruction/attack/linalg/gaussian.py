"""Marginals of a Gaussian posterior: the same numbers from a matrix over unknowns, or one over rows.

In single precision, with a unit diagonal: half the time of double precision, and the variances keep four
digits.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import lapack, solve_triangular

from dalenius.errors import SolveError
from dalenius.matrices.answers import Vector

Single = NDArray[np.float32]

DENSE = 0.1
"""Share of entries other than 0 from which on blocks are written out: 36 times a sparse product at a half."""

BLOCK_ENTRIES = 1 << 23
"""Entries written out at a time: 32 MB."""


def gram(matrix: sparse.csr_array, weight: Vector) -> Single:
    """``A^T W A``, by blocks that are written out where most entries would have to be anyway."""
    weighted = matrix.multiply(np.sqrt(weight)[:, None]).tocsr()
    rows, columns = weighted.shape
    if weighted.nnz <= DENSE * rows * columns:
        return np.asarray((weighted.T @ weighted).toarray(), np.float32)
    total = np.zeros((columns, columns), np.float32)
    step = max(1, BLOCK_ENTRIES // columns)
    for start in range(0, rows, step):
        block = weighted[start : start + step].toarray().astype(np.float32)
        total += block.T @ block
    return total


def by_unknowns(precision: Single, pull: Vector) -> tuple[Vector, Vector]:
    """Mean and variance of every unknown from their precision matrix, which is overwritten.

    Examples
    --------
    >>> mean, variance = by_unknowns(np.array([[2, 0], [0, 4]], np.float32), np.array([2.0, 2.0]))
    >>> mean.round(5).tolist(), variance.round(5).tolist()
    ([1.0, 0.5], [0.5, 0.25])
    """
    factor, unit = _factor(precision)
    mean = unit * lapack.spotrs(factor, (unit * pull).astype(np.float32), lower=1)[0]
    # the diagonal of the inverse is all that is asked for: half the work of the whole inverse
    root, _ = lapack.strtri(factor, lower=1, overwrite_c=1)
    return mean, (root * root).sum(axis=0).astype(np.float64) * unit**2


def some_of(matrix: Single, unknowns: NDArray[np.intp]) -> Single:
    """A copy of the rows and columns of some unknowns, in their order.

    Examples
    --------
    >>> some_of(np.arange(9, dtype=np.float32).reshape(3, 3), np.array([0, 2])).tolist()
    [[0.0, 2.0], [6.0, 8.0]]
    """
    return np.take(np.take(matrix, unknowns, axis=0), unknowns, axis=1)


def by_rows(
    matrix: sparse.csr_array, noise: Single, mean: Vector, variance: Vector, miss: Vector
) -> tuple[Vector, Vector]:
    """The same from the covariance of the rows: for few rows about many unknowns.

    Parameters
    ----------
    matrix
        The rows.
    noise
        Covariance of their errors; overwritten.
    mean, variance
        Of the unknowns without the rows, independent of each other.
    miss
        What the rows say less what the means say.

    Examples
    --------
    >>> rows = sparse.csr_array(np.array([[1.0, 1.0]]))
    >>> mean, variance = by_rows(rows, np.ones((1, 1), np.float32), np.zeros(2), np.ones(2), np.array([3.0]))
    >>> mean.round(5).tolist(), variance.round(5).tolist()
    ([1.0, 1.0], [0.66667, 0.66667])
    """
    dense = (matrix.multiply(np.sqrt(variance)[None, :])).toarray().astype(np.float32)
    noise += dense @ dense.T
    factor, unit = _factor(noise)
    whitened = solve_triangular(
        factor, unit[:, None].astype(np.float32) * dense, lower=True, overwrite_b=True, check_finite=False
    )
    left = solve_triangular(factor, (unit * miss).astype(np.float32), lower=True, check_finite=False)
    root = np.sqrt(variance)
    gained = np.minimum((whitened.astype(np.float64) ** 2).sum(axis=0), 1 - 1e-6)
    return mean + root * (whitened.T @ left).astype(np.float64), variance * (1 - gained)


def _factor(matrix: Single) -> tuple[Single, Vector]:
    """Cholesky factor of the matrix scaled to a unit diagonal, and the scale."""
    matrix = matrix.T if matrix.flags.c_contiguous else np.asfortranarray(matrix)  # equal on both sides
    unit = (1 / np.sqrt(matrix.diagonal())).astype(np.float32)
    matrix *= unit[:, None]
    matrix *= unit[None, :]
    factor, failed = lapack.spotrf(matrix, lower=1, overwrite_a=1)
    if failed:
        raise SolveError("the posterior's covariance could not be factorised")
    return factor, unit.astype(np.float64)
