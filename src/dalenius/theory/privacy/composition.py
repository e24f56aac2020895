"""Several releases together, and what is promised to a group."""

from __future__ import annotations

import math
from collections.abc import Iterable

from dalenius.theory import _check


def compose_rho(rhos: Iterable[float]) -> float:
    """Return the rho of several releases together: the sum (Bun and Steinke 2016, Lemma 1.7).

    Examples
    --------
    >>> compose_rho([0.5, 0.25])
    0.75
    """
    return math.fsum(_check.positive("rho", rho) for rho in rhos)


def compose_epsilon(epsilons: Iterable[float]) -> float:
    """Return the epsilon of several pure releases together: the sum (Dwork and Roth 2014, 3.14).

    Examples
    --------
    >>> compose_epsilon([0.5, 0.25])
    0.75
    """
    return math.fsum(_check.positive("epsilon", epsilon) for epsilon in epsilons)


def compose_mu(mus: Iterable[float]) -> float:
    """Return the mu of several releases together: root of the sum of squares.

    Dong, Roth and Su (2022), Corollary 3.3.

    Examples
    --------
    >>> compose_mu([3.0, 4.0])
    5.0
    """
    return math.hypot(*(_check.positive("mu", mu) for mu in mus))


def advanced_composition(epsilon: float, times: int, slack: float, delta: float = 0.0) -> tuple[float, float]:
    """Return (epsilon, delta) of `times` releases, each (epsilon, delta)-private.

    Kairouz, Oh and Viswanath (2015), Theorem 3.4, without its middle term:
    `k epsilon tanh(epsilon/2) + epsilon sqrt(2 k ln(1/slack))`, never more than `k epsilon`; with
    `1 - (1 - delta)^k (1 - slack)`. Dwork and Roth (2014), Theorem 3.20, has the larger
    `k epsilon (exp(epsilon) - 1)` as its first term.

    Parameters
    ----------
    epsilon, delta
        Promise of each release.
    times
        Number k of releases, chosen adaptively.
    slack
        Extra delta paid for the square root.

    Examples
    --------
    >>> total, delta = advanced_composition(0.1, 100, 1e-6)
    >>> round(total, 4), round(delta, 9)
    (5.7561, 1e-06)
    """
    epsilon, k = _check.positive("epsilon", epsilon), _check.count("times", times)
    slack = _check.open_unit("slack", slack)
    delta = _check.delta_or_zero(delta)
    mean = k * epsilon * math.tanh(epsilon / 2)
    total = mean + epsilon * math.sqrt(-2 * k * math.log(slack))
    return min(k * epsilon, total), -math.expm1(k * math.log1p(-delta) + math.log1p(-slack))


def group_rho(rho: float, size: int) -> float:
    """Return the rho that protects a group: `size^2 rho` (Bun and Steinke 2016, Proposition 1.9).

    Examples
    --------
    >>> group_rho(0.1, 3)
    0.9
    """
    return _check.count("size", size) ** 2 * _check.positive("rho", rho)


def group_mu(mu: float, size: int) -> float:
    """Return the mu that protects a group: `size mu` (Dong, Roth and Su 2022, Theorem 2.14).

    Examples
    --------
    >>> group_mu(0.5, 3)
    1.5
    """
    return _check.count("size", size) * _check.positive("mu", mu)


def group_epsilon_delta(epsilon: float, size: int, delta: float = 0.0) -> tuple[float, float]:
    """Return the (epsilon, delta) that protects a group of this size.

    `size epsilon` and `delta (exp(size epsilon) - 1) / (exp(epsilon) - 1)`, the sum of a chain of
    neighbours (Dwork and Roth 2014, Theorem 2.2, with delta carried along); delta at most 1.

    Examples
    --------
    >>> group_epsilon_delta(0.5, 3)
    (1.5, 0.0)
    """
    epsilon, size = _check.positive("epsilon", epsilon), _check.count("size", size)
    delta = _check.delta_or_zero(delta)
    total = size * epsilon
    if delta == 0:
        return total, 0.0
    growth = total - epsilon + _log1mexp(total) - _log1mexp(epsilon)
    return total, math.exp(min(0.0, math.log(delta) + growth))


def _log1mexp(x: float) -> float:
    return math.log(-math.expm1(-x))
