"""Matrices seen through products alone: Lanczos, and the ends of their spectrum.

A symmetric matrix seen through products: the tridiagonal matrix of Lanczos (1950), every vector kept.

From a direction ``v`` it knows the matrix as ``v`` does: its eigenvalues are nearest to those of the matrix
at both ends, and with their weights they are the Gauss quadrature of ``v^T f(G) v`` (Golub and Welsch 1969).

The largest and the least singular value of a matrix too large to decompose, from products alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh_tridiagonal

from dalenius.matrices.answers import Vector
from dalenius.matrices.operators import Operator
from dalenius.progress import Progress, silent

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


LEADING_STEPS, STEPS = 30, 120
"""Products for the leading direction, which random questions have, and for the ends of the rest."""

MISSED = 1e-3
"""Chance that a direction drawn at random sees too little of an end, so that a bound is wrong."""

ROUNDED = 1e-5
"""Share of the spectrum that products in single precision may be off."""


@dataclass(frozen=True)
class Ends:
    """Between which values the ends of the spectrum lie.

    Parameters
    ----------
    largest, least
        Lower and upper bounds of the largest and the least singular value. What a Ritz value bounds, the
        least from above and the largest from below, is sure; the other two hold except with probability
        ``missed``, taken over the directions drawn here.
    residual
        Some singular value is within this of the upper bound of the least one.
    missed
        See above; 0 where the least singular value is 0 because of the questions alone.
    products
        Products with the matrix and its transpose that it took.
    """

    largest: tuple[float, float]
    least: tuple[float, float]
    residual: float
    missed: float
    products: int

    def lines(self) -> list[str]:
        """Say it in words."""
        low, high = self.least
        top = f"largest singular value {self.largest[0]:.4g} to {self.largest[1]:.4g}"
        if high == 0:
            return [f"{top}, least 0, because of the questions alone"]
        sure = f"(sure, and one within {self.residual:.2g} of it)"
        if low == 0:
            return [f"{top}; least singular value at most {high:.4g} {sure}; it may be 0"]
        return [
            f"{top}; least singular value at most {high:.4g} {sure} and at least {low:.4g} "
            f"(except with probability {self.missed:g}); condition at most {self.largest[1] / low:.3g}"
        ]


def find_ends(
    A: Operator, units: Vector, deficient: bool, *, rng: np.random.Generator, progress: Progress = silent
) -> Ends:
    """Bound both ends of the spectrum of ``A``, rows divided by ``units``.

    The leading direction ``y``, with Rayleigh quotient ``t`` and residual ``r``, is found first and taken
    out: what is left, ``D``, has a spectrum without outlier. The least eigenvalue of ``A^T A`` is then at
    least that of ``D`` less ``|r|^2 / (t - least)``, the largest at most ``t + |r|^2 / (t - largest of D)``.
    The ends of ``D`` are bounded by Kuczynski and Wozniakowski (1992), Theorem 4.2: from a random direction,
    k steps miss more than a share e of the spectrum with probability at most
    ``1.648 sqrt(n) exp(-sqrt(e) (2k - 1))``, whatever the gaps.

    Parameters
    ----------
    deficient
        Whether the questions alone leave directions unseen: then the least singular value is 0.
    """
    n = A.shape[1]

    def gram(x: Vector) -> Vector:
        return np.asarray(A.apply_transpose(A.apply(x) / units**2), np.float64)

    progress(0.1, "leading direction")
    first = Lanczos(gram, rng.standard_normal(n)).run(LEADING_STEPS)
    lead = first.vector(first.ritz()[1][:, -1])
    lead /= np.linalg.norm(lead)
    image = gram(lead)
    top = float(lead @ image)
    if deficient:
        most = top / (1 - _missed_share(first, n))
        return Ends((math.sqrt(top), math.sqrt(most)), (0.0, 0.0), 0.0, MISSED, first.steps + 1)

    second = Lanczos(gram, rng.standard_normal(n), without=lead)
    for done in range(STEPS):
        progress(0.1 + 0.4 * done / STEPS, "ends of the spectrum")
        second.step()
    return _bounds(n, top, float(np.linalg.norm(image - top * lead)), first.steps + 1, second)


def _bounds(n: int, top: float, off: float, products: int, rest: Lanczos) -> Ends:
    """Put the leading direction, its residual and what is left of the matrix together."""
    values, vectors = rest.ritz()
    share = _missed_share(rest, n)
    rest_most = float(values[-1]) / (1 - share)
    least = max(float(values[0]), 0.0)
    low = least - (share + ROUNDED) * rest_most
    low = max(low - off**2 / (top - low), 0.0) if 0 < low < top else 0.0
    most = top + off**2 / (top - rest_most) if top > rest_most else rest_most + off
    within = math.sqrt(least + float(rest.residual(vectors)[0])) - math.sqrt(least)
    return Ends(
        (math.sqrt(max(top, float(values[-1]))), math.sqrt(most)),
        (math.sqrt(low), math.sqrt(least)),
        within,
        MISSED,
        products + rest.steps,
    )


def _missed_share(seen: Lanczos, n: int) -> float:
    """The share of the spectrum that so many steps may miss, at half the allowed probability."""
    if seen.exhausted or seen.steps >= n:
        return 0.0
    root = math.log(1.648 * math.sqrt(n) / (MISSED / 2)) / (2 * seen.steps - 1)
    return min(root**2, 0.999)
