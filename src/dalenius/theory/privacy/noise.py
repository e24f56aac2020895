"""Noise for a promise, and the promise of a noise."""

from __future__ import annotations

from dalenius.theory import _check
from dalenius.theory.privacy.conversions import mu_from_rho
from dalenius.theory.privacy.sensitivity import query_sensitivity


def gaussian_rho(sensitivity: float, tau: float) -> float:
    """Return the rho of Gaussian noise: `sensitivity^2 / (2 tau^2)`.

    Bun and Steinke (2016), Proposition 1.6; Dwork, Smith, Steinke and Ullman (2017), section 4.2.

    Examples
    --------
    >>> gaussian_rho(2.0, 2.0)
    0.5
    """
    return (_check.positive("sensitivity", sensitivity) / _check.positive("tau", tau)) ** 2 / 2


def gaussian_noise(sensitivity: float, rho: float) -> float:
    """Return the standard deviation of Gaussian noise for this rho: `sensitivity / sqrt(2 rho)`.

    Inverse of `gaussian_rho`. For a target (epsilon, delta): `sensitivity / mu_from_epsilon_delta`.

    Examples
    --------
    >>> gaussian_noise(2.0, 0.5)
    2.0
    """
    return _check.positive("sensitivity", sensitivity) / mu_from_rho(rho)


def counting_queries_rho(k: int, n: int, sigma: float) -> float:
    """Return the rho of k counting queries answered as fractions with Gaussian noise `sigma`.

    Dwork, Smith, Steinke and Ullman (2017), Theorem 20: `k / (2 n^2 sigma^2)`.

    Notes
    -----
    The formula stands; the two examples printed with it do not make rho small: `k = n^2`,
    `sigma = 0.01` gives 5000, and `k = n`, `sigma = 1/sqrt(n)` gives 1/2. The true sensitivity of a
    release can be far below `sqrt(k)/n`, see `table_sensitivity`.

    Examples
    --------
    >>> round(counting_queries_rho(2000, 1000, 0.01), 9), counting_queries_rho(100**2, 100, 0.01)
    (10.0, 5000.0)
    """
    return gaussian_rho(query_sensitivity(k) / _check.count("n", n), sigma)


def counting_queries_noise(k: int, n: int, rho: float) -> float:
    """Return the noise on fractions that gives k counting queries this rho: `sqrt(k/(2 rho))/n`.

    Dwork, Smith, Steinke and Ullman (2017), Theorem 20, solved for sigma. Times n: noise on counts.

    Examples
    --------
    >>> round(counting_queries_noise(2000, 1000, 0.1), 12)
    0.1
    """
    return gaussian_noise(query_sensitivity(k), rho) / _check.count("n", n)


def means_rho(d: int, n: int, sigma: float) -> float:
    """Return the rho of d means of values -1/+1 with Gaussian noise `sigma`: `2 d / (n^2 sigma^2)`.

    One person moves a mean by at most 2/n. The same release as frequencies has half the noise and half the
    sensitivity, so that `counting_queries_rho(d, n, sigma/2)` is the same number.

    Examples
    --------
    >>> round(means_rho(1000, 500, 0.1), 9), round(counting_queries_rho(1000, 500, 0.05), 9)
    (0.8, 0.8)
    """
    return gaussian_rho(2 * query_sensitivity(d) / _check.count("n", n), sigma)


def means_noise(d: int, n: int, rho: float) -> float:
    """Return the noise on d means of values -1/+1 that gives this rho: `sqrt(2 d / rho) / n`.

    Examples
    --------
    >>> round(means_noise(1000, 500, 0.8), 9)
    0.1
    """
    return gaussian_noise(2 * query_sensitivity(d) / _check.count("n", n), rho)


def laplace_scale(sensitivity: float, epsilon: float) -> float:
    """Return the scale of Laplace noise for this epsilon: `sensitivity / epsilon`, 1-norm.

    Dwork and Roth (2014), Theorem 3.6. The same scale serves geometric noise on integer counts, whose
    ratio is `exp(-1/scale)`.

    Examples
    --------
    >>> laplace_scale(2.0, 0.5)
    4.0
    """
    return _check.positive("sensitivity", sensitivity) / _check.positive("epsilon", epsilon)
