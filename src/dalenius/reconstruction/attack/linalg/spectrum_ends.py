"""The largest and the least singular value of a matrix too large to decompose, from products alone."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dalenius.matrices.answers import Vector
from dalenius.matrices.operators import Operator
from dalenius.progress import Progress, silent
from dalenius.reconstruction.attack.linalg.lanczos import Lanczos

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
