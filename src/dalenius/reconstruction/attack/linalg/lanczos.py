"""A symmetric matrix seen through products: the tridiagonal matrix of Lanczos (1950), every vector kept.

From a direction ``v`` it knows the matrix as ``v`` does: its eigenvalues are nearest to those of the matrix
at both ends, and with their weights they are the Gauss quadrature of ``v^T f(G) v`` (Golub and Welsch 1969).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh_tridiagonal

from dalenius.matrices.answers import Vector

Product = Callable[[Vector], Vector]

EXHAUSTED = 1e-10
"""Share of the largest entry below which the next direction is made of rounding errors."""


class Lanczos:
    """The steps so far from one direction.

    Parameters
    ----------
    product
        Multiplies by the symmetric matrix.
    start
        The direction; it need not have length 1.
    without
        A unit vector that is left out: the matrix is looked at on what is orthogonal to it.
    """

    def __init__(self, product: Product, start: Vector, without: Vector | None = None) -> None:
        self.product = product
        self.left_out = [] if without is None else [without]
        start = self._orthogonal(start.copy(), [])
        self.basis = [start / np.linalg.norm(start)]
        self.alpha: list[float] = []
        self.beta: list[float] = []
        self.exhausted = False

    @property
    def steps(self) -> int:
        """How many products were made."""
        return len(self.alpha)

    def step(self) -> None:
        """One more product, orthogonal to all before: twice, since once leaves rounding errors."""
        if self.exhausted:
            return
        v = self.product(self.basis[-1])
        self.alpha.append(float(v @ self.basis[-1]))
        v = self._orthogonal(v, self.basis)
        length = float(np.linalg.norm(v))
        self.beta.append(length)
        self.exhausted = length <= EXHAUSTED * max(*np.abs(self.alpha), *self.beta[:-1], 1e-300)
        if not self.exhausted:
            self.basis.append(v / length)

    def _orthogonal(self, v: Vector, basis: list[Vector]) -> Vector:
        for _ in range(2):
            for known in (*self.left_out, *basis):
                v -= (known @ v) * known
        return v

    def run(self, steps: int) -> Lanczos:
        """Make so many steps in all, or as many as there are."""
        while self.steps < steps and not self.exhausted:
            self.step()
        return self

    def ritz(self) -> tuple[Vector, NDArray[np.float64]]:
        """The eigenvalues of the tridiagonal matrix, rising, and its eigenvectors.

        A Ritz value is what the matrix does to one unit vector: never below the least eigenvalue, nor above
        the largest.
        """
        values, vectors = eigh_tridiagonal(np.array(self.alpha), np.array(self.beta[: self.steps - 1]))
        return np.asarray(values, np.float64), np.asarray(vectors, np.float64)

    def residual(self, vectors: NDArray[np.float64]) -> Vector:
        """How far from an eigenvector each Ritz vector is: some eigenvalue is that near to its value."""
        return np.asarray(np.abs(self.beta[-1] * vectors[-1]), np.float64)

    def vector(self, coefficients: Vector) -> Vector:
        """A combination of the directions."""
        total = np.zeros_like(self.basis[0])
        for c, known in zip(coefficients, self.basis, strict=False):
            total += c * known
        return total

    def gauss(self) -> tuple[Vector, Vector]:
        """Nodes and weights of the quadrature of Gauss: from below for ``1/x`` and ``1/(1 + x)``."""
        values, vectors = self.ritz()
        return values, vectors[0] ** 2

    def radau(self, end: float) -> tuple[Vector, Vector]:
        """Nodes and weights of Gauss and Radau with a node at ``end``: from above for the same functions.

        Golub (1973): the last entry of a matrix one larger that makes ``end`` an eigenvalue. ``end`` must not
        be above the least eigenvalue of the matrix.
        """
        if self.exhausted:  # the quadrature is exact already
            return self.gauss()
        pivot = self.alpha[0] - end
        for alpha, beta in zip(self.alpha[1:], self.beta[:-1], strict=True):
            if pivot <= 0:  # up to rounding errors, there is a node at the end already
                return self.gauss()
            pivot = alpha - end - beta**2 / pivot
        if pivot <= 0:
            return self.gauss()
        added = end + self.beta[-1] ** 2 / pivot
        values, vectors = eigh_tridiagonal(np.array([*self.alpha, added]), np.array(self.beta))
        return np.maximum(values, end), vectors[0] ** 2
