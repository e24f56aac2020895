"""Golden values, brute force and invariants of the theory of singling out."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import bdtrc

from dalenius.errors import InputError
from dalenius.findings.tally import clopper_pearson
from dalenius.theory import isolation as luck
from dalenius.theory import singling_out as pso


@pytest.mark.parametrize(
    ("n", "w", "expected"),
    [
        (2, 0.5, 0.5),
        (365, 1 / 365, 0.368384192423),
        (1000, 1e-3, 0.368063488259),
        (1000, 1e-5, 0.009900596848),
        (1000, 0.01, 0.000436073206),
        (10**6, 1e-9, 0.000999000501),
        (50, 0.1, 0.028632084485),
        (1, 0.3, 0.3),
        (3, 0.0, 0.0),
        (1, 1.0, 1.0),
        (2, 1.0, 0.0),
    ],
)
def test_isolation(n: int, w: float, expected: float) -> None:
    assert luck.isolation(n, w) == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize(
    ("population", "n", "k", "expected"),
    [(100_000, 1000, 1, 0.01), (100_000, 1000, 100, 0.369914610373), (8, 3, 1, 0.375)],
)
def test_without_replacement(population: int, n: int, k: int, expected: float) -> None:
    assert luck.isolation_without_replacement(population, n, k) == pytest.approx(expected, abs=1e-10)


@given(st.integers(1, 8), st.data())
def test_without_replacement_by_enumeration(population: int, data: st.DataObject) -> None:
    n, k = data.draw(st.integers(1, population)), data.draw(st.integers(0, population))
    draws = list(itertools.combinations(range(population), n))
    hits = sum(sum(row < k for row in draw) == 1 for draw in draws)
    assert luck.isolation_without_replacement(population, n, k) == pytest.approx(hits / len(draws), abs=1e-12)


def test_realisable_weights() -> None:
    weight = luck.realisable_weights
    reachable = {weight([3, 2, 2], x / 70) for x in range(71)}
    assert reachable == {0, 2 / 7, 3 / 7, 4 / 7, 5 / 7, 1}
    assert luck.isolation(4, weight([3, 2, 2], 0.25)) == 0
    assert luck.isolation(4, weight([3, 2, 2], 0.25, at_least=True)) == pytest.approx(0.416493127863)
    many = [4, 3, 1, 1, 1]
    assert luck.isolation(5, weight(many, 0.2)) == pytest.approx(0.4096)
    assert luck.isolation(5, weight(many, 0.15)) == pytest.approx(0.32805)
    assert luck.isolation(5, weight(many, 0.25, at_least=True)) == pytest.approx(0.36015)
    assert luck.isolation(2, weight([1], 0.5)) == 0


@given(st.lists(st.integers(1, 6), min_size=1, max_size=6), st.floats(0, 1))
def test_realisable_weights_by_enumeration(counts: list[int], limit: float) -> None:
    total = sum(counts)
    sums = {sum(part) for r in range(len(counts) + 1) for part in itertools.combinations(counts, r)}
    low = max(s for s in sums if s <= limit * total + 1e-9)
    high = min(s for s in sums if s >= limit * total - 1e-9)
    assert luck.realisable_weights(counts, limit) == low / total
    assert luck.realisable_weights(counts, limit, at_least=True) == high / total


def test_tiny_game() -> None:
    """Eight equally likely rows, three drawn, the first published: it is alone with chance (7/8)^2."""
    draws = list(itertools.product(range(8), repeat=3))
    success = sum(draw.count(draw[0]) == 1 for draw in draws) / len(draws)
    assert success == 0.765625
    assert success - luck.isolation(3, 1 / 8) == pytest.approx(0.478515625)


@pytest.mark.parametrize(
    ("c", "rows", "error", "expected"),
    [
        (0, 10**4, 0.05, 0.000299528360),
        (0, 10**5, 0.001, 0.0000690751670),
        (3, 10**4, 0.05, 0.000775181379),
        (1, 5 * 10**4, 0.01, 0.000132759556),
    ],
)
def test_upper_limits(c: int, rows: int, error: float, expected: float) -> None:
    assert luck.weight_upper_limit(c, rows, error) == pytest.approx(expected, rel=1e-8)


def test_entropy_and_product() -> None:
    assert luck.min_entropy_bits(12, 50_000, 0.05) == pytest.approx(11.328600874, abs=1e-8)
    blocks = luck.weight_upper_limit(5, 20_000, 0.025) * luck.weight_upper_limit(9, 20_000, 0.025)
    assert blocks == pytest.approx(4.981941091e-07, rel=1e-8)
    assert pso.entropy_for_hash(20, 2**-20, 1000, 5) == pytest.approx(109.83, abs=5e-3)


def test_upper_limit_covers() -> None:
    """The limit misses the true weight no more often than its error; a careless one does."""
    rng, weight, rows = np.random.default_rng(4), 0.002, 2000
    found = rng.binomial(rows, weight, size=4000)
    missed = np.mean([luck.weight_upper_limit(int(c), rows, 0.05) < weight for c in found])
    assert missed <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 4000)
    careless = np.mean([luck.weight_upper_limit(int(c), rows, 0.5) < weight for c in found])
    assert careless > 0.05 + 3 * math.sqrt(0.05 * 0.95 / 4000)


@pytest.mark.parametrize(
    ("n", "m", "w", "expected"),
    [
        (100, 20, math.ceil(2**20 / 100) / 2**20, 0.369764896028),
        (50, 10, 0.0205078125, 0.389185555409),
        (1000, 40, math.ceil(2**40 / 1000) / 2**40, 0.368063488594),
        (7, 5, 0.15625, 0.471623845369),
    ],
)
def test_counts(n: int, m: int, w: float, expected: float) -> None:
    assert pso.counts_success(n, m, w) == pytest.approx(expected, abs=1e-9)


def test_counts_by_enumeration() -> None:
    n, bits, region = 3, 3, 3
    hits = 0
    for rows in itertools.product(range(2**bits), repeat=n):
        inside = [row for row in rows if row < region]
        answers = [sum(row >> j & 1 for row in inside) for j in range(bits)]
        point = sum(min(a, 1) << j for j, a in enumerate(answers))
        fine = max([*answers, 0]) <= 1 and point < region
        hits += fine and rows.count(point) == 1
    assert pso.counts_success(n, bits, region / 2**bits) == pytest.approx(hits / 2 ** (bits * n), abs=1e-12)


def test_amplified() -> None:
    assert pso.suppressed_counts_success(100, 0.01) == pytest.approx(0.304407254518, abs=1e-9)
    expected = {2: 0.602752318285, 5: 0.900526017247, 10: 0.990100800287, 20: 0.999901851447}
    for t, value in expected.items():
        assert pso.disjoint_success(100, 10485 / 2**20, t) == pytest.approx(value, abs=1e-9)
    keyed = {2: 0.602759270343, 5: 0.900543212470, 10: 0.990108347414, 20: 0.999902155209}
    for t, value in keyed.items():
        assert pso.repeated_success(100, 0.01, t) == pytest.approx(value, abs=1e-9)
    assert pso.repeated_success(1000, 1e-3, pso.regions_for(1000, 1e-3, 1e-6)) >= 1 - 1e-6


def test_other_golden_values() -> None:
    assert luck.all_distinct(100, 20) == pytest.approx(0.995290288448, abs=1e-9)
    assert luck.all_distinct(5, 2) == 0
    assert pso.extractor_success(256, 16) == pytest.approx(0.999987817714, abs=1e-9)
    assert pso.extractor_success(1024, 128) == pytest.approx(0.524909554968, abs=1e-9)
    stars = [1, 0.6, 0.510204081633, 0.450027927416, 0.422201779126, 0.407398508033, 0.398843868554]
    assert [pso.bit_suppression_success(k) for k in range(2, 9)] == pytest.approx(stars, abs=1e-9)
    assert luck.isolation_in_class([1, 1, 1, 2], 1 / 5) == pytest.approx(0.3072)
    assert pso.k_anonymity_promise(1000, 5, 20, 2**-20) == pytest.approx(0.366920998483, abs=1e-9)
    assert pso.private_success_limit_high(10_000, 0.5, 0.02) == pytest.approx(0.004012590234, abs=1e-9)


def test_golden_values_that_examples_show_rounded() -> None:
    assert luck.all_distinct(23, 9) == pytest.approx(0.605595930596, abs=1e-11)
    assert pso.extractor_success(256, 32) == pytest.approx(0.549673376874, abs=1e-11)
    assert pso.suppressed_counts_success(100, 0.02) == pytest.approx(0.369729637650, abs=1e-11)
    assert luck.isolation_in_class([1, 1, 1, 2], 1 / 4) == 0.31640625
    assert pso.private_success_limit(1000, 1.0, 1e-8, 1e-6) == pytest.approx(0.002728281828, abs=1e-11)
    assert pso.private_luck_epsilon(1000, 1.0, 1e-6) == pytest.approx(1.000999000500, abs=1e-11)
    high = pso.private_success_limit_high(100_000, 1.0, 0.01)
    assert high == pytest.approx(4.229294525e-23, rel=1e-9)
    assert pso.entropy_for_hash(20, 2**-20, 1000, 5) == pytest.approx(60 + 5 * math.log2(1000), abs=1e-9)


def test_the_limit_of_privacy_as_a_factor_on_luck() -> None:
    """``n e^eps w`` is ``e^eps' B(n, w)``, and never more than a factor e above ``e^eps B``."""
    for n, epsilon, w in ((1000, 1.0, 1e-6), (50, 0.2, 0.02), (10, 3.0, 0.001)):
        factor = pso.private_luck_epsilon(n, epsilon, w)
        assert math.exp(factor) * luck.isolation(n, w) == pytest.approx(n * math.exp(epsilon) * w)
        assert epsilon <= factor < epsilon + 1


def test_intervals_and_p_values_of_the_game() -> None:
    found = clopper_pearson(37, 100, 0.95)
    assert (found.low, found.high) == pytest.approx((0.275566579615, 0.472351640552), abs=1e-11)
    chance = bdtrc(19, 200, luck.isolation(1000, 1e-5))
    assert chance == pytest.approx(2.4095172888e-14, rel=1e-9)


def test_entropy_conditions_invert_each_other() -> None:
    """Claim 3.3: with the entropy asked for, no more than ``2^-c`` is lost; with a bit less, more may be."""
    for n, c in ((1000, 10.0), (50, 3.5), (2, 1.0)):
        enough = luck.entropy_for_luck(n, c)
        assert luck.lost_by_hashing(n, enough) <= 2.0**-c
        assert luck.lost_by_hashing(n, enough - 5) > 2.0**-c
    for bits, distance in ((20, 2.0**-20), (8, 0.1)):
        assert luck.hash_distance(bits, bits - 2 * math.log2(distance) - 2) == pytest.approx(distance)
    for bits in (4, 10):  # Lemma 3.4: 5 m - 2 bits make the distance 2^-2m
        assert luck.hash_distance(bits, 5 * bits - 2) == pytest.approx(4.0**-bits)


def test_a_pairwise_hash_on_few_rows_by_enumeration() -> None:
    """All keys of ``a x + b mod 101``: as the second moment of the weights says."""
    prime, rows, n = 101, 60, 4
    limit = prime // n
    weights = [
        sum((a * x + b) % prime < limit for x in range(rows)) / rows
        for a in range(prime)
        for b in range(prime)
    ]
    exact = np.mean([luck.isolation(n, w) for w in weights])
    even = luck.isolation(n, limit / prime)
    assert exact == pytest.approx(luck.keyed_luck(n, rows), abs=0.01)
    assert exact < even


@given(st.lists(st.integers(1, 5), min_size=1, max_size=6), st.integers(1, 6), st.floats(0, 1))
def test_no_condition_beats_the_best_luck(counts: list[int], n: int, share: float) -> None:
    """Every condition of a small table, on both sides of 1/n (Claim 3.1)."""
    total = sum(counts)
    sums = {sum(part) for r in range(len(counts) + 1) for part in itertools.combinations(counts, r)}
    low, high = share / n, 1 / n + share * (1 - 1 / n)
    light = [luck.isolation(n, s / total) for s in sums if s <= low * total]
    heavy = [luck.isolation(n, s / total) for s in sums if s >= high * total]
    assert max(light) <= luck.best_luck(n, counts, low) + 1e-9
    assert max(heavy, default=0.0) <= luck.best_luck(n, counts, high, at_least=True) + 1e-9


def test_optimal_attack_on_one_count_is_within_the_additive_limit() -> None:
    def best(points: int, a: int, n: int) -> float:
        total = 0.0
        for c in range(n + 1):
            chance = math.comb(n, c) * (a / points) ** c * (1 - a / points) ** (n - c)
            inside = c / a * (1 - 1 / a) ** (c - 1) if c else 0.0
            rest = n - c
            outside = rest / (points - a) * (1 - 1 / (points - a)) ** (rest - 1) if rest else 0.0
            total += chance * max(inside, outside)
        return total

    for (points, a, n), value in {
        (64, 8, 16): 0.245580841398,
        (10_000, 1, 100): 0.019705888769,
        (6, 2, 3): 0.472222222222,
    }.items():
        assert best(points, a, n) == pytest.approx(value, abs=1e-9)
        assert best(points, a, n) <= pso.additive_limit(n, 2, 1 / points)


@given(st.integers(1, 3000), st.floats(1e-9, 1))
def test_isolation_is_largest_at_one_over_n(n: int, w: float) -> None:
    assert luck.isolation(n, w) <= luck.isolation(n, 1 / n) + 1e-12


@given(st.integers(2, 40), st.floats(0, 1))
def test_pairwise_hashing_promises_less(k: int, w: float) -> None:
    assert luck.pairwise_isolation(k, w) <= luck.isolation_in_class([1] * k, w) + 1e-12


@given(st.integers(1, 1000), st.floats(0, 5), st.floats(1e-9, 1e-3))
def test_implied_epsilon_inverts_the_limit(n: int, epsilon: float, w: float) -> None:
    success = pso.private_success_limit(n, epsilon, 0.0, w)
    assert pso.implied_epsilon(success, n, w) <= epsilon + 1e-9
    if success < 1:
        assert pso.implied_epsilon(success, n, w) == pytest.approx(epsilon, abs=1e-9)


@pytest.mark.parametrize(
    "bad",
    [
        lambda: luck.isolation(0, 0.5),
        lambda: luck.isolation(5, 1.5),
        lambda: luck.isolation_without_replacement(5, 6, 1),
        lambda: luck.weight_upper_limit(6, 5, 0.05),
        lambda: luck.realisable_weights([], 0.5),
        lambda: luck.best_luck(5, [1] * 5, 0.3),
        lambda: luck.entropy_for_luck(5, 0.0),
        lambda: luck.lost_by_hashing(5, -1.0),
        lambda: luck.keyed_luck(5, 0),
        lambda: luck.hash_distance(0, 3.0),
        lambda: pso.private_luck_epsilon(5, 1.0, 1.0),
        lambda: pso.counts_success(5, 3, 0.01),
        lambda: pso.disjoint_success(5, 0.3, 4),
        lambda: pso.extractor_success(10, 2),
        lambda: pso.bit_suppression_success(1),
        lambda: pso.k_anonymity_success(1),
        lambda: pso.private_success_limit(5, -1.0, 0.0, 0.1),
        lambda: pso.implied_epsilon(2.0, 5, 0.1),
    ],
)
def test_bad_input(bad: object) -> None:
    assert callable(bad)
    with pytest.raises(InputError):
        bad()
