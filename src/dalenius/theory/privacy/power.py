"""The power of a test about one person that a promise leaves."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr, ndtri

from dalenius.theory import _check
from dalenius.theory.privacy.conversions import mu_from_rho

_ORDERS = 1 + np.logspace(-4, 4, 400)
"""Renyi orders tried by `power_from_zcdp`; every one of them gives a valid bound."""


def power_from_mu(mu: float, level: float) -> float:
    """Bound the power of any test about one person under mu-GDP: `Phi(Phi^-1(level) + mu)`.

    Dong, Roth and Su (2022), Definition 2.6; Neyman and Pearson's lemma as in Dwork, Smith, Steinke
    and Ullman (2017), Lemma 19. Reached by Gaussian noise.

    Examples
    --------
    >>> round(power_from_mu(1.0, 0.05), 6)
    0.259511
    """
    mu, level = _check.positive("mu", mu), _check.closed_unit("level", level)
    return float(ndtr(ndtri(level) + mu))


def power_from_rho(rho: float, level: float) -> float:
    """Bound the power of any test about one person under Gaussian noise with this rho.

    `Phi(Phi^-1(level) + sqrt(2 rho))`: Dwork, Smith, Steinke and Ullman (2017), section 4.2. For any
    other rho-zCDP mechanism use `power_from_zcdp`.

    Examples
    --------
    >>> round(power_from_rho(0.01, 0.05), 10)
    0.0663638051
    """
    return power_from_mu(mu_from_rho(rho), level)


def power_from_zcdp(rho: float, level: float) -> float:
    """Bound the power of any test about one person under any rho-zCDP mechanism.

    A test is post-processing, so two coins with chances `power` and `level` must have Renyi
    divergences of every order a at most `a rho`, both ways (Bun and Steinke 2016, Definition 1.1 and
    Lemma 1.8). Returns the largest power that 400 orders allow.

    Examples
    --------
    >>> round(power_from_zcdp(0.01, 0.05), 4)
    0.0698
    """
    rho, level = _check.positive("rho", rho), _check.closed_unit("level", level)
    if level in (0.0, 1.0):
        return level
    low, high = level, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if middle < 1 and _renyi_excess(middle, level, rho) <= 0:
            low = middle
        else:
            high = middle
    return high


def _renyi_excess(power: float, level: float, rho: float) -> float:
    """Return by how much two coins exceed `a rho` at the worst order, in either direction."""
    ones, zeros = math.log(power / level), math.log1p(-power) - math.log1p(-level)
    less = _ORDERS - 1
    forth = np.logaddexp(math.log(power) + less * ones, math.log1p(-power) + less * zeros) / less
    back = np.logaddexp(math.log(level) - less * ones, math.log1p(-level) - less * zeros) / less
    return float(np.max(np.maximum(forth, back) - _ORDERS * rho))


def power_from_epsilon(epsilon: float, level: float, delta: float = 0.0) -> float:
    """Bound the power of any test about one person under (epsilon, delta)-differential privacy.

    The smaller of `exp(epsilon) level + delta` and `1 - exp(-epsilon)(1 - delta - level)`: Wasserman
    and Zhou (2010), Theorem 2.4, with both directions as in Kairouz, Oh and Viswanath (2015).

    Examples
    --------
    >>> round(power_from_epsilon(1.0, 0.05), 6)
    0.135914
    """
    epsilon, level = _check.positive("epsilon", epsilon), _check.closed_unit("level", level)
    delta = _check.delta_or_zero(delta)
    rejecting = math.exp(epsilon + math.log(level)) if level > 0 else 0.0
    accepting = 1 - math.exp(-epsilon) * (1 - delta - level)
    return min(1.0, rejecting + delta, accepting)
