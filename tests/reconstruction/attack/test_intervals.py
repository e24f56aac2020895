"""Probabilities inside the intervals of several values, and Laplace noise about yes/no secrets as it is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import brentq, linprog

from dalenius.reconstruction.attack.cost import LOOKS, predict, predict_all
from dalenius.reconstruction.attack.decoders import (
    chains,
    intervals,
    posterior,
    posterior_together,
)
from dalenius.reconstruction.attack.decoders.intervals import Intervals
from dalenius.reconstruction.attack.decoders.posterior_together import decode_together, propagate_together
from dalenius.reconstruction.attack.system.build import all_values, build
from dalenius.reconstruction.attack.system.system import trimmed
from dalenius.statistics.tables import tables_of

RNG = np.random.default_rng(0)


@pytest.fixture
def no_chains(monkeypatch):
    """Where they would take too long, or disagree."""
    monkeypatch.setattr(chains, "applies", lambda systems: False)


def one_row(linear, low, high, prior):
    """A count of all people who have the first of two values, between two ends; the second is free."""
    n = prior.size
    first = replace(linear(np.ones((1, n)), [low], low=[low], high=[high]), prior=prior)
    second = replace(linear(np.ones((1, n)), [0.0], low=[0.0], high=[float(n)]), prior=1 - prior)
    return Intervals([first, second])


def test_everybodys_odds_get_the_same_factor_until_the_count_is_inside(linear):
    prior = np.random.default_rng(1).uniform(0.05, 0.6, 12)
    inside = one_row(linear, 7.0, 9.0, prior)

    def tilted(factor):
        return prior * factor / (prior * factor + 1 - prior)

    factor = brentq(lambda f: tilted(f).sum() - 7.0, 1e-6, 1e6)
    found = inside.nearest(inside.prior)
    assert np.allclose(found[0], tilted(factor), atol=1e-4)
    assert np.allclose(found.sum(axis=0), 1.0)


def test_probabilities_that_agree_stay_as_they_are(linear):
    prior = np.full(10, 0.4)
    inside = one_row(linear, 3.0, 5.0, prior)
    assert np.allclose(inside.nearest(inside.prior)[0], prior)
    assert np.allclose(inside.centred(inside.prior)[0].centre, 4.0)


@pytest.mark.usefixtures("no_chains")
def test_what_is_known_stays_known_and_groups_keep_their_sums(linear):
    A, sizes = np.ones((1, 4)), [1, 1, 3, 2]
    systems = [linear(A, [2.0], low=[1.0], high=[3.0], prior=1 / 3, sizes=sizes) for _ in range(3)]
    least, most = np.array([1, 0, 0, 0]), np.array([1, 1, 3, 2])
    others = [system.tightened(0 * most, np.array([0, 1, 3, 2])) for system in systems[1:]]
    systems = [systems[0].tightened(least, most), *others]
    found, notes = decode_together(systems, rng=RNG)
    assert [share.size for share in found] == [3, 3, 3]
    assert np.allclose(np.sum(found, axis=0), 1.0, atol=0.02)
    assert "inside all intervals" in notes[0]


def test_intervals_that_contradict_each_other_end(linear):
    """Rows that nobody can meet ask for factors without end: what is stated is still probabilities."""
    rows = np.ones((2, 5))
    systems = [linear(rows, [1.0, 4.0], low=[0.0, 4.0], high=[1.0, 5.0], prior=1 / 3) for _ in range(3)]
    inside = Intervals(systems)
    found = inside.nearest(inside.prior)
    assert np.isfinite(found).all()
    assert np.allclose(found.sum(axis=0), 1.0)


def test_only_intervals_of_counts_are_read_so(linear):
    assert intervals.applies([linear(np.eye(3), np.ones(3))] * 3)
    assert not intervals.applies([linear(np.eye(3), np.ones(3), sd=1.0, shape="gaussian")] * 3)
    shares = replace(linear(np.eye(3), np.ones(3)), counting=np.zeros(3, np.bool_))
    assert not intervals.applies([shares] * 3)


def rounded(people, view, seed, mechanism, n=300, values=7):
    """People of whom nothing is known beforehand, all tables of two of five public columns."""
    rng = np.random.default_rng(seed)
    common = rng.standard_normal((n, 2))
    codes = []
    for size in (2, 3, 4, 5, 7):
        score = common @ rng.standard_normal(2) + rng.standard_normal(n)
        codes.append(np.searchsorted(np.quantile(score, np.arange(1, size) / size), score))
    score = common @ rng.standard_normal((2, values)) - 0.3 * np.arange(values)
    secrets = (score + rng.gumbel(size=score.shape)).argmax(axis=1)
    roster = people(np.stack(codes, axis=1))
    tables = [tables_of(roster.attributes.columns, 2)]
    return view(tables, roster, secrets, mechanism, levels=tuple("abcdefg"), seed=seed), secrets


def by_one_program(problem):
    """Shares of all values that miss the intervals least, by HiGHS."""
    system = all_values(problem, problem.systems)
    A = sparse.csr_array(system.A.explicit())
    m, n = A.shape
    miss = sparse.eye_array(m, format="csr")
    rows = sparse.vstack([sparse.hstack([A, -miss]), sparse.hstack([-A, -miss])], format="csr")
    solved = linprog(
        np.concatenate([np.zeros(n), np.ones(m)]),
        A_ub=rows,
        b_ub=np.concatenate([system.high, -system.low]),
        bounds=[*zip(system.least, system.most, strict=True), *[(0, None)] * m],
        method="highs-ipm",
    )
    return solved.x[:n].reshape(len(problem.systems), -1).argmax(axis=0)[problem.group]


def test_rounded_to_base_3_at_least_as_many_as_one_program_over_all_values(people, view):
    """Propagation alone, which reads intervals as noise about their middles, would not pass."""
    ours, alone, theirs = [], [], []
    for seed in (1, 2):
        seen, secrets = rounded(people, view, seed, "rounding:base=3")
        problem = build(seen)
        found, _ = decode_together(problem.systems, rng=RNG)
        ours.append(np.stack(found).argmax(axis=0)[problem.group] == secrets)
        noise, _ = propagate_together(problem.systems)
        alone.append(np.stack(noise).argmax(axis=0)[problem.group] == secrets)
        theirs.append(by_one_program(problem) == secrets)
    assert np.mean(ours) >= np.mean(theirs)
    assert np.mean(alone) < np.mean(theirs)


def known_beforehand(people, view, seed, mechanism, *, levels, shape, names="ab"):
    """People whose chances are known to the attack, secrets drawn from them, and many small cells."""
    rng = np.random.default_rng(seed)
    n = 100 if len(names) > 2 else 120
    codes = np.stack([np.minimum(rng.geometric(0.3, n), size) - 1 for size in levels], axis=1)
    roster = people(codes, levels)
    prior = rng.dirichlet(np.full(len(names), shape), n)
    secrets = (prior.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1)
    tables = [tables_of(roster.attributes.columns, 2)]
    return view(tables, roster, secrets, mechanism, levels=tuple(names), seed=seed, prior=prior), secrets


def too_sure(stated, right, low, high):
    """Whether people stated between these are right less often, beyond 0.02 and two standard errors."""
    these = (stated >= low) & (stated < high)
    assert these.sum() >= 50
    expected = stated[these]
    error = 2 * np.sqrt((expected * (1 - expected)).sum()) / these.sum()
    return bool(expected.mean() - right[these].mean() > 0.02 + error)


def as_decoders_read(problem):
    """Systems without rows that exclude nothing."""
    return [trimmed(system, np.zeros(system.unknowns, np.bool_)) for system in problem.systems]


def decoded_intervals(people, view, mechanism="rounding:base=10", change=lambda system: system):
    """What is held likely of every value of people of five releases, and the value that they have."""
    held, true = [], []
    for seed in range(5):
        seen, secrets = known_beforehand(
            people, view, seed, mechanism, levels=[6] * 5, shape=0.8, names="abcd"
        )
        problem = build(seen)
        found, _ = decode_together([change(s) for s in as_decoders_read(problem)], rng=RNG)
        share = np.stack(found, axis=1)[problem.group]
        held.append(share / share.sum(axis=1, keepdims=True))
        true.append(secrets)
    return np.concatenate(held), np.concatenate(true)


def stated_of_intervals(*arguments, **how):
    held, true = decoded_intervals(*arguments, **how)
    return held.max(axis=1), held.argmax(axis=1) == true


def likelihood(held, true):
    """Mean logarithm of what is held likely of the value that people have."""
    return float(np.log(held[np.arange(true.size), true]).mean())


def test_what_is_stated_of_intervals_is_right_as_often(people, view, monkeypatch):
    """By chains, and by turns where intervals are narrow; chains hold the truth likelier."""
    held, true = decoded_intervals(people, view)
    stated, right = held.max(axis=1), held.argmax(axis=1) == true
    assert not too_sure(stated, right, 0.8, 1.1)
    assert not too_sure(stated, right, 0.6, 0.8)
    monkeypatch.setattr(chains, "applies", lambda systems: False)
    assert likelihood(held, true) > likelihood(*decoded_intervals(people, view)) + 0.02
    narrow = stated_of_intervals(people, view, "rounding:base=5")
    assert not any(too_sure(*narrow, *ends) for ends in ((0.99, 1.1), (0.9, 0.99), (0.7, 0.9)))


def test_intervals_read_as_their_middles_would_be_noticed(people, view, monkeypatch):
    monkeypatch.setattr(chains, "NARROW", -1.0)
    monkeypatch.setattr(chains, "SURER", 1.0)

    def middle(system):
        return replace(system, low=np.floor(system.centre), high=np.floor(system.centre))

    stated, right = stated_of_intervals(people, view, change=middle)
    assert too_sure(stated, right, 0.9, 1.1)


@pytest.mark.usefixtures("no_chains")
def test_what_propagation_decides_inside_intervals_would_be_noticed(people, view, monkeypatch):
    """Without the probabilities nearest to the prior people held at 0.98 are right in two thirds."""
    monkeypatch.setattr(posterior_together, "NEAREST_PRIOR", 0.0)
    stated, right = stated_of_intervals(people, view, "rounding:base=5")
    assert too_sure(stated, right, 0.9, 0.99)
    assert too_sure(stated, right, 0.99, 1.1)


def stated_of_yes_or_no(people, view):
    stated, right = [], []
    for seed in range(4):
        seen, secrets = known_beforehand(people, view, seed, "rounding:base=10", levels=[6] * 5, shape=1.0)
        problem = build(seen)
        system = as_decoders_read(problem)[0]
        found = posterior.decode(system, rng=np.random.default_rng(1)).share[problem.group]
        stated.append(np.maximum(found, 1 - found))
        right.append((found > 0.5) == secrets)
    return np.concatenate(stated), np.concatenate(right)


def test_chains_read_rounded_counts_of_a_yes_or_no_secret(people, view, monkeypatch):
    """Propagation, which reads intervals as noise, is right about fewer people."""
    stated, right = stated_of_yes_or_no(people, view)
    for low, high in ((0.95, 1.1), (0.8, 0.95), (0.5, 0.8)):
        assert not too_sure(stated, right, low, high)
    monkeypatch.setattr(posterior, "of_chains", lambda system: 0.0)
    assert right.mean() > stated_of_yes_or_no(people, view)[1].mean() + 0.01


def stated_under_laplace(people, view):
    stated, right = [], []
    for seed in range(6):
        seen, secrets = known_beforehand(people, view, seed, "laplace:scale=2", levels=[12] * 8, shape=2.0)
        problem = build(seen)
        found = posterior.decode(problem.systems[0], rng=np.random.default_rng(1)).share[problem.group]
        stated.append(np.maximum(found, 1 - found))
        right.append((found > 0.5) == secrets)
    return np.concatenate(stated), np.concatenate(right)


def test_yes_or_no_under_laplace_noise_is_right_as_often_as_stated(people, view):
    """Skewed columns, so many small cells, as real tables have."""
    stated, right = stated_under_laplace(people, view)
    assert not too_sure(stated, right, 0.99, 1.1)
    assert not too_sure(stated, right, 0.95, 0.99)


def test_laplace_noise_read_by_propagation_alone_would_be_noticed(people, view, monkeypatch):
    together = stated_under_laplace(people, view)[1].mean()
    monkeypatch.setattr(posterior, "OF_CHAINS", 0.0)
    stated, right = stated_under_laplace(people, view)
    assert too_sure(stated, right, 0.95, 0.99)
    assert together >= right.mean() - 0.01


@pytest.mark.parametrize(
    ("shape", "sd", "share"),
    [
        ("laplace", 3.0, posterior.OF_CHAINS),
        ("gaussian", 1.0, posterior.OF_CHAINS),
        ("gaussian", 2.0, 0.0),
        ("none", 0.0, 1.0),
    ],
)
def test_chains_are_asked_where_propagation_is_off(shape, sd, share, linear):
    A = RNG.integers(0, 2, (30, 12)).astype(float)
    counts = A @ (np.arange(12) < 6)
    system = linear(A, counts, sd=sd, shape=shape, low=counts - 4, high=counts + 4)
    assert posterior.of_chains(system) == share
    notes = posterior.decode(system, rng=np.random.default_rng(1)).notes
    assert notes[0].startswith(chains.NOTE) == (share > 0)
    assert ("expectation propagation" in notes[0]) == (share < 1)


def test_two_values_of_a_yes_or_no_secret_are_one_chance(linear, monkeypatch):
    monkeypatch.setattr(chains, "SURER", 1.0)  # answers about nobody, which chains need not agree on
    A = RNG.integers(0, 2, (30, 12)).astype(float)
    system = linear(A, A @ np.ones(12) / 2, sd=1.0, shape="laplace", prior=0.3)
    yes, no = chains.decode(chains.with_the_others(system), rng=np.random.default_rng(1))
    assert np.allclose(yes + no, 1.0)


@pytest.mark.parametrize("shape", ["gaussian", "laplace"])
def test_the_predicted_time_has_the_chains_in_it(shape, linear):
    A = np.random.default_rng(3).integers(0, 2, (200, 80)).astype(float)
    systems = [linear(A, A @ np.ones(80) / 3, sd=1.0, shape=shape, prior=1 / 3)] * 3
    alone = sum(predict("posterior", system).seconds for system in systems)
    looked = chains.rows_looked_at(systems)
    assert looked > 0
    assert predict_all("posterior", systems).seconds == pytest.approx(alone + looked / LOOKS)
    assert predict_all("posterior", systems[:1]).seconds > predict("posterior", systems[0]).seconds


def test_the_predicted_time_of_intervals_is_that_of_the_chains(linear):
    A = np.random.default_rng(3).integers(0, 2, (200, 80)).astype(float)
    counts = A @ np.ones(80) / 3
    systems = [linear(A, counts, low=counts - 3, high=counts + 3, prior=1 / 3)] * 3
    looked = chains.rows_looked_at(systems)
    assert predict_all("posterior", systems).seconds == pytest.approx(looked / LOOKS)
    looked = chains.rows_looked_at(chains.with_the_others(systems[0]))
    assert predict_all("posterior", systems[:1]).seconds == pytest.approx(looked / LOOKS)


@pytest.mark.usefixtures("no_chains")
def test_the_predicted_time_has_every_turn_of_intervals_in_it(linear):
    A = np.random.default_rng(3).integers(0, 2, (200, 80)).astype(float)
    systems = [linear(A, A @ np.ones(80) / 3, prior=1 / 3)] * 3
    alone = sum(predict("posterior", system).seconds for system in systems)
    assert predict_all("posterior", systems).seconds > posterior_together.AGAIN * alone
    assert chains.rows_looked_at(systems) == 0
