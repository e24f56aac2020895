"""How many attributes force an accurate release to give people away: explicit constants.

Dwork, Smith, Steinke, Ullman and Vadhan (2015), *Robust Traceability from Trace Amounts*. The attack
scores a person y against one reference person z, `S = <y - z, q>`, and accuses above a threshold. An
outsider is accused with probability at most delta, whatever the mechanism. That a member must be accused
is proven only if d is large: how large is said here. All in units of -1/+1, with `L = ln(1/delta)`.

The promises to trace are proven for mechanisms that answer each attribute from its own column (with shared
coins, if they like); the print conditions on the other answers as if these told nothing of the column, which
holds for them. What gamma is: `strong`.
"""

from __future__ import annotations

import math
from typing import Literal

from dalenius.errors import InputError
from dalenius.theory import _check

Cut = Literal["proof", "figure"]

TRACE_CONSTANTS: dict[str, float] = {"proof": (2 + 2 * math.sqrt(2)) ** 2, "figure": 32.0}
"""In `d = constant n^2 L / gamma^2`. Azuma gives `sqrt(8 d L)/n`, and the threshold comes on top."""


# --- thresholds ------------------------------------------------------------------------------------


def figure_threshold(d: int, delta: float) -> float:
    """Return `sqrt(8 d L)`, the threshold printed in Figure 1.

    Dwork and others (2015). Sound, but at delta squared: `proof_threshold` is enough for delta.

    Examples
    --------
    >>> round(figure_threshold(12, 0.05), 9)
    16.958487499
    """
    return math.sqrt(8 * _check.count("d", d) * _log(delta))


def proof_threshold(d: int, delta: float) -> float:
    """Return `2 sqrt(d L)`, the threshold that the proofs of Propositions 12 and 13 use.

    Hoeffding for 2d independent terms of range 2 each, `exp(-t^2/(4d)) = delta`.

    Examples
    --------
    >>> round(proof_threshold(12, 0.05), 9)
    11.991461509
    """
    return 2 * math.sqrt(_check.count("d", d) * _log(delta))


def norm_threshold(norm: float, delta: float, comparators: int | None = 1) -> float:
    """Return `norm sqrt(2 (1 + 1/m0) L)`: Hoeffding with the weights as they are.

    Parameters
    ----------
    norm
        Euclidean norm of the weights (for Figure 1 the release itself).
    comparators
        Reference people m0 whose mean is subtracted; None if the population's mean itself is.

    Examples
    --------
    >>> round(norm_threshold(1.72336879396, 0.05), 9)
    5.965676777
    """
    extra = 0.0 if comparators is None else 1 / _check.count("comparators", comparators)
    return _check.nonnegative("norm", norm) * math.sqrt(2 * (1 + extra) * _log(delta))


def pool_threshold(d: int, alpha: float, delta: float) -> float:
    """Return `4 alpha sqrt(d L)`, the threshold of Figure 2, where every weight is at most 2 alpha.

    Examples
    --------
    >>> round(pool_threshold(12, 0.1, 0.05), 9)
    2.398292302
    """
    return 4 * _check.positive("alpha", alpha) * math.sqrt(_check.count("d", d) * _log(delta))


def real_threshold(d: int, sigma: float, delta: float, *, printed: bool = True) -> float:
    """Return `2 sigma sqrt(d L)`, the threshold of Figure 3 for Gaussian data, answers in [-1, 1].

    Parameters
    ----------
    sigma
        Largest standard deviation of any attribute.
    printed
        As in the figure; otherwise with `ln(1/(2 delta))`, which the printed proof leaves room for.

    Examples
    --------
    >>> round(real_threshold(5, 1.0, 0.05), 9), round(real_threshold(5, 1.0, 0.05, printed=False), 9)
    (7.74045512, 6.786140424)
    """
    log = _log(delta) if printed else max(0.0, _log(delta) - math.log(2))
    return 2 * _check.positive("sigma", sigma) * math.sqrt(_check.count("d", d) * log)


# --- one reference person --------------------------------------------------------------------------


def columns_to_trace(n: int, delta: float, gamma: float, threshold: Cut = "proof") -> float:
    """Return the d from which an accurate release must give somebody away.

    Dwork and others (2015), Proposition 12 with explicit constants: `(2 + 2 sqrt 2)^2 n^2 L / gamma^2`
    for the proof's threshold, `32 n^2 L / gamma^2` for the figure's. With probability at least `1 -
    delta` some member scores above the threshold. From the same d, a *symmetric* mechanism gives away
    every member, each with probability at least `1 - delta` (Proposition 13).

    Parameters
    ----------
    n
        People in the data.
    delta
        False alarms allowed for one outsider.
    gamma
        Of the law of means at the mechanism's bias, see `strong.gamma`.
    threshold
        ``proof`` or ``figure``.

    Notes
    -----
    The lemma behind it prints the bound `gamma/(2d)` where `gamma d/2` is meant, and hides all constants.

    Examples
    --------
    >>> round(columns_to_trace(100, 0.01, 1 / 3), 4)
    9662723.5774
    """
    _check.choice("threshold", threshold, TRACE_CONSTANTS)
    scale = _check.count("n", n) / _strength(gamma)
    return TRACE_CONSTANTS[threshold] * scale**2 * _log(delta)


def columns_to_trace_l1(n: int, delta: float, eta: float, gamma: float, alpha: float) -> float:
    """Return the d from which a release of small *average* error must give somebody away.

    Dwork and others (2015), Proposition 28 with explicit constants: `L (2n + (4n + 2/eta)/sqrt 2)^2 /
    (gamma - alpha/eta)^2`. With probability at least `1 - delta` either the average error passes alpha,
    or somebody is traced.

    Parameters
    ----------
    eta, gamma
        The law of means is (eta, gamma)-robustly strong, see `strong.robust_gamma`.
    alpha
        Average error `||q - p||_1 / d`; below `eta gamma`, which the print leaves out.

    Examples
    --------
    >>> round(columns_to_trace_l1(100, 0.01, 0.5, 2 / 3, 0.1), 5)
    4987888.26433
    """
    n, eta = _check.count("n", n), _check.positive("eta", eta)
    spread = 2 * n + (4 * n + 2 / eta) / math.sqrt(2)
    return _log(delta) * (spread / _slack(eta, gamma, alpha)) ** 2


def columns_to_trace_everybody_l1(n: int, delta: float, eta: float, gamma: float, alpha: float) -> float:
    """Return the d from which a symmetric release of small average error gives every member away.

    Dwork, Smith, Steinke and Ullman (2017), Theorem 16, with a condition that makes it true: the
    expected average error is at most `alpha < eta gamma`. Each member's expected score is then at least
    `(gamma - alpha/eta) d/n`, and Hoeffding as in `columns_to_trace` does the rest.

    Examples
    --------
    >>> round(columns_to_trace_everybody_l1(10, 0.05, 0.5, 2 / 3, 0.1))
    32070
    """
    return columns_to_trace(n, delta, _slack(_check.positive("eta", eta), gamma, alpha))


# --- a pool of reference people --------------------------------------------------------------------


def columns_with_pool(n: int, delta: float, gamma: float, alpha: float) -> float:
    """Return the d from which an accurate release gives several people away to an attacker with a pool.

    Dwork and others (2015), Proposition 26, with what its proof needs:
    `max(1152 alpha^2 n^2 L / gamma^2, 64 (n + sqrt L))`. With probability at least `1 - 2 delta` at least
    `traced_with_pool` members are accused. Needs `references_needed` reference people, and answers off
    by more than alpha with probability at most `pool_failure_rate`.

    Examples
    --------
    >>> round(columns_with_pool(1000, 0.05, 0.5, 0.1))
    138043343
    """
    n, log = _check.count("n", n), _log(delta)
    scale = _check.positive("alpha", alpha) * n / _strength(gamma)
    return max(1152 * scale**2 * log, 64 * (n + math.sqrt(log)))


def references_needed(n: int, gamma: float, alpha: float) -> int:
    """Return how many reference people Proposition 26 asks for: `2 ln(48 n / gamma) / alpha^2`.

    The print has 24 in place of 48, for an event with one side where it has two; no slack remains then.

    Examples
    --------
    >>> references_needed(1000, 0.5, 0.1)
    2295
    """
    ratio = 48 * _check.count("n", n) / _strength(gamma)
    return math.ceil(2 * math.log(ratio) / _check.positive("alpha", alpha) ** 2)


def pool_failure_rate(n: int, gamma: float) -> float:
    """Return how often an answer may be off by more than alpha in Proposition 26: `gamma / (24 n)`.

    Examples
    --------
    >>> round(pool_failure_rate(1000, 0.24), 9)
    1e-05
    """
    return _strength(gamma) / (24 * _check.count("n", n))


def traced_with_pool(gamma: float, alpha: float, *, printed: bool = True) -> int:
    """Return how many members Proposition 26 gives away: `gamma^2 / (256 alpha^2)`, rounded up.

    144 in place of 256 if not `printed`: Lemma 23 applied to people less their mean, who are independent.

    Examples
    --------
    >>> traced_with_pool(0.6, 0.02), traced_with_pool(0.6, 0.02, printed=False)
    (4, 7)
    """
    return math.ceil((_strength(gamma) / _check.positive("alpha", alpha)) ** 2 / (256 if printed else 144))


# --- real values -----------------------------------------------------------------------------------


def columns_for_real(n: int, delta: float, gamma: float, sigma: float, *, everybody: bool = False) -> float:
    """Return the d from which means of Gaussian data, answered in [-1, 1], must give people away.

    Dwork and others (2015), Proposition 31, which hides the constant. Ours: `(2 + 4 sqrt(1 + 1/n))^2 n^2
    sigma^2 L / gamma^2` for somebody, `(2 + 4 sqrt 2)^2` in front for every member of a symmetric
    release. Each column's term is at most a Gaussian of variance v in size, so that its deviation has
    moment generating function at most `1/(1 - 2 t^2 v) <= exp(4 t^2 v)`; Chernoff leaves `4 sqrt(v d
    L)`, and the threshold of Figure 3 comes on top.

    Parameters
    ----------
    gamma
        See `strong.gamma_gaussian`; of the order of sigma^2, so that more natural spread means fewer
        columns, not more.
    sigma
        Largest standard deviation of any attribute.
    everybody
        Whether every member is to be traced, rather than somebody.

    Examples
    --------
    >>> round(columns_for_real(5, 0.05, 0.8, 1.0)), round(columns_for_real(5, 0.05, 0.8, 1.0, everybody=True))
    (4766, 6861)
    """
    n = _check.count("n", n)
    spread = math.sqrt(2) if everybody else math.sqrt(1 + 1 / n)
    scale = (2 + 4 * spread) * n * _check.positive("sigma", sigma) / _strength(gamma)
    return scale**2 * _log(delta)


def _log(delta: float) -> float:
    return -math.log(_check.open_unit("delta", delta))


def _strength(gamma: float) -> float:
    value = _check.number("gamma", gamma)
    if value <= 0:
        fix = "Nothing is promised for a law that is not strong; use a smaller alpha."
        raise InputError("gamma", "must be above 0", repr(value), fix)
    return value


def _slack(eta: float, gamma: float, alpha: float) -> float:
    slack = _strength(gamma) - _check.nonnegative("alpha", alpha) / eta
    if slack <= 0:
        rule = f"must be below eta gamma = {eta * gamma:.4g}"
        raise InputError("alpha", rule, repr(alpha), "Use strong.best_eta, or a more accurate release.")
    return slack
