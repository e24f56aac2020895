"""Published regressions: how wrong coefficients may be for the secrets to be recovered all the same.

Symbols: n people, d fits of one bounded column each, h the largest error of a coefficient, `curvature` the
largest second derivative of one person's loss in its linear predictor (1 linear, 1/4 logistic, 1 probit, 2
squared hinge), `gap` the least difference between its first derivatives with and without the secret (1 linear
and logistic, 4 squared hinge), sigma_min the least singular value of the columns.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from dalenius.theory import _check


def coefficient_error_in_counts(norm_squared: float, h: float, curvature: float = 1.0) -> float:
    """Bound by how much an error h of one coefficient moves its equation about the secrets.

    `curvature * norm_squared * h`, with `norm_squared` the sum of squares of the column; for columns in
    [-1, 1] at most `curvature * n * h`.

    Notes
    -----
    Kasiviswanathan, Rudelson and Smith (2013), proofs of Theorems 4.1 and 4.2. Claim 4 there bounds the
    logistic case as the linear one; the logistic function rises by at most 1/4, so logistic coefficients bear
    four times the error.

    Examples
    --------
    >>> coefficient_error_in_counts(100, 0.05), coefficient_error_in_counts(100, 0.05, curvature=0.25)
    (5.0, 1.25)
    """
    norm = _check.nonnegative("norm_squared", norm_squared)
    return _check.positive("curvature", curvature) * norm * _check.nonnegative("h", h)


def regression_wrong_bound(
    norms_squared: ArrayLike, h: float, sigma_min: float, *, curvature: float = 1.0, gap: float = 1.0
) -> float:
    """Bound the secrets that rounded least squares gets wrong, whatever the errors of the coefficients.

    `4 sum_j (curvature N_j h)^2 / (gap sigma_min)^2`, with `N_j` the sum of squares of column j.

    Notes
    -----
    Kasiviswanathan, Rudelson and Smith (2013), Theorems 4.1 (linear, logistic) and 4.2 (any differentiable
    loss), with the constants of Theorem 2.1 in place of their asymptotic form.

    Examples
    --------
    >>> regression_wrong_bound([100.0] * 400, 0.01, 10.0)
    16.0
    """
    norms = _check.vector("norms_squared", norms_squared)
    steep = _check.positive("curvature", curvature) * _check.nonnegative("h", h)
    least = _check.positive("gap", gap) * _check.positive("sigma_min", sigma_min)
    return float(4 * np.sum((steep * norms) ** 2) / least**2)


def coefficient_tolerance(
    norms_squared: ArrayLike, sigma_min: float, wrong: float, *, curvature: float = 1.0, gap: float = 1.0
) -> float:
    """Return the largest error of every coefficient at which at most `wrong` secrets can be missed.

    The inverse of `regression_wrong_bound`; of order `1/sqrt(n)` for a constant fraction of the people.

    Examples
    --------
    >>> coefficient_tolerance([100.0] * 400, 10.0, 16.0)
    0.01
    """
    wrong = _check.nonnegative("wrong", wrong)
    return math.sqrt(
        wrong / regression_wrong_bound(norms_squared, 1.0, sigma_min, curvature=curvature, gap=gap)
    )


def single_column_accuracy(
    n: int, d: int, noise: float, *, second_moment: float = 1 / 3, curvature: float = 1.0
) -> float:
    """Predict the fraction recovered from d single-column fits with independent Gaussian noise.

    `Phi( sqrt((d - n) / second_moment) / (2 n noise curvature) )` for `d > n` columns of independent entries
    with mean 0 and this second moment (1/3 for entries even in [-1, 1], 1 for signs).

    Notes
    -----
    Beyond the paper: least squares on the raw equations, whose error is `curvature n second_moment noise`.

    Examples
    --------
    >>> round(single_column_accuracy(100, 400, 0.1), 4)
    0.9332
    >>> round(single_column_accuracy(100, 400, 0.4, curvature=0.25), 4)
    0.9332
    """
    n, d = _check.count("n", n), _check.count("d", d, at_least=n + 1)
    moment, steep = _check.positive("second_moment", second_moment), _check.positive("curvature", curvature)
    noise = _check.positive("noise", noise)
    return float(ndtr(math.sqrt((d - n) / moment) / (2 * n * noise * steep)))
