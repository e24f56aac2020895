import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dalenius.errors import InputError
from dalenius.findings.tally import (
    Interval,
    clopper_pearson,
    mcnemar,
    paired_difference,
    share_confidence,
)

CONFIDENCES = st.floats(0.5, 0.9999)


@pytest.mark.parametrize(
    ("hits", "trials", "low", "high"),
    [
        (0, 10, 0.0, 1 - 0.025 ** (1 / 10)),
        (10, 10, 0.025 ** (1 / 10), 1.0),
        (1, 1, 0.025, 1.0),
        (0, 0, 0.0, 1.0),
        (1, 2, 1 - math.sqrt(0.975), math.sqrt(0.975)),
    ],
)
def test_clopper_pearson_by_hand(hits, trials, low, high):
    interval = clopper_pearson(hits, trials, 0.95)
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=1e-12)


def test_clopper_pearson_agrees_with_scipy():
    for hits, trials in [(3, 10), (5912, 6366), (1, 1000)]:
        ours = clopper_pearson(hits, trials, 0.99)
        theirs = stats.binomtest(hits, trials).proportion_ci(0.99, "exact")
        assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), rel=1e-9)


def test_paired_difference_as_printed():
    """Airway hyper-responsiveness, 21 children; Fagerland, Lydersen, Laake (2014) print -0.517 to -0.026."""
    interval = paired_difference(21, 1, 7, 0.95)
    assert (round(interval.low, 3), round(interval.high, 3)) == (-0.517, -0.026)


def test_paired_difference_in_closed_form():
    far = stats.norm.ppf(0.975) ** 2
    nobody = paired_difference(100, 0, 0, 0.95)
    assert (nobody.low, nobody.high) == pytest.approx((-far / (100 + far), far / (100 + far)), abs=1e-12)
    everybody = paired_difference(10, 10, 0, 0.95)
    assert (everybody.low, everybody.high) == pytest.approx(((10 - far) / (10 + far), 1.0), abs=1e-12)


def test_paired_difference_of_nobody_excludes_nothing():
    interval = paired_difference(0, 0, 0, 0.95)
    assert (interval.low, interval.high) == (-1.0, 1.0)


def rate_coverage(make: Callable[[int, int], Interval], trials: int, rate: float) -> float:
    chances = stats.binom.pmf(np.arange(trials + 1), trials, rate)
    held = [make(hits, trials).low <= rate <= make(hits, trials).high for hits in range(trials + 1)]
    return float(chances @ held)


def paired_coverage(
    make: Callable[[int, int, int], Interval], trials: int, more: float, less: float
) -> float:
    """Exact chance that the interval holds the truth: sum over everything that could be observed."""
    total = 0.0
    for differ in range(trials + 1):
        at_differ = stats.binom.pmf(differ, trials, more + less)
        if at_differ < 1e-9:
            continue
        split = stats.binom.pmf(np.arange(differ + 1), differ, more / (more + less))
        for only_attack in range(differ + 1):
            if split[only_attack] < 1e-7:
                continue
            interval = make(trials, only_attack, differ - only_attack)
            total += at_differ * split[only_attack] * (interval.low <= more - less <= interval.high)
    return float(total)


def wald(trials: int, only_attack: int, only_baseline: int) -> Interval:
    """The textbook interval, of no width when nobody differs: the planted fault."""
    value = (only_attack - only_baseline) / trials
    spread = math.sqrt(max((only_attack + only_baseline) / trials - value**2, 0) / trials)
    return Interval(value, value - 1.96 * spread, value + 1.96 * spread, 0.95, "Wald")


RATES = [0.01, 0.1, 0.3, 0.5, 0.72, 0.95, 0.999]
PAIRS = [(0.02, 0.01), (0.05, 0.05), (0.3, 0.02), (0.1, 0.3), (0.005, 0.005), (0.6, 0.03)]


def test_rates_are_covered_and_the_check_rejects_a_narrower_interval():
    assert all(rate_coverage(lambda k, n: clopper_pearson(k, n, 0.95), 40, p) >= 0.95 for p in RATES)
    assert min(rate_coverage(lambda k, n: clopper_pearson(k, n, 0.9), 40, p) for p in RATES) < 0.95


def test_differences_are_covered_and_the_check_rejects_the_textbook_interval():
    def score(n: int, b: int, c: int) -> Interval:
        return paired_difference(n, b, c, 0.95)

    assert all(paired_coverage(score, 40, *pair) > 0.93 for pair in PAIRS)
    assert min(paired_coverage(wald, 40, *pair) for pair in PAIRS) < 0.93


@settings(deadline=None, derandomize=True)
@given(st.integers(0, 300), st.integers(0, 300), CONFIDENCES)
def test_a_rate_interval_holds_its_estimate(hits, misses, confidence):
    interval = clopper_pearson(hits, hits + misses, confidence)
    assert 0 <= interval.low <= interval.value <= interval.high <= 1


@settings(deadline=None, derandomize=True)
@given(st.integers(0, 200), st.integers(0, 200), st.integers(0, 200), CONFIDENCES)
def test_a_difference_interval_holds_its_estimate_and_mirrors(only_attack, only_baseline, same, confidence):
    n = only_attack + only_baseline + same
    interval = paired_difference(n, only_attack, only_baseline, confidence)
    mirror = paired_difference(n, only_baseline, only_attack, confidence)
    assert -1 <= interval.low <= interval.value <= interval.high <= 1
    assert (mirror.low, mirror.high) == pytest.approx((-interval.high, -interval.low), abs=1e-9)


@settings(deadline=None, derandomize=True)
@given(st.integers(0, 60), st.integers(0, 60), st.integers(1, 60), CONFIDENCES, st.integers(1, 50))
def test_more_looks_never_narrow_an_interval(only_attack, only_baseline, same, confidence, looks):
    n = only_attack + only_baseline + same
    shared = [share_confidence(confidence, k) for k in (looks, looks + 1)]
    once, more = (paired_difference(n, only_attack, only_baseline, c) for c in shared)
    assert more.low <= once.low + 1e-12
    assert more.high >= once.high - 1e-12
    assert clopper_pearson(only_attack, n, shared[1]).high >= clopper_pearson(only_attack, n, shared[0]).high


def test_looks_together_miss_no_more_often_than_one():
    for looks in range(1, 20):
        assert looks * (1 - share_confidence(0.95, looks)) == pytest.approx(0.05)


@pytest.mark.parametrize(("more", "less", "p"), [(5, 0, 0.0625), (0, 0, 1.0), (3, 3, 1.0), (1, 7, 0.0703125)])
def test_mcnemar_by_hand(more, less, p):
    assert mcnemar(more, less) == pytest.approx(p, abs=1e-15)


def test_mcnemar_is_the_binomial_test():
    for more, less in [(10, 3), (150, 100), (2000, 300)]:
        assert mcnemar(more, less) == pytest.approx(stats.binomtest(more, more + less).pvalue, rel=1e-9)


def test_a_larger_gain_moves_the_interval_up():
    lows = [paired_difference(200, gain, 10, 0.95).low for gain in range(0, 150, 10)]
    assert all(a < b for a, b in pairwise(lows))


@pytest.mark.parametrize("confidence", [0.0, 1.0, -1.0, math.nan])
def test_a_confidence_that_is_none_is_refused(confidence):
    for make in (lambda c: clopper_pearson(1, 2, c), lambda c: paired_difference(2, 1, 0, c)):
        with pytest.raises(InputError, match="confidence must lie"):
            make(confidence)


def test_impossible_counts_are_refused():
    for call in (
        lambda: clopper_pearson(3, 2, 0.95),
        lambda: paired_difference(3, 2, 2, 0.95),
        lambda: paired_difference(3, -1, 2, 0.95),
        lambda: mcnemar(-1, 2),
        lambda: share_confidence(0.95, 0),
    ):
        with pytest.raises(InputError):
            call()


def test_more_trials_than_anybody_counts_are_refused():
    with pytest.raises(InputError, match=r"which are at most 1e\+15"):
        clopper_pearson(10, 10**400, 0.95)
