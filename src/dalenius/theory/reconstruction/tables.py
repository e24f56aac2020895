"""Contingency tables of k public attributes with the secret: how many equations they really are."""

from __future__ import annotations

from math import comb

from dalenius.theory import _check


def table_rank_bound(d: int, k: int) -> int:
    """Bound the rank of the linear system of all tables of k public bits with the secret.

    At most `sum_{j<=k} C(d, j)`: the cells are combinations of the parities of at most k attributes.
    Also for a function of k bits and the secret whose part multiplying the secret has degree k.

    Parameters
    ----------
    d
        Public yes/no attributes.
    k
        Public attributes per table; the secret is not counted.

    Notes
    -----
    Replaces the condition of Dwork, Smith, Steinke and Ullman (2017), section 2.4, that the number
    of cells `2^k C(d, k-1)` (there k counts the secret) be of order n: cells depend on each other. 12
    attributes give 48 two-way cells of rank 13. The exponent printed there is off by the same shift:
    the attributes needed grow like `n^(1/k)` with k as counted here (Kasiviswanathan, Rudelson and
    Smith 2013, Theorem 3.2).

    Examples
    --------
    >>> table_rank_bound(12, 1), table_rank_bound(8, 2)
    (13, 37)
    """
    d, k = _check.count("d", d), _check.count("k", k, at_least=0)
    return sum(comb(d, j) for j in range(min(d, k) + 1))


def attributes_for_full_rank(n: int, k: int) -> int:
    """Return the fewest public bits with which tables of k of them can determine n secrets.

    Smallest d >= k with `table_rank_bound(d, k) >= n`. Necessary for recovery by linear algebra, not
    sufficient.

    Examples
    --------
    >>> attributes_for_full_rank(40, 1), attributes_for_full_rank(40, 2)
    (39, 9)
    """
    n, d = _check.count("n", n), _check.count("k", k)
    while table_rank_bound(d, k) < n:
        d += 1
    return d
