"""How well tracing works in practice: effect sizes, power, columns needed, columns that are safe.

An attack's effect `lambda` is the distance between the mean scores of members and outsiders, in standard
deviations of an outsider's score. Scores are sums over many columns, close to normal, so the share of
members accused is `Phi(lambda - t)` with t the threshold in the same units. Every effect grows like
`sqrt(d)`. These are **approximations** for planning, unlike `traceability`, whose d is a guarantee; the
two are usually orders of magnitude apart.

Units of -1/+1 throughout: the variance of an attribute at mean p is `1 - p^2`, and noise of standard
deviation s on frequencies is `sigma = 2 s` here. Genotypes counted as -1, 0, +1 have the same effects with n
people if the weights are centred, and `1/sqrt 2` of it if they are not (`effect_raw`).

Sources: Sankararaman, Obozinski, Jordan and Halperin (2009), *Genomic privacy and limits of individual
detection in a pool*, for the first law; Homer and others (2008); Dwork, Smith, Steinke, Ullman and
Vadhan (2015); Bentkus and Dzindzalieta (2015), *A tight Gaussian bound for weighted sums of Rademacher
random variables*. The rest is ours.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri

from dalenius.errors import InputError
from dalenius.theory import _check
from dalenius.theory.tracing.count_mechanisms import (
    effective_gamma,
    effective_omega,
    effective_square,
    sample_means,
)
from dalenius.theory.tracing.priors import UNIFORM, Prior

Vector = NDArray[np.float64]
Calibration = Literal["normal", "hoeffding", "bd"]

BD_CONSTANT = 1 / (4 * float(ndtr(-math.sqrt(2))))
"""3.17865...: `P[S >= t V] <= C Q(t)` for random signs, the best constant (Bentkus and Dzindzalieta)."""


# --- thresholds and power --------------------------------------------------------------------------


def standard_threshold(fpr: float, calibration: Calibration = "normal") -> float:
    """Return the threshold in standard deviations that keeps false alarms at `fpr`.

    Parameters
    ----------
    fpr
        Share of outsiders accused, at most.
    calibration
        ``normal``: `Phi^-1(1 - fpr)`, for exact or normal p-values. ``hoeffding``: `sqrt(2 ln(1/fpr))`, valid
        for the sign-flip test without approximation. ``bd``: the smaller of that and
        `Phi^-1(1 - fpr/C)`, valid, too.

    Examples
    --------
    >>> [round(standard_threshold(0.05, kind), 6) for kind in ("normal", "hoeffding", "bd")]
    [1.644854, 2.447747, 2.151207]
    """
    fpr = _check.open_unit("fpr", fpr)
    _check.choice("calibration", calibration, ("normal", "hoeffding", "bd"))
    if calibration == "normal":
        return -float(ndtri(fpr))
    hoeffding = math.sqrt(-2 * math.log(fpr))
    return hoeffding if calibration == "hoeffding" else min(hoeffding, -float(ndtri(fpr / BD_CONSTANT)))


def power(effect: ArrayLike, threshold: float) -> Vector:
    """Return the share of members accused: `Phi(effect - threshold)`, one number an effect.

    Examples
    --------
    >>> np.round(power([0.0, 2.0], standard_threshold(0.05)), 4).tolist()
    [0.05, 0.6388]
    """
    return np.asarray(
        ndtr(_check.vector("effect", effect) - _check.number("threshold", threshold)), np.float64
    )


def effect_needed(threshold: float, beta: float) -> float:
    """Return the effect at which a share beta of the members is accused: `threshold + Phi^-1(beta)`.

    Examples
    --------
    >>> round(effect_needed(standard_threshold(0.05), 0.8), 6)
    2.486475
    """
    return _check.number("threshold", threshold) + float(ndtri(_check.open_unit("beta", beta)))


def columns_needed(effect_of_one: float, threshold: float, beta: float) -> float:
    """Return the columns at which a share beta of the members is accused.

    Parameters
    ----------
    effect_of_one
        The effect with a single column; with d columns it is `sqrt(d)` times that.
    threshold
        In standard deviations of an outsider's score.
    beta
        Share of members accused.

    Examples
    --------
    >>> round(columns_needed(effect_optimal(1, 100), standard_threshold(0.05), 0.8))
    618
    """
    wanted = max(0.0, effect_needed(threshold, beta))
    return (wanted / _check.positive("effect_of_one", effect_of_one)) ** 2


# --- effects ---------------------------------------------------------------------------------------


def effect_optimal(
    d: int,
    n: int,
    *,
    spread: ArrayLike = 1.0,
    sigma: float = 0.0,
    centring: float = math.inf,
    comparing: float = math.inf,
) -> float:
    """Return the effect of the best linear weights, and of the likelihood ratio.

    `lambda^2 = sum_j (s_j/n^2) / [(s_j (1/n + 1/m1) + sigma^2)(1 + 1/m0)]` with `s_j = 1 - p_j^2`. With
    known means and exact answers it is `d/n`, whatever the means: the law of Sankararaman and others
    (2009), behind Dwork, Smith, Steinke and Ullman (2017), Theorem 10.

    Parameters
    ----------
    d, n
        Columns and people.
    spread
        `1 - p^2`: of each column, or one number for all (1 where means are near 0).
    sigma
        Standard deviation of the noise on each answer.
    centring, comparing
        Reference people m1 who estimate the population's means, and m0 who are compared with; infinite
        if the means are known. A pool of m in which the target is exchangeable serves both: m each.

    Examples
    --------
    >>> round(effect_optimal(1000, 100) ** 2, 9)
    10.0
    >>> round(effect_optimal(1000, 50, sigma=0.2, centring=200, comparing=10), 9)
    2.365249584
    """
    d, n = _check.count("d", d), _check.count("n", n)
    s = _spread(spread, d)
    between = s * (1 / n + 1 / _people("centring", centring)) + _check.nonnegative("sigma", sigma) ** 2
    ratios = np.divide(s / n**2, between, out=np.zeros_like(s), where=s > 0)
    squared = float(ratios.mean()) * d / (1 + 1 / _people("comparing", comparing))
    return math.sqrt(squared)


def effect_corr(d: int, n: int, *, prior: Prior = UNIFORM, references: float = math.inf) -> float:
    """Return the effect of the weights `q - w` on exact answers.

    `sqrt(d/n/(1 + n/m)) E[1-p^2] / sqrt(E[(1-p^2)^2])`: Dwork, Smith, Steinke and Ullman (2017), after
    Theorem 15.

    Examples
    --------
    >>> round(effect_corr(1000, 100), 6)
    2.886751
    """
    first, second = prior.moments()
    return _exact(d, n, references) * first / math.sqrt(second)


def effect_homer(d: int, n: int, *, prior: Prior = UNIFORM, references: float = math.inf) -> float:
    """Return the effect of the statistic of Homer and others (2008) on exact answers.

    `sqrt(d/n/(1 + n/m)) sqrt(E[1-p^2])`: less than the best, since it is not centred in the target.

    Examples
    --------
    >>> round(effect_homer(1000, 100), 6)
    2.581989
    """
    return _exact(d, n, references) * math.sqrt(prior.moments()[0])


def effect_raw(d: int, n: int, gamma: float, omega: float) -> float:
    """Return the effect of Figure 1: the release itself as weights, one reference person.

    Dwork and others (2015): `sqrt(d)/n gamma_eff / sqrt(2 omega)`, `omega = E[(1-p^2) q^2]`, for every
    symmetric mechanism (see `count_mechanisms`).

    Examples
    --------
    >>> round(effect_raw(3200, 20, 2 / 3, 2 / 15 + 8 / 300), 9)
    3.333333333
    """
    scale = math.sqrt(_check.count("d", d)) / _check.count("n", n)
    return scale * _check.number("gamma", gamma) / math.sqrt(2 * _check.positive("omega", omega))


def effect_raw_exact(d: int, n: int, *, prior: Prior = UNIFORM) -> float:
    """Return the effect of Figure 1 on exact means: about `1.29 sqrt(d)/n` for the uniform law.

    Examples
    --------
    >>> round(effect_raw_exact(10_000, 100), 6)
    1.265924
    """
    exact = sample_means(n)
    return effect_raw(d, n, effective_gamma(exact, prior), effective_omega(exact, prior))


def effect_real(d: int, n: int, sigma: float) -> float:
    """Return the effect of Figure 3: Gaussian data, uniform means in [-1, 1], exact means clipped to it.

    `gamma_eff = sigma^2 (1 - sigma/sqrt(2 pi n))` over an outsider's `sigma sqrt(2 E q^2)`, with `E q^2
    = 1/3` up to order `1/n`: about `1.22 sigma sqrt(d)/n`.

    Examples
    --------
    >>> round(effect_real(3200, 20, 0.5), 4)
    1.6548
    """
    n, sigma = _check.count("n", n), _check.positive("sigma", sigma)
    gamma = sigma**2 * (1 - sigma / math.sqrt(2 * math.pi * n))
    return math.sqrt(_check.count("d", d)) / n * gamma / (sigma * math.sqrt(2 / 3))


def effect_of_relative(effect: float, identity: float) -> float:
    """Return the effect on somebody whose entries are a member's with this probability: `identity effect`.

    1/2 for a parent or child. An accusation says "not independent of the release", not "a member".

    Examples
    --------
    >>> effect_of_relative(3.0, 0.5)
    1.5
    """
    return _check.closed_unit("identity", identity) * _check.number("effect", effect)


def power_of_subsample(inside: float, fpr: float, kept: int, n: int) -> float:
    """Return the share of all members accused when only `kept` of n, the same in all columns, are published.

    `kept/n` of them face the power `inside` of a release about `kept` people; the rest are outsiders. So the
    gain over the false alarms is at most `kept/n`: Dwork, Smith, Steinke and Ullman (2017), Example 11.

    Examples
    --------
    >>> round(power_of_subsample(1.0, 0.05, 5, 20), 4)
    0.2875
    """
    n, kept = _check.count("n", n), _check.count("kept", kept)
    if kept > n:
        raise InputError("kept", f"must be at most n = {n}", repr(kept), "Keep fewer people.")
    share = kept / n
    return share * _check.closed_unit("inside", inside) + (1 - share) * _check.closed_unit("fpr", fpr)


# --- thresholds of Figure 1 in standard deviations --------------------------------------------------


def figure1_threshold(
    n: int, fpr: float, kind: Literal["norm", "proof", "figure"], prior: Prior = UNIFORM
) -> float:
    """Return a threshold of Figure 1 in standard deviations of an outsider's score, exact means.

    An outsider's variance is `2 d omega`. ``norm``: `2 ||q|| sqrt(L)`; ``proof``: `2 sqrt(d L)`;
    ``figure``: `sqrt(8 d L)`. d cancels.

    Examples
    --------
    >>> [round(figure1_threshold(100, 0.05, kind), 4) for kind in ("norm", "proof", "figure")]
    [3.8328, 6.5733, 9.296]
    """
    _check.choice("kind", kind, ("norm", "proof", "figure"))
    exact = sample_means(n)
    square = {"norm": effective_square(exact, prior), "proof": 1.0, "figure": 2.0}[kind]
    return math.sqrt(-2 * math.log(_check.open_unit("fpr", fpr)) * square / effective_omega(exact, prior))


# --- the boundary between attack and defence -------------------------------------------------------


def columns_safe(n: int, sigma: float, fpr: float, beta: float) -> float:
    """Return the columns up to which **no** attack of level fpr reaches power beta.

    `(n sigma (z_fpr + Phi^-1(beta)) / 2)^2`, from `Phi(mu - z)` with `mu^2 = 4 d/(n^2 sigma^2)`: Dwork,
    Smith, Steinke and Ullman (2017), section 4.2. Proven, for Gaussian noise and an attacker who knows
    everybody else.

    Examples
    --------
    >>> round(columns_safe(1000, 0.1, 0.05, 0.1), 4)
    329.971
    """
    gap = _gap(fpr, beta)
    return (_check.count("n", n) * _check.nonnegative("sigma", sigma) * gap / 2) ** 2


def columns_attacked(n: int, sigma: float, fpr: float, beta: float) -> float:
    """Return the columns from which the best linear attack reaches power beta, means known and near 0.

    `(n + n^2 sigma^2) (z_fpr + Phi^-1(beta))^2`: at most a factor 4 above `columns_safe` once
    `n sigma^2` is large, so the boundary is known up to that.

    Examples
    --------
    >>> round(columns_attacked(1000, 0.1, 0.05, 0.1), 4)
    1451.8723
    """
    n, gap = _check.count("n", n), _gap(fpr, beta)
    return (n + (n * _check.nonnegative("sigma", sigma)) ** 2) * gap**2


def _gap(fpr: float, beta: float) -> float:
    fpr, beta = _check.open_unit("fpr", fpr), _check.open_unit("beta", beta)
    if beta <= fpr:
        fix = "Accusing at random reaches fpr already."
        raise InputError("beta", f"must be above fpr = {fpr:g}", repr(beta), fix)
    return float(ndtri(beta) - ndtri(fpr))


def _exact(d: int, n: int, references: float) -> float:
    d, n = _check.count("d", d), _check.count("n", n)
    return math.sqrt(d / n / (1 + n / _people("references", references)))


def _people(name: str, value: float) -> float:
    if isinstance(value, bool) or not value >= 1:
        rule = "must be at least 1, or infinite where the means are known"
        raise InputError(name, rule, repr(value), "Give the number of reference people.")
    return float(value)


def _spread(spread: ArrayLike, d: int) -> Vector:
    values = _check.vector("spread", spread)
    if values.size not in (1, d):
        got = f"{values.size} for {d} columns"
        raise InputError("spread", "must be one number, or one per column", got, "Match the columns.")
    if np.any((values < 0) | (values > 1)) or not values.any():
        rule = "must lie in [0, 1], and not be 0 everywhere"
        raise InputError("spread", rule, repr(float(values.min())), "It is 1 - p^2 at mean p.")
    return values
