"""How large the errors are where the publisher says nothing, fitted while the secrets are.

Errors are taken as Gaussian of one size, except a few that are several times as wide. Most noise is like
that: Gaussian noise has none of the few, rounding neither, and wild or fabricated answers are the few.
"""

from __future__ import annotations

import numpy as np

from dalenius.matrices.answers import Vector
from dalenius.reconstruction.attack.system.noise_scale import MAD_TO_SD

WIDTHS = np.array([1.0, 3.0, 10.0, 30.0])
"""How many times as wide as most errors the few are."""

HABIT = np.array([10.0, 0.1, 0.1, 0.1])
"""Errors of each width imagined beside those seen: an error is usual until it proves to be wild."""

STEPS = 10
LEAST_TRUST = 0.3


class ErrorMixture:
    """Gaussians around 0 of fixed relative widths; their common size and their shares are fitted.

    Parameters
    ----------
    misses
        How far each answer is from a first guess of it.
    least
        The size below which errors are not told from 0.

    Examples
    --------
    >>> misses = np.array([1.0, -2.0, 0.5, -1.5, 40.0])
    >>> weight = ErrorMixture(misses, 0.5).fit(misses**2)
    >>> bool(weight[4] < 0.05 * weight[0])
    True
    """

    def __init__(self, misses: Vector, least: float) -> None:
        self.least = least
        self.size = max(MAD_TO_SD * float(np.median(np.abs(misses))), least)
        self.shares = HABIT / HABIT.sum()

    def __str__(self) -> str:
        return f"sd {self.size:.3g}, and {1 - self.shares[0]:.1%} of the answers further off"

    def fit(self, squares: Vector) -> Vector:
        """Fit size and shares to squared errors by expectation maximisation; return a weight for each.

        The weight is an error's expected precision, all of them reduced alike until they sum to the
        information that errors of this mixture carry about the mean (Louis 1982): an answer whose width is
        guessed from the answer itself says less than one whose width is known.
        """
        for _ in range(STEPS):
            precision = 1 / (self.size * WIDTHS) ** 2
            log_density = np.log(self.shares) + 0.5 * np.log(precision) - 0.5 * squares[:, None] * precision
            belongs = np.exp(log_density - log_density.max(axis=1, keepdims=True))
            belongs /= belongs.sum(axis=1, keepdims=True)
            self.size = max(float(np.mean((belongs @ WIDTHS**-2.0) * squares)) ** 0.5, self.least)
            self.shares = belongs.sum(axis=0) + HABIT
            self.shares /= self.shares.sum()
        precision = 1 / (self.size * WIDTHS) ** 2
        expected = belongs @ precision
        information = expected - squares * (belongs @ precision**2 - expected**2)
        trust = np.clip(information.mean() / expected.mean(), LEAST_TRUST, 1.0)
        return np.asarray(trust * expected, np.float64)
