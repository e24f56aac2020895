"""Conjugate gradients on the normal equations: least squares from products with the matrix alone.

Hestenes and Stiefel (1952), in the form that never squares the matrix. The spectrum of random 0/1 questions
is one outlier and a bulk that depends on the ratio of questions to people only, so that the number of
steps does not grow with the number of people.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigvalsh_tridiagonal

from dalenius.accelerate import one_blas_thread
from dalenius.errors import SolveError
from dalenius.matrices.answers import Vector
from dalenius.matrices.operators import Operator
from dalenius.progress import Progress, silent

TOLERANCE = 1e-4
"""Error of the largest entry, as far as gradient and smallest eigenvalue tell, at which to stop: up to a
few thousand unknowns everybody's guess is then that of the exact solution."""

LARGE, LARGE_TOLERANCE = 10_000, 1e-3
"""Unknowns from which on a few guesses in a hundred thousand may differ, for a fifth less work."""

ITERATIONS = 1_000

ATTAINABLE = 1e-8
"""Gradient, relative to matrix and residual, below which single precision has nothing left to say."""

PATIENCE, STEADY = 3, 0.8
"""The smallest eigenvalue is taken as known when in so many steps it kept this share of itself."""


@dataclass(frozen=True)
class LeastSquares:
    """A least-squares solution.

    Parameters
    ----------
    x
        The solution, of smallest norm if there are several.
    residual
        ``target - A x``, rows divided by their scale.
    iterations
        How many steps it took.
    settled
        Whether the stopping rule was met.
    """

    x: Vector
    residual: Vector
    iterations: int
    settled: bool


def cgls(
    A: Operator,
    target: Vector,
    scale: Vector,
    *,
    precondition: Callable[[Vector], Vector] | None = None,
    tolerance: float | None = None,
    iterations: int = ITERATIONS,
    progress: Progress = silent,
) -> LeastSquares:
    """Minimise ``|(target - A x) / scale|`` from ``x = 0``.

    Parameters
    ----------
    A
        The matrix; its products may be in single precision.
    target
        The right-hand side.
    scale
        What each row is divided by.
    precondition
        Multiplies by the inverse of a symmetric matrix of which no eigenvalue is below 1, near to
        ``A^T A`` up to a factor: fewer steps, the same solution where it is unique.
    tolerance
        How far an entry of the solution may be off; not given, by the number of unknowns.
    iterations
        Steps at the most.
    progress
        Told how far the work is.

    Raises
    ------
    SolveError
        If the numbers stop being finite.

    Notes
    -----
    Stops when ``max |A^T r|`` is below the tolerance times the smallest eigenvalue of ``A^T A``, as the
    steps taken estimate it (Ritz value); never on a small step, which along the outlier of the spectrum
    comes long before the solution.
    """
    if tolerance is None:
        tolerance = TOLERANCE if A.shape[1] < LARGE else LARGE_TOLERANCE
    # one BLAS thread: threads that spin between the products take the cores from them
    with one_blas_thread():
        return _iterate(A, target / scale, scale, precondition or _nothing, tolerance, iterations, progress)


def _iterate(
    A: Operator,
    r: Vector,
    scale: Vector,
    precondition: Callable[[Vector], Vector],
    tolerance: float,
    iterations: int,
    progress: Progress,
) -> LeastSquares:
    x = np.zeros(A.shape[1])
    s = A.apply_transpose(r / scale)
    p = precondition(s)
    gamma, length = float(s @ p), float(r @ r)
    spectrum = _Spectrum()
    for it in range(iterations):
        if not np.isfinite(gamma):
            raise SolveError("least squares did not stay with finite numbers")
        # not above 0: only rounding errors are left in the gradient
        if gamma <= 0 or spectrum.settled(s, r, tolerance):
            return LeastSquares(x, r, it, True)
        q = A.apply(p) / scale
        curvature = float(q @ q)
        if curvature == 0:
            return LeastSquares(x, r, it, True)
        alpha = gamma / curvature
        moved = r - alpha * q
        length, before = float(moved @ moved), length
        # every step shortens the residual; one that does not is made of rounding errors
        if length > before:
            return LeastSquares(x, r, it, True)
        x, r = x + alpha * p, moved
        s = A.apply_transpose(r / scale)
        divided = precondition(s)
        before, gamma = gamma, float(s @ divided)
        spectrum.add(alpha, gamma / before, curvature / float(p @ p))
        p = divided + gamma / before * p
        progress(it / iterations, "least squares")
    return LeastSquares(x, r, iterations, False)


def _nothing(x: Vector) -> Vector:
    return x


class _Spectrum:
    """What the steps say about the eigenvalues of ``A^T A``: the Lanczos matrix inside the gradients."""

    def __init__(self) -> None:
        self.alpha: list[float] = []
        self.beta: list[float] = []
        self.quotient: list[float] = []

    def add(self, alpha: float, beta: float, quotient: float) -> None:
        """Note a step: its length, the decrease of the gradient, the Rayleigh quotient of its direction."""
        self.alpha.append(alpha)
        self.beta.append(beta)
        self.quotient.append(quotient)

    def settled(self, s: Vector, r: Vector, tolerance: float) -> bool:
        """Whether the gradient ``s`` is as small as it must be, or as it can be."""
        if len(self.alpha) <= PATIENCE:
            return False
        largest = float(np.abs(s).max())
        if largest <= ATTAINABLE * float(np.median(self.quotient)) ** 0.5 * float(np.linalg.norm(r)):
            return True
        # Rayleigh quotients are above the smallest eigenvalue: the costly estimate only where they pass
        if largest > tolerance * min(self.quotient):
            return False
        least = self._smallest(len(self.alpha))
        known = least >= STEADY * self._smallest(len(self.alpha) - PATIENCE)
        return known and largest <= tolerance * least

    def _smallest(self, steps: int) -> float:
        """The smallest Ritz value after so many steps."""
        alpha, beta = np.array(self.alpha[:steps]), np.array(self.beta[: steps - 1])
        diagonal = 1 / alpha
        diagonal[1:] += beta / alpha[:-1]
        beside = np.sqrt(beta) / alpha[:-1]
        return float(eigvalsh_tridiagonal(diagonal, beside, select="i", select_range=(0, 0))[0])
