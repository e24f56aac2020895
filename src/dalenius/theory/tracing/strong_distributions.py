"""Strong laws of the population's means: when accuracy alone forces a release to give people away.

Dwork, Smith, Steinke, Ullman and Vadhan (2015), *Robust Traceability from Trace Amounts*, Definition 6:
a law of means is `(alpha, gamma)`-strong if `E[g'(p) (1-p^2)] >= gamma` for every smooth g with
`|g(p) - p| <= alpha`. There `g(p)` is what a mechanism answers on average at mean p, and the
left side is how much its answer goes along with its people, all n together (their Lemma 5).

With `phi(p) = (1-p^2) density(p)`, integration by parts gives the best constant: `int phi - alpha
TV(phi)`, the total variation taken on the whole line, so that a jump at an end of the support counts.
The paper proves smaller ones (Corollaries 15, 16), kept here as `*_in_print`. The formula is a lower
bound, and exact unless the worst g would leave [-1, 1].
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from dalenius.errors import InputError
from dalenius.theory import _check
from dalenius.theory.tracing.priors import Atoms, Beta, Density, Prior, Vector, interval

ETA_LIMITS = (0.01, 100.0)
"""Where the best eta is searched: with less, the cells of a density would be too coarse for its jumps."""


def gamma(prior: Prior, alpha: float) -> float:
    """Return the largest gamma for which a law of means is (alpha, gamma)-strong.

    Closed for `Beta`, `-inf` for `Atoms`; for a `Density` the linear program of the definition, which is
    separable: each value of g sits at an end of its interval (within [-1, 1] too).

    Parameters
    ----------
    prior
        Law of the population's means.
    alpha
        Largest bias of the mechanism, in units of -1/+1.

    Returns
    -------
    float
        At or below 0 nothing is promised.

    Examples
    --------
    >>> from dalenius.theory.tracing.priors import UNIFORM, density_of
    >>> round(gamma(UNIFORM, 0.1), 9), round(gamma(density_of(lambda p: 1 + 0 * p), 0.1), 6)
    (0.566666667, 0.566667)
    """
    alpha = _check.nonnegative("alpha", alpha)
    if isinstance(prior, Beta):
        return gamma_beta(alpha, prior.u, prior.v)
    if isinstance(prior, Atoms):
        return prior.moments()[0] if alpha == 0 else -math.inf
    cost = _slopes(prior)
    nodes = prior.edges
    lower, upper = np.maximum(-1.0, nodes - alpha), np.minimum(1.0, nodes + alpha)
    return float(cost @ np.where(cost > 0, lower, upper))


def gamma_uniform(alpha: float, low: float = -1.0, high: float = 1.0) -> float:
    """Return gamma of the uniform law on [low, high].

    `1 - (a^2+ab+b^2)/3 - alpha ((1-a^2) + (1-b^2))/(b-a) - 2 alpha E|p|`; `2/3 - alpha` on [-1, 1].

    Examples
    --------
    >>> round(gamma_uniform(0.25, -0.5, 0.5), 9), round(gamma_uniform_in_print(0.25, -0.5, 0.5), 9)
    (0.416666667, -0.083333333)
    """
    alpha = _check.nonnegative("alpha", alpha)
    a, b = interval(low, high)
    ends = ((1 - a * a) + (1 - b * b)) / (b - a)
    size = (a * a + b * b) / (2 * (b - a)) if a < 0 < b else abs(a + b) / 2
    return 1 - (a * a + a * b + b * b) / 3 - alpha * ends - 2 * alpha * size


def gamma_uniform_in_print(alpha: float, low: float = -1.0, high: float = 1.0) -> float:
    """Return the paper's gamma of the uniform law: `1 - (a^2+ab+b^2)/3 - 2 alpha/(b-a) - 2 alpha`.

    Dwork and others (2015), after Corollary 16, which drops the factors `1-a^2`, `1-b^2` at the ends and
    uses `E|p| <= 1`; on the whole of [-1, 1] it prints `2/3 - alpha`. True, and never above `gamma_uniform`.

    Examples
    --------
    >>> round(gamma_uniform_in_print(0.05, 0.1, 0.9), 9)
    0.471666667
    """
    alpha = _check.nonnegative("alpha", alpha)
    a, b = interval(low, high)
    if (a, b) == (-1.0, 1.0):
        return 2 / 3 - alpha
    return 1 - (a * a + a * b + b * b) / 3 - 2 * alpha / (b - a) - 2 * alpha


def gamma_beta(alpha: float, u: float, v: float) -> float:
    """Return gamma of the density proportional to `(1+p)^(u-1) (1-p)^(v-1)`.

    `4uv/((u+v)(u+v+1)) - 2 alpha phi_max`: phi rises to
    `phi_max = (2u/(u+v))^u (2v/(u+v))^v / (2^(u+v-1) B(u,v))` and falls again.

    Examples
    --------
    >>> round(gamma_beta(0.1, 2, 2), 9), round(gamma_beta_in_print(0.1, 2, 2), 9)
    (0.65, 0.510557281)
    """
    from scipy.special import betaln

    alpha, u, v = _check.nonnegative("alpha", alpha), _check.positive("u", u), _check.positive("v", v)
    total = u + v
    log_top = u * math.log(2 * u / total) + v * math.log(2 * v / total) - (total - 1) * math.log(2)
    top = math.exp(log_top - float(betaln(u, v)))
    return 4 * u * v / (total * (total + 1)) - 2 * alpha * top


def gamma_beta_in_print(alpha: float, u: float, v: float) -> float:
    """Return the paper's gamma of the Beta law; never above `gamma_beta`.

    Dwork and others (2015), after Corollary 16: `s - 2 alpha sqrt(1-s) - 2 alpha (v|u-1| + u|v-1|)/(u+v)`
    with `s = 4uv/((u+v+1)(u+v))`.

    Examples
    --------
    >>> round(gamma_beta_in_print(0.1, 2, 5), 9)
    0.235952646
    """
    alpha, u, v = _check.nonnegative("alpha", alpha), _check.positive("u", u), _check.positive("v", v)
    spread = 4 * u * v / ((u + v + 1) * (u + v))
    bend = (v * abs(u - 1) + u * abs(v - 1)) / (u + v)
    return spread - 2 * alpha * math.sqrt(max(0.0, 1 - spread)) - 2 * alpha * bend


def gamma_reciprocal(alpha: float, a: float) -> float:
    """Return gamma of the density proportional to `1/(1-p^2)` on [-a, a]: `2 (a - alpha)/ln((1+a)/(1-a))`.

    Close to the spectrum of genetic variants. phi is flat, so that only the jumps at the ends count.

    Examples
    --------
    >>> round(gamma_reciprocal(0.5, 0.85), 9)
    0.278628521
    """
    alpha, a = _check.nonnegative("alpha", alpha), _check.open_unit("a", a)
    return 2 * (a - alpha) / (math.log1p(a) - math.log1p(-a))


def gamma_gaussian(alpha: float, sigma: float, variation: float = 1.0) -> float:
    """Return gamma for Gaussian data of standard deviation sigma: `sigma^2 (1 - alpha TV)`.

    Dwork and others (2015), Definition 30, with TV the total variation of the density of the mean,
    jumps at the ends included: 1 for the uniform law on [-1, 1].

    Examples
    --------
    >>> gamma_gaussian(0.25, 2.0)
    3.0
    """
    alpha, sigma = _check.nonnegative("alpha", alpha), _check.positive("sigma", sigma)
    return sigma**2 * (1 - alpha * _check.positive("variation", variation))


def variation(prior: Density) -> float:
    """Return the total variation of a density on the whole line, for `gamma_gaussian`.

    Examples
    --------
    >>> from dalenius.theory.tracing.priors import density_of
    >>> round(variation(density_of(lambda p: 1 + 0 * p, -0.5, 0.5)), 9)
    2.0
    """
    return float(np.abs(np.diff(prior.heights, prepend=0.0, append=0.0)).sum())


def robust_gamma_uniform(eta: float) -> float:
    """Return gamma for which the uniform law on [-1, 1] is (eta, gamma)-robustly strong.

    Dwork and others (2015), Definition 27: `E[g'(p)(1-p^2) + |g(p)-p|/eta] >= gamma` for every g into
    [-1, 1]. 2/3 up to eta = 1/2, then `2/3 + s(1-a) + (s-2)(1-a^2)/2 - 2(1-a^3)/3`, `s = 1/eta`,
    `a = s/2`. The print says 1/3 at eta = 1/2, half of what is true.

    Examples
    --------
    >>> [round(robust_gamma_uniform(eta), 9) for eta in (0.5, 0.75, 1.0)]
    [0.666666667, 0.456790123, 0.208333333]
    """
    s = 1 / _check.positive("eta", eta)
    a = s / 2
    if a >= 1:
        return 2 / 3
    return 2 / 3 + s * (1 - a) + (s - 2) * (1 - a * a) / 2 - 2 * (1 - a**3) / 3


def robust_gamma(prior: Density, eta: float) -> float:
    """Return the largest gamma for which a density is (eta, gamma)-robustly strong.

    Definition 27 as in `robust_gamma_uniform`. Separable: where deviating pays, the worst g answers -1
    or +1. A jump of the density inside (-1, 1) is lost whole, at every eta.

    Examples
    --------
    >>> from dalenius.theory.tracing.priors import density_of
    >>> flat = density_of(lambda p: 1 + 0 * p)
    >>> round(robust_gamma(flat, 0.75), 6)
    0.45679
    >>> round(robust_gamma(density_of(lambda p: 1 + 0 * p, -0.8, 0.8), 0.5), 4)
    -0.0233
    """
    eta = _check.positive("eta", eta)
    nodes, slopes = prior.edges, _slopes(prior)
    price = _at_nodes(prior) * prior.width / eta
    # up to +1 where phi falls towards there, down to -1 where it rises
    gain = np.where(slopes < 0, (price + slopes) * (1 - nodes), (price - slopes) * (1 + nodes))
    return prior.moments()[0] + float(np.minimum(0.0, gain).sum())


def robust_error_limit(prior: Density) -> tuple[float, float]:
    """Return the average error below which somebody can be traced, and the eta that shows it.

    `max eta gamma(eta)`: with a smaller average error `||q - p||_1 / d`, tracing is guaranteed for d large
    enough (Dwork and others 2015, Proposition 28, which leaves out this condition). For the uniform law,
    0.36838 at eta 0.620.

    Returns
    -------
    tuple of float
        The limit, 0 if there is none, and eta.

    Examples
    --------
    >>> from dalenius.theory.tracing.priors import density_of
    >>> limit, eta = robust_error_limit(density_of(lambda p: 1 + 0 * p))
    >>> round(limit, 5), round(eta, 2)
    (0.36838, 0.62)
    """
    # eta gamma(eta) = eta E[1-p^2] + a sum of minima of linear functions of eta: concave, one maximum
    eta, limit = _highest(lambda eta: eta * robust_gamma(prior, eta))
    return max(0.0, limit), eta


def best_eta(prior: Density, alpha: float) -> tuple[float, float]:
    """Return the eta with the largest `gamma(eta) - alpha/eta` and that value, for an average error alpha.

    The slack of Proposition 28 of Dwork and others (2015): the columns it asks for fall with its square.

    Raises
    ------
    InputError
        If alpha is not below `robust_error_limit`: then nothing is promised at any eta.

    Examples
    --------
    >>> from dalenius.theory.tracing.priors import density_of
    >>> eta, slack = best_eta(density_of(lambda p: 1 + 0 * p), 0.1)
    >>> round(eta, 2), round(slack, 3)
    (0.53, 0.472)
    """
    alpha = _check.nonnegative("alpha", alpha)
    # concave in 1/eta, hence with one maximum in eta, too
    eta, slack = _highest(lambda eta: robust_gamma(prior, eta) - alpha / eta)
    if slack <= 0:
        limit, _ = robust_error_limit(prior)
        rule = f"must be below {limit:.4g}, the largest average error at which tracing is certain"
        raise InputError("alpha", rule, repr(alpha), "Use a more accurate mechanism or a smoother law.")
    return eta, slack


def _highest(function: Callable[[float], float]) -> tuple[float, float]:
    from scipy.optimize import minimize_scalar

    ends = math.log(ETA_LIMITS[0]), math.log(ETA_LIMITS[1])
    found = minimize_scalar(
        lambda x: -function(math.exp(x)), bounds=ends, method="bounded", options={"xatol": 1e-7}
    )
    return math.exp(found.x), -float(found.fun)


def _slopes(prior: Density) -> Vector:
    """Return the coefficient of g at each edge in `int phi g'`, phi constant on cells."""
    phi = (1 - prior.middles**2) * prior.heights
    return -np.diff(phi, prepend=0.0, append=0.0)


def _at_nodes(prior: Density) -> Vector:
    padded = np.pad(prior.heights, 1)
    return np.asarray((padded[1:] + padded[:-1]) / 2, np.float64)
