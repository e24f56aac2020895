"""From a real-valued estimate to guessed bits: the rounding lemma and blatant non-privacy."""

from __future__ import annotations

from dalenius.theory import BLATANT_ERROR, _check


def rounding_wrong_bound(squared_distance: float) -> float:
    """Bound the number of wrong bits after rounding an estimate at 1/2.

    Dwork, Smith, Steinke and Ullman (2017), Claim 1: a wrong bit costs at least 1/4 of the squared
    Euclidean distance between the estimate `r` and the 0/1 truth `s`, so at most
    `4 * ||r - s||_2^2` bits are wrong.

    Parameters
    ----------
    squared_distance
        `||r - s||_2^2`, or an upper bound of it.

    Returns
    -------
    float
        Upper bound of the number of wrong bits (not capped at the number of people).

    Notes
    -----
    Tight: an estimate that is 1/2 for every person whose bit is 0 rounds all of them wrongly.

    Examples
    --------
    >>> rounding_wrong_bound(0.15)
    0.6
    """
    return 4 * _check.nonnegative("squared_distance", squared_distance)


def rounding_wrong_bound_l1(distance: float) -> float:
    """Bound the number of wrong bits after rounding by the sum of absolute errors.

    The argument of Dwork, Smith, Steinke and Ullman (2017), Claim 1, in the 1-norm: a wrong bit
    costs at least 1/2 of `||r - s||_1`.

    Examples
    --------
    >>> rounding_wrong_bound_l1(0.25)
    0.5
    """
    return 2 * _check.nonnegative("distance", distance)


def blatantly_nonprivate(error_fraction: float) -> bool:
    """Say whether an attack with this guaranteed error fraction shows blatant non-privacy.

    Dwork, Smith, Steinke and Ullman (2017), Definition 3: for every secret, at most n/10 bits are
    wrong. The print leaves out the probability over a random mechanism: the error fraction must then
    hold with that probability.

    Examples
    --------
    >>> blatantly_nonprivate(0.1), blatantly_nonprivate(0.11)
    (True, False)
    """
    return _check.nonnegative("error_fraction", error_fraction) <= BLATANT_ERROR
