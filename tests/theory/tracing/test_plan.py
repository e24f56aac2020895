"""The plan agrees with the laws and guarantees it is made of, and with simulated releases."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.errors import InputError
from dalenius.theory.privacy import means_noise
from dalenius.theory.tracing.plan import LIMIT, PlannedAttack, TracingPlan, plan_tracing
from dalenius.theory.tracing.priors import Atoms, Beta, density_of, quantiles, spectrum_of


def attack(plan: TracingPlan, name: str) -> PlannedAttack:
    (found,) = [entry for entry in plan.attacks if entry.name.startswith(name)]
    return found


@pytest.mark.parametrize(
    ("fpr", "llr", "flip", "norm", "guaranteed"),
    [
        (0.05, 618, 55_892, 136_347, 1_571_437),
        (1e-3, 1546, 113_258, 276_929, 3_623_521),
        (1e-6, 3130, 211_629, 513_628, 7_247_043),
    ],
)
def test_golden_columns(fpr: float, llr: int, flip: int, norm: int, guaranteed: int) -> None:
    plan = plan_tracing(100, fpr=fpr)
    found = (
        attack(plan, "llr").columns,
        attack(plan, "raw, flip").columns,
        attack(plan, "raw, norm").columns,
    )
    assert found == pytest.approx((llr, flip, norm), abs=0.5)
    assert plan.guaranteed == pytest.approx(guaranteed, abs=0.5)
    assert plan.attacks[0].name == "llr, known means"
    assert plan.safe == 0
    assert plan.rho(10) == plan.epsilon(10) == math.inf


@settings(deadline=None, derandomize=True, max_examples=30)
@given(
    st.integers(2, 500), st.integers(2, 500), st.floats(0.01, 2), st.floats(1e-6, 0.2), st.floats(0.3, 0.95)
)
def test_no_attack_passes_the_limit(n: int, m: int, sigma: float, fpr: float, beta: float) -> None:
    plan = plan_tracing(n, references=m, sigma=sigma, fpr=fpr, beta=beta)
    d = np.array([1.0, 10.0, 1e3, 1e5])
    curve = plan.curve(d)
    for entry in plan.attacks:
        assert np.all(np.diff(curve[entry.name]) >= 0)
        assert np.all(curve[entry.name] <= curve[LIMIT] + 1e-12)
        assert entry.columns >= plan.safe
        assert entry.power(entry.columns)[0] == pytest.approx(beta)
    assert plan.limit(max(1, math.floor(plan.safe))) <= beta or plan.safe < 1


def test_simulated_noisy_release_is_as_planned() -> None:
    """Figure 1 on exact means plus noise: the plan's share is accused, not that of exact means."""
    n, d, sigma, fpr = 20, 3200, 0.3, 0.05
    rng = np.random.default_rng(4)
    hits = trials = 0
    for _ in range(60):
        p = rng.uniform(-1, 1, d)
        x = np.where(rng.random((n, d)) < (1 + p) / 2, 1.0, -1.0)
        z = np.where(rng.random((n, d)) < (1 + p) / 2, 1.0, -1.0)
        q = x.mean(axis=0) + sigma * rng.normal(size=d)
        a = (x - z) * q
        hits += int((a.sum(axis=1) > 2.15120729618 * np.linalg.norm(a, axis=1)).sum())
        trials += n
    expected = float(attack(plan_tracing(n, sigma=sigma, fpr=fpr), "raw, flip").power(d)[0])
    exact = float(attack(plan_tracing(n, fpr=fpr), "raw, flip").power(d)[0])
    assert hits / trials == pytest.approx(expected, abs=0.06)
    assert abs(hits / trials - exact) > 0.08


def test_a_budget_is_the_noise_it_buys() -> None:
    by_rho = plan_tracing(500, sigma=means_noise(1000, 500, 0.8))
    assert by_rho.sigma == pytest.approx(0.1)
    assert by_rho.rho(1000) == pytest.approx(0.8)
    assert by_rho.epsilon(1000) > by_rho.epsilon(1000, 1e-3) > 0
    assert [entry.name for entry in by_rho.attacks if "corr" in entry.name or "homer" in entry.name] == []


def test_spectra_and_atoms() -> None:
    means = 2 * np.random.default_rng(1).beta(2, 3, 5000) - 1
    plan = plan_tracing(50, references=80, alpha=0.05, prior=spectrum_of(means))
    beta = plan_tracing(50, references=80, alpha=0.05, prior=Beta(2, 3))
    assert "5,000 means" in plan.smoothing
    assert plan.guaranteed == pytest.approx(beta.guaranteed, rel=0.1)
    assert attack(plan, "raw, flip").columns == pytest.approx(attack(beta, "raw, flip").columns, rel=0.05)
    assert plan_tracing(50, alpha=0.05, prior=Atoms([-0.5, 0.5])).guaranteed is None


def test_quantiles_follow_their_law() -> None:
    for prior in (Beta(2, 3), density_of(lambda p: (1 + p) * (1 - p) ** 2), Atoms([-0.9, 0.2], [1, 3])):
        points = quantiles(prior, 4000)
        assert np.mean(1 - points**2) == pytest.approx(prior.moments()[0], abs=1e-3)


def test_bad_input() -> None:
    with pytest.raises(InputError, match="sigma must be"):
        plan_tracing(10, sigma=-0.1)
    with pytest.raises(InputError, match=r"beta must be above fpr = 0\.05"):
        plan_tracing(10, beta=0.05)
    with pytest.raises(InputError, match="centring must be at least 1"):
        plan_tracing(10, references=0)
    with pytest.raises(InputError, match="d must hold only numbers above 0"):
        plan_tracing(10).curve([0, 10])
