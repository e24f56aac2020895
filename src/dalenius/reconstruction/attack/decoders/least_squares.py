"""Least squares, the spectral attack (Kasiviswanathan et al. 2013, Theorem 2.1)."""

from __future__ import annotations

from math import log

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from dalenius.accelerate import one_blas_thread
from dalenius.matrices.answers import Vector
from dalenius.matrices.operators import Operator, SparseRows, single
from dalenius.matrices.table_cells import HasPreconditioner
from dalenius.progress import Progress, silent
from dalenius.reconstruction.attack.cost import DIRECT, FACTOR_DOUBLE, MULTIPLY, SPARSE, Cost
from dalenius.reconstruction.attack.linalg.cgls import ITERATIONS, LARGE, LARGE_TOLERANCE, TOLERANCE, cgls
from dalenius.reconstruction.attack.linalg.gram import counts_agreement, gram
from dalenius.reconstruction.attack.matrix_cost import bulk, product_seconds, scratch, written_out
from dalenius.reconstruction.attack.system.noise_scale import row_scale, shares, shares_from_outside
from dalenius.reconstruction.attack.system.system import Decoding, LinearSystem

DIRECT_LIMIT = 250_000
"""Matrix entries up to which the matrix is factorised: above, gradients are many times faster."""

DENSE_LIMIT = 16_000_000
"""Matrix entries up to which the matrix is written out for exact variances."""

WORK_LIMIT, FEWEST_STEPS = 40_000_000_000, 30
"""Entries that all steps together go through, and how many steps are made in any case: minutes.

Only equations that are far fewer than the people come here with less than all steps; the first few have
what such equations say about everybody, and the certain people are known before."""

GRAM_SIDE, GRAM_MOST = 4_000, 10_000
"""People in tables up to whom variances are exact, in seconds; and up to whom an exact solution is worth a
minute where the steps did not settle, which they do in a tenth of the time if the equations allow it."""

LEAST_CONDITION = 1e-10
"""Reciprocal condition of ``A^T A`` below which no variance is exact."""


def decode(system: LinearSystem, *, rng: np.random.Generator, progress: Progress = silent) -> Decoding:
    """Solve by least squares around the prior and read the solution as probabilities.

    ``r = p + A^+ (y - A p)``. Rows are divided by their scale first, so that an accurate answer counts for
    more than a rough one; with unknown noise all rows count alike. Fewer rows than unknowns are all met, at
    any scale by the same solution, and what each row is expected to spread takes a fifth of the steps.
    """
    progress(0.0, "least squares")
    unknown = np.isnan(system.sd)
    fast = single(system.A)
    scale = np.where(unknown, 1.0, row_scale(system))
    if system.sharp and _few(system):
        scale = _expected_spread(system, scale)
    solution, residual, notes = _solve(system, fast, scale, progress)
    if unknown.any():
        scale = row_scale(system, residual)
        if not unknown.all() or np.ptp(scale) > 0:  # else all rows count alike, as they did
            solution, _, notes = _solve(system, fast, scale, progress)
        notes = (*notes, f"noise estimated as sd {np.median(scale):.3g}")
    exact = _variance(system, scale)
    if exact is not None:
        return Decoding(shares(solution, exact, system), notes)
    return Decoding(shares_from_outside(solution, system), notes)


def solve(system: LinearSystem, scale: Vector) -> Vector:
    """The least-squares solution nearest to the prior, rows divided by ``scale``."""
    return _solve(system, single(system.A), scale, silent)[0]


def _solve(
    system: LinearSystem, fast: Operator, scale: Vector, progress: Progress
) -> tuple[Vector, Vector, tuple[str, ...]]:
    """The solution, its residual ``centre - A r``, and what to tell about it."""
    target = system.centre - system.A.apply(system.start)
    if _entries(system) <= DIRECT_LIMIT:
        matrix = system.A.explicit().toarray()
        step = np.linalg.lstsq(matrix / scale[:, None], target / scale, rcond=None)[0]
        return system.start + step, target - matrix @ step, ()
    known = None
    if isinstance(system.A, HasPreconditioner) and not _few(system):  # with few, it spoils the first steps
        known = system.A.preconditioner()
    steps = min(ITERATIONS, max(FEWEST_STEPS, WORK_LIMIT // max(1, system.A.entries)))
    found = cgls(fast, target, scale, precondition=known, iterations=steps, progress=progress)
    if not found.settled and _from_agreement(system, scale, GRAM_MOST):
        exact = _by_normal_equations(system, target)
        if exact is not None:
            return system.start + exact, target - system.A.apply(exact), ("solved by its normal equations",)
    notes = () if found.settled else (f"least squares stopped after {found.iterations:,} steps, not settled",)
    return system.start + found.x, found.residual * scale, notes


def _few(system: LinearSystem) -> bool:
    """Whether there are fewer equations than unknowns."""
    return system.A.shape[0] < system.unknowns


def _expected_spread(system: LinearSystem, scale: Vector) -> Vector:
    """How far each row is expected from its prior mean: a cell of a thousand further than one of two."""
    squares = system.A if system.counting.all() else SparseRows(system.A.explicit().power(2))
    spread: Vector = np.sqrt(scale**2 + squares.apply(system.prior * (1 - system.prior) * system.sizes))
    return spread


def _variance(system: LinearSystem, scale: Vector) -> Vector | None:
    """Variance of every solution, where ``A^T A`` is small and has full rank."""
    with one_blas_thread():
        if _from_agreement(system, scale, GRAM_SIDE):
            normal = gram(system.A) / scale[0] ** 2
        elif _entries(system) <= DENSE_LIMIT:
            matrix = system.A.explicit().toarray() / scale[:, None]
            normal = matrix.T @ matrix
        else:
            return None
        factor = _factor(normal)
        if factor is None:
            return None
        inverse, _ = lapack.dpotri(factor, lower=1, overwrite_c=1)
    return np.asarray(inverse.diagonal(), np.float64)


def _from_agreement(system: LinearSystem, scale: Vector, most: int) -> bool:
    """Whether ``A^T A`` is counted from who agrees with whom: tables, rows that count alike, few people."""
    return system.unknowns <= most and counts_agreement(system.A) and float(np.ptp(scale)) == 0


def _by_normal_equations(system: LinearSystem, target: Vector) -> Vector | None:
    """The exact solution for rows that count alike, corrected once; none without full rank."""
    with one_blas_thread():
        factor = _factor(gram(system.A))
        if factor is None:
            return None
        step = np.zeros(system.unknowns)
        for _ in range(2):
            slope = system.A.apply_transpose(target - system.A.apply(step))
            step = step + lapack.dpotrs(factor, slope, lower=1)[0]
    return step


def _factor(normal: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Cholesky factor of ``A^T A``, unless that is too near to one without full rank."""
    normal = np.asfortranarray(normal)
    norm = float(np.abs(normal).sum(axis=0).max())
    factor, failed = lapack.dpotrf(normal, lower=1, overwrite_a=1)
    if failed or lapack.dpocon(factor, norm, uplo="L")[0] < LEAST_CONDITION:
        return None
    found: NDArray[np.float64] = factor
    return found


def _entries(system: LinearSystem) -> int:
    m, n = system.A.shape
    return m * n


def cost(system: LinearSystem) -> Cost:
    """Say what it will take."""
    m, n = system.A.shape
    if m * n <= DIRECT_LIMIT:
        return Cost(4.0 * m * n * min(m, n) / DIRECT, 48.0 * m * n)
    tolerance = TOLERANCE if n < LARGE else LARGE_TOLERANCE
    most = max(FEWEST_STEPS, WORK_LIMIT // max(1, system.A.entries))
    steps = min(ITERATIONS, most, round(bulk(system.A) * log(2 / tolerance)))
    products = 2.0 * steps + 2
    seconds = products * product_seconds(system.A)
    memory = 80.0 * (m + n) + scratch(system.A)
    if counts_agreement(system.A) and n <= GRAM_SIDE:  # exact variances, from agreements
        seconds += float(n) ** 3 / FACTOR_DOUBLE + n * n / SPARSE
        memory = max(memory, 24.0 * n * n)
    elif m * n <= DENSE_LIMIT:  # exact variances
        seconds += 2.0 * m * n * n / MULTIPLY + float(n) ** 3 / FACTOR_DOUBLE
        memory = max(memory, 16.0 * m * n + written_out(system.A) + 16.0 * n * n)
    return Cost(seconds, memory, products)
