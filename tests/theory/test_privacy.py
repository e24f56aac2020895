"""Privacy parameters: golden values, dp-accounting as oracle, enumeration, worst cases."""

import math
from collections.abc import Callable
from itertools import combinations, product

import dp_accounting
import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution as pld
from dp_accounting.rdp import rdp_privacy_accountant as rdp
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.errors import InputError
from dalenius.theory import privacy
from dalenius.theory.privacy.sensitivity import Cells, Change, Norm

ORDERS = 1 + np.logspace(-3, 3, 4001)
RHOS = st.floats(1e-4, 20)
PRIORS = st.floats(0.01, 0.99)


# --- golden values


def test_golden() -> None:
    assert privacy.counting_queries_rho(2000, 1000, 0.01) == pytest.approx(10)
    assert privacy.counting_queries_noise(2000, 1000, 0.1) == pytest.approx(0.1)
    assert privacy.gaussian_noise(privacy.query_sensitivity(2000), 0.1) == pytest.approx(100)
    assert privacy.epsilon_from_rho(0.1, 1e-6) == pytest.approx(2.4507880005, abs=1e-10)
    guesses = [privacy.guess_from_rho(rho) for rho in (0.01, 0.1, 1)]
    assert guesses == pytest.approx([0.5281859889, 0.5884683631, 0.7602499389], abs=1e-10)
    assert privacy.power_from_rho(0.01, 0.05) == pytest.approx(0.0663638051, abs=1e-10)
    assert privacy.delta_from_mu(privacy.mu_from_rho(0.01), 0) == pytest.approx(0.056, abs=5e-4)
    advantages = [privacy.advantage_from_rho(0.1, p) for p in (0.5, 0.6, 0.75)]
    assert advantages == pytest.approx([0.088, 0.021, 0.0004], abs=6e-4)


def test_printed_examples_of_theorem_20_are_not_small() -> None:
    assert privacy.counting_queries_rho(50**2, 50, 0.01) == pytest.approx(5000)
    assert privacy.counting_queries_rho(50, 50, 50**-0.5) == pytest.approx(0.5)


# --- conversions against dp-accounting


@pytest.mark.parametrize(("rho", "delta"), [(0.01, 1e-3), (0.1, 1e-6), (1, 1e-5), (5, 1e-9)])
def test_tight_zcdp_conversion(rho: float, delta: float) -> None:
    oracle, _ = rdp.compute_epsilon(ORDERS, ORDERS * rho, delta)
    assert privacy.epsilon_from_rho_tight(rho, delta) == pytest.approx(float(oracle), rel=1e-4)
    assert privacy.epsilon_from_rho_tight(rho, delta) <= oracle * (1 + 1e-9)
    oracle, _ = rdp.compute_delta(ORDERS, ORDERS * rho, 2 * rho + 1)
    assert privacy.delta_from_rho_tight(rho, 2 * rho + 1) == pytest.approx(float(oracle), rel=1e-4)


@pytest.mark.parametrize(("mu", "delta"), [(0.05, 1e-4), (0.4, 1e-6), (1.0, 1e-10), (5.0, 1e-3)])
def test_exact_gaussian_conversion(mu: float, delta: float) -> None:
    epsilon = privacy.epsilon_from_mu(mu, delta)
    assert epsilon == pytest.approx(dp_accounting.get_epsilon_gaussian(1 / mu, delta), rel=1e-6)
    assert privacy.mu_from_epsilon_delta(epsilon, delta) == pytest.approx(mu, rel=1e-8)
    assert 1 / privacy.mu_from_epsilon_delta(1.0, delta) == pytest.approx(
        dp_accounting.get_sigma_gaussian(1.0, delta), rel=1e-6
    )


@settings(deadline=None, derandomize=True, max_examples=50)
@given(RHOS, st.floats(1e-12, 0.1))
def test_conversions_are_ordered_and_invert(rho: float, delta: float) -> None:
    simple, tight = privacy.epsilon_from_rho(rho, delta), privacy.epsilon_from_rho_tight(rho, delta)
    gaussian = privacy.epsilon_from_mu(privacy.mu_from_rho(rho), delta)
    assert 0 <= gaussian <= tight + 1e-9 <= simple + 2e-9
    assert privacy.rho_from_epsilon_delta(simple, delta) == pytest.approx(rho, rel=1e-9)
    assert privacy.delta_from_rho(rho, simple) == pytest.approx(delta, rel=1e-6)
    assert privacy.rho_from_mu(privacy.mu_from_rho(rho)) == pytest.approx(rho)


@settings(deadline=None, derandomize=True, max_examples=50)
@given(RHOS, st.floats(0, 30), st.floats(0.01, 3))
def test_profiles_fall_with_epsilon(rho: float, epsilon: float, more: float) -> None:
    for profile in (privacy.delta_from_rho, privacy.delta_from_rho_tight, privacy.delta_from_mu):
        low, high = profile(rho, epsilon + more), profile(rho, epsilon)
        assert 0 <= low <= high * (1 + 1e-9) <= 1 + 1e-9


def test_large_delta_needs_no_epsilon() -> None:
    assert privacy.epsilon_from_mu(0.01, 0.5) == privacy.epsilon_from_rho_tight(0.01, 0.5) == 0


@pytest.mark.parametrize("epsilon", [0.01, 0.5, 1.0, 3.0, 10.0])
def test_rho_of_randomised_response(epsilon: float) -> None:
    """The worst pure mechanism: its divergence over the order peaks at order 1, at the tight rho."""
    heads = 1 / (1 + math.exp(-epsilon))
    p, q = np.array([heads, 1 - heads]), np.array([1 - heads, heads])
    logs = ORDERS[:, None] * np.log(p) + (1 - ORDERS[:, None]) * np.log(q)
    ratio = np.logaddexp(logs[:, 0], logs[:, 1]) / (ORDERS - 1) / ORDERS
    tight = privacy.rho_from_epsilon_tight(epsilon)
    assert ratio.max() <= tight * (1 + 1e-9)
    assert ratio.max() == pytest.approx(tight, rel=5e-3)
    assert tight < privacy.rho_from_epsilon(epsilon)


# --- composition and groups


def test_composition_of_parts_equals_the_whole() -> None:
    tau = 3.0
    rhos = [privacy.gaussian_rho(delta, tau) for delta in (1.0, 2.0, 2.0)]
    assert privacy.compose_rho(rhos) == pytest.approx(privacy.gaussian_rho(3.0, tau))
    mus = [privacy.mu_from_rho(rho) for rho in rhos]
    assert privacy.rho_from_mu(privacy.compose_mu(mus)) == pytest.approx(privacy.compose_rho(rhos))
    assert privacy.compose_epsilon([0.1] * 10) == pytest.approx(1.0)


@pytest.mark.parametrize(("epsilon", "times"), [(0.05, 200), (0.1, 100), (0.5, 20)])
def test_advanced_composition_against_exact_composition(epsilon: float, times: int) -> None:
    keep_random = 2 / (1 + math.exp(epsilon))  # chance of a fair coin in place of the truth
    exact = pld.from_randomized_response(keep_random, 2).self_compose(times)
    bound, delta = privacy.advanced_composition(epsilon, times, 1e-6)
    assert delta == pytest.approx(1e-6)
    assert exact.get_epsilon_for_delta(1e-6) <= bound <= times * epsilon
    textbook = epsilon * math.sqrt(2 * times * math.log(1e6)) + times * epsilon * math.expm1(epsilon)
    assert bound <= textbook
    assert exact.get_epsilon_for_delta(1e-6) > bound / 2  # half the bound would be broken


def test_advanced_composition_adds_deltas() -> None:
    assert privacy.advanced_composition(0.1, 50, 1e-6, 1e-8)[1] == pytest.approx(1.5e-6, rel=1e-5)
    assert privacy.advanced_composition(1.0, 1, 1e-6)[0] == 1.0


def test_groups() -> None:
    assert privacy.group_mu(privacy.mu_from_rho(0.2), 3) == pytest.approx(
        privacy.mu_from_rho(privacy.group_rho(0.2, 3))
    )
    epsilon, delta = privacy.group_epsilon_delta(0.3, 4, 1e-5)
    chain = 0.0  # P(T) <= e^eps P'(T) + delta, four times
    for _ in range(4):
        chain = math.exp(0.3) * chain + 1e-5
    assert (epsilon, delta) == pytest.approx((1.2, chain))
    assert privacy.group_epsilon_delta(100.0, 50, 1e-5)[1] == 1.0


# --- sensitivities by enumeration


def tables(
    record: tuple[int, ...], k: int, only_secret: bool
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    *public, secret = record
    cells = [
        float(all(public[j] == v for j, v in zip(J, values, strict=True)) and secret == s)
        for J in combinations(range(len(public)), k)
        for values in product((0, 1), repeat=k)
        for s in ((1,) if only_secret else (0, 1))
    ]
    return np.array(cells)


@pytest.mark.parametrize(
    ("cells", "change", "norm"), list(product(("all", "secret"), ("record", "secret"), (1, 2)))
)
def test_table_sensitivity_by_enumeration(cells: Cells, change: Change, norm: Norm) -> None:
    d, k = 4, 2
    worst = 0.0
    for before, after in product(product((0, 1), repeat=d + 1), repeat=2):
        if change == "secret" and before[:-1] != after[:-1]:
            continue
        moved = tables(before, k, cells == "secret") - tables(after, k, cells == "secret")
        worst = max(worst, float(np.linalg.norm(moved, ord=norm)))
    assert privacy.table_sensitivity(d, k, cells=cells, change=change, norm=norm) == pytest.approx(worst)


@pytest.mark.parametrize(
    ("signed", "change", "norm"), list(product((False, True), ("record", "secret"), (1, 2)))
)
def test_query_sensitivity_by_enumeration(signed: bool, change: Change, norm: Norm) -> None:
    entries = (-1.0, 1.0) if signed else (0.0, 1.0)
    people = list(product(product(entries, repeat=3), (0.0, 1.0)))
    worst = max(
        float(np.linalg.norm(np.array(a) * s - np.array(b) * t, ord=norm))
        for (a, s), (b, t) in product(people, people)
        if change == "record" or a == b
    )
    assert privacy.query_sensitivity(3, signed=signed, change=change, norm=norm) == pytest.approx(worst)


def test_noise_keeps_its_promise() -> None:
    assert privacy.gaussian_rho(4.0, privacy.gaussian_noise(4.0, 0.3)) == pytest.approx(0.3)
    assert 3.0 / privacy.laplace_scale(3.0, 0.5) == pytest.approx(0.5)


# --- tests and guesses


def test_power_of_randomised_response_is_reached() -> None:
    epsilon = 1.0
    level = 1 / (1 + math.exp(epsilon))
    assert privacy.power_from_epsilon(epsilon, level) == pytest.approx(1 - level)
    assert privacy.guess_from_epsilon(epsilon) == pytest.approx(1 - level)


@pytest.mark.parametrize(("epsilon", "delta"), [(0.3, 0.0), (1.0, 1e-3), (2.0, 0.2)])
def test_power_of_the_worst_mechanism_is_reached(epsilon: float, delta: float) -> None:
    """Reveal with chance delta, else randomised response: its best tests, in order of evidence."""
    heads = (1 - delta) / (1 + math.exp(-epsilon))
    levels, powers = (0.0, 1 - delta - heads, 1 - delta, 1.0), (delta, delta + heads, 1.0, 1.0)
    for level in np.linspace(0, 1, 41):
        best = np.interp(level, levels, powers)
        assert privacy.power_from_epsilon(epsilon, float(level), delta) == pytest.approx(float(best))


def test_rho_alone_does_not_promise_what_gaussian_noise_does() -> None:
    """Randomised response is rho-zCDP, beats the Gaussian formulas and obeys the general ones."""
    rho, level = privacy.rho_from_epsilon_tight(1.0), 1 / (1 + math.e)
    assert privacy.power_from_rho(rho, level) < 1 - level <= privacy.power_from_zcdp(rho, level)
    assert privacy.guess_from_rho(rho) < 1 - level <= privacy.guess_from_zcdp(rho)


@settings(deadline=None, derandomize=True, max_examples=50)
@given(RHOS, st.floats(0.001, 0.999))
def test_powers_are_ordered(rho: float, level: float) -> None:
    gaussian = privacy.power_from_rho(rho, level)
    assert level <= gaussian <= privacy.power_from_zcdp(rho, level) * (1 + 1e-6) <= 1 + 1e-6


@pytest.mark.parametrize("rho", [0.02, 0.3])
def test_zcdp_power_stays_within_the_dp_region(rho: float) -> None:
    power = privacy.power_from_zcdp(rho, 0.05)
    assert 0.05 < power < 1
    slack = power * 0.999
    for a in (1.5, 2.0, 5.0, 20.0):
        moment = slack**a * 0.05 ** (1 - a) + (1 - slack) ** a * 0.95 ** (1 - a)
        assert math.log(moment) / (a - 1) <= a * rho


def test_power_of_gaussian_noise_by_simulation() -> None:
    rng, mu, level = np.random.default_rng(1), 0.8, 0.1
    z = rng.standard_normal(100_000)
    threshold = np.quantile(z, 1 - level)
    assert np.mean(z + mu > threshold) == pytest.approx(privacy.power_from_mu(mu, level), abs=0.008)


@pytest.mark.parametrize("prior", [0.5, 0.3, 0.9])
def test_guess_by_simulation(prior: float) -> None:
    rng, mu = np.random.default_rng(2), 1.1
    bits = rng.random(200_000) < prior
    seen = mu * bits + rng.standard_normal(200_000)
    guess = mu * seen - mu**2 / 2 + math.log(prior / (1 - prior)) > 0  # the posterior odds
    assert np.mean(guess == bits) == pytest.approx(privacy.guess_from_mu(mu, prior), abs=0.004)


@settings(deadline=None, derandomize=True, max_examples=50)
@given(st.floats(0.01, 8), PRIORS)
def test_guess_formula_as_printed(mu: float, p: float) -> None:
    odds = math.log(p / (1 - p))
    phi = lambda x: 0.5 * math.erfc(-x / 2**0.5)  # noqa: E731
    direct = p * phi(mu / 2 + odds / mu) + (1 - p) * phi(mu / 2 - odds / mu)
    assert privacy.guess_from_mu(mu, p) == pytest.approx(direct, abs=1e-12)


@settings(deadline=None, derandomize=True, max_examples=50)
@given(st.floats(0.01, 10), PRIORS, st.sampled_from([0.0, 1e-6, 0.1]))
def test_guess_under_epsilon_by_enumeration(epsilon: float, p: float, delta: float) -> None:
    """Worst mechanism: reveal with chance delta, else randomised response; guess the likelier bit."""
    keep = (1 - delta) / (1 + math.exp(-epsilon))
    given_one, given_zero = (delta, 0.0, keep, 1 - delta - keep), (0.0, delta, 1 - delta - keep, keep)
    best = sum(max(p * a, (1 - p) * b) for a, b in zip(given_one, given_zero, strict=True))
    assert privacy.guess_from_epsilon(epsilon, p, delta) == pytest.approx(best, abs=1e-12)


@settings(deadline=None, derandomize=True, max_examples=50)
@given(RHOS, st.floats(1.01, 3), PRIORS)
def test_guesses_grow_with_rho_and_are_symmetric(rho: float, factor: float, p: float) -> None:
    guesses: tuple[Callable[[float, float], float], ...] = (
        privacy.guess_from_rho,
        privacy.guess_from_zcdp,
        privacy.guess_from_epsilon,
    )
    for guess in guesses:
        assert max(p, 1 - p) <= guess(rho, p) <= guess(rho * factor, p) + 1e-12 <= 1 + 2e-12
        assert guess(rho, p) == pytest.approx(guess(rho, 1 - p))


def test_levels_at_the_ends() -> None:
    for level in (0.0, 1.0):
        assert privacy.power_from_mu(1.0, level) == privacy.power_from_zcdp(1.0, level) == level
        assert privacy.power_from_epsilon(1.0, level) == level
    assert privacy.power_from_epsilon(1.0, 0.0, 0.01) == 0.01


# --- bad input


@pytest.mark.parametrize("bad", [0, -1.0, float("nan"), float("inf"), "one", None])
@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("epsilon", privacy.rho_from_epsilon),
        ("epsilon", privacy.rho_from_epsilon_tight),
        ("epsilon", lambda x: privacy.rho_from_epsilon_delta(x, 1e-6)),
        ("epsilon", lambda x: privacy.mu_from_epsilon_delta(x, 1e-6)),
        ("epsilon", lambda x: privacy.laplace_scale(1.0, x)),
        ("epsilon", lambda x: privacy.power_from_epsilon(x, 0.05)),
        ("epsilon", privacy.guess_from_epsilon),
        ("epsilon", lambda x: privacy.compose_epsilon([1.0, x])),
        ("epsilon", lambda x: privacy.advanced_composition(x, 3, 1e-6)),
        ("epsilon", lambda x: privacy.group_epsilon_delta(x, 3)),
        ("rho", lambda x: privacy.epsilon_from_rho(x, 1e-6)),
        ("rho", lambda x: privacy.epsilon_from_rho_tight(x, 1e-6)),
        ("rho", lambda x: privacy.delta_from_rho(x, 1.0)),
        ("rho", privacy.mu_from_rho),
        ("rho", privacy.guess_from_rho),
        ("rho", privacy.guess_from_zcdp),
        ("rho", lambda x: privacy.power_from_zcdp(x, 0.05)),
        ("rho", lambda x: privacy.gaussian_noise(1.0, x)),
        ("rho", lambda x: privacy.compose_rho([x])),
        ("rho", lambda x: privacy.group_rho(x, 2)),
        ("mu", privacy.rho_from_mu),
        ("mu", privacy.guess_from_mu),
        ("tau", lambda x: privacy.gaussian_rho(1.0, x)),
        ("sensitivity", lambda x: privacy.gaussian_noise(x, 1.0)),
    ],
)
def test_parameters_must_be_positive(name: str, call: Callable[[float], object], bad: float) -> None:
    with pytest.raises(InputError, match=rf"^{name} must be .*; got "):
        call(bad)


@pytest.mark.parametrize("bad", [0.0, 1.0, -1e-6, 2.0, float("nan")])
def test_delta_must_be_inside_the_unit_interval(bad: float) -> None:
    for call in (privacy.epsilon_from_rho, privacy.epsilon_from_rho_tight, privacy.epsilon_from_mu):
        with pytest.raises(InputError, match=r"^delta must"):
            call(1.0, bad)
    for call in (privacy.rho_from_epsilon_delta, privacy.mu_from_epsilon_delta):
        with pytest.raises(InputError, match=r"^delta must"):
            call(1.0, bad)
    with pytest.raises(InputError, match=r"^prior must"):
        privacy.guess_from_rho(1.0, bad)


def test_bad_words_and_sizes() -> None:
    with pytest.raises(InputError, match="k must be at most d = 3"):
        privacy.table_sensitivity(3, 4)
    with pytest.raises(InputError, match="cells must be one of"):
        privacy.table_sensitivity(3, 1, cells="some")
    with pytest.raises(InputError, match="change must be one of"):
        privacy.query_sensitivity(3, change="person")
    with pytest.raises(InputError, match="norm must be 1 or 2"):
        privacy.query_sensitivity(3, norm=3)
    with pytest.raises(InputError, match="level must lie between 0 and 1"):
        privacy.power_from_mu(1.0, 1.5)
    with pytest.raises(InputError, match="delta must"):
        privacy.guess_from_epsilon(1.0, 0.5, 1.0)
    with pytest.raises(InputError, match="size must be at least 1"):
        privacy.group_rho(1.0, 0)
