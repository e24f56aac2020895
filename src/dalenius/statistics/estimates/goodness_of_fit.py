"""What the goodness of a linear fit gives away: how many people have the secret.

For a secret of 0 and 1 its sum equals its sum of squares, so with ordinary least squares
``K = RSS + theta^T X^T X theta``; from R^2 the same number follows by a quadratic equation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.matrices.answers import Vector

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Total:
    """The number of people with the secret, as a fit has it.

    Parameters
    ----------
    value
        The number.
    gain
        How errors of the coefficients, and last of the goodness of fit, move it to first order.
    reach
        How far they can move it at the most.
    """

    value: float
    gain: Vector
    reach: Vector


def goodness(X: Matrix, s: Vector, theta: Vector, what: str, *, intercept: bool) -> float:
    """The residual sum of squares (``rss``) or R^2 (``r2``, around the mean if there is an intercept)."""
    rss = float(((s - X @ theta) ** 2).sum())
    return rss if what == "rss" else 1 - rss / float(((s - s.mean() * intercept) ** 2).sum())


def total_of(X: Matrix, theta: Vector, size: Vector, what: str, *, intercept: bool) -> Total:
    """Read the number of people with the secret; ``theta`` and ``size`` end with the goodness of fit.

    Examples
    --------
    >>> X = np.array([[1.0, 0], [1, 1], [1, 2], [1, 3], [1, 5]])
    >>> exact = np.zeros(3)
    >>> round(total_of(X, np.array([1 / 74, 13 / 74, 55 / 74]), exact, "rss", intercept=True).value, 9)
    2.0
    """
    theta, value, size_theta, size_value = theta[:-1], float(theta[-1]), size[:-1], float(size[-1])
    gram = X.T @ X
    square = float(theta @ gram @ theta)
    slope = 2 * gram @ theta
    slope_reach = np.abs(slope) + np.abs(gram) @ size_theta
    if what == "rss":
        return Total(value + square, np.append(slope, 1.0), np.append(slope_reach, 1.0))
    n = X.shape[0] if intercept else np.inf
    if not 0 < value <= 1:
        raise InputError("R^2", "must be above 0 and at most 1", f"{value:g}")
    total = _from_r2(square, value, n)
    bend = 2 * (1 - value) * total / n + value
    gain = np.append(slope / bend, -(total - total * total / n) / bend)
    swing = float(slope_reach @ size_theta)
    ends = [
        _from_r2(max(square + way * swing, 0.0), float(np.clip(value - way * size_value, 1e-12, 1.0)), n)
        for way in (-1, 1)
    ]
    width = max(total - ends[0], ends[1] - total)
    # any row whose product with the sizes is the width says what is known
    norm = float(size @ size)
    reach = np.abs(gain) if norm == 0 else width * size / norm
    return Total(total, gain, reach)


def _from_r2(square: float, r2: float, n: float) -> float:
    """Solve ``(1 - r2) K^2 / n + r2 K = square``; without an intercept ``n`` is infinite."""
    a = (1 - r2) / n
    return square / r2 if a == 0 else float((np.sqrt(r2 * r2 + 4 * a * square) - r2) / (2 * a))
