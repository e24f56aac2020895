"""The epsilon for a target: golden values, the largest that holds, exact beside bounded, refusals."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.errors import InputError
from dalenius.inference.attack.bounds.influence import bounds
from dalenius.inference.attack.epsilon_for import epsilon_for, epsilon_for_degree
from dalenius.inference.attack.nu import inferential_privacy, prepare
from dalenius.knowledge.correlation.model import CorrelationModel
from dalenius.theory.inference import coupling_of, nu_of_bounded_degree, nu_of_root
from helpers.networks import Edges, network, networks


def star() -> CorrelationModel:
    return network([(0, i) for i in range(1, 5)], [coupling_of(0.8)] * 4, [0.0] * 5)


def test_golden_star() -> None:
    chosen = epsilon_for(star(), 1.0)
    assert chosen.epsilon == pytest.approx(0.295081064581, abs=1e-9)
    assert chosen.worst == 0
    assert chosen.nus.nu[0] == pytest.approx(1.0, abs=1e-12)
    assert chosen.nus.nu[0] <= 1.0
    assert chosen.epsilons.tolist() == [chosen.epsilon] * 5
    assert "some mechanism" in chosen.reason


shares = st.lists(st.one_of(st.just(0.0), st.floats(0.1, 2)), min_size=6, max_size=6).filter(
    lambda x: x[0] > 0
)


@settings(deadline=None, max_examples=60)
@given(networks(strengths=st.one_of(st.floats(0, 2), st.just(float("inf")))), st.floats(0.01, 10), shares)
def test_it_is_the_largest_that_holds(model: CorrelationModel, target: float, share: list[float]) -> None:
    base = np.array(share[: len(model)])
    chosen = epsilon_for(model, target, base)
    assert chosen.epsilons == pytest.approx(chosen.epsilon * base)
    assert inferential_privacy(model, chosen.epsilons).nu.max() <= target
    more = inferential_privacy(model, chosen.epsilons * (1 + 1e-6)).nu.max()
    assert more > target * (1 - 1e-12)


def test_unrelated_people_get_the_target_itself_and_clones_their_share() -> None:
    assert epsilon_for(network([], [], [0.0] * 3), 0.7).epsilon == pytest.approx(0.7, abs=1e-12)
    clones = network([(0, 1), (1, 2)], [np.inf] * 2, [0.0] * 3)
    assert epsilon_for(clones, 0.6).epsilon == pytest.approx(0.2, abs=1e-12)
    assert epsilon_for(clones, 0.6, np.array([1.0, 2.0, 0.0])).epsilon == pytest.approx(0.2, abs=1e-12)


def test_the_steep_tree_of_the_phase_transition() -> None:
    """The root's nu jumps from 0.2 to 21 between epsilons of 0.19 and 0.2 (Theorem A.2b)."""
    n = 2**12 - 1
    edges = [((i - 1) // 2, i) for i in range(1, n)]
    tree = prepare(network(edges, [2.75] * (n - 1), [0.0984] * n))
    chosen = epsilon_for(tree, 20.0)
    assert 0.19 < chosen.epsilon < 0.2
    assert chosen.nus.nu.max() <= 20.0
    assert chosen.nus.nu.max() == pytest.approx(20.0, abs=1e-6)
    assert tree.nus(0.19).nu.max() < 11
    assert nu_of_root(2, 11, 2.75, 0.2, 0.0984) > 20


def crowd(first: int, J: float) -> tuple[Edges, list[float]]:
    """Too wide for a junction tree, and no two links of it quite alike."""
    edges = [(a + first, b + first) for a, b in itertools.combinations(range(30), 2)]
    return edges, [J, *[2 * J] * (len(edges) - 1)]


def test_bounds_that_grow_in_proportion() -> None:
    model = network(*crowd(0, 0.002), [0.01] * 30)  # with biases: propagation from above is not proven there
    chosen = epsilon_for(model, 0.5)
    assert chosen.epsilon == pytest.approx(0.5 / bounds(model, 1.0).best.max(), rel=1e-9)
    assert chosen.nus.nu.max() <= 0.5
    assert "B-bin" in chosen.reason
    assert not chosen.nus.exact.any()


def test_propagation_allows_more_than_influences() -> None:
    model = network(*crowd(0, 0.002), [0.0] * 30)
    chosen = epsilon_for(model, 0.5)
    assert chosen.epsilon > 1.01 * 0.5 / bounds(model, 1.0).best.max()
    assert chosen.nus.nu.max() <= 0.5
    assert "propagation" in chosen.reason


@pytest.mark.parametrize(("J", "limited_by"), [(0.001, "exact-eq6"), (0.015, "bound-propagation")])
def test_exact_and_bounded_people_together(J: float, limited_by: str) -> None:
    """A star beside a crowd with a bound only: whichever is worse decides."""
    edges, couplings = crowd(5, J)
    alone = [epsilon_for(star(), 0.5).epsilon, epsilon_for(network(*crowd(0, J), [0.0] * 30), 0.5).epsilon]
    mixed = network(
        [*((0, i) for i in range(1, 5)), *edges], [*[coupling_of(0.8)] * 4, *couplings], [0.0] * 35
    )
    chosen = epsilon_for(mixed, 0.5)
    assert chosen.epsilon == pytest.approx(min(alone), rel=1e-9)
    assert chosen.nus.bounds[chosen.nus.bound[chosen.worst]] == limited_by


def test_where_only_group_privacy_is_known_everybody_gets_an_equal_share() -> None:
    """Bounds are rounded up, so the share itself is above the target by a few last digits."""
    n = 40
    strong = network([(i, (i + 1) % n) for i in range(n)], [-3.0, *[3.0] * (n - 1)], [0.5] * n)
    chosen = epsilon_for(strong, 0.7)
    assert chosen.epsilon == pytest.approx(0.7 / n, rel=1e-9)
    assert chosen.nus.nu.max() <= 0.7
    assert "group" in chosen.reason


@pytest.mark.parametrize("target", [0.0, -1.0, float("nan"), float("inf")])
def test_bad_targets(target: float) -> None:
    with pytest.raises(InputError, match="target nu must be above 0"):
        epsilon_for(star(), target)


def test_bad_shares() -> None:
    with pytest.raises(InputError, match="above 0 for somebody"):
        epsilon_for(star(), 1.0, 0.0)
    with pytest.raises(InputError, match="at least 0"):
        epsilon_for(star(), 1.0, np.array([1.0, -1, 0, 0, 0]))


def test_golden_degree() -> None:
    agreement = (1 + np.tanh(0.3)) / 2
    found = epsilon_for_degree(3, agreement, 0.5)
    assert found.epsilon == pytest.approx(0.164588825162, abs=1e-9)
    assert found.safe == pytest.approx(0.161608727071, abs=1e-9)
    assert found.least == 0
    assert epsilon_for_degree(3, 1 - agreement, 0.5).epsilon == pytest.approx(found.epsilon, abs=1e-12)
    assert epsilon_for_degree(3, 0.5, 0.5).epsilon == pytest.approx(0.5, abs=1e-12)


def test_above_the_transition_some_targets_are_out_of_reach() -> None:
    agreement = (1 + np.tanh(0.6)) / 2
    below = epsilon_for_degree(3, agreement, 1.67)
    assert below.epsilon is None
    assert below.safe is None
    assert below.least == pytest.approx(1.675504954896, abs=1e-9)
    assert "no epsilon above 0" in below.reason
    above = epsilon_for_degree(3, agreement, 1.8)
    assert above.epsilon is not None
    assert nu_of_bounded_degree(3, 0.6, above.epsilon) == pytest.approx(1.8, abs=1e-9)


@pytest.mark.parametrize(
    ("degree", "agreement", "target", "message"),
    [(1, 0.7, 1.0, "degree"), (3, 1.0, 1.0, "agreement"), (3, 0.7, 0.0, "nu"), (3, 0.7, float("nan"), "nu")],
)
def test_bad_degrees(degree: int, agreement: float, target: float, message: str) -> None:
    with pytest.raises(InputError, match=message):
        epsilon_for_degree(degree, agreement, target)
