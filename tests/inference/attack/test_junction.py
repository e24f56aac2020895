"""Junction trees against enumeration, propagation and the golden values; widths that are known; refusals."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.errors import InputError
from dalenius.inference.attack.beliefs.solver import solver
from dalenius.inference.attack.solvers import forest, junction
from dalenius.inference.attack.solvers.elimination import eliminations, min_fill
from dalenius.inference.attack.solvers.junction import TooWideError, log_odds
from dalenius.knowledge.correlation.model import CorrelationModel
from dalenius.theory.inference import coupling_of, nu_of_root
from helpers import brute_force as brute
from helpers.junction_trees import triangulate
from helpers.networks import Edges, alike, network, networks


@settings(deadline=None)
@given(networks(9, st.one_of(st.floats(-2, 2), st.just(float("inf")))))
def test_junction_tree_is_enumeration(model: CorrelationModel) -> None:
    expected = brute.log_odds(model, model.field)
    assert log_odds(triangulate(model), model.field) == pytest.approx(expected, abs=1e-10)


def test_junction_tree_is_propagation_on_a_forest() -> None:
    rng = np.random.default_rng(5)
    edges = [(int(rng.integers(0, i)), i) for i in range(1, 2000) if i % 7]
    model = network(edges, list(rng.normal(size=len(edges))), list(rng.normal(size=2000)))
    planted = forest.plant(model)
    assert planted is not None
    tree = triangulate(model)
    assert tree.width == 1
    expected = forest.log_odds(planted, model.field)
    assert log_odds(tree, model.field) == pytest.approx(expected, abs=1e-10)


def family() -> CorrelationModel:
    return alike(5, [(p, c) for p in (0, 1) for c in (2, 3, 4)], np.arctanh(0.5))


def test_golden_family() -> None:
    nu = log_odds(triangulate(family()), np.full(5, 0.125))
    assert nu == pytest.approx([0.896113000898] * 2 + [0.828775483348] * 3, abs=1e-9)
    fitted = alike(5, [(p, c) for p in (0, 1) for c in (2, 3, 4)], 0.423760707139)
    nu = log_odds(triangulate(fitted), np.full(5, 0.125))
    assert nu == pytest.approx([0.730336889225] * 2 + [0.662879056023] * 3, abs=1e-9)


def test_the_golden_values_tell_epsilon_from_half_of_it() -> None:
    nu = log_odds(triangulate(family()), np.full(5, 0.25))
    assert abs(nu[0] - 0.896113000898) > 0.5


CONTACTS = """1-20 1-21 2-20 2-26 3-15 3-16 4-5 4-17 4-23 6-13 6-25 6-27 7-20 7-21 8-9 9-24 12-15 12-16 14-21
16-28 19-26 19-28 23-25"""


def test_golden_contact_network() -> None:
    edges = [tuple(map(int, pair.split("-"))) for pair in CONTACTS.split()]
    model = alike(30, [(a, b) for a, b in edges], coupling_of(0.8))
    nu = log_odds(triangulate(model), np.full(30, 0.1))
    assert int(nu.argmax()) == 20
    assert nu[[20, 8, 9]] == pytest.approx([0.985946366056, 0.390805527767, 0.439488941475], abs=1e-9)
    assert nu[model.degrees == 0] == pytest.approx(0.2, abs=1e-9)


def test_golden_clique() -> None:
    four = alike(4, list(itertools.combinations(range(4), 2)), 0.3)
    assert log_odds(triangulate(four), np.full(4, 0.1)) == pytest.approx([0.479792431080] * 4, abs=1e-9)


def grid(rows: int, columns: int) -> Edges:
    at = np.arange(rows * columns).reshape(rows, columns)
    down, across = (
        zip(at[:-1].flat, at[1:].flat, strict=True),
        zip(at[:, :-1].flat, at[:, 1:].flat, strict=True),
    )
    return [(int(a), int(b)) for a, b in [*down, *across]]


@pytest.mark.parametrize(
    ("n", "edges", "width"),
    [
        (3, [], 0),
        (6, [(0, i) for i in range(1, 6)], 1),
        (7, [(i, (i + 1) % 7) for i in range(7)], 2),
        (9, grid(3, 3), 3),
        (12, grid(2, 6), 2),
        (6, list(itertools.combinations(range(6), 2)), 5),
        (8, [*itertools.combinations(range(4), 2), *((i + 4, j + 4) for i, j in grid(2, 2))], 3),
    ],
)
def test_widths_that_are_known(n: int, edges: Edges, width: int) -> None:
    tree = triangulate(alike(n, edges, 0.3))
    assert tree.width == width


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 12), st.data())
def test_elimination_joins_whom_it_must_and_keeps_count(n: int, data: st.DataObject) -> None:
    pairs = [pair for pair in itertools.combinations(range(n), 2) if data.draw(st.booleans())]
    near = {v: {b if a == v else a for a, b in pairs if v in (a, b)} for v in range(n)}
    plain = {v: set(company) for v, company in near.items()}
    found = min_fill(near, n)
    assert sorted(found.order) == list(range(n))
    for v, company in zip(found.order, found.together, strict=True):
        fill = {u: sum(b not in plain[a] for a, b in itertools.combinations(plain[u], 2)) for u in plain}
        assert fill[v] == min(fill.values()), "not the one who needs the fewest new links"
        assert set(company) == plain[v]
        for a, b in itertools.combinations(plain.pop(v), 2):
            plain[a].add(b)
            plain[b].add(a)
        for others in plain.values():
            others.discard(v)


def test_groups_share_the_memory() -> None:
    one, many = (
        triangulate(alike(4, grid(2, 2), 0.3)),
        triangulate(alike(400, [(4 * k + a, 4 * k + b) for k in range(100) for a, b in grid(2, 2)], 0.3)),
    )
    assert one.bytes == many.bytes
    u = log_odds(many, np.tile([0.1, 0.0, 0.0, 0.2], 100)).reshape(100, 4)
    assert u == pytest.approx(np.tile(log_odds(one, np.array([0.1, 0.0, 0.0, 0.2])), (100, 1)), abs=1e-15)


def test_a_hub_and_strong_links_stay_in_range() -> None:
    n = 3000
    hub = alike(n, [(0, i) for i in range(1, n)], 3.0)
    u = log_odds(triangulate(hub), np.full(n, 1.0))
    assert u[0] == pytest.approx(nu_of_root(n - 1, 1, 3.0, 2.0), rel=1e-12)
    strong = alike(6, [(i, (i + 1) % 6) for i in range(6)], 500.0)
    assert log_odds(triangulate(strong), np.full(6, 0.05)) == pytest.approx([0.6] * 6, abs=1e-9)


def test_thousands_of_people_with_cycles_agree_with_a_cut_of_them() -> None:
    """A long ladder is a chain of squares: far ends do not matter, so a short one has the same middle."""
    long, short = alike(6000, grid(3, 2000), 0.2), alike(300, grid(3, 100), 0.2)
    u = log_odds(triangulate(long), np.full(6000, 0.05)).reshape(3, 2000)
    v = log_odds(triangulate(short), np.full(300, 0.05)).reshape(3, 100)
    assert u[:, 1000] == pytest.approx(v[:, 50], abs=1e-10)
    assert u[:, :20] == pytest.approx(v[:, :20], abs=1e-10)


def test_too_wide_says_how_wide() -> None:
    crowd = alike(40, [*itertools.combinations(range(30), 2), *((i, i + 1) for i in range(29, 39))], 0.1)
    with pytest.raises(TooWideError, match=r"40 people .* has width 29, the limit is 22.*bounds") as error:
        solver(crowd)
    assert error.value.width == 29


def test_too_much_memory_is_said_before_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(junction, "MOST_BYTES", 100)
    with pytest.raises(TooWideError, match=r"at width 2 the tables of the first \d alone take"):
        solver(alike(5, [(i, (i + 1) % 5) for i in range(5)], 0.3))


def test_a_vast_core_has_a_width_of_at_least(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dalenius.inference.attack.solvers.elimination.CORE", 10)
    pairs = list(itertools.combinations(range(30), 2))
    crowd = network(pairs, [0.2, *[0.1] * (len(pairs) - 1)], [0.0] * 30)  # not all related alike
    (group,) = eliminations(crowd, 22)
    assert (group.width, group.exact, len(group.people)) == (23, False, 30)
    with pytest.raises(TooWideError, match="at least 23"):
        solver(crowd)


def test_one_field_a_person() -> None:
    with pytest.raises(InputError, match="must be 5"):
        log_odds(triangulate(family()), np.zeros(4))
