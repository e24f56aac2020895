"""How often a condition matches exactly one row by luck: the baseline of singling out.

Cohen and Nissim, *Towards Formalizing the GDPR's Notion of Singling Out*, section 3.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from scipy.special import betaincinv, betaln

from dalenius.errors import InputError
from dalenius.theory import _check


def isolation(n: int, weight: float) -> float:
    """Return the chance that a condition fixed before the data are drawn matches exactly one of n rows.

    ``B(n, w) = n w (1-w)^(n-1)``: rises up to ``w = 1/n``, where it is about 37%, then falls. So an
    uninformed guess already isolates somebody 37% of the time unless its weight is limited.

    Examples
    --------
    >>> round(isolation(365, 1 / 365), 9), round(isolation(1000, 1e-5), 9)
    (0.368384192, 0.009900597)
    """
    n, w = _check.count("n", n), _check.closed_unit("weight", weight)
    if w == 0:
        return 0.0
    if w == 1:
        return float(n == 1)
    return math.exp(math.log(n) + math.log(w) + (n - 1) * math.log1p(-w))


def isolation_without_replacement(population: int, n: int, matches: int) -> float:
    """Return the same chance when n rows are drawn without replacement from a finite population.

    ``K C(N-K, n-1) / C(N, n)`` for K matching rows among N; ``n/N`` for one.

    Examples
    --------
    >>> round(isolation_without_replacement(100_000, 1000, 100), 9)
    0.36991461
    """
    population, n = _check.count("population", population), _check.count("n", n)
    matches = _check.count("matches", matches, at_least=0)
    if max(n, matches) > population:
        raise InputError(
            "n and matches", f"must be at most the population of {population:,}", f"{n}, {matches}"
        )
    if matches == 0 or n - 1 > population - matches:
        return 0.0
    if matches == 1:
        return n / population
    return math.exp(math.log(matches) + _ln_choose(population - matches, n - 1) - _ln_choose(population, n))


def _ln_choose(n: int, k: int) -> float:
    return -math.log1p(n) - float(betaln(n - k + 1, k + 1))


def realisable_weights(multiplicities: Sequence[int], limit: float, *, at_least: bool = False) -> float:
    """Return the weight nearest to a limit that some condition on a finite table has (Claim 3.1).

    Weights are the subset sums of the multiplicities of the distinct rows, over their total.

    Parameters
    ----------
    multiplicities
        How often each distinct row occurs in the population.
    limit
        The weight limit.
    at_least
        Return the smallest realisable weight from ``limit`` on, not the largest up to it.

    Examples
    --------
    >>> realisable_weights([3, 2, 2], 1 / 4), round(realisable_weights([3, 2, 2], 1 / 4, at_least=True), 9)
    (0.0, 0.285714286)
    """
    limit = _check.closed_unit("limit", limit)
    counts = [_check.count("multiplicity", m) for m in multiplicities]
    total = _check.count("number of rows", sum(counts))
    wanted = math.ceil(limit * total - 1e-9) if at_least else math.floor(limit * total + 1e-9)
    if _all_reachable(counts, wanted):
        return wanted / total
    reach = 1  # bit s is set when some rows add up to s
    for m in counts:
        reach |= reach << m
    if at_least:
        above = reach >> wanted
        return (wanted + (above & -above).bit_length() - 1) / total
    return ((reach & ((1 << (wanted + 1)) - 1)).bit_length() - 1) / total


def _all_reachable(counts: Sequence[int], wanted: int) -> bool:
    """With enough rows that occur once, every number up to there is a sum."""
    return sum(m == 1 for m in counts) >= wanted


def best_luck(n: int, multiplicities: Sequence[int], limit: float, *, at_least: bool = False) -> float:
    """Return the best success without the release on a finite table (Claim 3.1), low or high side.

    ``B(n, w*)`` for the largest realisable weight up to a limit of at most 1/n, or for the smallest one from
    a limit of at least 1/n on; 0 where only the empty condition is light enough.

    Examples
    --------
    >>> round(best_luck(4, [3, 2, 2], 1 / 4, at_least=True), 9), best_luck(4, [3, 2, 2], 1 / 4)
    (0.416493128, 0.0)
    """
    n, limit = _check.count("n", n), _check.closed_unit("limit", limit)
    if (limit < 1 / n * (1 - 1e-12)) if at_least else (limit > 1 / n * (1 + 1e-12)):
        side = "at least" if at_least else "at most"
        raise InputError("limit", f"must be {side} 1/n = {1 / n:g} on this side", f"{limit:g}")
    return isolation(n, realisable_weights(multiplicities, limit, at_least=at_least))


def entropy_for_luck(n: int, c: float) -> int:
    """Return the min-entropy with which luck needs to know nothing of the law (Claim 3.3, whole bits).

    With it, a condition on a hash isolates somebody with chance at least ``B(n, w) - 2^-c``, on the low side
    and on the high one: ``5 ceil(c + log2 n + 2)``.

    Examples
    --------
    >>> entropy_for_luck(1000, 10)
    110
    """
    return 5 * math.ceil(_check.positive("c", c) + math.log2(_check.count("n", n)) + 2)


def lost_by_hashing(n: int, entropy: float) -> float:
    """Return what Claim 3.3 lets a hash lose on ``B(n, w)`` at some min-entropy: ``2^-c``, at most 1.

    Examples
    --------
    >>> lost_by_hashing(1024, 110)
    0.0009765625
    """
    bits = math.floor(_check.nonnegative("entropy", entropy) / 5)
    return min(1.0, math.exp2(2 + math.log2(_check.count("n", n)) - bits))


def keyed_luck(n: int, rows: int) -> float:
    """Return how often a pairwise independent hash of weight 1/n isolates one of n draws from distinct rows.

    To first order: over the key the weight varies by ``sqrt(1 / (n N))``, which costs a share ``n / 2N`` of
    ``B(n, 1/n)`` at its top. Much less than Claim 3.3 gives away.

    Examples
    --------
    >>> round(keyed_luck(200, 20_000), 5)
    0.36696
    """
    n, rows = _check.count("n", n), _check.count("rows", rows)
    return isolation(n, 1 / n) * max(0.0, 1 - n / (2 * rows))


def hash_distance(bits: int, entropy: float) -> float:
    """Return how far from uniform a universal hash is at most (leftover hash lemma): ``2^((m - H)/2) / 2``.

    Examples
    --------
    >>> hash_distance(20, 58)
    9.5367431640625e-07
    """
    bits, entropy = _check.count("bits", bits), _check.nonnegative("entropy", entropy)
    return min(1.0, 0.5 * math.exp2(min(1.0, (bits - entropy) / 2)))


def all_distinct(n: int, bits: int) -> float:
    """Return the chance that n uniform rows of this many bits all differ (Claim 4.8).

    Examples
    --------
    >>> round(all_distinct(23, 9), 9)
    0.605595931
    """
    n, bits = _check.count("n", n), _check.count("bits", bits, at_least=0)
    if bits < 64 and n > 2**bits:
        return 0.0
    return math.exp(sum(math.log1p(-i * 0.5**bits) for i in range(1, n)))


def isolation_in_class(multiplicities: Sequence[int], weight: float) -> float:
    """Return the chance that an ideal hash of this weight leaves exactly one row of a class.

    Rows that occur twice can never be isolated: with r distinct rows, s of them alone, it is
    ``s w (1-w)^(r-1)``, best at ``w = 1/r``. For k distinct rows this is ``B(k, w)``.

    Examples
    --------
    >>> isolation_in_class([1, 1, 1, 2], 1 / 4)
    0.31640625
    """
    weight = _check.closed_unit("weight", weight)
    counts = [_check.count("multiplicity", m) for m in multiplicities]
    alone = sum(m == 1 for m in counts)
    return alone * weight * (1 - weight) ** (len(counts) - 1) if counts else 0.0


def pairwise_isolation(k: int, weight: float) -> float:
    """Return what a merely pairwise independent hash guarantees for k distinct rows: ``k w (1 - (k-1) w)``.

    Examples
    --------
    >>> round(pairwise_isolation(5, 1 / 8), 9)
    0.3125
    """
    k, w = _check.count("k", k), _check.closed_unit("weight", weight)
    return max(0.0, k * w * (1 - (k - 1) * w))


def weight_upper_limit(matches: int, rows: int, error: float) -> float:
    """Return the Clopper-Pearson upper limit of a weight from rows the attacker never saw.

    Examples
    --------
    >>> round(weight_upper_limit(0, 10_000, 0.05), 12), round(weight_upper_limit(3, 10_000, 0.05), 12)
    (0.00029952836, 0.000775181379)
    """
    rows, matches = _check.count("rows", rows), _check.count("matches", matches, at_least=0)
    error = _check.open_unit("error", error)
    if matches > rows:
        raise InputError("matches", f"must be at most the {rows:,} rows", f"{matches:,}")
    if matches == rows:
        return 1.0
    return float(betaincinv(matches + 1, rows - matches, 1 - error))


def min_entropy_bits(most_frequent: int, rows: int, error: float) -> float:
    """Return a lower limit of the min-entropy of a row, from the count of the most frequent one.

    Valid for rows never seen too: the true mode occurs at most as often as the most frequent row, so its
    probability is at most the upper limit made from that count.

    Examples
    --------
    >>> round(min_entropy_bits(12, 50_000, 0.05), 9)
    11.328600874
    """
    return -math.log2(weight_upper_limit(most_frequent, rows, error))
