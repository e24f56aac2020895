"""Mechanisms of counts: golden values, brute force over all datasets, the least traceable one."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.errors import InputError
from dalenius.theory.tracing import strong_distributions as strong
from dalenius.theory.tracing.count_mechanisms import (
    average_error,
    count_probabilities,
    count_weights,
    effective_gamma,
    effective_omega,
    effective_square,
    sample_means,
    worst_case,
)
from dalenius.theory.tracing.priors import UNIFORM, Atoms, Beta, Prior, density_of

TWO = Atoms([-0.5, 0.5])


def sign(n: int) -> np.ndarray:
    return np.sign(sample_means(n))


def test_golden() -> None:
    for n in (1, 7, 100):
        assert effective_gamma(sample_means(n)) == pytest.approx(2 / 3)
        assert effective_gamma(sample_means(n), TWO) == pytest.approx(0.75)
    assert effective_gamma(sign(101)) == pytest.approx(102 / 103)
    assert effective_gamma(sign(20)) == pytest.approx(20 / 21)
    for n, gamma in ((20, 0.0992227527968), (51, 0.00161590848062), (101, 1.7071439939e-06)):
        assert effective_gamma(sign(n) / 2, TWO) == pytest.approx(gamma, rel=1e-9)
    exact = sample_means(20)
    assert effective_gamma(np.round(exact / 0.5) * 0.5) == pytest.approx(0.683982683983)
    exact = sample_means(50)
    flip = np.where(np.abs(exact) <= 0.77, exact, -np.sign(exact))
    assert effective_gamma(flip) == pytest.approx(-0.109200603318)
    assert average_error(flip) == pytest.approx(0.447058823529)


@pytest.mark.parametrize(
    ("n", "alpha", "gamma"),
    [
        (10, 0.1, 0.570692627213),
        (10, 0.333333, 0.348081474188),
        (20, 0.333333, 0.340202702854),
        (20, 0.5, 0.178395838398),
    ],
)
def test_worst_case_golden(n: int, alpha: float, gamma: float) -> None:
    assert worst_case(n, alpha).gamma == pytest.approx(gamma, abs=1e-5)


@pytest.mark.parametrize("prior", [TWO, Atoms([0.3, -0.9, 0.1], [2, 1, 1])])
def test_brute_force_over_all_datasets(prior: Atoms) -> None:
    n = 4
    rng = np.random.default_rng(2)
    outputs = rng.uniform(-1, 1, n + 1)
    gamma = omega = square = error = 0.0
    for p, weight in zip(*prior.points(), strict=True):
        for x in product((-1, 1), repeat=n):
            chance = weight * np.prod([(1 + p * value) / 2 for value in x])
            q = outputs[x.count(1)]
            gamma += chance * q * (sum(x) - n * p)
            omega += chance * (1 - p**2) * q**2
            square += chance * q**2
            error += chance * abs(q - sum(x) / n)
    assert effective_gamma(outputs, prior) == pytest.approx(gamma)
    assert effective_omega(outputs, prior) == pytest.approx(omega)
    assert effective_square(outputs, prior) == pytest.approx(square)
    assert average_error(outputs, prior) == pytest.approx(error)


@pytest.mark.parametrize("n", [1, 5, 40])
def test_beta_agrees_with_its_density(n: int) -> None:
    prior, density = Beta(2, 3), density_of(lambda p: (1 + p) * (1 - p) ** 2)
    assert count_weights(n, prior) == pytest.approx(count_weights(n, density), abs=1e-7)
    assert count_probabilities(n, prior) == pytest.approx(count_probabilities(n, density), abs=1e-7)
    outputs = np.cos(np.arange(n + 1))
    assert effective_omega(outputs, prior) == pytest.approx(effective_omega(outputs, density), abs=1e-7)
    k = np.arange(n + 1)
    assert count_weights(n) == pytest.approx(2 * (2 * k - n) / ((n + 1) * (n + 2)))


@settings(deadline=None, derandomize=True, max_examples=15)
@given(st.integers(2, 12), st.floats(0, 0.5), st.sampled_from([UNIFORM, Beta(2, 2)]))
def test_worst_case_is_accurate_and_no_worse_than_theory_allows(n: int, alpha: float, prior: Prior) -> None:
    found = worst_case(n, alpha, prior, points=401)
    p = np.linspace(-1, 1, 1001)
    bias = np.array([count_probabilities(n, Atoms([mean])) @ found.outputs - mean for mean in p])
    assert np.abs(bias).max() <= alpha + 1e-3
    assert np.abs(found.outputs).max() <= 1
    assert strong.gamma(prior, alpha) - 1e-6 <= found.gamma <= prior.moments()[0] + 1e-9


def test_worst_case_without_error_is_the_mean_and_falls_with_n() -> None:
    assert worst_case(6, 0.0).outputs == pytest.approx(sample_means(6), abs=1e-6)
    gammas = [worst_case(n, 0.25).gamma for n in (5, 20, 60)]
    assert gammas == sorted(gammas, reverse=True)
    assert gammas[-1] == pytest.approx(strong.gamma(UNIFORM, 0.25), abs=5e-3)


def test_bad_input() -> None:
    with pytest.raises(InputError, match=r"outputs must hold n \+ 1 numbers"):
        effective_gamma([0.5])
    with pytest.raises(InputError, match="n must be at most 2000"):
        worst_case(5000, 0.1)
    with pytest.raises(InputError, match="alpha must be at least 0"):
        worst_case(5, -0.1)
    with pytest.raises(InputError, match="n must be at least 1"):
        sample_means(0)
