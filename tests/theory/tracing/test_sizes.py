"""Columns that must, can and cannot give people away; what verdicts prove. Golden values and invariants."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri

from dalenius.errors import InputError
from dalenius.theory import privacy
from dalenius.theory.tracing import power as tracing_power
from dalenius.theory.tracing import traceability
from dalenius.theory.tracing.empirical import privacy_lower_bound
from dalenius.theory.tracing.power import (
    columns_needed,
    effect_optimal,
    figure1_threshold,
    standard_threshold,
)
from dalenius.theory.tracing.priors import Beta

LEVELS = st.floats(1e-8, 0.4)


# --- traceability: guarantees


def test_columns_of_the_theorems() -> None:
    columns = traceability.columns_to_trace
    assert columns(100, 0.01, 1 / 3) == pytest.approx(9662723.57739)
    assert columns(100, 0.01, 1 / 3, "figure") == pytest.approx(13262890.1356)
    found = traceability.columns_to_trace_l1(100, 0.01, 0.5, 2 / 3, 0.1)
    assert found == pytest.approx(4987888.26433)
    with_pool = traceability.columns_with_pool(100, 0.05, 0.4, 0.2)
    assert with_pool == pytest.approx(1152 * 0.04 * 1e4 * math.log(20) / 0.16)
    assert traceability.columns_with_pool(100, 0.05, 0.4, 1e-9) == pytest.approx(
        64 * (100 + math.log(20) ** 0.5)
    )


@settings(deadline=None, derandomize=True, max_examples=60)
@given(st.integers(1, 1000), LEVELS, st.floats(0.01, 1))
def test_at_its_columns_the_expected_score_passes_threshold_and_deviation(
    n: int, delta: float, gamma: float
) -> None:
    """The sum over members: mean gamma d, Azuma's deviation n sqrt(8 d L), and n thresholds."""
    d = math.ceil(traceability.columns_to_trace(n, delta, gamma))
    deviation = n * math.sqrt(8 * d * math.log(1 / delta))
    assert gamma * d - deviation >= n * traceability.proof_threshold(d, delta) * (1 - 1e-9)
    fewer = math.floor(0.98 * d)
    if fewer > 50:
        deviation = n * math.sqrt(8 * fewer * math.log(1 / delta))
        assert gamma * fewer - deviation < n * traceability.proof_threshold(fewer, delta)


def test_real_values_constant_covers_simulated_scores() -> None:
    """The moment generating function that the constant rests on, for the extreme term |G| less its mean."""
    rng = np.random.default_rng(3)
    g = np.abs(rng.normal(size=400_000))
    for t in (0.1, 0.3, 0.45):
        for sign in (-1, 1):
            assert np.mean(np.exp(sign * t * (g - g.mean()))) <= 1 / (1 - 2 * t**2) <= math.exp(4 * t**2)
    one, all_ = (traceability.columns_for_real(9, 0.1, 0.5, 2.0, everybody=flag) for flag in (False, True))
    assert one < all_ == pytest.approx((2 + 4 * math.sqrt(2)) ** 2 * 81 * 4 * math.log(10) / 0.25)


def test_thresholds_golden() -> None:
    q = [0.6, 0.4, -0.5, 0.2, -0.8, 0.35, 0.1, -0.25, 0.7, 0.9, -0.15, 0.05]
    assert traceability.figure_threshold(12, 0.05) == pytest.approx(16.9584874992)
    assert traceability.proof_threshold(12, 0.05) == pytest.approx(11.9914615094)
    norm = float(np.linalg.norm(q))
    assert traceability.norm_threshold(norm, 0.05) == pytest.approx(5.96567677718)
    known = traceability.norm_threshold(norm, 0.05, None)
    assert known == pytest.approx(norm * math.sqrt(2 * math.log(20)))
    assert traceability.pool_threshold(12, 0.1, 0.05) == pytest.approx(2.39829230187)
    assert traceability.real_threshold(5, 1.0, 0.05) == pytest.approx(7.74045512041)
    assert traceability.real_threshold(5, 1.0, 0.05, printed=False) == pytest.approx(6.78614042442)


def test_symmetric_average_error_and_pool_sizes() -> None:
    slack = 2 / 3 - 0.2
    found = traceability.columns_to_trace_everybody_l1(10, 0.05, 0.5, 2 / 3, 0.1)
    assert found == pytest.approx(traceability.columns_to_trace(10, 0.05, slack))
    assert traceability.references_needed(100, 0.4, 0.2) == math.ceil(2 * math.log(12_000) / 0.04)
    assert traceability.pool_failure_rate(100, 0.4) == pytest.approx(0.4 / 2400)
    assert (traceability.traced_with_pool(0.4, 0.2), traceability.traced_with_pool(0.64, 0.02)) == (1, 4)


# --- tracing_power: laws


def test_flip_thresholds() -> None:
    assert pytest.approx(3.17865556589) == tracing_power.BD_CONSTANT
    assert standard_threshold(0.05, "hoeffding") == pytest.approx(2.44774683068)
    for level, t in ((0.05, 2.15120729618), (0.01, 2.73216467957), (1e-6, 4.98203305639)):
        assert standard_threshold(level, "bd") == pytest.approx(t)


def test_laws_golden() -> None:
    z = standard_threshold(0.05)
    (known,) = tracing_power.power(effect_optimal(1000, 100), z)
    assert known == pytest.approx(0.935420170048)
    (with_pool,) = tracing_power.power(effect_optimal(1000, 100, centring=100), z)
    assert with_pool == pytest.approx(0.722811595689)
    found = effect_optimal(1000, 50, sigma=0.2, centring=200, comparing=10)
    assert found == pytest.approx(2.36524958396)
    narrow = Beta(1, 1)
    (corr,) = tracing_power.power(tracing_power.effect_corr(1000, 100, prior=narrow), z)
    assert corr == pytest.approx(float(ndtr(math.sqrt(10) * (2 / 3) / math.sqrt(8 / 15) - z)))
    assert tracing_power.effect_raw_exact(10**6, 1000) == pytest.approx(1.29, abs=0.002)
    assert tracing_power.effect_real(10**8, 10**4, 1.0) == pytest.approx(1.22, abs=0.01)


def test_a_column_without_spread_counts_for_nothing() -> None:
    spread = np.array([1.0, 0.0, 0.5])
    one = effect_optimal(3, 20, spread=spread, sigma=0.3)
    by_hand = sum(s / (20 * s + 400 * 0.09) for s in (1.0, 0.5))
    assert one**2 == pytest.approx(by_hand)


@pytest.mark.parametrize(
    ("fpr", "expected"),
    [
        (0.05, (618, 1237, 38_579, 55_892, 136_347, 343_078, 1_571_437, 2_156_927)),
        (1e-3, (1546, 3092, 96_467, 113_258, 276_929, 730_958, 3_623_521, 4_973_584)),
        (1e-6, (3130, 6261, 195_340, 211_629, 513_628, 1_396_083, 7_247_043, 9_947_168)),
    ],
)
def test_columns_needed_by_each_attack(fpr: float, expected: tuple[int, ...]) -> None:
    n, beta = 100, 0.8
    z, bd = standard_threshold(fpr), standard_threshold(fpr, "bd")
    raw = tracing_power.effect_raw_exact(1, n)
    found = (
        columns_needed(effect_optimal(1, n), z, beta),
        columns_needed(effect_optimal(1, n, centring=n), z, beta),
        columns_needed(raw, z, beta),
        columns_needed(raw, bd, beta),
        columns_needed(raw, figure1_threshold(n, fpr, "norm"), beta),
        columns_needed(raw, figure1_threshold(n, fpr, "proof"), beta),
        traceability.columns_to_trace(n, fpr, 2 / 3),
        traceability.columns_to_trace(n, fpr, 2 / 3, "figure"),
    )
    assert found == pytest.approx(expected, abs=0.5)


@settings(deadline=None, derandomize=True, max_examples=60)
@given(st.integers(1, 10_000), st.floats(1e-3, 10), LEVELS, st.floats(0.5, 0.99))
def test_safe_is_never_above_attacked(n: int, sigma: float, fpr: float, beta: float) -> None:
    safe = tracing_power.columns_safe(n, sigma, fpr, beta)
    attacked = tracing_power.columns_attacked(n, sigma, fpr, beta)
    assert 4 * safe <= attacked * (1 + 1e-12)
    if safe > 10:
        d = math.floor(safe)
        assert privacy.power_from_rho(privacy.means_rho(d, n, sigma), fpr) <= beta + 1e-9
        more = math.ceil(1.1 * safe)
        assert privacy.power_from_rho(privacy.means_rho(more, n, sigma), fpr) > beta
    (reached,) = tracing_power.power(
        math.sqrt(attacked) * effect_optimal(1, n, sigma=sigma), standard_threshold(fpr)
    )
    assert reached == pytest.approx(beta)


@settings(deadline=None, derandomize=True, max_examples=40)
@given(st.integers(1, 1000), st.integers(1, 1000), st.floats(0, 1), st.integers(1, 500))
def test_effects_rise_with_columns_and_references(d: int, n: int, sigma: float, m: int) -> None:
    base = effect_optimal(d, n, sigma=sigma, centring=m, comparing=m)
    assert base <= effect_optimal(d, n, sigma=sigma, centring=m + 1, comparing=m + 1)
    assert base <= effect_optimal(d, n, sigma=sigma) <= math.sqrt(d / n) * (1 + 1e-12)
    assert effect_optimal(4 * d, n, sigma=sigma) == pytest.approx(2 * effect_optimal(d, n, sigma=sigma))


def test_relatives_and_subsamples() -> None:
    (flagged,) = tracing_power.power(
        tracing_power.effect_of_relative(effect_optimal(1000, 100), 0.5), standard_threshold(0.05)
    )
    assert flagged == pytest.approx(0.4746, abs=5e-5)
    assert tracing_power.power_of_subsample(1.0, 0.0, 5, 20) == 0.25


def test_privacy_of_means_golden() -> None:
    assert privacy.counting_queries_rho(1000, 500, 0.05) == pytest.approx(0.8)
    assert privacy.means_rho(1000, 500, 0.1) == pytest.approx(0.8)
    assert privacy.means_noise(1000, 500, 0.8) == pytest.approx(0.1)
    for rho, level, bound in (
        (0.01, 0.05, 0.0663638050612),
        (0.5, 0.05, 0.259511022841),
        (1, 1e-3, 0.0468672606154),
    ):
        assert privacy.power_from_rho(rho, level) == pytest.approx(bound)
    mu = privacy.mu_from_rho(0.01)
    assert privacy.delta_from_mu(mu, 0.0) == pytest.approx(0.056371977797)
    assert privacy.guess_from_rho(0.01) == pytest.approx(0.528185988899)
    assert privacy.epsilon_from_rho(0.1, 1e-6) == pytest.approx(2.45078800048)
    mu = privacy.mu_from_rho(0.1)
    assert privacy.epsilon_from_mu(mu, 1e-6) == pytest.approx(1.9945269007)
    assert privacy.delta_from_mu(mu, 1.0) == pytest.approx(0.00318505537833)
    assert privacy.delta_from_rho_tight(0.1, 1.0) == pytest.approx(0.00893324577182)
    assert privacy.delta_from_rho(0.1, 1.0) == pytest.approx(0.131993843188)


# --- empirical


@pytest.mark.parametrize(
    ("counts", "delta", "tpr", "fpr", "epsilon", "rho"),
    [
        ((900, 1000, 50, 1000), 0.0, 0.879712063481, 0.0653904879155, 2.59921785017, 3.60347940072),
        ((900, 1000, 50, 1000), 1e-5, 0.879712063481, 0.0653904879155, 2.59920648275, 3.60347940072),
        ((1000, 1000, 0, 1000), 0.0, 0.996317916103, 0.00368208389687, 5.6005875313, 14.363848817),
    ],
)
def test_lower_bounds_golden(
    counts: tuple[int, int, int, int], delta: float, tpr: float, fpr: float, epsilon: float, rho: float
) -> None:
    found = privacy_lower_bound(*counts, delta=delta)
    assert (found.tpr_low, found.fpr_high) == pytest.approx((tpr, fpr))
    assert (found.epsilon, found.rho) == pytest.approx((epsilon, rho))
    assert found.ceiling == pytest.approx(privacy_lower_bound(1000, 1000, 0, 1000, delta=delta).epsilon)
    assert found.mu == pytest.approx(math.sqrt(2 * found.rho))


def test_perfect_trials_prove_what_they_can() -> None:
    found = privacy_lower_bound(500, 500, 0, 500)
    assert found.epsilon == found.ceiling == pytest.approx(math.log(500 / 3.7), abs=0.01)


@settings(deadline=None, derandomize=True, max_examples=80)
@given(st.integers(1, 300), st.integers(1, 300), st.data())
def test_lower_bounds_are_consistent_with_the_upper_ones(
    members: int, outsiders: int, data: st.DataObject
) -> None:
    hits, alarms = data.draw(st.integers(0, members)), data.draw(st.integers(0, outsiders))
    found = privacy_lower_bound(hits, members, alarms, outsiders)
    assert 0 <= found.epsilon <= found.ceiling + 1e-12
    assert found.tpr_low <= hits / members
    assert alarms / outsiders <= found.fpr_high
    if found.epsilon > 0:
        assert privacy.power_from_epsilon(found.epsilon * (1 - 1e-9), found.fpr_high) <= found.tpr_low + 1e-9
    if found.mu > 0:
        assert privacy.power_from_mu(found.mu, found.fpr_high) == pytest.approx(found.tpr_low)


def test_lower_bound_holds_as_often_as_it_says_and_a_wrong_one_does_not() -> None:
    """Randomised response of epsilon 1: refuted rarely; an epsilon of 0.5 in its place is refuted always."""
    rng = np.random.default_rng(11)
    chance = math.e / (1 + math.e)
    refuted = 0
    for _ in range(400):
        hits, alarms = rng.binomial(2000, chance), rng.binomial(2000, 1 - chance)
        found = privacy_lower_bound(int(hits), 2000, int(alarms), 2000)
        refuted += found.epsilon > 1.0
        assert found.epsilon > 0.5
    assert refuted <= 0.05 * 400


# --- bad input


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: traceability.columns_to_trace(10, 0.0, 0.5), "delta must lie strictly between 0 and 1"),
        (lambda: traceability.columns_to_trace(10, 0.1, -0.1), "gamma must be above 0; got -0.1. Nothing is"),
        (
            lambda: traceability.columns_to_trace(10, 0.1, 0.5, "best"),
            "threshold must be one of proof, figure",
        ),
        (
            lambda: traceability.columns_to_trace_l1(10, 0.1, 0.5, 2 / 3, 0.4),
            "alpha must be below eta gamma = 0.3333; got 0.4",
        ),
        (lambda: traceability.norm_threshold(1.0, 0.1, 0), "comparators must be at least 1"),
        (lambda: traceability.real_threshold(0, 1.0, 0.1), "d must be at least 1"),
        (lambda: standard_threshold(0.05, "exact"), "calibration must be one of normal, hoeffding, bd"),
        (lambda: effect_optimal(3, 10, spread=[1.0, 0.5]), "spread must be one number, or one per column"),
        (lambda: effect_optimal(3, 10, spread=1.5), "spread must lie in [0, 1]"),
        (lambda: effect_optimal(3, 10, centring=0), "centring must be at least 1, or infinite"),
        (lambda: tracing_power.columns_safe(10, 0.1, 0.05, 0.04), "beta must be above fpr = 0.05"),
        (lambda: tracing_power.power_of_subsample(1.0, 0.1, 9, 5), "kept must be at most n = 5"),
        (lambda: figure1_threshold(10, 0.1, "exact"), "kind must be one of norm, proof, figure"),
        (lambda: privacy_lower_bound(5, 4, 0, 4), "true_alarms must be at most 4"),
        (lambda: privacy_lower_bound(1, 4, 0, 4, confidence=1.0), "confidence must lie strictly between"),
    ],
)
def test_bad_input(call: object, message: str) -> None:
    import re

    with pytest.raises(InputError, match=re.escape(message)):
        call()


def test_normal_quantiles_are_the_ones_meant() -> None:
    assert standard_threshold(0.05) == pytest.approx(float(ndtri(0.95)))
