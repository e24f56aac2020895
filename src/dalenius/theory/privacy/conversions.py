"""Conversions between epsilon and delta, rho and mu."""

from __future__ import annotations

import math
from collections.abc import Callable

from scipy.special import log_ndtr

from dalenius.theory import _check

_TINY = 5e-324


def epsilon_from_rho(rho: float, delta: float) -> float:
    """Return `rho + 2 sqrt(rho ln(1/delta))`, an epsilon that rho-zCDP implies at this delta.

    Bun and Steinke (2016), Proposition 1.3; Dwork, Smith, Steinke and Ullman (2017), footnote to
    Theorem 20. Simple and safe; `epsilon_from_rho_tight` is smaller.

    Examples
    --------
    >>> round(epsilon_from_rho(0.1, 1e-6), 10)
    2.4507880005
    """
    rho, log_delta = _check.positive("rho", rho), math.log(_check.open_unit("delta", delta))
    return rho + 2 * math.sqrt(-rho * log_delta)


def rho_from_epsilon_delta(epsilon: float, delta: float) -> float:
    """Return the largest rho whose `epsilon_from_rho` is this epsilon.

    Inverse of Bun and Steinke (2016), Proposition 1.3.

    Examples
    --------
    >>> round(rho_from_epsilon_delta(2.4507880005, 1e-6), 9)
    0.1
    """
    epsilon, log_delta = _check.positive("epsilon", epsilon), math.log(_check.open_unit("delta", delta))
    return (epsilon / (math.sqrt(epsilon - log_delta) + math.sqrt(-log_delta))) ** 2


def delta_from_rho(rho: float, epsilon: float) -> float:
    """Return `exp(-(epsilon - rho)^2 / (4 rho))`, a delta that rho-zCDP implies at this epsilon.

    Bun and Steinke (2016), Proposition 1.3, as used in Dwork, Smith, Steinke and Ullman (2017),
    section 4.2; 1 where `epsilon <= rho`.

    Examples
    --------
    >>> round(delta_from_rho(0.1, 2.4507880005), 12)
    1e-06
    """
    rho, epsilon = _check.positive("rho", rho), _check.nonnegative("epsilon", epsilon)
    return math.exp(-((epsilon - rho) ** 2) / (4 * rho)) if epsilon > rho else 1.0


def delta_from_rho_tight(rho: float, epsilon: float) -> float:
    """Return the smallest known delta that rho-zCDP implies at this epsilon.

    Canonne, Kamath and Steinke (2020), Corollary 13: the minimum over `a > 1` of
    `exp((a-1)(a rho - epsilon)) (1 - 1/a)^a / (a - 1)`, convex in a on the log scale; and never more
    than the total variation `min(sqrt(rho/2), sqrt(1 - exp(-rho)))` of Pinsker and of Bretagnolle
    and Huber. Holds for every rho-zCDP mechanism; for Gaussian noise `delta_from_mu` is exact.

    Examples
    --------
    >>> f"{delta_from_rho_tight(0.1, 2.4507880005):.3e}"
    '2.955e-08'
    """
    rho, epsilon = _check.positive("rho", rho), _check.nonnegative("epsilon", epsilon)

    def slope(u: float) -> float:  # derivative of the logarithm of the bound at a = 1 + u
        return (2 * u + 1) * rho - epsilon + math.log(u) - math.log1p(u)

    variation = min(math.sqrt(rho / 2), math.sqrt(-math.expm1(-rho)))
    low, high = 1e-12, (epsilon + 1) / (2 * rho) + 1
    if slope(low) >= 0:
        return variation
    u = _root(slope, low, high)
    log_bound = u * ((1 + u) * rho - epsilon + math.log(u) - math.log1p(u)) - math.log1p(u)
    return min(variation, math.exp(log_bound))


def epsilon_from_rho_tight(rho: float, delta: float) -> float:
    """Return the smallest known epsilon that rho-zCDP implies at this delta.

    Canonne, Kamath and Steinke (2020), Corollary 13, see `delta_from_rho_tight`; 0 if delta is large
    enough for that.

    Examples
    --------
    >>> round(epsilon_from_rho_tight(0.1, 1e-6), 6)
    2.141939
    """
    high = epsilon_from_rho(rho, delta)
    return _epsilon_at(lambda epsilon: delta_from_rho_tight(rho, epsilon), delta, high)


def mu_from_rho(rho: float) -> float:
    """Return `sqrt(2 rho)`: Gaussian noise that is rho-zCDP is mu-GDP with this mu.

    For Gaussian noise only. A mechanism that is merely rho-zCDP need not be mu-GDP.

    Examples
    --------
    >>> mu_from_rho(0.5)
    1.0
    """
    return math.sqrt(2 * _check.positive("rho", rho))


def rho_from_mu(mu: float) -> float:
    """Return `mu^2 / 2`, the rho of the Gaussian noise that is mu-GDP.

    Examples
    --------
    >>> rho_from_mu(1.0)
    0.5
    """
    return _check.positive("mu", mu) ** 2 / 2


def delta_from_mu(mu: float, epsilon: float) -> float:
    """Return the exact delta of Gaussian noise with parameter mu at this epsilon.

    `Phi(mu/2 - epsilon/mu) - exp(epsilon) Phi(-mu/2 - epsilon/mu)`: Balle and Wang (2018), Theorem 8;
    Dong, Roth and Su (2022), Corollary 2.13.

    Examples
    --------
    >>> round(delta_from_mu(1.0, 1.0), 6)
    0.126937
    """
    mu, epsilon = _check.positive("mu", mu), _check.nonnegative("epsilon", epsilon)
    near, far = log_ndtr(mu / 2 - epsilon / mu), epsilon + log_ndtr(-mu / 2 - epsilon / mu)
    return max(0.0, math.exp(near) - math.exp(far))


def epsilon_from_mu(mu: float, delta: float) -> float:
    """Return the exact epsilon of Gaussian noise with parameter mu at this delta.

    Inverse of `delta_from_mu` (Balle and Wang 2018, Theorem 8); 0 if delta is large enough for that.

    Examples
    --------
    >>> round(epsilon_from_mu(mu_from_rho(0.1), 1e-6), 6)
    1.994527
    """
    high = epsilon_from_rho(rho_from_mu(mu), delta)
    return _epsilon_at(lambda epsilon: delta_from_mu(mu, epsilon), delta, high)


def mu_from_epsilon_delta(epsilon: float, delta: float) -> float:
    """Return the largest mu at which Gaussian noise is (epsilon, delta)-differentially private.

    Balle and Wang (2018), Theorem 8, solved for the noise: `tau = sensitivity / mu`.

    Examples
    --------
    >>> round(mu_from_epsilon_delta(1.0, 1e-5), 6)
    0.268051
    """
    low = mu_from_rho(rho_from_epsilon_delta(epsilon, delta))  # the simple formula is conservative
    high = 2 * low
    while delta_from_mu(high, epsilon) < delta:
        high *= 2
    return _root(lambda mu: _log(delta_from_mu(mu, epsilon)) - math.log(delta), low, high)


def rho_from_epsilon(epsilon: float) -> float:
    """Return `epsilon^2 / 2`, a rho that pure epsilon-differential privacy implies.

    Bun and Steinke (2016), Proposition 1.4. `rho_from_epsilon_tight` is smaller.

    Examples
    --------
    >>> rho_from_epsilon(1.0)
    0.5
    """
    return _check.positive("epsilon", epsilon) ** 2 / 2


def rho_from_epsilon_tight(epsilon: float) -> float:
    """Return `epsilon tanh(epsilon / 2)`, the least rho that epsilon-differential privacy implies.

    Randomised response is the worst case (Kairouz, Oh and Viswanath 2015). Its divergence of order
    `t + 1/2` times `t - 1/2` is `ln cosh(t epsilon) - ln cosh(epsilon/2)`, concave in `t^2`, hence
    below its tangent at `t = 1/2`, which is `(t^2 - 1/4) epsilon tanh(epsilon/2)`; reached in the
    limit of order 1.

    Examples
    --------
    >>> round(rho_from_epsilon_tight(1.0), 6)
    0.462117
    """
    epsilon = _check.positive("epsilon", epsilon)
    return epsilon * math.tanh(epsilon / 2)


def _epsilon_at(profile: Callable[[float], float], delta: float, high: float) -> float:
    if profile(0.0) <= delta:
        return 0.0
    return _root(lambda epsilon: _log(profile(epsilon)) - math.log(delta), 0.0, high)


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    from scipy.optimize import brentq

    return float(brentq(function, low, high, xtol=1e-15, rtol=1e-14))


def _log(value: float) -> float:
    return math.log(max(value, _TINY))
