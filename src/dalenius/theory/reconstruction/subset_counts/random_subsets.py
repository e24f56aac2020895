"""Counts of random subsets: who can be recovered from m of them."""

from __future__ import annotations

import math

from scipy.special import ndtr

from dalenius.errors import InputError
from dalenius.theory import _check


def random_subsets_alpha_scale(n: int, m: int) -> float:
    """Return `sqrt(ln(m/n) / n)`, the order of error at which recovery stops being possible.

    Dwork, Smith, Steinke and Ullman (2017), Theorem 8: for m uniform random subsets,
    `1.1 n <= m <= 2^n`, errors of smaller order than this leave only a vanishing fraction of wrong
    bits for an attacker with unlimited computing, with high probability over the subsets.

    Returns
    -------
    float
        An error as a fraction of n. **An order of magnitude, not a bound**: the theorem's constant
        is not explicit. For a statement about one matrix use the partial discrepancy or
        `least_squares_wrong_bound`.

    Examples
    --------
    >>> round(random_subsets_alpha_scale(100, 400), 6)
    0.117741
    """
    n, m = _check.count("n", n), _check.count("m", m)
    if m < 1.1 * n or math.log2(m) > n:
        raise InputError("m", "must lie between 1.1 n and 2^n", repr(m), "Theorem 8 says no more.")
    return math.sqrt(math.log(m / n) / n)


def random_subsets_sigma_min(n: int, m: int, *, signed: bool = False) -> float:
    """Predict the least singular value of m random queries about n people.

    `(sqrt m - sqrt n)` for entries -1/+1, half of it for entries 0/1: the large-n limit of random
    matrix theory (Bai and Yin 1993), behind Dwork, Smith, Steinke and Ullman (2017), section 2.4.
    An estimate, not a bound; 0 when m < n.

    Examples
    --------
    >>> random_subsets_sigma_min(100, 400)
    5.0
    """
    n, m = _check.count("n", n), _check.count("m", m)
    return max(0.0, math.sqrt(m) - math.sqrt(n)) * (1.0 if signed else 0.5)


def random_subsets_accuracy(n: int, m: int, tau: float, *, signed: bool = False) -> float:
    """Predict the fraction of right bits of least squares on m random queries.

    `Phi(sqrt(m - n) / (4 tau))` for 0/1 entries, 2 in place of 4 for entries -1/+1: the diagonal of
    `(A^T A)^-1` is close to `4/(m - n)`. At `m = 4n` and `tau = c sqrt n` this is `Phi(0.433/c)`
    whatever n is. In neither paper.

    Parameters
    ----------
    n, m
        People and queries, m > n.
    tau
        Standard deviation of the independent noise on each count.
    signed
        Whether the entries are -1/+1 in place of 0/1.

    Examples
    --------
    >>> round(random_subsets_accuracy(128, 512, 0.5 * 128**0.5), 4)
    0.8068
    """
    n, m = _check.count("n", n), _check.count("m", m)
    if m <= n:
        fix = "Use lmmse_accuracy when there are fewer answers than people."
        raise InputError("m", "must exceed n for least squares", repr(m), fix)
    return float(ndtr(math.sqrt(m - n) / ((2 if signed else 4) * _check.positive("tau", tau))))
