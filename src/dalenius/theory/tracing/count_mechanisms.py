"""Mechanisms that answer each attribute from its count: how much they go along with their people.

Such a mechanism is a table `f_0..f_n`: what it answers (on average) when k of n people have the attribute.
It is symmetric in the sense of Dwork, Smith, Steinke, Ullman and Vadhan (2015), Definition 8, so that every
member's expected score is `gamma_eff d / n`, with `gamma_eff = E[q sum_i (x_i - p)] = sum_k c_k f_k` and
`c_k = E_p[Binom(k; n, (1+p)/2) (2k - n - n p)]`, whatever the mechanism promises. Units of -1/+1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dalenius.errors import InputError
from dalenius.theory import _check
from dalenius.theory.tracing.priors import UNIFORM, Beta, Prior, Vector

POINTS = 2_001
"""Means at which the linear program asks for accuracy."""

MOST_PEOPLE = 2_000
"""Beyond, the linear program takes minutes."""


def sample_means(n: int) -> Vector:
    """Return the mean of n people worth -1 or +1, for each count 0..n: the exact mechanism's table.

    Examples
    --------
    >>> sample_means(4).tolist()
    [-1.0, -0.5, 0.0, 0.5, 1.0]
    """
    n = _check.count("n", n)
    return (2 * np.arange(n + 1) - n) / n


def count_weights(n: int, prior: Prior = UNIFORM) -> Vector:
    """Return `c_k`, k = 0..n: what the answer at count k contributes to `gamma_eff`.

    For a Beta law the integral is the beta-binomial probability times `2 (k - n (k+u)/(n+u+v))`; for the
    uniform law that is `2 (2k-n)/((n+1)(n+2))`.

    Examples
    --------
    >>> np.round(count_weights(2), 9).tolist()
    [-0.333333333, 0.0, 0.333333333]
    """
    n = _check.count("n", n)
    k = np.arange(n + 1)
    if isinstance(prior, Beta):
        mean = (k + prior.u) / (n + prior.u + prior.v)
        return np.asarray(_beta_binomial(n, prior) * 2 * (k - n * mean), np.float64)
    means, weights = prior.points()
    table = _binomial(n, means) * weights[:, None]
    return np.asarray(table.sum(axis=0) * (2 * k - n) - n * (means @ table), np.float64)


def effective_gamma(outputs: ArrayLike, prior: Prior = UNIFORM) -> float:
    """Return `gamma_eff` of a mechanism that answers `outputs[k]` at count k.

    Examples
    --------
    >>> exact = sample_means(101)
    >>> round(effective_gamma(exact), 9), round(effective_gamma(np.sign(exact)), 9)
    (0.666666667, 0.990291262)
    """
    table = _outputs(outputs)
    return float(count_weights(table.size - 1, prior) @ table)


def effective_omega(outputs: ArrayLike, prior: Prior = UNIFORM) -> float:
    """Return `omega = E[(1-p^2) q^2]`, which with d gives an outsider's spread, `sqrt(2 d omega)`.

    Examples
    --------
    >>> round(effective_omega(sample_means(100)), 9), round(2 / 15 + 8 / 1500, 9)
    (0.138666667, 0.138666667)
    """
    table = _outputs(outputs)
    n = table.size - 1
    if isinstance(prior, Beta):
        u, v = prior.u, prior.v
        k = np.arange(n + 1)
        spread = 4 * (k + u) * (n - k + v) / ((n + u + v) * (n + u + v + 1))
        return float((_beta_binomial(n, prior) * spread) @ table**2)
    means, weights = prior.points()
    return float(((1 - means**2) * weights) @ _binomial(n, means) @ table**2)


def effective_square(outputs: ArrayLike, prior: Prior = UNIFORM) -> float:
    """Return `E[q^2]`, which with d gives the norm of the release.

    Examples
    --------
    >>> round(effective_square(sample_means(100)), 9)
    0.34
    """
    table = _outputs(outputs)
    return float(count_probabilities(table.size - 1, prior) @ table**2)


def average_error(outputs: ArrayLike, prior: Prior = UNIFORM) -> float:
    """Return the expected distance of the answer from the *sample* mean, averaged over attributes.

    Examples
    --------
    >>> exact = sample_means(50)
    >>> flip = np.where(np.abs(exact) <= 0.77, exact, -np.sign(exact))
    >>> round(average_error(flip), 9), round(effective_gamma(flip), 9)
    (0.447058824, -0.109200603)
    """
    table = _outputs(outputs)
    n = table.size - 1
    return float(count_probabilities(n, prior) @ np.abs(table - sample_means(n)))


def count_probabilities(n: int, prior: Prior = UNIFORM) -> Vector:
    """Return how likely each count 0..n is when the mean is drawn from the prior.

    Examples
    --------
    >>> np.round(count_probabilities(3), 9).tolist()
    [0.25, 0.25, 0.25, 0.25]
    """
    n = _check.count("n", n)
    if isinstance(prior, Beta):
        return _beta_binomial(n, prior)
    means, weights = prior.points()
    return np.asarray(weights @ _binomial(n, means), np.float64)


@dataclass(frozen=True, eq=False)
class LeastTraceable:
    """The mechanism that goes least along with its people among all of bias at most alpha.

    Attributes
    ----------
    n, alpha
        People, and the largest bias `|E[q | p] - p|` at any mean.
    gamma
        Its `gamma_eff`: the least possible with n people.
    outputs
        What it answers at each count 0..n. Not unique; its gamma is.
    """

    n: int
    alpha: float
    gamma: float
    outputs: Vector


def worst_case(n: int, alpha: float, prior: Prior = UNIFORM, *, points: int = POINTS) -> LeastTraceable:
    """Find the least traceable mechanism of bias at most alpha: minimise `sum_k c_k f_k`.

    A linear program in `f_0..f_n`, each in [-1, 1], with `|sum_k Binom(k; n, (1+p)/2) f_k - p| <= alpha`
    asked for at `points` Chebyshev points; between them a bias may pass alpha in the sixth digit. Its
    value is at least `strong.gamma(prior, alpha)` and falls to it as n grows.

    Examples
    --------
    >>> found = worst_case(10, 0.1)
    >>> round(found.gamma, 4), found.outputs.size
    (0.5707, 11)
    """
    from scipy.optimize import linprog

    n, alpha = _check.count("n", n), _check.nonnegative("alpha", alpha)
    if n > MOST_PEOPLE:
        fix = "Use strong.gamma, which the value falls to."
        raise InputError("n", f"must be at most {MOST_PEOPLE}", repr(n), fix)
    grid = np.cos(np.pi * np.arange(_check.count("points", points, at_least=2)) / (points - 1))
    table, exact = _binomial(n, grid), sample_means(n)
    # the unknown is what it adds to the exact mean, which has no bias: adding nothing is always allowed
    found = linprog(
        count_weights(n, prior),
        A_ub=np.concatenate([table, -table]),
        b_ub=np.full(2 * points, alpha),
        bounds=[(-1 - mean, 1 - mean) for mean in exact],
        method="highs",
    )
    if found.x is None:
        raise InputError("n, alpha", "must give a program that HiGHS can solve", found.message, "Change n.")
    outputs = np.clip(exact + found.x, -1.0, 1.0)
    return LeastTraceable(n, alpha, effective_gamma(outputs, prior), outputs)


def _outputs(outputs: ArrayLike) -> Vector:
    table = _check.vector("outputs", outputs)
    if table.size < 2:
        raise InputError("outputs", "must hold n + 1 numbers, n at least 1", str(table.size), "Add counts.")
    return table


def _beta_binomial(n: int, prior: Beta) -> Vector:
    from scipy.special import betaln, gammaln

    k = np.arange(n + 1)
    choose = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    log = choose + betaln(k + prior.u, n - k + prior.v) - betaln(prior.u, prior.v)
    return np.asarray(np.exp(log), np.float64)


def _binomial(n: int, means: Vector) -> Vector:
    """Return the probability of each count (columns) at each mean (rows)."""
    from scipy.special import gammaln, xlogy

    k = np.arange(n + 1)
    choose = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    share = ((1 + means) / 2)[:, None]
    return np.asarray(np.exp(choose + xlogy(k, share) + xlogy(n - k, 1 - share)), np.float64)
