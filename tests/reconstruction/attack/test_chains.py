"""Chains over all secrets: against enumeration, calibrated under noise, every noisy answer counted once."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from dalenius.reconstruction.attack.decoders import chain_model, chains
from dalenius.reconstruction.attack.decoders.posterior_together import decode_together
from dalenius.reconstruction.attack.system.build import build
from dalenius.statistics.tables import tables_of

RNG = np.random.default_rng(0)


def enumerated(systems, fits) -> np.ndarray:
    """Everybody's probabilities: all secrets there are, weighed by prior and ``fits(counts, system)``."""
    n, values = systems[0].unknowns, len(systems)
    chance, prior = np.zeros((n, values)), np.stack([s.prior for s in systems], axis=1)
    for secrets in product(range(values), repeat=n):
        held = np.eye(values)[list(secrets)]
        log_weight = np.log(prior[np.arange(n), secrets]).sum()
        log_weight += sum(fits(s.A.apply(held[:, v]), s) for v, s in enumerate(systems))
        chance += np.exp(log_weight) * held
    return chance / chance.sum(axis=1, keepdims=True)


def gaussian(counts, system):
    return -0.5 * (((counts - system.centre) / system.sd) ** 2).sum()


def laplace(counts, system):
    return -(2**0.5) * (np.abs(counts - system.centre) / system.sd).sum()


def inside(counts, system):
    away = np.maximum(np.maximum(system.low - counts, counts - system.high), 0)
    return -chain_model.STEEP * away.sum()


def noisy(linear, shape, seed, n=7, values=3):
    rng = np.random.default_rng(seed)
    A = rng.integers(0, 2, (8, n)).astype(float)
    secrets = rng.integers(0, values, n)
    systems = []
    for v in range(values):
        counts = A @ (secrets == v)
        if shape == "none":
            systems.append(linear(A, counts, low=counts - 1, high=counts + 1, prior=1 / values))
        else:
            error = rng.normal(0, 1.2, 8) if shape == "gaussian" else rng.laplace(0, 1.2 / 2**0.5, 8)
            systems.append(linear(A, counts + error, sd=1.2, shape=shape, prior=1 / values))
    return systems


@pytest.mark.parametrize(("shape", "fits"), [("gaussian", gaussian), ("laplace", laplace), ("none", inside)])
def test_chances_agree_with_enumeration(shape, fits, linear, monkeypatch):
    """With many rounds they are the same; a row read with another shape or scale would be seen."""
    monkeypatch.setattr(chains, "COUNTED", 800)
    monkeypatch.setattr(chains, "LONGER_OF_SEVERAL", 1)
    for seed in range(2):
        systems = noisy(linear, shape, seed)
        found = np.stack(chains.decode(systems, rng=np.random.default_rng(1)), axis=1)
        exact = enumerated(systems, fits)
        assert np.abs(found - exact).mean() < 0.015
        assert np.abs(found - exact).max() < 0.05


def test_the_same_generator_gives_the_same_chances(linear):
    systems = noisy(linear, "gaussian", 1)
    one, two = (chains.decode(systems, rng=np.random.default_rng(5))[0] for _ in range(2))
    assert np.array_equal(one, two)


def test_what_is_known_stays_known(linear):
    systems = noisy(linear, "gaussian", 2)
    least, most = np.zeros(7, np.int64), np.ones(7, np.int64)
    least[0], most[1] = 1, 0
    systems = [systems[0].tightened(least, most), *systems[1:]]
    for v in (1, 2):
        systems[v] = systems[v].tightened(np.zeros(7, np.int64), np.where(np.arange(7) == 0, 0, 1))
    share = chains.decode(systems, rng=RNG)[0]
    assert share[0] > 1 - chain_model.DOUBT
    assert share[1] <= chain_model.DOUBT


def test_chains_that_disagree_state_nothing(linear, monkeypatch):
    """The few that came furthest down are no sample; propagation takes over."""
    systems = noisy(linear, "gaussian", 1)
    monkeypatch.setattr(chains, "settled_chains", lambda misfits: np.arange(3))
    assert chains.decode(systems, rng=RNG) is None
    found, notes = decode_together(systems, rng=RNG)
    assert len(found) == 3
    assert notes[0].startswith("expectation propagation")


def test_unknown_noise_and_narrow_intervals_are_left_to_propagation(linear):
    assert not chains.applies([linear(np.eye(3), np.ones(3), sd=np.nan, shape="unknown")] * 3)
    assert not chains.applies([linear(np.eye(3), np.ones(3))] * 3)
    assert not chains.applies([linear(np.eye(3), np.ones(3), low=np.zeros(3), high=np.full(3, 2.0))] * 3)
    assert chains.applies([linear(np.eye(3), np.ones(3), low=np.zeros(3), high=np.full(3, 4.0))] * 3)
    assert chains.applies([linear(np.eye(3), np.ones(3), sd=1.0, shape="gaussian")] * 3)


def published(people, view, seed, mechanism="gaussian:sigma=1.5", n=150, values=5):
    """People whose chances beforehand are known to the attack, and secrets drawn from them."""
    rng = np.random.default_rng(seed)
    roster = people(np.stack([rng.integers(0, size, n) for size in (3, 4, 5, 6, 8)], axis=1))
    prior = rng.dirichlet(np.full(values, 0.8), n)
    secrets = (prior.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1)
    tables = [tables_of(roster.attributes.columns, 2)]
    levels = tuple("abcdefg"[:values])
    return view(tables, roster, secrets, mechanism, levels=levels, seed=seed, prior=prior), secrets


def stated_and_right(people, view, change, mechanism="gaussian:sigma=1.5"):
    stated, right = [], []
    for seed in range(8):
        seen, secrets = published(people, view, seed, mechanism)
        problem = build(seen)
        found, _ = decode_together([change(s) for s in problem.systems], rng=np.random.default_rng(1))
        share = np.stack(found, axis=1)[problem.group]
        stated.append(share.max(axis=1) / share.sum(axis=1))
        right.append(share.argmax(axis=1) == secrets)
    return np.concatenate(stated), np.concatenate(right)


def holds(stated, right, low, high) -> bool:
    """Whether people stated between these are right as often, within 0.02 and two standard errors."""
    these = (stated >= low) & (stated < high)
    assert these.sum() >= 100
    expected = stated[these]
    error = 2 * np.sqrt((expected * (1 - expected)).sum()) / these.sum()
    return bool(expected.mean() - right[these].mean() <= 0.02 + error)


@pytest.mark.parametrize("mechanism", ["gaussian:sigma=1.5", "laplace:scale=1.2"])
def test_what_is_stated_under_noise_is_right_as_often(mechanism, people, view):
    """Right as often as stated where that decides, and below."""
    stated, right = stated_and_right(people, view, lambda system: system, mechanism)
    top = stated >= 0.99
    assert top.sum() >= 100
    missed, expected = (~right[top]).sum(), (1 - stated[top]).sum()
    assert missed <= expected + 3 * np.sqrt(expected) + 1
    assert holds(stated, right, 0.8, 0.95)
    assert holds(stated, right, 0.5, 0.8)


def test_noise_read_as_half_of_what_it_is_would_be_noticed(people, view):
    def surer(system):
        return replace(system, own=replace(system.own, sd=system.own.sd / 2))

    stated, right = stated_and_right(people, view, surer)
    assert not holds(stated, right, 0.8, 0.95) or not holds(stated, right, 0.5, 0.8)


def test_every_noisy_answer_counts_once(people, view):
    """What the other values leave is pooled for decoders of one value, not for all values together."""
    seen, _ = published(people, view, 1)
    for system in build(seen).systems:
        assert np.allclose(system.sd, 1.5 * (4 / 5) ** 0.5)
        assert np.allclose(system.by_itself().sd, 1.5)
    two = build(published(people, view, 1, values=2)[0]).systems
    assert len(two) == 1
    assert two[0].by_itself() is two[0]


def test_a_value_that_is_not_printed_says_nothing_twice(people, view):
    """Its rows are what all others leave: beside theirs they are dropped, and still it is decoded."""
    seen, secrets = published(people, view, 3, "gaussian:sigma=0.5")
    blocks = tuple(
        replace(block, values=block.values[1:], answers=block.answers[:, 1:]) for block in seen.release.blocks
    )
    seen = replace(seen, release=replace(seen.release, blocks=blocks))
    problem = build(seen)
    assert np.isinf(problem.systems[0].own.sd).all()
    found, _ = decode_together(problem.systems, rng=np.random.default_rng(1))
    guess = np.stack(found, axis=1)[problem.group].argmax(axis=1)
    assert (guess == secrets).mean() > 0.8
