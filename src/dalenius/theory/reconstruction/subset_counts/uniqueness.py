"""Exact answers, fewer than people: when is there only one secret in the box?"""

from __future__ import annotations

from scipy.special import bdtr

from dalenius.theory import _check


def uniqueness_probability(n: int, m: int) -> float:
    """Return the chance that m exact answers leave one point in the box [0, 1]^n.

    `P(n, m) = 2^-(n-1) * sum_{i<m} C(n-1, i)`: a random subspace of dimension n - m misses an
    orthant with this probability (Wendel 1962). So slightly more than n/2 exact answers give every
    secret away, by one linear program.

    Assumes random columns in general position whose distribution does not change when the sign of
    any one of them flips (independent entries symmetric about 0, for example).
    For 0/1 rows the total number of secrets must be among the answers: it turns them into -1/+1
    rows; the formula is then an approximation, close but on the low side near m = n/2.

    Examples
    --------
    >>> round(uniqueness_probability(10, 5), 10), round(uniqueness_probability(60, 36), 10)
    (0.5, 0.9412613249)
    """
    n, m = _check.count("n", n), _check.count("m", m, at_least=0)
    if m == 0:
        return 0.0
    return 1.0 if m >= n else float(bdtr(float(m - 1), n - 1, 0.5))


def answers_for_uniqueness(n: int, probability: float) -> int:
    """Return the fewest exact answers that leave one secret with this probability.

    Inverse of `uniqueness_probability`, with its assumptions.

    Examples
    --------
    >>> answers_for_uniqueness(100, 0.5), answers_for_uniqueness(100, 0.99)
    (50, 62)
    """
    target = _check.open_unit("probability", probability)
    low, high = 1, _check.count("n", n)
    while low < high:
        middle = (low + high) // 2
        if uniqueness_probability(n, middle) >= target:
            high = middle
        else:
            low = middle + 1
    return low
