"""The posterior decoder against every secret vector there is, its calibration, and the other decoders."""

from __future__ import annotations

import numpy as np
import pytest

from dalenius.errors import UnsupportedError
from dalenius.reconstruction.attack.attack import reconstruct
from dalenius.reconstruction.attack.decoders import exhaustive, posterior
from dalenius.statistics.counts.subsets import random_subsets
from dalenius.statistics.tables import tables_of

RNG = np.random.default_rng(0)


def exact_marginals(A, answers, sd: float, prior: float) -> np.ndarray:
    """Average over all 2^n secrets, weighed by Gaussian likelihood and prior."""
    n = A.shape[1]
    every = (np.arange(2**n)[:, None] >> np.arange(n)[None, :]) & 1
    log_weight = -0.5 * ((every @ A.T - answers) ** 2).sum(axis=1) / sd**2
    log_weight += every.sum(axis=1) * np.log(prior / (1 - prior))
    weight = np.exp(log_weight - log_weight.max())
    return weight @ every / weight.sum()


def noisy_system(linear, seed: int, n: int, m: int, sd: float, prior: float):
    rng = np.random.default_rng(seed)
    A = rng.integers(0, 2, (m, n)).astype(float)
    secrets = (rng.random(n) < prior).astype(int)
    answers = A @ secrets + rng.normal(0, sd, m)
    return linear(A, answers, sd=sd, shape="gaussian", prior=prior), A, answers, secrets


@pytest.mark.parametrize(
    ("n", "m", "sd", "prior"),
    [
        pytest.param(8, 16, 1.0, 0.5, marks=pytest.mark.slow(beside="test_marginals_agree_with_enumeration")),
        (8, 16, 2.0, 0.5),
        (10, 12, 1.5, 0.3),
        pytest.param(
            12, 24, 1.0, 0.2, marks=pytest.mark.slow(beside="test_marginals_agree_with_enumeration")
        ),
        (12, 48, 3.0, 0.5),
        pytest.param(12, 8, 1.0, 0.5, marks=pytest.mark.slow(beside="test_marginals_agree_with_enumeration")),
    ],
)
def test_marginals_agree_with_enumeration(n, m, sd, prior, linear):
    misses, brute = [], []
    for seed in range(12):
        system, A, answers, _ = noisy_system(linear, seed, n, m, sd, prior)
        exact = exact_marginals(A, answers, sd, prior)
        misses.append(np.abs(posterior.decode(system, rng=RNG).share - exact).mean())
        brute.append(np.abs(exhaustive.decode(system, rng=RNG).share - exact).max())
    assert max(brute) < 1e-9  # the exhaustive decoder is the same average, compiled
    assert np.mean(misses) < 0.03


def test_the_prior_counts(linear):
    """With answers that say next to nothing, probabilities stay at the prior; a planted 1/2 would not."""
    system, *_ = noisy_system(linear, 3, 12, 4, 50.0, 0.1)
    for decoder in (posterior, exhaustive):
        share = decoder.decode(system, rng=RNG).share
        assert np.abs(share - 0.1).max() < 0.05


def test_groups_are_whole_sums(linear):
    """Three people who are not told apart: their sum has a binomial prior and is a whole number."""
    system = linear([[1, 0], [1, 1]], [2.1, 2.2], sd=0.8, shape="gaussian", sizes=[3, 2], prior=0.4)
    sums = np.array([[a, b] for a in range(4) for b in range(3)])
    ways = np.array([[1, 3, 3, 1][a] * [1, 2, 1][b] for a, b in sums])
    log_weight = np.log(ways) + sums.sum(axis=1) * np.log(0.4 / 0.6)
    log_weight -= 0.5 * ((sums @ np.array([[1, 1], [0, 1]]) - [2.1, 2.2]) ** 2).sum(axis=1) / 0.8**2
    weight = np.exp(log_weight - log_weight.max())
    expected = weight @ sums / weight.sum() / [3, 2]
    assert np.allclose(exhaustive.decode(system, rng=RNG).share, expected)
    assert np.abs(posterior.decode(system, rng=RNG).share - expected).max() < 0.05


def calibration_error(probability: np.ndarray, outcome: np.ndarray, bins: int = 10) -> float:
    """Expected calibration error: average distance of stated and observed frequency, weighed by people."""
    which = np.minimum((probability * bins).astype(int), bins - 1)
    gaps = [
        (which == b).mean() * abs(probability[which == b].mean() - outcome[which == b].mean())
        for b in np.unique(which)
    ]
    return float(sum(gaps))


def stated_and_true(
    people, view, mechanism: str, m: int, *, n: int = 80, seeds: int = 12, decoder="posterior"
):
    stated, true = [], []
    for seed in range(seeds):
        rng = np.random.default_rng(7000 + seed)
        roster = people(np.zeros((n, 0)))
        secrets = (rng.random(n) < 0.4).astype(int)
        asked = random_subsets(roster.ids, m, rng=rng)
        seen = view([asked], roster, secrets, mechanism, seed=seed)
        got = reconstruct(seen, decoder=decoder, rng=rng, calibrated=False)
        stated.append(got.probability[:, 1])
        true.append(secrets)
    return np.concatenate(stated), np.concatenate(true)


@pytest.mark.parametrize(
    ("mechanism", "m"),
    [
        ("gaussian:sigma=3", 160),
        pytest.param(
            "gaussian:sigma=6", 320, marks=pytest.mark.slow(beside="test_probabilities_are_calibrated")
        ),
        pytest.param(
            "laplace:scale=3", 160, marks=pytest.mark.slow(beside="test_probabilities_are_calibrated")
        ),
        pytest.param(
            "gaussian:sigma=9", 100, marks=pytest.mark.slow(beside="test_probabilities_are_calibrated")
        ),
    ],
)
def test_probabilities_are_calibrated(mechanism, m, people, view):
    stated, true = stated_and_true(people, view, mechanism, m)
    assert calibration_error(stated, true) < 0.05


def test_overconfident_probabilities_would_be_noticed(people, view):
    stated, true = stated_and_true(people, view, "gaussian:sigma=6", 160)
    odds = stated / (1 - stated)
    assert calibration_error(stated, true) < 0.05
    assert calibration_error(odds**3 / (1 + odds**3), true) > 0.05


DECODERS = ["least-squares", "box", "lp", "posterior"]


@pytest.mark.parametrize(
    ("mechanism", "m"),
    [
        ("gaussian:sigma=4", 120),
        pytest.param(
            "gaussian:sigma=6",
            240,
            marks=pytest.mark.slow(beside="test_no_other_decoder_does_better_at_the_same_number_of_queries"),
        ),
        pytest.param(
            "laplace:scale=3",
            160,
            marks=pytest.mark.slow(beside="test_no_other_decoder_does_better_at_the_same_number_of_queries"),
        ),
    ],
)
def test_no_other_decoder_does_better_at_the_same_number_of_queries(mechanism, m, people, view):
    right = {}
    for decoder in DECODERS:
        stated, true = stated_and_true(people, view, mechanism, m, n=60, seeds=20, decoder=decoder)
        right[decoder] = np.mean((stated >= 0.5) == true)
    assert right["posterior"] >= max(right[d] for d in DECODERS) - 0.01
    assert right["posterior"] > right["least-squares"]


def test_tables_with_noise(people, view):
    """Rows of many tables: at least as good as the best linear rule, on average."""
    from dalenius.reconstruction.attack.system.build import build

    linear_rule, whole = [], []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        roster = people(rng.integers(0, 2, (80, 24)))
        secrets = rng.integers(0, 2, 80)
        seen = view([tables_of(roster.attributes.columns, 2)], roster, secrets, "gaussian:sigma=4", seed=seed)
        system = build(seen).systems[0]
        linear_rule.append(np.mean((posterior.State(system).gaussian()[0] >= 0.5 * system.sizes) == secrets))
        whole.append(np.mean((posterior.decode(system, rng=rng).share >= 0.5) == secrets))
    assert np.mean(whole) >= np.mean(linear_rule)


def test_too_many_unknowns_are_refused(linear, monkeypatch):
    monkeypatch.setattr(posterior, "SIDE_LIMIT", 3)
    with pytest.raises(
        UnsupportedError, match=r"takes 3 unknowns.* 4 answers about 4 unknowns; use box or least"
    ):
        posterior.decode(linear(np.eye(4), np.ones(4)), rng=RNG)


def test_rows_and_unknowns_give_the_same_posterior(linear, monkeypatch):
    rng = np.random.default_rng(3)
    A = rng.integers(0, 2, (12, 30))
    for sd, shape in ((2.0, "gaussian"), (np.nan, "unknown")):
        system = linear(A, A @ rng.integers(0, 2, 30) + rng.normal(0, 2.0, 12), sd=sd, shape=shape)
        by_rows = posterior.decode(system, rng=RNG).share
        monkeypatch.setattr(posterior, "FEW_ROWS", np.inf)
        by_unknowns = posterior.decode(system, rng=RNG).share
        monkeypatch.undo()
        np.testing.assert_allclose(by_rows, by_unknowns, atol=2e-4)


def test_few_answers_about_very_many_people_have_a_posterior(linear):
    A = np.zeros((2, 7_000))
    A[0, :3_500] = 1
    A[1, 3_500:] = 1
    share = posterior.decode(linear(A, [700, 2_800], sd=1.0, shape="gaussian"), rng=RNG).share
    assert abs(share[0] - 0.2) < 0.01
    assert abs(share[-1] - 0.8) < 0.01
