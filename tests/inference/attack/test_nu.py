"""Nu of whole networks: golden values, every way against brute force, what is proven, planted faults."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dalenius.errors import InputError, SolveError
from dalenius.inference.attack import dispatch as split
from dalenius.inference.attack import solver_parts as parts
from dalenius.inference.attack.bounds import cutset as cut
from dalenius.inference.attack.epsilon_for import epsilon_for
from dalenius.inference.attack.nu import Nus, by_distance, inferential_privacy, prepare, solve
from dalenius.inference.attack.solvers import grid as grids
from dalenius.inference.attack.solvers import junction
from dalenius.knowledge.correlation.model import CorrelationModel
from dalenius.knowledge.correlation.signs import fix_signs, frustrated
from dalenius.theory.inference import coupling_of, message, nu_of_clique
from helpers import brute_force as brute
from helpers.networks import Edges, alike, network, networks


def grid(rows: int, columns: int) -> Edges:
    at = np.arange(rows * columns).reshape(rows, columns)
    pairs = [*zip(at[:-1].flat, at[1:].flat, strict=True), *zip(at[:, :-1].flat, at[:, 1:].flat, strict=True)]
    return [(int(a), int(b)) for a, b in pairs]


def crowd(n: int, first: int = 0) -> Edges:
    return [(a + first, b + first) for a, b in itertools.combinations(range(n), 2)]


def methods(nus: Nus) -> list[str]:
    return [nus.methods[code] for code in nus.method]


def tags(nus: Nus) -> list[str]:
    return [nus.bounds[code] for code in nus.bound]


def enumerated(model: CorrelationModel, epsilon: np.ndarray) -> np.ndarray:
    model = fix_signs(model).model
    before = brute.log_odds(model, model.field)
    up = brute.log_odds(model, model.field + epsilon / 2) - before
    return np.maximum(up, before - brute.log_odds(model, model.field - epsilon / 2))


CHAIN = [0.489573645506, 1.103589828973, 1.180877199471]
UNEQUAL = np.array([0.1, 0.5, 0.8])


def chain(first: float = 0.4) -> CorrelationModel:
    return network([(0, 1), (1, 2)], [first, 0.9], [0.2, -0.1, 0.3])


def test_golden_chain_with_fields() -> None:
    nus = inferential_privacy(chain(), UNEQUAL)
    assert nus.nu == pytest.approx(CHAIN, abs=1e-9)
    assert tags(nus) == ["exact-eq6"] * 3
    equal = inferential_privacy(chain(), 0.5).nu
    assert equal == pytest.approx([0.816876807029, 1.040187996704, 0.981454155756], abs=1e-9)


def test_golden_chain_whose_signs_are_fixed() -> None:
    nus = inferential_privacy(chain(-0.4), UNEQUAL)
    assert nus.nu == pytest.approx([0.489573645506, 1.102966949397, 1.183223731838], abs=1e-9)
    assert "2 people are relabelled" in nus.notes[0]


def test_golden_chain_of_prevalence() -> None:
    h = [0.685942070926, 0.273271853184, 0.273271853184, 0.685942070926]
    model = network([(0, 1), (1, 2), (2, 3)], [0.786277418657] * 3, h)
    nu = inferential_privacy(model, 0.5).nu
    assert nu == pytest.approx([1.043766331272, 1.212231767923, 1.212231767923, 1.043766331272], abs=1e-9)


def test_golden_star_and_people_whose_data_is_not_used() -> None:
    star = alike(5, [(0, i) for i in range(1, 5)], coupling_of(0.8))
    nu = inferential_privacy(star, 0.2).nu
    assert nu == pytest.approx([0.678977882951, *[0.530023475853] * 4], abs=1e-9)
    nu = inferential_privacy(star, np.array([0.2, 0.2, 0.2, 0.0, 0.0])).nu
    assert nu == pytest.approx([0.439488941475, *[0.390805527767] * 2, *[0.261001022631] * 2], abs=1e-9)
    assert (inferential_privacy(star, 0.0).nu == 0).all()


def test_golden_family_clique_and_grid() -> None:
    family = inferential_privacy(alike(5, [(p, c) for p in (0, 1) for c in (2, 3, 4)], np.arctanh(0.5)), 0.25)
    assert family.nu == pytest.approx([0.896113000898] * 2 + [0.828775483348] * 3, abs=1e-9)
    assert set(methods(family)) == {"junction tree"}
    four = network(crowd(4), [0.3] * 6, [0.2] * 4)
    assert inferential_privacy(four, 0.2).nu == pytest.approx([0.465916439965] * 4, abs=1e-9)
    for J, nu in ((0.03, 0.447070442536), (0.05, 1.790231605436)):
        thirty = inferential_privacy(alike(30, crowd(30), J), 0.1)
        assert thirty.nu == pytest.approx([nu] * 30, abs=1e-9)
        assert set(methods(thirty)) == {"cliques"}
    eight = inferential_privacy(alike(64, grid(8, 8), 0.6), 0.1).nu.reshape(8, 8)
    assert [eight[4, 4], eight[0, 0]] == pytest.approx([4.039099814146, 1.737005561831], abs=1e-9)


def test_a_wide_grid_goes_to_the_transfer_matrix() -> None:
    eleven = inferential_privacy(alike(121, grid(11, 11), 0.3), 0.1)
    assert set(methods(eleven)) == {"grid"}
    assert eleven.nu[60] == pytest.approx(0.651076235480, abs=1e-9)
    assert "121 people stand in a grid of 11 by 11" in eleven.notes[0]


CONTACTS = """1-20 1-21 2-20 2-26 3-15 3-16 4-5 4-17 4-23 6-13 6-25 6-27 7-20 7-21 8-9 9-24 12-15 12-16 14-21
16-28 19-26 19-28 23-25"""


def test_the_room_of_tables_is_said_where_it_is_large() -> None:
    J = [0.01 * (1 + at % 7) for at in range(len(crowd(17)))]
    (wide,) = prepare(network(crowd(17), J, [0.0] * 17)).notes
    assert wide.endswith("by a junction tree of width 16 (2 MB)")
    (narrow,) = prepare(alike(4, [(0, 1), (1, 2), (2, 3), (3, 0)], 0.5)).notes
    assert narrow.endswith("by a junction tree of width 2")


def strip(people: int, width: int) -> Edges:
    """Everybody is related with so many neighbours on either side."""
    return [(a, b) for a in range(people) for b in range(a + 1, min(people, a + width + 1))]


@pytest.mark.parametrize(
    ("model", "slow"),
    [
        (alike(50, [(v, v + 1) for v in range(49)], 0.5), False),
        (alike(200, strip(200, 8), 0.02), False),
        (alike(60, strip(60, 19), 0.005), True),
        (alike(500, strip(500, 24), 0.005), True),
        (alike(14 * 14, grid(14, 14), 0.3), False),
        (alike(16 * 16, grid(16, 16), 0.3), True),
        (network([(0, 1), (1, 2), (2, 0)], [-0.4, 0.4, 0.4], [0.0] * 3), False),
        (network([(v, (v + 1) % 10) for v in range(10)], [-0.4] + [0.4] * 9, [0.0] * 10), True),
        (alike(200_001, [], 0.0), True),
    ],
    ids=["chain", "narrow", "wide", "cut", "grid", "large grid", "program", "large program", "many"],
)
def test_what_is_slow_is_known_beforehand(model: CorrelationModel, slow: bool) -> None:
    assert prepare(model).slow is slow


def test_golden_contact_network_has_trees_and_cycles() -> None:
    ends = [pair.split("-") for pair in CONTACTS.split()]
    nus = inferential_privacy(alike(30, [(int(a), int(b)) for a, b in ends], coupling_of(0.8)), 0.2)
    assert nus.worst == 20
    assert nus.nu[[20, 8, 9]] == pytest.approx([0.985946366056, 0.390805527767, 0.439488941475], abs=1e-9)
    assert nus.nu[[0, 10, 11]] == pytest.approx(0.2, abs=1e-9)
    found = methods(nus)
    assert {found[20], found[8], found[0]} == {"junction tree", "forest"}
    assert nus.exact.all()


def test_golden_frustrated_triangle_goes_to_the_linear_program() -> None:
    triangle = network([(0, 1), (1, 2), (2, 0)], [0.5, 0.5, -0.5], [0.0] * 3)
    nus = inferential_privacy(triangle, 0.4)
    assert nus.nu == pytest.approx([0.620988732357] * 3, abs=1e-6)
    assert set(tags(nus)) == {"exact-lp"}
    assert "odd number of negative" in nus.notes[0]


def test_the_program_is_for_few_groups_of_few_people(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three contradictory triangles and a ring of five: sizes are solved exactly as a whole or not at all."""
    triangles = [(3 * k + a, 3 * k + b) for k in range(3) for a, b in crowd(3)]
    model = alike(14, [*triangles, *((9 + i, 9 + (i + 1) % 5) for i in range(5))], -0.2)
    exact = inferential_privacy(model, 0.4)
    assert set(tags(exact)) == {"exact-lp"}
    assert exact.nu[:9].reshape(3, 3) == pytest.approx(np.full((3, 3), exact.nu[0]), abs=1e-7)
    assert "14 people are in 4 groups" in exact.notes[0]
    monkeypatch.setattr(split, "MOST_PROGRAMS", 3)
    nus = inferential_privacy(model, 0.4)
    assert tags(nus) == ["exact-lp"] * 9 + ["bound-B-bin"] * 5
    assert (nus.nu[9:] >= exact.nu[9:]).all()
    assert any("spectral radius" in note for note in nus.notes), "what the bound rests on is said"


def test_contradictions_beyond_the_programs_digits_get_a_bound() -> None:
    strong = network([(0, 1), (1, 2), (2, 0)], [400.0, 400.0, -400.0], [0.0] * 3)
    assert set(tags(inferential_privacy(strong, 0.4))) == {"bound-group"}


def test_twins_opposites_and_clones_are_merged() -> None:
    twins = network([(0, 1), (1, 2)], [np.inf, 0.5], [0.0] * 3)
    nus = inferential_privacy(twins, np.array([0.2, 0.5, 0.3]))
    pair = inferential_privacy(network([(0, 1)], [0.5], [0.0] * 2), np.array([0.7, 0.3])).nu
    assert nus.nu == pytest.approx([pair[0], pair[0], pair[1]], abs=1e-12)
    assert "1 person is identical" in nus.notes[0]
    clones = network(crowd(5), [np.inf] * 10, [0.4] * 5)
    assert inferential_privacy(clones, 0.3).nu == pytest.approx([1.5] * 5, abs=1e-12)
    opposite = network([(0, 1)], [-np.inf], [0.3, 0.1])
    assert inferential_privacy(opposite, np.array([0.2, 0.5])).nu == pytest.approx([0.7, 0.7], abs=1e-12)


def test_a_network_of_all_kinds() -> None:
    """Every way at once: nobody's number depends on who else is in the file."""
    kinds: dict[str, tuple[int, Edges, list[float]]] = {
        "forest": (3, [(0, 1), (1, 2)], [0.4, -0.9]),
        "cliques": (30, crowd(30), [0.05] * 435),
        "junction tree": (4, [(0, 1), (1, 2), (2, 3), (3, 0)], [0.5, -0.3, 0.2, -0.1]),
        "grid": (121, grid(11, 11), [0.2] * 220),
        "linear program": (3, [(0, 1), (1, 2), (2, 0)], [0.5, 0.5, -0.5]),
        "bounds": (30, crowd(30), [0.001, *[0.002] * 434]),
    }
    edges: Edges = []
    couplings: list[float] = []
    expected, start = [], 0
    for n, links, J in kinds.values():
        expected.append(inferential_privacy(network(links, J, [0.0] * n), 0.2))
        edges += [(a + start, b + start) for a, b in links]
        couplings += J
        start += n
    number = np.random.default_rng(1).permutation(start)
    mixed = network([(int(number[a]), int(number[b])) for a, b in edges], couplings, [0.0] * start)
    nus = inferential_privacy(mixed, 0.2)
    assert nus.nu[number] == pytest.approx(np.concatenate([each.nu for each in expected]), abs=1e-7)
    wanted = [name for name, (n, _, _) in kinds.items() for _ in range(n)]
    assert [methods(nus)[v] for v in number] == wanted
    assert set(tags(expected[-1])) == {"bound-propagation"}
    assert not nus.exact[number[-30:]].any()
    assert nus.exact[number[:-30]].all()
    assert any("has width 29, the limit is 22" in note for note in nus.notes)


def test_a_large_frustrated_group_gets_a_bound_that_is_named() -> None:
    ring = network([(i, (i + 1) % 12) for i in range(12)], [-0.2, *[0.2] * 11], [0.0] * 12)
    nus = inferential_privacy(ring, 0.1)
    assert set(tags(nus)) == {"bound-B-bin"}
    strong = network([(i, (i + 1) % 12) for i in range(12)], [-2.0, *[2.0] * 11], [0.0] * 12)
    strong_nus = inferential_privacy(strong, 0.1)
    assert set(tags(strong_nus)) == {"bound-group"}
    assert strong_nus.nu == pytest.approx([1.2] * 12)
    much = inferential_privacy(strong, 2.0)
    assert set(tags(much)) == {"bound-links"}
    assert much.nu == pytest.approx([2.0 + 2 * 4.0] * 12)


def test_a_wide_group_is_cut_where_that_is_the_best_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """The grid of the golden values, as if it were too wide: close to the truth, above it, and said to be."""
    model = alike(64, grid(8, 8), 0.6)
    exact = inferential_privacy(model, 0.1)
    monkeypatch.setattr(junction, "WIDEST", 6)
    monkeypatch.setattr(grids, "TALLEST", 6)
    monkeypatch.setattr(cut, "NARROW", (6,))
    nus = inferential_privacy(model, 0.1)
    assert set(methods(nus)) == {"bounds"}
    assert "bound-cut" in tags(nus)
    assert (nus.nu >= exact.nu).all()
    assert nus.nu[36] == pytest.approx(4.039099814146, rel=0.15)
    assert any("proven from below" in note for note in nus.notes)
    chosen = epsilon_for(model, 2.0)
    assert chosen.nus.nu.max() == pytest.approx(2.0, abs=1e-9)
    assert inferential_privacy(model, chosen.epsilons * 1.001).nu.max() > 2.0


def strengths_from(least: float) -> st.SearchStrategy[float]:
    return st.one_of(st.floats(least, 1.5), st.just(0.3), st.just(float("inf")))


epsilon_vectors = st.lists(st.floats(0, 2), min_size=7, max_size=7)


@settings(deadline=None, max_examples=100)
@given(networks(7, strengths_from(-1.5)), epsilon_vectors)
def test_every_way_is_brute_force(model: CorrelationModel, epsilon: list[float]) -> None:
    assume(not frustrated(model).any())
    eps = np.array(epsilon[: len(model)])
    nus = inferential_privacy(model, eps)
    assert nus.nu == pytest.approx(enumerated(model, eps), abs=1e-10)
    assert set(tags(nus)) == {"exact-eq6"}


@settings(deadline=None, max_examples=40)
@given(networks(7, strengths_from(0.0)), epsilon_vectors, st.integers(0, 6), st.floats(0, 1))
def test_nu_grows_with_everybodys_epsilon(
    model: CorrelationModel, epsilon: list[float], who: int, more: float
) -> None:
    eps = np.array(epsilon[: len(model)])
    prepared = prepare(model)
    nu = prepared.nus(eps).nu
    group = model.components()
    assert (nu >= eps).all()
    assert (nu <= np.bincount(group, eps)[group] + 1e-12).all()
    eps[who % len(model)] += more
    assert (prepared.nus(eps).nu >= nu - 1e-12).all()


def test_several_releases_add_up_before_nu_not_after() -> None:
    together = inferential_privacy(chain(), UNEQUAL + 0.2).nu
    apart = inferential_privacy(chain(), 0.2).nu + inferential_privacy(chain(), UNEQUAL).nu
    assert not np.allclose(together, apart, atol=1e-3)
    with pytest.raises(InputError, match="one for each of 3"):
        inferential_privacy(chain(), np.zeros(2))


def test_by_distance_adds_up_to_nu() -> None:
    model = alike(10, [*grid(2, 3), (5, 6), (6, 7), (8, 9)], 0.4)
    eps = np.linspace(0.1, 1.0, 10)
    found = by_distance(model, eps, 0, 7)
    assert found[0] == pytest.approx(eps[0], abs=1e-12)
    assert (np.diff(found) >= 0).all()
    assert found[5] == pytest.approx(inferential_privacy(model, eps).nu[0], abs=1e-12)
    assert (found[5:] == found[5]).all(), "nobody in the group is further away"
    assert by_distance(prepare(model), eps, 0, 7) == pytest.approx(found, abs=1e-12)
    near = np.where(np.isin(np.arange(10), [0, 1, 3]), eps, 0.0)
    assert found[1] == pytest.approx(enumerated(model, near)[0], abs=1e-12)
    for person, furthest, said in ((10, 1, "from 0 to 9"), (-1, 1, "from 0 to 9"), (0, -1, "at least 0")):
        with pytest.raises(InputError, match=said):
            by_distance(model, eps, person, furthest)


@pytest.mark.parametrize("epsilon", [-0.1, float("nan"), float("inf"), np.array([0.1, 0.2])])
def test_bad_epsilons(epsilon: float | np.ndarray) -> None:
    with pytest.raises(InputError, match="epsilon"):
        inferential_privacy(chain(), epsilon)


def test_lopsided_hubs_are_not_called_wrong_for_their_rounding() -> None:
    """The log-odds of the hub are near a million before and after: their difference has few digits left."""
    n = 200_000
    hub = network([(0, i) for i in range(1, n)], [2.0] * (n - 1), [8.0] * n)
    nus = inferential_privacy(hub, 1e-3)
    assert nus.nu.min() >= 1e-3
    leaf = [float(message(2.0, 16.0 + eps)) for eps in (-1e-3, 0.0)]
    assert nus.nu[0] == pytest.approx(1e-3 + (n - 1) * (leaf[1] - leaf[0]), abs=1e-5)


def test_nobody() -> None:
    assert inferential_privacy(network([], [], []), 0.5).nu.size == 0


def test_fields_of_epsilon_instead_of_half_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The paper's remark 3.7 read literally: the golden value is missed, and so is what is proven."""
    right = parts.shift
    monkeypatch.setattr(parts, "shift", lambda log_odds, field, eps: right(log_odds, field, 2 * eps))
    with pytest.raises(SolveError, match=r"cliques: nu came out as .* fault of the method"):
        inferential_privacy(alike(4, crowd(4), 3.0), 0.2)
    weak = inferential_privacy(alike(4, crowd(4), 0.05), 0.2).nu
    assert abs(weak[0] - nu_of_clique(4, 0.05, 0.0, 0.2)) > 0.1


def test_a_nu_below_epsilon_is_a_fault() -> None:
    """Without relabelling the formula gives less than epsilon, even a negative number."""
    (part,) = prepare(chain()).parts
    careless = replace(
        part, solve=lambda eps: parts.SolvedNu(np.array([-0.236825568966, 1.03, 1.13]), part.solve(eps).bound)
    )
    with pytest.raises(SolveError, match=r"forest: nu came out as -0\.23"):
        solve(careless, UNEQUAL)
    lost = replace(part, solve=lambda eps: parts.SolvedNu(np.full(3, np.nan), part.solve(eps).bound))
    with pytest.raises(SolveError, match="nan"):
        solve(lost, UNEQUAL)


@pytest.mark.parametrize("cores_from", [1, 10**9])
@pytest.mark.parametrize(
    ("off", "message"), [(0.0, None), (-1e-13, None), (1e-13, None), (-0.01, "nu came"), (9.0, "sum of the")]
)
@pytest.mark.parametrize("who", [0, 7, 22])
def test_every_number_is_held_against_its_own_group(
    monkeypatch: pytest.MonkeyPatch, cores_from: int, off: float, message: str | None, who: int
) -> None:
    """A few at a time and on all cores: a fault anywhere is found, a rounding is put right in its place."""
    monkeypatch.setattr("dalenius.inference.attack.nu.AT_ONCE", 4)
    monkeypatch.setattr("dalenius.inference.attack.solvers.forest.MANY", cores_from)
    trees = [(3 * k + 1, 3 * k) for k in range(7)] + [(3 * k + 1, 3 * k + 2) for k in range(7)]
    (part,) = prepare(network(trees, [0.5] * 14, [0.0] * 23)).parts
    epsilon = np.linspace(0.1, 1.0, 23)
    own = np.where(np.arange(23) < 21, np.arange(23) // 3, np.arange(23))  # the last two are alone
    sums = np.bincount(own, epsilon)[own]
    start = sums if off > 0 else epsilon
    wrong = start + np.where(np.arange(23) == who, off, 0.0)
    planted = replace(part, solve=lambda eps: parts.SolvedNu(wrong.copy(), part.solve(eps).bound))
    if message is None:
        nu = solve(planted, epsilon).nu
        assert (nu >= epsilon).all()
        assert nu == pytest.approx(start, abs=1e-12)
        assert (nu <= sums + 1e-15).all()
    else:
        with pytest.raises(SolveError, match=message):
            solve(planted, epsilon)
