"""How far out is this score? Tails of ``T = <y, v>`` for one record whose attributes are independent.

``P[T >= t]`` under a law of :mod:`~dalenius.tracing.attack.tails.record_law`, six ways. Four are
proved for every size, two are approximations. All return natural logarithms, since certificates underflow.

=========== ======== ============================================================================
exact       proved   enumeration, or convolution on a grid with outward rounding (its upper bound)
chernoff    proved   ``exp(K(s) - s t)`` at the best s
kearns-saul proved   Gaussian with the proxy ``p / atanh p`` of a two-point law
hoeffding   proved   Gaussian with the proxy (half the range)^2
saddlepoint approx.  Lugannani and Rice
normal      approx.  mean and variance
=========== ======== ============================================================================
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from dalenius.tracing.attack.tails.exact_tails import ENUMERABLE, bracket, enumerate_tail
from dalenius.tracing.attack.tails.record_law import Law

Values = NDArray[np.float64]
Tail = Callable[[float, Law, Values], float]

TINY = math.log(np.nextafter(0, 1))
"""The logarithm of the smallest positive double: no p-value is 0."""

NEAR = 1e-3
"""Standard deviations from the mean within which the saddlepoint formula is replaced by its limit.

The formula takes the difference of two large numbers there, the limit leaves out the square of the distance:
at this distance both are right to about 1e-7.
"""


def cumulants(law: Law, v: Values, s: float) -> tuple[float, float, float]:
    """Return ``K(s) = ln E exp(s T)`` and its first two derivatives."""
    steps = v * law.values
    with np.errstate(divide="ignore"):
        logs = s * steps + np.log(law.chance)
    top = logs.max(axis=0)
    tilted = np.exp(logs - top)
    total = tilted.sum(axis=0)
    tilted = tilted / total
    mean = (steps * tilted).sum(axis=0)
    second = ((steps - mean) ** 2 * tilted).sum(axis=0)
    return float((top + np.log(total)).sum()), float(mean.sum()), float(second.sum())


def reach(law: Law, v: Values) -> tuple[float, float]:
    """Return the least and the largest T that can occur."""
    low, high = law.ends()
    return float(np.minimum(v * low, v * high).sum()), float(np.maximum(v * low, v * high).sum())


def log_top(law: Law, v: Values) -> float:
    """Return the log-probability that T takes its largest value."""
    steps = np.where(law.chance > 0, v * law.values, -np.inf)
    best = steps == steps.max(axis=0)
    return float(np.log((best * law.chance).sum(axis=0)).sum())


def tilt(t: float, law: Law, v: Values) -> float:
    """Solve ``K'(s) = t`` for t strictly inside the reach: double a bracket, then Brent."""
    from scipy.optimize import brentq

    def slope(s: float) -> float:
        return cumulants(law, v, s)[1] - t

    at_zero = slope(0.0)
    if at_zero == 0:
        return 0.0
    sign = -math.copysign(1.0, at_zero)
    near, far = 0.0, sign / max(float(np.abs(v).max()), 1e-300)
    while slope(far) * sign < 0:
        near, far = far, 2 * far
        if not math.isfinite(far):
            return near
    return float(brentq(slope, near, far, xtol=1e-300, rtol=1e-14))


def at_top(t: float, top: float) -> bool:
    """Whether t is the largest value up to rounding."""
    return t >= top - 1e-12 * max(abs(top), 1.0)


def chernoff(t: float, law: Law, v: Values) -> float:
    """Return the logarithm of the best exponential bound."""
    mean = float((law.mean() * v).sum())
    if t <= mean:
        return 0.0
    if at_top(t, reach(law, v)[1]):
        return log_top(law, v)
    s = tilt(t, law, v)
    return min(0.0, cumulants(law, v, s)[0] - s * t)


def _gaussian_bound(t: float, law: Law, v: Values, proxy: Values) -> float:
    distance, spread = t - float((law.mean() * v).sum()), float((v**2 * proxy).sum())
    return -(distance**2) / (2 * spread) if distance > 0 and spread > 0 else 0.0


def kearns_saul(t: float, law: Law, v: Values) -> float:
    """Return the bound with the best Gaussian proxy of a two-point law on each attribute's range."""
    return _gaussian_bound(t, law, v, kearns_saul_proxy(law))


def kearns_saul_proxy(law: Law) -> Values:
    """Return ``(half the range)^2 p / atanh p`` with p the mean on the scale where the range is [-1, 1]."""
    low, high = law.ends()
    half = (high - low) / 2
    p = np.divide(law.mean() - low, half, out=np.ones_like(half), where=half > 0) - 1
    p = np.clip(p, -1, 1)
    inner = (np.abs(p) > 1e-8) & (np.abs(p) < 1)
    ratio = np.where(np.abs(p) < 1, 1.0, 0.0)
    np.divide(p, np.arctanh(np.where(inner, p, 0.5)), out=ratio, where=inner)
    return np.asarray(half**2 * ratio)


def hoeffding(t: float, law: Law, v: Values) -> float:
    """Return the bound that uses nothing but each attribute's range."""
    return _gaussian_bound(t, law, v, hoeffding_proxy(law))


def hoeffding_proxy(law: Law) -> Values:
    """Return half the range of each attribute, squared."""
    low, high = law.ends()
    return np.asarray(((high - low) / 2) ** 2)


def normal(t: float, law: Law, v: Values) -> float:
    """Return the normal approximation."""
    from scipy.special import log_ndtr

    mean, variance = float((law.mean() * v).sum()), float((v**2 * law.variance()).sum())
    return float(log_ndtr(-(t - mean) / math.sqrt(variance))) if variance > 0 else 0.0


def saddlepoint(t: float, law: Law, v: Values) -> float:
    """Return Lugannani and Rice's approximation."""
    _, mean, variance = cumulants(law, v, 0.0)
    bottom, top = reach(law, v)
    if variance == 0 or t <= bottom:
        return 0.0
    if at_top(t, top):
        return log_top(law, v)
    third = float((v**3 * ((law.values - law.mean()) ** 3 * law.chance).sum(axis=0)).sum())
    s = tilt(t, law, v)
    k, _, second = cumulants(law, v, s)
    numbers = (s, k - s * t, second, t - mean, variance, third)
    return float(lugannani_rice(*(np.array([x]) for x in numbers))[0])


def lugannani_rice(
    s: Values,
    exponent: Values,
    second: Values,
    distance: Values,
    variance: Values,
    third: Values,
) -> Values:
    """Turn saddlepoints into log p-values.

    Parameters
    ----------
    s
        Where ``K'(s) = t``.
    exponent
        ``K(s) - s t``, never positive.
    second
        ``K''(s)``.
    distance, variance, third
        ``t`` less the mean of T, and the second and third cumulants of T: the formula is 0/0 at the mean,
        where its limit takes over.
    """
    from scipy.special import erfcx, log_ndtr

    w = np.sign(s) * np.sqrt(np.maximum(-2 * exponent, 0))
    u = s * np.sqrt(second)
    near = (np.abs(distance) < NEAR * np.sqrt(variance)) | (w == 0) | (u == 0)
    w, u = np.where(near, 1.0, w), np.where(near, 1.0, u)
    correction = 1 / u - 1 / w
    # far out all of it in logarithms: ln phi(w) + ln( Q(w)/phi(w) + 1/u - 1/w )
    mills = math.sqrt(math.pi / 2) * erfcx(np.maximum(w, -5) / math.sqrt(2)) + correction
    density = -(w**2) / 2 - math.log(2 * math.pi) / 2
    right = np.log(np.maximum(mills, 1e-300)) + density
    left = np.log(np.clip(np.exp(log_ndtr(-w)) + np.exp(density) * correction, 1e-300, 1))
    middle = _at_the_mean(np.where(near, distance, 0.0), variance, third)
    return np.minimum(np.where(near, middle, np.where(w > 0, right, left)), 0.0)


def _at_the_mean(distance: Values, variance: Values, third: Values) -> Values:
    """The limit of Lugannani and Rice at the mean: 1/2 less a skew term, and linear in the distance."""
    safe = np.where(variance > 0, variance, 1.0)
    p = 0.5 - (third / (6 * safe) + distance) / np.sqrt(2 * math.pi * safe)
    return np.asarray(np.where(variance > 0, np.log(np.clip(p, 1e-300, 1)), 0.0))


def exact(t: float, law: Law, v: Values) -> float:
    """Return the tail itself: by enumeration if few attributes vary, else the upper end of a bracket."""
    p = exact_bracket(t, law, v)[1]
    return max(math.log(p), TINY) if p > 0 else TINY


def exact_bracket(t: float, law: Law, v: Values) -> tuple[float, float]:
    """Enclose the tail: both ends are the same where all outcomes can be listed."""
    low, high = law.ends()
    free = (high > low) & (v != 0)
    sure = float((v * low)[~free].sum())
    inner, v = Law(np.broadcast_to(law.values, law.chance.shape)[:, free], law.chance[:, free]), v[free]
    t -= sure
    if v.size <= ENUMERABLE:
        p = enumerate_tail(t, inner, v)
        return p, p
    least, most = reach(inner, v)
    if t <= least:
        return 1.0, 1.0
    if at_top(t, most):
        p = math.exp(log_top(inner, v))
        return p, p
    guess = math.exp(saddlepoint(t, inner, v))
    return bracket(t, inner, v, tilt=abs(tilt(t, inner, v)), guess=guess)


TAILS: dict[str, Tail] = {
    "exact": exact,
    "chernoff": chernoff,
    "kearns-saul": kearns_saul,
    "hoeffding": hoeffding,
    "saddlepoint": saddlepoint,
    "normal": normal,
}

APPROXIMATE = frozenset({"saddlepoint", "normal"})
"""Tails that are not proved for every size."""
