"""Strong laws of means: golden values, brute force over mechanisms, and what a spectrum is worth."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.errors import InputError
from dalenius.theory.tracing import strong_distributions as strong
from dalenius.theory.tracing.priors import UNIFORM, Atoms, Beta, Density, density_of, spectrum_of

ALPHAS = st.floats(0, 0.6)
SHAPES = st.floats(1.0, 8.0)


def flat(low: float = -1.0, high: float = 1.0, cells: int = 20_000) -> Density:
    return density_of(np.ones_like, low, high, cells=cells)


@pytest.mark.parametrize(
    ("low", "high", "alpha", "gamma", "printed"),
    [
        (-1, 1, 0.0, 0.666666666667, 0.666666666667),
        (-1, 1, 0.1, 0.566666666667, 0.566666666667),
        (-1, 1, 1 / 3, 0.333333333333, 0.333333333333),
        (-0.8, 0.8, 0.1, 0.661666666667, 0.4616666667),
        (-0.5, 0.5, 0.25, 0.416666666667, -0.0833333333),
        (0.1, 0.9, 0.05, 0.572916666667, 0.4716666667),
    ],
)
def test_uniform(low: float, high: float, alpha: float, gamma: float, printed: float) -> None:
    assert strong.gamma_uniform(alpha, low, high) == pytest.approx(gamma, abs=1e-9)
    assert strong.gamma_uniform_in_print(alpha, low, high) == pytest.approx(printed, abs=1e-9)
    assert strong.gamma(flat(low, high), alpha) == pytest.approx(gamma, abs=2e-6)


@pytest.mark.parametrize(
    ("u", "v", "gamma", "printed"),
    [
        (2, 2, 0.65, 0.5105572809),
        (2, 5, 0.53214586245, 0.2359526461),
        (0.5, 0.5, 0.436338022763, 0.2585786438),
    ],
)
def test_beta(u: float, v: float, gamma: float, printed: float) -> None:
    assert strong.gamma(Beta(u, v), 0.1) == pytest.approx(gamma, abs=1e-9)
    assert strong.gamma_beta_in_print(0.1, u, v) == pytest.approx(printed, abs=1e-9)
    if min(u, v) >= 1:
        density = density_of(lambda p: (1 + p) ** (u - 1) * (1 - p) ** (v - 1))
        assert strong.gamma(density, 0.1) == pytest.approx(gamma, abs=1e-6)


def test_reciprocal_gaussian_and_atoms() -> None:
    assert strong.gamma_reciprocal(0.5, 0.85) == pytest.approx(0.278628520877, abs=1e-9)
    density = density_of(lambda p: 1 / (1 - p**2), -0.85, 0.85)
    assert strong.gamma(density, 0.5) == pytest.approx(0.278628520877, abs=1e-6)
    assert strong.gamma_gaussian(0.1, 0.5) == pytest.approx(0.25 * 0.9)
    assert strong.gamma_gaussian(0.1, 1.0, strong.variation(flat(-0.5, 0.5))) == pytest.approx(0.8)
    two = Atoms([-0.5, 0.5])
    assert strong.gamma(two, 0.0) == 0.75
    assert strong.gamma(two, 1e-9) == -math.inf


@pytest.mark.parametrize(
    ("eta", "gamma"), [(0.25, 2 / 3), (0.5, 2 / 3), (0.75, 0.456790123457), (1.0, 5 / 24)]
)
def test_robustly_strong(eta: float, gamma: float) -> None:
    assert strong.robust_gamma_uniform(eta) == pytest.approx(gamma, abs=1e-9)
    assert strong.robust_gamma(flat(), eta) == pytest.approx(gamma, abs=1e-6)


def test_average_error_that_can_be_borne() -> None:
    limit, eta = strong.robust_error_limit(flat(cells=200_000))
    assert limit == pytest.approx(0.368380160, abs=1e-7)
    assert eta == pytest.approx(0.620006, abs=1e-4)
    assert strong.robust_gamma(flat(-0.8, 0.8, 200_000), 0.05) == pytest.approx(-0.0233, abs=3e-4)
    assert strong.robust_error_limit(flat(-0.8, 0.8))[0] == 0.0


def test_best_eta_beats_a_grid_and_refuses_what_nothing_bears() -> None:
    eta, slack = strong.best_eta(flat(), 0.2)
    grid = [strong.robust_gamma_uniform(e) - 0.2 / e for e in np.linspace(0.2, 1.0, 400)]
    assert slack == pytest.approx(max(grid), abs=1e-5)
    assert strong.robust_gamma_uniform(eta) - 0.2 / eta == pytest.approx(slack, abs=1e-6)
    with pytest.raises(InputError, match=r"alpha must be below 0\.3684"):
        strong.best_eta(flat(), 0.37)


@settings(deadline=None, derandomize=True, max_examples=60)
@given(SHAPES, SHAPES, ALPHAS, ALPHAS)
def test_print_is_weaker_and_error_only_costs(u: float, v: float, one: float, two: float) -> None:
    assert strong.gamma_beta_in_print(one, u, v) <= strong.gamma_beta(one, u, v) + 1e-12
    less, more = sorted((one, two))
    assert strong.gamma_beta(more, u, v) <= strong.gamma_beta(less, u, v) <= Beta(u, v).moments()[0] + 1e-12


@settings(deadline=None, derandomize=True, max_examples=60)
@given(st.floats(-1, 0.8), st.floats(0.05, 1.9), ALPHAS)
def test_print_is_weaker_on_intervals(low: float, length: float, alpha: float) -> None:
    high = min(1.0, low + length)
    assert strong.gamma_uniform_in_print(alpha, low, high) <= strong.gamma_uniform(alpha, low, high) + 1e-12


@settings(deadline=None, derandomize=True, max_examples=30)
@given(st.lists(st.floats(0.05, 1), min_size=3, max_size=3), st.floats(0, 0.4), st.integers(0, 2**32 - 1))
def test_no_function_goes_along_less_than_gamma(heights: list[float], alpha: float, seed: int) -> None:
    """Brute force: random smooth answers within alpha never fall below the closed constant."""
    rng = np.random.default_rng(seed)
    a, b, c = heights
    density = density_of(lambda p: a + b * (1 - p**2) + c * (1 + p), cells=4000)
    p, width = density.edges, density.width
    waves = np.sin(np.outer(rng.uniform(0.5, 8, 6), p) + rng.uniform(0, 6, 6)[:, None])
    g = np.clip(p + alpha * np.clip(rng.normal(size=6) @ waves, -1, 1), -1, 1)
    along = float(np.sum(np.diff(g) / width * (1 - density.middles**2) * density.heights) * width)
    assert along >= strong.gamma(density, alpha) - 1e-9


def test_spectrum_recovers_the_law_it_was_drawn_from() -> None:
    rng = np.random.default_rng(5)
    means = 2 * rng.beta(2, 5, 20_000) - 1
    estimate = spectrum_of(means)
    assert estimate.moments()[0] == pytest.approx(np.mean(1 - means**2), abs=0.01)
    assert strong.gamma(estimate, 0.1) == pytest.approx(strong.gamma(Beta(2, 5), 0.1), abs=0.03)
    assert "bandwidth" in estimate.smoothing
    assert "20,000" in estimate.smoothing


def test_less_smoothing_promises_less() -> None:
    means = 2 * np.random.default_rng(6).beta(2, 2, 500) - 1
    values = [strong.gamma(spectrum_of(means, bandwidth=h), 0.1) for h in (0.2, 0.05, 0.01, 0.002)]
    assert values == sorted(values, reverse=True)
    assert values[-1] < 0, "near the atoms themselves nothing is promised"


def test_bad_input() -> None:
    with pytest.raises(InputError, match=r"means must lie in \[-1, 1\]; got 1\.5"):
        spectrum_of([0.1, 1.5])
    with pytest.raises(InputError, match="bandwidth must be at least"):
        spectrum_of([0.25] * 50)
    with pytest.raises(InputError, match="low, high must satisfy"):
        strong.gamma_uniform(0.1, 0.5, 0.5)
    with pytest.raises(InputError, match="alpha must be at least 0"):
        strong.gamma(UNIFORM, -0.1)
    with pytest.raises(InputError, match="formula must give one number"):
        density_of(lambda p: -p)
    with pytest.raises(InputError, match="weights must be 2 numbers"):
        Atoms([0.0, 0.5], [1.0])
    with pytest.raises(InputError, match="u must be above 0"):
        Beta(0, 1)
    with pytest.raises(InputError, match="eta must be above 0"):
        strong.robust_gamma(flat(), 0)
