"""Least squares, the spectral attack (Kasiviswanathan et al. 2013, Theorem 2.1)."""

from __future__ import annotations

import numpy as np
from scipy.sparse.linalg import LinearOperator, lsmr
from threadpoolctl import threadpool_limits

from dalenius.attacks.reconstruction.scale import rounding_variance, row_scale, shares
from dalenius.attacks.reconstruction.system import Decoding, LinearSystem
from dalenius.errors import SolveError
from dalenius.progress import Progress, silent
from dalenius.records.answers import Vector

DENSE_LIMIT = 16_000_000
"""Matrix entries up to which the matrix is written out and the variances are exact."""

ITERATIONS = 2_000


def decode(system: LinearSystem, *, rng: np.random.Generator, progress: Progress = silent) -> Decoding:
    """Solve by least squares around the prior and read the solution as probabilities.

    ``r = p + A^+ (y - A p)``. Rows are divided by their scale first, so that an accurate answer counts for
    more than a rough one; with unknown noise all rows count alike.
    """
    progress(0.0, "least squares")
    # one thread: on a busy machine several threads wait for each other far longer than they work
    with threadpool_limits(1, user_api="blas"):
        return _decode(system)


def _decode(system: LinearSystem) -> Decoding:
    first = solve(system, np.where(np.isnan(system.sd), 1.0, row_scale(system)))
    scale = row_scale(system, system.centre - system.A.apply(first))
    solution = solve(system, scale) if np.isnan(system.sd).any() else first
    notes = () if not np.isnan(system.sd).any() else (f"noise estimated as sd {np.median(scale):.3g}",)
    return Decoding(shares(solution, _variance(system, scale, solution), system), notes)


def solve(system: LinearSystem, scale: Vector) -> Vector:
    """The least-squares solution nearest to the prior, rows divided by ``scale``."""
    target = (system.centre - system.A.apply(system.start)) / scale
    if _small(system):
        matrix = system.A.explicit().toarray() / scale[:, None]
        step = np.linalg.lstsq(matrix, target, rcond=None)[0]
    else:
        step = _iterate(system, scale, target)
    return np.asarray(system.start + step, np.float64)


def _iterate(system: LinearSystem, scale: Vector, target: Vector) -> Vector:
    operator = LinearOperator(
        system.A.shape,
        matvec=lambda x: system.A.apply(np.ravel(x)) / scale,
        rmatvec=lambda r: system.A.apply_transpose(np.ravel(r) / scale),
        dtype=np.float64,
    )
    solved = lsmr(operator, target, atol=1e-8, btol=1e-8, conlim=1e10, maxiter=ITERATIONS)
    if not np.isfinite(solved[0]).all():
        raise SolveError("least squares did not converge to finite numbers")
    return np.asarray(solved[0], np.float64)


def _variance(system: LinearSystem, scale: Vector, solution: Vector) -> Vector:
    """Variance of every solution: exact where the matrix is small and has full rank, else from outside."""
    outside = np.full(system.unknowns, rounding_variance(solution, system))
    if not _small(system):
        return outside
    matrix = system.A.explicit().toarray() / scale[:, None]
    values, vectors = np.linalg.eigh(matrix.T @ matrix)
    if values[0] <= 1e-10 * values[-1]:
        return outside
    return np.asarray((vectors**2 / values).sum(axis=1), np.float64)


def _small(system: LinearSystem) -> bool:
    m, n = system.A.shape
    return m * n <= DENSE_LIMIT
