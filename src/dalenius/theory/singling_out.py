"""What theorems say about singling out: how often the attacks succeed, and what no attack can do.

Cohen and Nissim, *Towards Formalizing the GDPR's Notion of Singling Out*, sections 4 to 6, in the corrected
form. A success counts only if the condition's weight is at most a limit ``w``.
"""

from __future__ import annotations

import math

from scipy.special import bdtrc

from dalenius.errors import InputError
from dalenius.theory import _check
from dalenius.theory.isolation import isolation


def counts_success(n: int, bits: int, weight: float) -> float:
    """Return how often m + 1 exact counts single somebody out (Theorem 4.6, exact).

    The rows are uniform strings of m bits; the first count is of a region of this weight, the others of
    the region and a bit. The attack succeeds when one row is in the region, or when all others there are
    the zero string.

    Examples
    --------
    >>> round(counts_success(7, 5, 5 / 32), 9)
    0.471623845
    """
    n, bits, w = _check.count("n", n), _check.count("bits", bits), _check.closed_unit("weight", weight)
    point = 0.5**bits
    if w < point:
        raise InputError("weight", f"must be at least 2^-{bits}, one string", repr(w))
    alone = n * (w - point) * (1 - w + point) ** (n - 1)
    return alone + n * point * (1 - w) ** (n - 1)


def suppressed_counts_success(n: int, weight: float) -> float:
    """Return how often the variant without small counts succeeds (Remark 4.7, sharp): ``B(n, w/2)``.

    Every count is joined with a condition that half of all people meet, so none is small.

    Examples
    --------
    >>> round(suppressed_counts_success(100, 0.02), 9)
    0.369729638
    """
    return isolation(n, _check.closed_unit("weight", weight) / 2)


def repeated_success(n: int, weight: float, regions: int) -> float:
    """Return the chance that one of several independently keyed regions holds exactly one row.

    Examples
    --------
    >>> round(repeated_success(100, 0.01, 10), 9)
    0.990108347
    """
    regions = _check.count("regions", regions)
    return -math.expm1(regions * math.log1p(-isolation(n, weight)))


def disjoint_success(n: int, weight: float, regions: int) -> float:
    """Return the same chance for disjoint regions: inclusion and exclusion over which hold one row each.

    Examples
    --------
    >>> round(disjoint_success(100, 10485 / 2**20, 10), 9)
    0.9901008
    """
    n, w, regions = _check.count("n", n), _check.open_unit("weight", weight), _check.count("regions", regions)
    if regions * w > 1 + 1e-12:
        raise InputError("regions", f"must be disjoint: at most {int(1 / w)} of weight {w:g}", str(regions))
    terms = []
    for j in range(min(regions, n) + 1):
        ways = math.comb(regions, j) * math.perm(n, j)
        rest = max(0.0, 1 - j * w)
        size = math.log(ways) + j * math.log(w) + ((n - j) * math.log(rest) if rest else -math.inf * (n > j))
        terms.append((-1) ** j * math.exp(size))
    return 1 - math.fsum(terms)


def regions_for(n: int, weight: float, failure: float) -> int:
    """Return how many independent regions leave at most this chance of failure.

    Examples
    --------
    >>> regions_for(1000, 0.001, 1e-6)
    31
    """
    failure = _check.open_unit("failure", failure)
    return math.ceil(math.log(failure) / math.log1p(-isolation(n, weight)))


def extractor_success(n: int, bits: int) -> float:
    """Return how often the extractor of section 4.3.2 gives enough bits: n/4 pairs of fair bits, half of use.

    Examples
    --------
    >>> round(extractor_success(256, 32), 9)
    0.549673377
    """
    n, bits = _check.count("n", n, at_least=4), _check.count("bits", bits)
    if n % 4:
        raise InputError(
            "n", "must be divisible by 4", str(n), "The extractor takes pairs from half of the rows."
        )
    pairs = n // 4
    return 0.0 if bits > pairs else float(bdtrc(bits - 1, pairs, 0.5))


def bit_suppression_success(k: int) -> float:
    """Return how often a k-anonymiser that stars disagreeing bits is singled out (section 6.2, exact).

    Rows of a group are not independent on the starred columns, since each such column has both values; so
    the attack does better than ``B(k, 1/k)``. A walk along the binary digits of 1/k over (rows still equal
    to the threshold, rows already below it).

    Examples
    --------
    >>> [round(bit_suppression_success(k), 9) for k in (2, 3, 5)]
    [1.0, 0.6, 0.450027927]
    """
    k = _check.count("k", k, at_least=2)
    states = {(k, 0): 1.0}
    rest = 1
    for _ in range(60 + 8 * k):
        rest *= 2
        digit, rest = divmod(rest, k)
        following: dict[tuple[int, int], float] = {}
        for (equal, below), chance in states.items():
            for ones in range(equal + 1):
                ways = math.comb(equal, ones) * (2 ** (k - equal) - (ones == 0) - (ones == equal))
                place = (ones, below + equal - ones) if digit else (equal - ones, below)
                following[place] = following.get(place, 0.0) + chance * ways / (2**k - 2)
        states = following
    return sum(chance for (_, below), chance in states.items() if below == 1)


def k_anonymity_success(k: int, certain: float = 1.0) -> float:
    """Return what the hash attack on a class of k distinct rows reaches: ``eta B(k, 1/k)``, above ``eta/e``.

    With an ideal hash this is exact whatever the population; no entropy is needed, since the key is drawn
    independently of the data.

    Parameters
    ----------
    k
        Size of the class.
    certain
        Chance ``eta`` that the class chosen has a weight within the limit.

    Examples
    --------
    >>> round(k_anonymity_success(5), 6)
    0.4096
    """
    return _check.closed_unit("certain", certain) * isolation(_check.count("k", k, at_least=2), 1 / k)


def k_anonymity_promise(n: int, k: int, bits: int, error: float, certain: float = 1.0) -> float:
    """Return Theorem 6.1 as printed: ``eta (1/e) - 2^-m n - k_max alpha^2``, for a universal hash.

    Parameters
    ----------
    n
        Rows of the data.
    k
        Size of the largest class.
    bits
        Output bits m of the hash.
    error
        The ``alpha^2`` of the leftover hash lemma; see `entropy_for_hash`.
    certain
        Chance ``eta`` that the class chosen has a weight within the limit.

    Examples
    --------
    >>> round(k_anonymity_promise(1000, 5, 20, 2**-20), 9)
    0.366920998
    """
    n, k = _check.count("n", n), _check.count("k", k, at_least=2)
    lost = n * 0.5 ** _check.count("bits", bits) + k * _check.open_unit("error", error)
    return max(0.0, _check.closed_unit("certain", certain) / math.e - lost)


def entropy_for_hash(bits: int, error: float, rows: int = 1, k: int = 0) -> float:
    """Return the min-entropy that hashing to some bits needs: ``m + 2 log2(1/a) + k log2 n``.

    Leftover hash lemma; with ``k`` and ``rows``, the condition of Theorem 6.1.

    Examples
    --------
    >>> round(entropy_for_hash(20, 2**-20, rows=1000, k=5), 2)
    109.83
    """
    bits, error = _check.count("bits", bits), _check.open_unit("error", error)
    return (
        bits - 2 * math.log2(error) + _check.count("k", k, at_least=0) * math.log2(_check.count("rows", rows))
    )


def private_success_limit(n: int, epsilon: float, delta: float, weight: float) -> float:
    """Return what no attack on an (epsilon, delta)-private release exceeds (Theorem 5.4).

    ``n (e^epsilon w + delta)``; vacuous unless ``w < e^-epsilon / n``.

    Examples
    --------
    >>> round(private_success_limit(1000, 1.0, 1e-8, 1e-6), 12)
    0.002728281828
    """
    n, w = _check.count("n", n), _check.closed_unit("weight", weight)
    epsilon, delta = _check.nonnegative("epsilon", epsilon), _check.closed_unit("delta", delta)
    return min(1.0, n * (math.exp(min(epsilon, 700.0)) * w + delta))


def private_luck_epsilon(n: int, epsilon: float, weight: float) -> float:
    """Return the same limit as a factor on luck: success is at most ``e^epsilon' B(n, w) + n delta``.

    ``epsilon' = epsilon + (n-1) ln(1/(1-w))``, less than ``epsilon + 1`` for weights up to 1/n.

    Examples
    --------
    >>> round(private_luck_epsilon(1000, 1.0, 1e-6), 12)
    1.0009990005
    """
    n, w = _check.count("n", n), _check.open_unit("weight", weight)
    return _check.nonnegative("epsilon", epsilon) - (n - 1) * math.log1p(-w)


def private_success_limit_high(n: int, epsilon: float, weight: float) -> float:
    """Return the limit for heavy conditions and pure differential privacy (Claim 5.6, made explicit).

    Examples
    --------
    >>> f"{private_success_limit_high(100_000, 1.0, 0.01):.6e}"
    '4.229295e-23'
    """
    n, w = _check.count("n", n, at_least=4), _check.closed_unit("weight", weight)
    epsilon = _check.positive("epsilon", epsilon)
    exponent = (n * epsilon / 2) * (math.exp(-2 * epsilon) * (1 - 1 / n) * w - 3 / n)
    return min(1.0, math.exp(math.log(2 * n * math.log(n)) - exponent))


def implied_epsilon(success: float, n: int, weight: float, delta: float = 0.0) -> float:
    """Return the least epsilon that allows this success: Theorem 5.4 read backwards.

    Examples
    --------
    >>> round(implied_epsilon(0.3, 1000, 1e-5), 6)
    3.401197
    """
    n, w = _check.count("n", n), _check.positive("weight", weight)
    left = _check.closed_unit("success", success) - n * _check.closed_unit("delta", delta)
    return max(0.0, math.log(left / (n * w))) if left > 0 else 0.0


def few_outputs_limit(outputs: float, baseline: float) -> float:
    """Return Proposition 4.2: with few possible outputs, success is at most their number times the baseline.

    Examples
    --------
    >>> few_outputs_limit(11, 0.01)
    0.11
    """
    return min(1.0, _check.positive("outputs", outputs) * _check.closed_unit("baseline", baseline))


def additive_limit(n: int, values: float, weight: float) -> float:
    """Return the limit for anything computed from a sum over people of a vector with V possible values.

    ``n V w``: fix a person; guess their vector uniformly among V, independently of them. The condition
    made from the guess is independent of their row and so accepts it with chance at most w, and the guess
    is right with chance 1/V. One count has V = 2, m counts ``2^m``, a histogram its number of cells. Much
    sharper than Proposition 4.2, and it makes O(log n) exact counts safe.

    Examples
    --------
    >>> round(additive_limit(100, 2, 1e-4), 9)
    0.02
    """
    n, w = _check.count("n", n), _check.closed_unit("weight", weight)
    return min(1.0, n * _check.positive("values", values) * w)
