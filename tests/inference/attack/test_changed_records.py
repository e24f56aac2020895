"""What rho is worth to related people: never less than a mechanism gives away, group privacy at the most."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from dalenius.findings.policy import Policy
from dalenius.inference.answers.approximate_dp import related_rho
from dalenius.inference.answers.privacy_loss import spend
from dalenius.inference.attack.bounds import changed_records as module
from dalenius.inference.attack.bounds.changed_records import changed_records
from dalenius.inference.build import PromisedRelease, make_infinite_finding
from dalenius.inference.finding import RelatedFinding, RelatedRho
from dalenius.inference.priors.prior import describe, read_network
from dalenius.inference.rules import rulings
from dalenius.knowledge.correlation.model import CorrelationModel, Floats
from dalenius.knowledge.correlation.network import Network
from dalenius.theory.privacy import deltas_of_groups, epsilon_from_rho_tight, epsilon_of_mixtures, group_rho

RHO = 0.3


def a_model(rng: np.random.Generator, people: int, loops: int) -> CorrelationModel:
    """A tree with some links more, couplings of both signs and biases."""
    tree = [(i, int(rng.integers(i))) for i in range(1, people)]
    pairs = [(i, j) for i in range(people) for j in range(i) if (i, j) not in tree]
    more = [pairs[at] for at in rng.permutation(len(pairs))[:loops]]
    edges = np.array(tree + more, np.int64)
    ids = np.arange(people).astype(str)
    return CorrelationModel("id", ids, edges, rng.normal(0, 0.8, len(edges)), rng.normal(0, 0.5, people))


def hockey_stick(model: CorrelationModel, weights: Floats, person: int, epsilon: float) -> float:
    """The exact delta, about one person, of a weighted sum with Gaussian noise of RHO: brute force."""
    n = len(model)
    bits = (np.arange(1 << n)[:, None] >> np.arange(n)) & 1
    spins = 1.0 - 2.0 * bits
    a, b = model.edges.T
    mass = np.exp((spins[:, a] * spins[:, b]) @ model.coupling + spins @ model.field)
    sd = 1 / np.sqrt(2 * RHO)  # every weight is at most 1
    grid = np.linspace(-12 * sd - n, 12 * sd + n, 1501)
    density = norm.pdf(grid[:, None], bits @ weights, sd)
    laws = []
    for value in (0, 1):
        own = np.where(bits[:, person] == value, mass, 0.0)
        laws.append(density @ (own / own.sum()))
    p, q = laws
    step = float(grid[1] - grid[0])
    return step * max(
        np.maximum(p - np.exp(epsilon) * q, 0).sum(), np.maximum(q - np.exp(epsilon) * p, 0).sum()
    )


def excess(seed: int, shrink: float = 1.0) -> float:
    """The most by which a mechanism exceeds what is promised; laws of weaker links where ``shrink`` < 1."""
    rng = np.random.default_rng(seed)
    found = -np.inf
    for _ in range(6):
        n = int(rng.integers(2, 6))
        model = a_model(rng, n, int(rng.integers(0, 3)))
        weaker = replace(model, coupling=shrink * model.coupling)
        law = changed_records(weaker, np.ones(n, np.bool_))
        assert law is not None
        for weights in (np.ones(n), np.sign(rng.normal(size=n)), rng.uniform(-1, 1, n)):
            for epsilon in (0.0, 0.5, 2.0):
                deltas = deltas_of_groups(RHO, law.law.shape[1] - 2, epsilon)
                person = int(rng.integers(n))
                promised = float(law.law[person] @ deltas)
                found = max(found, hockey_stick(model, weights, person, epsilon) - promised)
    return found


@pytest.mark.parametrize("seed", [1, 2])
def test_no_weighted_sum_gives_away_more(seed: int) -> None:
    assert excess(seed) <= 1e-9


def test_laws_of_weaker_links_are_exceeded() -> None:
    assert max(excess(seed, shrink=0.0) for seed in (1, 2)) > 0.01


def test_two_people_of_agreement_six_tenths() -> None:
    pair = CorrelationModel("id", np.array(["a", "b"]), np.array([[0, 1]]), np.arctanh([0.2]), np.zeros(2))
    found = changed_records(pair, np.ones(2, np.bool_))
    assert found is not None
    assert found.mean_square == pytest.approx([1.6, 1.6])
    without = changed_records(pair, np.array([True, False]))
    assert without is not None
    assert without.mean_square == pytest.approx([1.0, 0.2])  # the other one is only spoken of


def percolation(model: CorrelationModel, rng: np.random.Generator, draws: int) -> Floats:
    """How often a cluster of the first person has 0, 1, ... people, drawn link by link."""
    sizes = np.zeros(len(model) + 1)
    for _ in range(draws):
        open_ = model.edges[rng.random(len(model.edges)) < np.tanh(np.abs(model.coupling))]
        reached, edge = {0}, True
        while edge:
            more = {int(b) for a, b in open_ if int(a) in reached} | {
                int(a) for a, b in open_ if int(b) in reached
            }
            edge = bool(more - reached)
            reached |= more
        sizes[len(reached)] += 1
    return sizes / draws


def test_on_trees_of_fair_bits_clusters_are_those_of_percolation() -> None:
    rng = np.random.default_rng(3)
    model = replace(a_model(rng, 7, 0), field=np.zeros(7))
    found = changed_records(model, np.ones(7, np.bool_))
    assert found is not None
    assert found.law[0, :8] == pytest.approx(percolation(model, rng, 4_000), abs=0.03)


def test_trees_and_small_groups_are_coupled_alike() -> None:
    model = a_model(np.random.default_rng(5), 6, 0)
    records = np.array([1, 0, 2, 1, 1, 1])
    by_tree = module._of_tree(model, records, 8)
    assert by_tree == pytest.approx(module._of_small(model, records, 8), abs=1e-12)
    assert by_tree.sum(axis=1) == pytest.approx(1)


def test_identical_people_move_together() -> None:
    edges, ids = np.array([[0, 1], [1, 2]]), np.array(["a", "b", "c"])
    model = CorrelationModel("id", ids, edges, np.array([np.inf, np.arctanh(0.5)]), np.zeros(3))
    found = changed_records(model, np.ones(3, np.bool_))
    assert found is not None
    assert found.law[0, 2:4] == pytest.approx([0.5, 0.5])
    assert found.law[2, [1, 3]] == pytest.approx([0.5, 0.5])


def complete(people: int, agreement: float) -> CorrelationModel:
    edges = np.array([(i, j) for i in range(people) for j in range(i)])
    J = np.full(len(edges), np.arctanh(2 * agreement - 1))
    return CorrelationModel("id", np.arange(people).astype(str), edges, J, np.zeros(people))


def test_of_a_large_group_with_loops_group_privacy_is_what_is_known() -> None:
    found = changed_records(complete(9, 0.6), np.ones(9, np.bool_))
    assert found is not None
    assert found.by_group.all()
    assert found.mean_square == pytest.approx(81)


def test_clusters_too_large_to_count_make_epsilon_infinite(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST", 3)
    chain = CorrelationModel("id", np.arange(9).astype(str), np.array([(i, i + 1) for i in range(8)]),
                             np.full(8, 2.0), np.zeros(9))  # fmt: skip
    found = changed_records(chain, np.ones(9, np.bool_))
    assert found is not None
    assert found.law.shape == (9, 5)
    assert found.law.sum(axis=1) == pytest.approx(1)
    assert epsilon_of_mixtures(RHO, found.law, 1e-6) == np.inf


LINKS = {"a": ["1", "2", "3"], "b": ["2", "3", "4"]}


def told(rho: float, agreement: float = 0.6) -> RelatedFinding:
    network = read_network(pd.DataFrame(LINKS), agreement=agreement)
    return of(network, rho)


def of(network: Network, rho: float) -> RelatedFinding:
    found = related_rho(network, rho)
    return make_infinite_finding(
        spend([], rho=rho), PromisedRelease("links"), describe("links", network), related=found
    )


def related(rho: float, agreement: float = 0.6) -> RelatedRho:
    finding = told(rho, agreement)
    assert finding.details.instead is not None
    assert finding.details.instead.related is not None
    return finding.details.instead.related


def test_worth_lies_between_a_stranger_and_a_group() -> None:
    for agreement in (0.5001, 0.6, 0.9, 0.9999):
        found = related(0.01, agreement)
        assert 0.01 * (1 - 1e-6) <= found.worst <= group_rho(0.01, 4) * (1 + 1e-6)
    assert related(0.01, 0.9999).worst > 0.15  # nearly one person
    assert related(0.01, 0.9).worst > related(0.01, 0.6).worst > related(0.01, 0.5001).worst
    assert epsilon_from_rho_tight(related(0.01).worst, 1e-6) == pytest.approx(related(0.01).epsilon, rel=1e-6)


def test_the_policy_decides() -> None:
    finding = told(0.01)
    worst = related(0.01).worst

    def word(**keys: float) -> list[str]:
        return [one.verdict for one in rulings(finding, Policy(**keys))]

    assert word(max_related_rho=worst * 1.01) == ["pass"]
    assert word(max_related_rho=worst * 0.99) == ["undecided"]  # an upper bound is above the limit
    assert word(max_related_rho=0.005) == ["stop"]  # a stranger is worse off already
    assert word(max_related_rho=0.17) == ["pass"]  # group privacy
    assert word(max_nu=1.0) == ["stop"]  # nu is infinite
    assert word(max_nu=1.0, max_related_rho=worst * 1.01) == ["pass"]
    assert word() == []


def test_a_prior_that_is_not_the_stated_one_shows_nothing() -> None:
    loop = {"a": ["1", "2", "3", "4"], "b": ["2", "3", "4", "1"]}
    network = read_network(pd.DataFrame(loop), agreement=0.8, fit=False)
    finding = of(network, 0.01)
    assert finding.details.instead is not None
    assert finding.details.instead.related is None
    assert [one.verdict for one in rulings(finding, Policy(max_related_rho=0.1))] == ["undecided"]
