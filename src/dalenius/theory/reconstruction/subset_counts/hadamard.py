"""Chosen subset counts along the rows of a Hadamard matrix: the fastest attack.

N is the smallest power of two with N >= n; H the Sylvester matrix of that size. Three ways to ask:

- ``split``: both 0/1 counts of each row, its plus and its minus people (2N - 1 counts);
- ``plus``: only the plus people of each row (N counts);
- ``signed``: the difference itself, a query with coefficients -1 and +1 (N answers).
"""

from __future__ import annotations

import math
from typing import Literal

from scipy.special import ndtr

from dalenius.theory import BLATANT_ERROR, _check

Queries = Literal["split", "plus", "signed"]

_ERROR_FACTOR = {"split": 2.0, "plus": 3.0, "signed": 1.0}
"""How many times alpha the error of one signed answer can be."""


def hadamard_size(n: int) -> int:
    """Return N, the smallest power of two that is at least n.

    Examples
    --------
    >>> [hadamard_size(n) for n in (1, 4, 5)]
    [1, 4, 8]
    """
    return 1 << (_check.count("n", n) - 1).bit_length()


def hadamard_query_count(n: int, queries: Queries = "split") -> int:
    """Count the answers the Hadamard attack needs.

    Dwork, Smith, Steinke and Ullman (2017), Theorem 7, prints 2n rows. That is right for powers of
    two only; in general it takes 2N - 1 < 4n counts, since the first minus count is empty.

    Examples
    --------
    >>> hadamard_query_count(8), hadamard_query_count(5), hadamard_query_count(5, "plus")
    (15, 15, 8)
    """
    _check.choice("queries", queries, _ERROR_FACTOR)
    size = hadamard_size(n)
    return 2 * size - 1 if queries == "split" else size


def hadamard_error_bound(n: int, alpha: float, queries: Queries = "split") -> float:
    """Bound the fraction of wrong bits of the Hadamard attack.

    Dwork, Smith, Steinke and Ullman (2017), Theorem 7 (after Dwork and Yekhanin 2008): with both 0/1
    counts of each row within `alpha`, at most a fraction `16 * alpha^2 * n` of the bits is wrong.

    Parameters
    ----------
    n
        People.
    alpha
        Largest error of an answer, as a fraction of n; the errors may be chosen by anyone.
    queries
        How each row is asked: ``split`` (factor 16), ``plus`` (36) or ``signed`` (4).

    Returns
    -------
    float
        Upper bound of (wrong bits)/n, at most 1.

    Notes
    -----
    The print blames padding to a power of two for part of the constant. Padding costs queries, not
    accuracy: `||(n/N) H e||_2 <= n max|e|` for every N, so the factor is exactly 4 times the square
    of how far one signed answer can be off. The proof's `Ham <= 4 alpha^2 n` lacks a factor n; it is
    the fraction that is bounded by `4 alpha^2 n`.

    Examples
    --------
    >>> round(hadamard_error_bound(5, 0.06), 12)
    0.288
    >>> round(hadamard_error_bound(5, 0.06, "signed"), 12)
    0.072
    """
    _check.choice("queries", queries, _ERROR_FACTOR)
    error = _ERROR_FACTOR[queries] * _check.nonnegative("alpha", alpha)
    return min(1.0, 4 * error**2 * _check.count("n", n))


def hadamard_blatant_alpha(n: int, queries: Queries = "split") -> float:
    """Return the largest `alpha` at which the Hadamard attack proves blatant non-privacy.

    Dwork, Smith, Steinke and Ullman (2017), Theorem 7, prints `1/(13 sqrt n)`; solving
    `16 alpha^2 n <= 1/10` gives `1/(sqrt(160) sqrt n)`, slightly more.

    Examples
    --------
    >>> round(hadamard_blatant_alpha(100), 6), round(1 / 130, 6)
    (0.007906, 0.007692)
    """
    _check.choice("queries", queries, _ERROR_FACTOR)
    return math.sqrt(BLATANT_ERROR / (4 * _check.count("n", n))) / _ERROR_FACTOR[queries]


def hadamard_accuracy(n: int, noise: float) -> float:
    """Predict the fraction of right bits under independent noise on the signed answers.

    With Gaussian noise of standard deviation `noise` (as a fraction of n) on each of the N signed
    answers, each estimate has variance `(n noise)^2 / N`, hence `Phi(sqrt(N) / (2 n noise))`. Exact
    for Gaussian noise, a normal approximation for other independent noise of mean 0. In neither
    paper; it follows from the proof of Dwork, Smith, Steinke and Ullman (2017), Theorem 7.

    Examples
    --------
    >>> round(hadamard_accuracy(8, 0.25), 10)
    0.7602499389
    """
    size = hadamard_size(n)
    return float(ndtr(math.sqrt(size) / (2 * n * _check.positive("noise", noise))))
