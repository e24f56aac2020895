"""How many conditions would single somebody out by luck, from how often they match people outside the data.

A condition of weight w, fixed before n rows are drawn, isolates one of them with chance ``B(n,w) = n w
(1-w)^(n-1)``. Of its weight we know c matches among N control rows. With ``(a)_j = a (a-1) ... (a-j+1)``,

    e(c) = n c (N-n)_{c-1} / (N)_c      has mean      n w (1-w)^{N-1} sum_j C(N-n,j) (w/(1-w))^j = B(n,w):

for N >= n that is the chance to draw exactly one of the c in n of the N rows: unbiased, whatever N is. For
N < n no function of c is (B has degree n in w, such means have degree N), and the series has wild terms.
There we take two functions whose means lie below and above B for *every* weight: what they enclose widens as
the control shrinks, and never leaves the truth outside. Among all such functions a linear program finds those
that are tight for weights like those of the conditions at hand, as their matches in the data suggest; the
data are independent of the control, so choosing by them costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import SolveError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FAR = 60.0
"""Expected matches in n rows beyond which exactly one never happens: ``60 exp(-60)``."""

TOP = 60
"""Matches in a control smaller than the data beyond which a condition is known not to isolate."""

ROUNDS = 2000
"""Of expectation and maximisation; more change luck in the third digit only."""

BOUNDS = (0.4, 1.0, 3.0, 10.0, 30.0)
"""How large the values of a function may be: larger ones are tighter on average and noisier."""


@dataclass(frozen=True, eq=False)
class Luck:
    """Two estimators of ``B(n,w)`` from matches in the control.

    Parameters
    ----------
    low, high
        What c matches say, for c = 0, 1, ...; more matches than that say 0. The mean of ``low`` is at most
        ``B(n,w)`` and that of ``high`` at least, for every w.
    """

    low: Floats
    high: Floats


def luck_estimators(n: int, control: int, seen: Ints, noise: float) -> Luck:
    """Return what matches in a control say about luck in n rows.

    Parameters
    ----------
    n
        Rows of the data.
    control
        Rows of the control.
    seen
        How often each condition matches in the data.
    noise
        Half-width of the interval of a mean over the conditions, in standard deviations of one.

    Examples
    --------
    >>> same = luck_estimators(100, 100, np.array([1, 0, 2]), 0.1)
    >>> same.low[:3], same.high[:3]
    (array([0., 1., 0.]), array([0., 1., 0.]))
    """
    if control >= n:
        values = _unbiased(n, control, int(min(control, 80 + np.ceil(2 * FAR * control / n))))
        return Luck(values, values)
    likely = _likely_weights(n, seen)
    return Luck(_enclose(n, control, likely, noise, -1), _enclose(n, control, likely, noise, 1))


def likeliest_luck(n: int, control: int, matches: Ints) -> float:
    """Return one value of luck for conditions with these matches in a control smaller than the data.

    No function of the matches of one condition is unbiased, but those of many tell how weights are spread:
    the law of weights under which the matches are likeliest (Kiefer and Wolfowitz 1956, found by expectation
    and maximisation) says what luck is. What no law tells is the business of the interval.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> found = likeliest_luck(1000, 500, rng.binomial(500, 1 / 1000, size=3000))
    >>> bool(abs(found - 0.368) < 0.03)
    True
    """
    top = min(control, TOP)
    chances, luck = _means(_grid(n, 120), n, control, top)
    kinds, often = np.unique(np.minimum(matches, top), return_counts=True)
    likelihood = chances[:, kinds].T
    shares = np.full(luck.size, 1 / luck.size)
    for _ in range(ROUNDS):
        shares *= (often / (likelihood @ shares)) @ likelihood / matches.size
    return float(shares @ luck)


def _unbiased(n: int, control: int, top: int) -> Floats:
    values = np.zeros(top + 1)
    values[1] = n / control
    for c in range(1, top):  # e(c+1) / e(c) = (c+1)/c (N-n-c+1)/(N-c)
        values[c + 1] = values[c] * (c + 1) / c * max(control - n - c + 1, 0) / (control - c)
    return values


def _grid(n: int, points: int) -> Floats:
    """Weights from nothing to far more than one expected match."""
    return np.concatenate(([0.0], np.geomspace(1e-3, min(4 * FAR, n * (1 - 1e-9)), points))) / n


def _likely_weights(n: int, seen: Ints) -> Floats:
    """The share of every weight of the grid, each condition spread by the likelihood of its matches."""
    from scipy.special import xlogy

    x = _grid(n, 120) * n
    kinds, often = np.unique(np.minimum(seen, FAR), return_counts=True)
    logs = xlogy(kinds[:, None], x) - x
    shares = np.exp(logs - logs.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    return np.asarray(often @ shares / seen.size)


def _enclose(n: int, control: int, likely: Floats, noise: float, side: int) -> Floats:
    """The function above (side 1) or below (-1) that is expected to give the tightest limit."""
    top = min(control, TOP)
    chances, target = _means(_grid(n, 120), n, control, top)
    expected = likely @ chances
    found = []
    for bound in BOUNDS:
        values = _program(expected, chances, target, bound, side)
        mean = float(expected @ values)
        deviation = max(float(expected @ values**2) - mean**2, 0.0) ** 0.5
        found.append((side * mean + noise * deviation, values))
    values = min(found, key=lambda one: one[0])[1]
    finer, exact = _means(_grid(n, 2000), n, control, top)
    return np.asarray(values + side * max(0.0, float((side * (exact - finer @ values)).max())))


def _program(expected: Floats, chances: Floats, target: Floats, bound: float, side: int) -> Floats:
    from scipy.optimize import linprog

    solved = linprog(
        side * expected, A_ub=-side * chances, b_ub=-side * target, bounds=(-bound, bound), method="highs"
    )
    if not solved.success:
        raise SolveError(f"no limit of luck from a control this small: {solved.message}")
    return np.asarray(solved.x)


def _means(w: Floats, n: int, control: int, top: int) -> tuple[Floats, Floats]:
    """For every weight the chance of each number of matches up to the top, and of isolation."""
    from scipy.special import gammaln, xlog1py, xlogy

    c, w = np.arange(top + 1), w[:, None]
    ways = gammaln(control + 1) - gammaln(c + 1) - gammaln(control - c + 1)
    chances = np.exp(ways + xlogy(c, w) + xlog1py(control - c, -w))
    return chances, (n * w * np.exp(xlog1py(n - 1, -w)))[:, 0]
