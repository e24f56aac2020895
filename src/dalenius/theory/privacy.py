"""Privacy parameters: the one place that converts, composes and knows sensitivities.

Symbols: `epsilon`, `delta` of differential privacy; `rho` of zero-concentrated differential privacy
(zCDP); `mu` of Gaussian differential privacy (GDP); `tau` the standard deviation of noise on a count.
Two databases are neighbours when one person's record is replaced, or only their secret flipped.

What is promised about one bit, everything else known, follows from one curve: the smallest delta for
each epsilon. A guess under prior p is right with probability at most
``max(p, 1-p) + min(p, 1-p) * delta(|logit p|)``, because the best guess maximises
``p P(T) - (1-p) Q(T)`` over events T. The order of this file: conversions, composition and groups,
sensitivities, noise, power of a test, guess of a bit.

Sources: Dwork, Smith, Steinke and Ullman (2017), *Exposed!*; Bun and Steinke (2016), *Concentrated
Differential Privacy*; Canonne, Kamath and Steinke (2020), *The Discrete Gaussian*; Dong, Roth and Su
(2022), *Gaussian Differential Privacy*; Balle and Wang (2018), *Improving the Gaussian Mechanism*;
Kairouz, Oh and Viswanath (2015), *The Composition Theorem*; Dwork and Roth (2014), *The Algorithmic
Foundations*.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import log_ndtr, ndtr, ndtri

from dalenius.errors import InputError
from dalenius.theory import _check

Change = Literal["record", "secret"]
Cells = Literal["all", "secret"]
Norm = Literal[1, 2]

_TINY = 5e-324
_ORDERS = 1 + np.logspace(-4, 4, 400)
"""Renyi orders tried by `power_from_zcdp`; every one of them gives a valid bound."""


# --- conversions -----------------------------------------------------------------------------------


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
    epsilon, log_delta = _check.positive("epsilon", epsilon), math.log(_delta(delta))
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


# --- composition and groups ------------------------------------------------------------------------


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
    delta = _delta_or_zero(delta)
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
    delta = _delta_or_zero(delta)
    total = size * epsilon
    if delta == 0:
        return total, 0.0
    growth = total - epsilon + _log1mexp(total) - _log1mexp(epsilon)
    return total, math.exp(min(0.0, math.log(delta) + growth))


def _log1mexp(x: float) -> float:
    return math.log(-math.expm1(-x))


# --- sensitivities ---------------------------------------------------------------------------------


def query_sensitivity(
    queries: int, *, signed: bool = False, change: Change = "record", norm: Norm = 2
) -> float:
    """Return how far one person can move the answers of counting queries, in counts.

    0/1 coefficients: 1 an answer. Coefficients -1/+1 (`signed`): 2 an answer if the record is
    replaced, 1 if only its 0/1 secret flips. For known subsets `column_sensitivity` is smaller.

    Parameters
    ----------
    queries
        Number of answers.
    signed
        Whether coefficients are -1/+1.
    change
        Whether a whole ``record`` is replaced or only its ``secret`` flips.
    norm
        2 for Gaussian noise, 1 for Laplace or geometric noise.

    Examples
    --------
    >>> query_sensitivity(4), query_sensitivity(4, signed=True), query_sensitivity(4, norm=1)
    (2.0, 4.0, 4.0)
    """
    _check.choice("change", change, ("record", "secret"))
    step = 2.0 if signed and change == "record" else 1.0
    return step * _norm_of_ones(_check.count("queries", queries), norm)


def table_sensitivity(
    d: int, k: int, *, cells: Cells = "all", change: Change = "record", norm: Norm = 2
) -> float:
    """Return how far one person can move all tables of k public attributes with the secret.

    One person sits in one cell of each of the `C(d, k)` tables, so at most two cells a table change,
    by 1 each: squared 2-norm `2 C(d, k)`, not the number of cells. If only the cells with secret 1
    are published and only the secret flips, one cell a table changes.

    Parameters
    ----------
    d, k
        Public attributes, and how many enter each table (the secret not counted).
    cells
        ``all`` cells are published, or only those where the ``secret`` is 1.
    change, norm
        As in `query_sensitivity`.

    Examples
    --------
    >>> table_sensitivity(9, 2, norm=1), table_sensitivity(9, 2, cells="secret", change="secret")
    (72.0, 6.0)
    """
    d, k = _check.count("d", d), _check.count("k", k, at_least=0)
    if k > d:
        raise InputError("k", f"must be at most d = {d}", repr(k), "Name fewer attributes.")
    _check.choice("cells", cells, ("all", "secret"))
    _check.choice("change", change, ("record", "secret"))
    changed = 1 if cells == "secret" and change == "secret" else 2
    return _norm_of_ones(changed * math.comb(d, k), norm)


def column_sensitivity(A: ArrayLike, *, norm: Norm = 2) -> float:
    """Return how far the flip of one secret can move the answers `A s`: the largest column norm.

    Examples
    --------
    >>> column_sensitivity([[1, 0], [1, 1], [1, 0], [1, 1]])
    2.0
    """
    values = _check.matrix("A", A)
    return float(np.linalg.norm(values, ord=_norm(norm), axis=0).max())


def _norm_of_ones(length: int, norm: Norm) -> float:
    return float(length) if _norm(norm) == 1 else math.sqrt(length)


def _norm(norm: Norm) -> int:
    if norm not in (1, 2):
        raise InputError("norm", "must be 1 or 2", repr(norm), "2 for Gaussian noise, 1 for Laplace.")
    return norm


# --- noise -----------------------------------------------------------------------------------------


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
    ratio is `geometric_ratio`.

    Examples
    --------
    >>> laplace_scale(2.0, 0.5)
    4.0
    """
    return _check.positive("sensitivity", sensitivity) / _check.positive("epsilon", epsilon)


def geometric_ratio(sensitivity: float, epsilon: float) -> float:
    """Return r such that noise with `Pr[z] proportional to r^|z|` on integers gives this epsilon.

    `exp(-epsilon / sensitivity)`: the geometric mechanism of Ghosh, Roughgarden and Sundararajan
    (2012), for any 1-norm sensitivity.

    Examples
    --------
    >>> round(geometric_ratio(1.0, 1.0), 6)
    0.367879
    """
    return math.exp(-1 / laplace_scale(sensitivity, epsilon))


# --- power of a test about one person --------------------------------------------------------------


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
    delta = _delta_or_zero(delta)
    rejecting = math.exp(epsilon + math.log(level)) if level > 0 else 0.0
    accepting = 1 - math.exp(-epsilon) * (1 - delta - level)
    return min(1.0, rejecting + delta, accepting)


# --- guess of one bit ------------------------------------------------------------------------------


def guess_from_mu(mu: float, prior: float = 0.5) -> float:
    """Bound the chance of guessing one bit under mu-GDP, everything else known.

    `p Phi(mu/2 + L/mu) + (1-p) Phi(mu/2 - L/mu)` with `L = ln(p/(1-p))`; `Phi(mu/2)` for prior 1/2.
    From the Neyman-Pearson lemma, as in Dwork, Smith, Steinke and Ullman (2017), section 4.2. Reached
    by Gaussian noise.

    Parameters
    ----------
    mu
        Parameter of Gaussian differential privacy, or the distance of the two answers in units of
        the noise.
    prior
        Chance p that the bit is 1 before the release.

    Examples
    --------
    >>> round(guess_from_mu(2**0.5, 0.3), 10)
    0.7958826665
    """
    return _baseline(prior) + advantage_from_mu(mu, prior)


def guess_from_rho(rho: float, prior: float = 0.5) -> float:
    """Bound the chance of guessing one bit under Gaussian noise with this rho.

    `Phi(sqrt(rho/2))` for prior 1/2: Dwork, Smith, Steinke and Ullman (2017), section 4.2. For any
    other rho-zCDP mechanism use `guess_from_zcdp`.

    Examples
    --------
    >>> [round(guess_from_rho(rho), 10) for rho in (0.01, 0.1, 1)]
    [0.5281859889, 0.5884683631, 0.7602499389]
    """
    return guess_from_mu(mu_from_rho(rho), prior)


def guess_from_zcdp(rho: float, prior: float = 0.5) -> float:
    """Bound the chance of guessing one bit under any rho-zCDP mechanism.

    By `delta_from_rho_tight`; larger than `guess_from_rho`, and need not be reached.

    Examples
    --------
    >>> round(guess_from_zcdp(0.1), 6)
    0.611803
    """
    return _baseline(prior) + advantage_from_zcdp(rho, prior)


def guess_from_epsilon(epsilon: float, prior: float = 0.5, delta: float = 0.0) -> float:
    """Bound the chance of guessing one bit under (epsilon, delta)-differential privacy.

    `exp(epsilon) / (1 + exp(epsilon))` for prior 1/2 and delta 0: randomised response, the worst case
    of Kairouz, Oh and Viswanath (2015).

    Examples
    --------
    >>> round(guess_from_epsilon(1.0), 6), round(guess_from_epsilon(1.0, 0.8), 6)
    (0.731059, 0.8)
    """
    return _baseline(prior) + advantage_from_epsilon(epsilon, prior, delta)


def advantage_from_mu(mu: float, prior: float = 0.5) -> float:
    """Bound the gain over the best blind guess under mu-GDP: `guess_from_mu` less `max(p, 1-p)`.

    Examples
    --------
    >>> round(advantage_from_mu(1.0), 6)
    0.191462
    """
    return _rarer(prior) * delta_from_mu(mu, _log_odds(prior))


def advantage_from_rho(rho: float, prior: float = 0.5) -> float:
    """Bound the gain over the best blind guess under Gaussian noise with this rho.

    Examples
    --------
    >>> [round(advantage_from_rho(0.1, p), 4) for p in (0.5, 0.6, 0.75)]
    [0.0885, 0.0214, 0.0004]
    """
    return advantage_from_mu(mu_from_rho(rho), prior)


def advantage_from_zcdp(rho: float, prior: float = 0.5) -> float:
    """Bound the gain over the best blind guess under any rho-zCDP mechanism.

    Examples
    --------
    >>> round(advantage_from_zcdp(0.1), 6)
    0.111803
    """
    return _rarer(prior) * delta_from_rho_tight(rho, _log_odds(prior))


def advantage_from_epsilon(epsilon: float, prior: float = 0.5, delta: float = 0.0) -> float:
    """Bound the gain over the best blind guess under (epsilon, delta)-differential privacy.

    0 with delta 0 once the prior odds exceed `exp(epsilon)`: no answer then changes the best guess.

    Examples
    --------
    >>> round(advantage_from_epsilon(1.0), 6), advantage_from_epsilon(1.0, 0.8)
    (0.231059, 0.0)
    """
    epsilon = _check.positive("epsilon", epsilon)
    delta = _delta_or_zero(delta)
    gap = max(0.0, -math.expm1(_log_odds(prior) - epsilon)) / (1 + math.exp(-epsilon))
    return _rarer(prior) * (delta + (1 - delta) * gap)


def _rarer(prior: float) -> float:
    prior = _check.open_unit("prior", prior)
    return min(prior, 1 - prior)


def _baseline(prior: float) -> float:
    return 1 - _rarer(prior)


def _log_odds(prior: float) -> float:
    rarer = _rarer(prior)
    return math.log1p(-rarer) - math.log(rarer)


def _delta(delta: float) -> float:
    return _check.open_unit("delta", delta)


def _delta_or_zero(delta: float) -> float:
    value = _check.nonnegative("delta", delta)
    return value if value == 0 else _delta(value)
