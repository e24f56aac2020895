"""Beliefs on forests against enumeration and the golden values; signs and bad networks."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.errors import InputError
from dalenius.inference.attack.solvers._forest_kernels import logarithms
from dalenius.inference.attack.solvers.forest import LARGEST, Forest, log_odds, odds_shift, plant
from dalenius.knowledge.correlation.model import CorrelationModel
from dalenius.knowledge.correlation.signs import FrustratedError, fix_signs
from dalenius.theory.inference import coupling_of, message, nu_of_root
from helpers.networks import network


def planted(model: CorrelationModel) -> Forest:
    forest = plant(model)
    assert forest is not None
    return forest


def enumerated(model: CorrelationModel, field: np.ndarray) -> np.ndarray:
    n = len(model)
    spins = np.array(list(itertools.product((1, -1), repeat=n)))
    a, b = model.edges.T
    weight = np.exp((spins[:, a] * spins[:, b]) @ model.coupling + spins @ field)
    return np.array([np.log(weight[spins[:, i] > 0].sum() / weight[spins[:, i] < 0].sum()) for i in range(n)])


@st.composite
def forests(draw: st.DrawFn, least: float = -2.0) -> CorrelationModel:
    n = draw(st.integers(1, 8))
    parents = [draw(st.one_of(st.none(), st.integers(0, i - 1))) for i in range(1, n)]
    edges = [(p, i) if draw(st.booleans()) else (i, p) for i, p in enumerate(parents, 1) if p is not None]
    J = [draw(st.floats(least, 2)) for _ in edges]
    return network(edges, J, [draw(st.floats(-1, 1)) for _ in range(n)])


@settings(deadline=None)
@given(forests())
def test_propagation_is_enumeration(model: CorrelationModel) -> None:
    assert log_odds(planted(model), model.field) == pytest.approx(enumerated(model, model.field), abs=1e-10)


@settings(deadline=None)
@given(forests(least=0.0), st.floats(0, 2))
def test_nu_between_epsilon_and_the_sum_of_the_group(model: CorrelationModel, eps: float) -> None:
    epsilon = np.linspace(0, eps, len(model))
    nu = odds_shift(planted(model), model.field, epsilon)
    up = enumerated(model, model.field + epsilon / 2) - enumerated(model, model.field)
    down = enumerated(model, model.field) - enumerated(model, model.field - epsilon / 2)
    assert nu == pytest.approx(np.maximum(up, down), abs=1e-10)
    group = model.components()
    most = np.bincount(group, epsilon)[group]
    assert (nu >= epsilon - 1e-10).all()
    assert (nu <= most + 1e-10).all()


@settings(deadline=None)
@given(forests(least=0.0), st.lists(st.floats(0, 2), min_size=8, max_size=8), st.integers(0, 7))
def test_nu_grows_with_everybodys_epsilon(model: CorrelationModel, drawn: list[float], who: int) -> None:
    epsilon = np.array(drawn[: len(model)])
    more = epsilon.copy()
    more[who % len(model)] += 0.5
    forest = planted(model)
    assert (odds_shift(forest, model.field, more) >= odds_shift(forest, model.field, epsilon) - 1e-12).all()


@settings(deadline=None)
@given(forests(least=0.0), st.randoms(use_true_random=False))
def test_nu_does_not_depend_on_the_order_of_people(model: CorrelationModel, random) -> None:
    place = list(range(len(model)))
    random.shuffle(place)
    new, epsilon = np.array(place), np.linspace(0.1, 1, len(model))
    field, moved = np.empty(len(model)), np.empty(len(model))
    field[new], moved[new] = model.field, epsilon
    other = CorrelationModel("id", model.ids, new[model.edges], model.coupling, field)
    nu = odds_shift(planted(model), model.field, epsilon)
    assert odds_shift(planted(other), field, moved)[new] == pytest.approx(nu, abs=1e-12)


@settings(deadline=None)
@given(forests(), st.booleans())
def test_products_of_odds_and_sums_of_logarithms_are_the_same(model: CorrelationModel, equal: bool) -> None:
    field = np.full(len(model), 0.3) if equal else model.field
    forest = planted(model)
    never = replace(forest, heard=np.inf)
    assert log_odds(forest, field) == pytest.approx(log_odds(never, field), abs=1e-12)
    epsilon = np.full(len(model), 0.4)
    shift = odds_shift(forest, field, epsilon)
    assert shift == pytest.approx(odds_shift(never, field, epsilon), abs=1e-12)


def test_the_range_of_odds_is_left_in_time() -> None:
    """At the largest log-odds that are multiplied, nothing overflows; sums of logarithms agree."""
    n = 26
    hub = network([(0, i) for i in range(1, n)], [3.0] * (n - 1), [0.0] * n)
    forest = planted(hub)
    assert forest.heard == pytest.approx(150)
    for sign in (1, -1):
        field = np.full(n, sign * (LARGEST - 150) / 2 * 0.999)
        found = log_odds(forest, field)
        assert found == pytest.approx(log_odds(replace(forest, heard=np.inf), field), rel=1e-12)
        assert abs(found[0]) > 100


@pytest.mark.parametrize("spread", [1e-9, 1e-3, 1.0, 300.0])
def test_logarithms_are_those_of_numpy_to_the_last_bits(spread: float) -> None:
    values = np.exp(np.random.default_rng(2).uniform(-spread, spread, 10_000))
    values[:4] = 1.0, 2.0, 0.5, np.sqrt(0.5)
    found = values.copy()
    logarithms(found)
    assert (np.abs(found - np.log(values)) <= 3 * np.spacing(np.abs(np.log(values)))).all()
    assert found[0] == 0.0


def test_a_line_of_ancestors_a_hundred_thousand_long() -> None:
    n, J = 100_001, coupling_of(0.75)
    for ids in (np.arange(n), np.random.default_rng(1).permutation(n)):
        edges = np.stack([ids[:-1], ids[1:]], axis=1)
        line = CorrelationModel("id", np.arange(n).astype(str), edges, np.full(n - 1, J), np.zeros(n))
        forest = planted(line)
        assert (forest.order is None) == bool(ids[0] == 0 and ids[1] == 1)
        nu = odds_shift(forest, line.field, np.full(n, 0.1))
        u = 0.0
        for _ in range(200):
            u = 0.1 + float(message(J, u))
        assert nu[ids[0]] == pytest.approx(u, abs=1e-12)
        assert nu[ids[n // 2]] == pytest.approx(u + float(message(J, u)), abs=1e-12)


def test_two_cores_give_what_one_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    rng, n = np.random.default_rng(5), 20_000
    child = np.arange(1, n)
    edges = rng.permutation(n)[np.stack([(rng.random(n - 1) * child).astype(np.int64), child], axis=1)]
    tree = CorrelationModel("id", np.arange(n).astype(str), edges, rng.random(n - 1), rng.normal(size=n))
    forest, epsilon = planted(tree), rng.random(n)
    one = odds_shift(forest, tree.field, epsilon)
    monkeypatch.setattr("dalenius.inference.attack.solvers.forest.MANY", 1)
    monkeypatch.setattr("dalenius.inference.attack.solvers.forest.cores", lambda: 3)
    assert (odds_shift(forest, tree.field, epsilon) == one).all()


@pytest.mark.parametrize(
    ("J", "u", "said"),
    [
        (0.5, 0.3, 0.137822404948),
        (-0.7, 1.2, -0.673505822586),
        (30.0, 1e-12, 1e-12),
        (0.001, 800.0, 0.002),
        (400.0, 0.01, 0.01),
        (400.0, 900.0, 800.0),
        (400.0, -900.0, -800.0),
        (np.inf, 900.0, 900.0),
    ],
)
def test_golden_messages(J: float, u: float, said: float) -> None:
    pair = network([(0, 1)], [J], [0.0, 0.0])
    for forest in (planted(pair), replace(planted(pair), heard=np.inf)):
        found = log_odds(forest, np.array([0.0, u / 2]))
        assert found[0] == pytest.approx(said, rel=1e-9, abs=1e-12 if abs(said) > 1e-9 else 1e-15)


def test_golden_chain() -> None:
    chain = network([(0, 1), (1, 2)], [0.4, 0.9], [0.2, -0.1, 0.3])
    forest = planted(chain)
    before = [0.484637494116, 0.373820899754, 0.564380086942]
    assert log_odds(forest, chain.field) == pytest.approx(before, abs=1e-9)
    nu = odds_shift(forest, chain.field, np.array([0.1, 0.5, 0.8]))
    assert nu == pytest.approx([0.489573645506, 1.103589828973, 1.180877199471], abs=1e-9)
    nu = odds_shift(forest, chain.field, np.full(3, 0.5))
    assert nu == pytest.approx([0.816876807029, 1.040187996704, 0.981454155756], abs=1e-9)


def test_golden_star_and_absent_leaves() -> None:
    J = coupling_of(0.8)
    star = network([(0, i) for i in range(1, 5)], [J] * 4, [0.0] * 5)
    nu = odds_shift(planted(star), star.field, np.full(5, 0.2))
    assert nu == pytest.approx([0.678977882951, *[0.530023475853] * 4], abs=1e-9)
    nu = odds_shift(planted(star), star.field, np.array([0.2, 0.2, 0.2, 0, 0]))
    assert nu == pytest.approx([0.439488941475, *[0.390805527767] * 2, *[0.261001022631] * 2], abs=1e-9)


def test_identical_twins_and_clones() -> None:
    twins = network([(0, 1)], [np.inf], [0, 0])
    assert odds_shift(planted(twins), twins.field, np.array([0.2, 0.5])) == pytest.approx([0.7, 0.7])
    five = network([(i, i + 1) for i in range(4)], [np.inf] * 4, [0.0] * 5)
    assert odds_shift(planted(five), five.field, np.full(5, 0.3)) == pytest.approx([1.5] * 5)


def test_a_hub_with_thousands_of_relatives_does_not_overflow() -> None:
    n = 3000
    hub = network([(0, i) for i in range(1, n)], [3.0] * (n - 1), [0.0] * n)
    nu = odds_shift(planted(hub), hub.field, np.full(n, 2.0))
    assert nu[0] == pytest.approx(nu_of_root(n - 1, 1, 3.0, 2.0), rel=1e-12)
    assert nu[0] > 1000


def test_complete_tree_is_the_closed_form() -> None:
    J, depth = coupling_of(0.8), 10
    n = 2 ** (depth + 1) - 1
    tree = network([((i - 1) // 2, i) for i in range(1, n)], [J] * (n - 1), [0.0] * n)
    shuffled = np.random.default_rng(3).permutation(n)
    mixed = CorrelationModel("id", tree.ids, shuffled[tree.edges], tree.coupling, tree.field)
    nu = odds_shift(planted(mixed), mixed.field, np.full(n, 0.1))
    assert nu[shuffled[0]] == pytest.approx(1.953066369167, abs=1e-9)


def test_signs_are_fixed_on_a_chain() -> None:
    chain = network([(0, 1), (1, 2)], [-0.4, 0.9], [0.2, -0.1, 0.3])
    fixed = fix_signs(chain)
    nu = odds_shift(planted(fixed.model), fixed.model.field, np.array([0.1, 0.5, 0.8]))
    assert nu == pytest.approx([0.489573645506, 1.102966949397, 1.183223731838], abs=1e-9)
    careless = odds_shift(planted(chain), chain.field, np.array([0.1, 0.5, 0.8]))
    assert careless[0] < 0.1, "without relabelling the formula gives less than epsilon"


@settings(deadline=None)
@given(forests())
def test_every_forest_can_be_fixed(model: CorrelationModel) -> None:
    fixed = fix_signs(model)
    assert (fixed.model.coupling >= 0).all()
    turn = np.where(fixed.flipped, -1, 1)
    u = enumerated(fixed.model, fixed.model.field) * turn
    assert u == pytest.approx(enumerated(model, model.field), abs=1e-9)


def test_a_frustrated_cycle_is_refused() -> None:
    cycle = network([(0, 1), (1, 2), (2, 3), (3, 0)], [0.5, 0.5, 0.5, -0.5], [0.0] * 4)
    with pytest.raises(FrustratedError, match="a cycle has an odd number"):
        fix_signs(cycle)
    even = network([(0, 1), (1, 2), (2, 3), (3, 0)], [-0.5, 0.5, 0.5, -0.5], [0.0] * 4)
    assert (fix_signs(even).model.coupling > 0).all()


@pytest.mark.parametrize(
    ("edges", "J", "message"),
    [
        ([(0, 0)], [0.5], "themselves"),
        ([(0, 1), (1, 0)], [0.5, 0.4], "edges 0 and 1 of the same two"),
        ([(0, 7)], [0.5], "people 0 to 2"),
        ([(0, 1)], [float("nan")], "must be numbers"),
    ],
)
def test_bad_networks(edges: list[tuple[int, int]], J: list[float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        network(edges, J, [0.0] * 3)


def test_a_cycle_is_no_forest() -> None:
    assert plant(network([(0, 1), (1, 2), (2, 0)], [0.5] * 3, [0.0] * 4)) is None
    with pytest.raises(InputError, match="must be 2"):
        log_odds(planted(network([(0, 1)], [0.5], [0.0] * 2)), np.zeros(3))


def test_a_lopsided_hub_of_200_000_keeps_its_digits() -> None:
    """Messages that nearly all point one way add up to log-odds of half a million; held against `fsum`."""
    n, rng = 200_001, np.random.default_rng(7)
    J, field = rng.uniform(1, 3, n - 1), rng.uniform(-0.2, 5, n)
    edges = np.stack([np.zeros(n - 1, np.int64), np.arange(1, n)], axis=1)
    star = CorrelationModel("id", np.arange(n), edges, J, field)
    epsilon = rng.uniform(0, 1, n)

    def exact(own: np.ndarray) -> np.ndarray:
        said = message(J, own[1:])
        hub = math.fsum([own[0], *said])
        return np.concatenate([[hub], own[1:] + message(J, hub - said)])

    up, before, down = (exact(2 * field + change) for change in (epsilon, 0 * epsilon, -epsilon))
    assert abs(before[0]) > 5e5
    assert np.abs(log_odds(planted(star), field) - before).max() < 1e-9
    nu = odds_shift(planted(star), field, epsilon)
    assert np.abs(nu - np.maximum(up - before, before - down)).max() < 1e-9
