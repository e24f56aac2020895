"""Counts of subsets: all of them, chosen ones, random ones; and when only one secret fits.

All subset counts released: the search over every candidate secret.

Chosen subset counts along the rows of a Hadamard matrix: the fastest attack.

N is the smallest power of two with N >= n; H the Sylvester matrix of that size. Three ways to ask:

- ``split``: both 0/1 counts of each row, its plus and its minus people (2N - 1 counts);
- ``plus``: only the plus people of each row (N counts);
- ``signed``: the difference itself, a query with coefficients -1 and +1 (N answers).

Counts of random subsets: who can be recovered from m of them.

Exact answers, fewer than people: when is there only one secret in the box?
"""

from __future__ import annotations

import math
from typing import Literal

from scipy.special import bdtr, ndtr

from dalenius.errors import InputError
from dalenius.theory import BLATANT_ERROR, _check


def all_subsets_error_bound(alpha: float) -> float:
    """Bound the fraction of wrong bits when every subset count is released within `alpha`.

    Dwork, Smith, Steinke and Ullman (2017), Theorem 6 (after Dinur and Nissim 2003): any 0/1 vector
    consistent with all `2^n` subset answers differs from the truth in at most `4 * alpha * n`
    people.

    Parameters
    ----------
    alpha
        Largest error of an answer, as a fraction of n.

    Returns
    -------
    float
        Upper bound of (wrong bits)/n, at most 1.

    Notes
    -----
    Assumes all subsets are answered, each within `alpha`, with errors chosen by anyone. In the
    printed proof the query "everybody whose bit is 1" is said to limit the mistakes where the bit is
    0; it limits those where the bit is 1. The sum of both halves, and the theorem, stand.

    Examples
    --------
    >>> all_subsets_error_bound(0.025)
    0.1
    """
    return min(1.0, 4 * _check.nonnegative("alpha", alpha))


def all_subsets_blatant_alpha() -> float:
    """Return the largest `alpha` at which Theorem 6 still shows blatant non-privacy.

    Dwork, Smith, Steinke and Ullman (2017), Theorem 6. Equality is allowed, because Definition 3
    asks for at most n/10 wrong bits; the print is strict.

    Examples
    --------
    >>> all_subsets_blatant_alpha()
    0.025
    """
    return BLATANT_ERROR / 4


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
