"""Tables and boolean functions of public bits with the secret: how many equations they really are.

Boolean functions of k public bits and the secret: how many there are, and how many equations they give.

`p = k + 1` counts the inputs. A function is non-degenerate when its real multilinear polynomial contains the
product of all inputs; then the part that multiplies the secret has degree k.

Contingency tables of k public attributes with the secret: how many equations they really are.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import comb

from dalenius.errors import InputError
from dalenius.theory import _check


def nondegenerate_count(p: int) -> int:
    """Return how many boolean functions of p inputs are non-degenerate: `2^(2^p) - C(2^p, 2^(p-1))`.

    Kasiviswanathan, Rudelson and Smith (2013), section 3 and Appendix A. The others are those that agree
    with the parity of their inputs on exactly half of the truth table.

    Examples
    --------
    >>> [nondegenerate_count(p) for p in (1, 2, 3, 4)]
    [2, 10, 186, 52666]
    """
    size = 2 ** _check.count("p", p)
    return int(2**size - comb(size, size // 2))


def function_rank_bound(d: int, levels: Iterable[int]) -> int:
    """Bound the rank of the counts of one function over all sets of k of d public bits.

    Written in parities of the public bits, the part that multiplies the secret has terms of some sizes
    only; all its rows are combinations of the parities of those sizes: `sum_{j in levels} C(d, j)`.

    Parameters
    ----------
    d
        Public yes/no attributes.
    levels
        Sizes of the parities that occur.

    Notes
    -----
    At most `sum_{j <= deg} C(d, j)`, the bound by degree, and smaller where a size is missing: not-all-equal
    of two public bits and the secret has parities of size 1 alone.

    Examples
    --------
    >>> function_rank_bound(30, (0, 1, 2)), function_rank_bound(30, (1,))
    (466, 30)
    """
    d = _check.count("d", d)
    sizes = set(levels)
    if any(size < 0 for size in sizes):
        raise InputError("levels", "must be at least 0", repr(min(sizes)), "They are sizes of sets.")
    return sum(comb(d, size) for size in sizes)


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
