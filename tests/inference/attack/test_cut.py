"""Bounds for groups that are too wide: never below nu, close to it where they can be; planted faults."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.inference.attack.bounds import cutset as room
from dalenius.inference.attack.bounds.cutset import Cut, cut_bound, cuts, known_least, links_bound
from dalenius.inference.attack.solvers.elimination import min_fill
from dalenius.inference.attack.worst_mechanism import worst_case
from dalenius.knowledge.correlation.joint import from_model
from dalenius.knowledge.correlation.model import CorrelationModel
from helpers import brute_force as brute
from helpers.networks import network


def exact(model: CorrelationModel, epsilon: np.ndarray) -> np.ndarray:
    before = brute.log_odds(model, model.field)
    up = brute.log_odds(model, model.field + epsilon / 2) - before
    return np.maximum(up, before - brute.log_odds(model, model.field - epsilon / 2))


@st.composite
def positive_networks(draw: st.DrawFn) -> CorrelationModel:
    """Positive links; no fields, fields of one sign, or of both."""
    n = draw(st.integers(3, 7))
    edges = [pair for pair in itertools.combinations(range(n), 2) if draw(st.integers(0, 2))]
    low, high = draw(st.sampled_from([(0.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (-1.0, 1.0)]))
    J = [draw(st.floats(0.01, 1.5)) for _ in edges]
    return network(edges, J, [draw(st.floats(low, high)) for _ in range(n)])


epsilon_vectors = st.lists(st.floats(0, 2), min_size=7, max_size=7)


def cut_to(model: CorrelationModel, width: int) -> list[Cut]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(room, "NARROW", (width,))
        return cuts(model)


@settings(deadline=None, max_examples=80)
@given(positive_networks(), epsilon_vectors, st.integers(0, 2))
def test_bounds_hold(model: CorrelationModel, epsilon: list[float], width: int) -> None:
    eps = np.array(epsilon[: len(model)])
    nu = exact(model, eps)
    assert (links_bound(model, eps) >= nu - 1e-12).all()
    for one in cut_to(model, width):
        assert one.tree.width <= width
        assert (cut_bound(one, model, eps) >= nu - 1e-10).all()
        least = known_least(one, model, eps)
        assert (least is None) == bool(model.field.any())
        if least is not None:
            assert (least <= nu + 1e-10).all()


@settings(deadline=None, max_examples=15)
@given(st.lists(st.floats(-1, 1), min_size=3, max_size=3), st.sampled_from([0.0, 0.5]), st.floats(0.05, 1))
def test_links_bound_holds_for_any_signs(J: list[float], field: float, eps: float) -> None:
    triangle = network([(0, 1), (1, 2), (2, 0)], J, [field] * 3)
    nu = worst_case(from_model(triangle), eps).nu
    assert (links_bound(triangle, np.full(3, eps)) >= nu - 1e-6).all()


def test_links_bound_is_attained_by_a_crowd_that_always_answers_alike() -> None:
    """A hub whose leaves are nearly certain: they say all that they can."""
    star = network([(0, i) for i in range(1, 5)], [0.5] * 4, [0.0] * 5)
    eps = np.array([0.3, 60.0, 60.0, 60.0, 60.0])
    assert exact(star, eps)[0] == pytest.approx(links_bound(star, eps)[0], abs=1e-9)
    lonely = network([], [], [0.7])
    assert links_bound(lonely, np.array([0.3])) == pytest.approx([0.3], abs=1e-9)


def ring(n: int = 8) -> CorrelationModel:
    return network([(i, (i + 1) % n) for i in range(n)], [0.8] * n, [0.0] * n)


def test_everybody_is_kept_at_least_once_and_nothing_is_cut_for_nothing() -> None:
    found = cut_to(ring(), 1)
    assert len(found) == 2
    assert [len(one.kept) for one in found] == [7, 7]
    assert set(found[0].kept) | set(found[1].kept) == set(range(8))
    (whole,) = cut_to(ring(), 2)
    assert cut_bound(whole, ring(), np.full(8, 0.2)) == pytest.approx(
        exact(ring(), np.full(8, 0.2)), abs=1e-10
    )


def test_people_who_are_cut_have_no_bound_of_that_cut() -> None:
    one = cut_to(ring(), 1)[0]
    bound = cut_bound(one, ring(), np.full(8, 0.2))
    gone = np.setdiff1d(np.arange(8), one.kept)
    assert np.isinf(bound[gone]).all()
    assert np.isfinite(bound[one.kept]).all()
    least = known_least(one, ring(), np.full(8, 0.2))
    assert least is not None
    assert (least[gone] == 0).all()


def test_cut_people_fixed_the_wrong_way_are_noticed() -> None:
    one = cut_to(ring(), 1)[0]
    wrong = replace(one, pull=-one.pull)
    assert (cut_bound(wrong, ring(), np.full(8, 0.2)) < exact(ring(), np.full(8, 0.2)))[one.kept].any()


@settings(deadline=None, max_examples=60)
@given(st.integers(2, 12), st.integers(0, 4), st.data())
def test_what_is_left_after_cutting_is_narrow(n: int, limit: int, data: st.DataObject) -> None:
    pairs = [pair for pair in itertools.combinations(range(n), 2) if data.draw(st.booleans())]
    near = {v: {b if a == v else a for a, b in pairs if v in (a, b)} for v in range(n)}
    cut: list[int] = []
    left = min_fill(near, limit, cut)
    assert sorted([*left.order, *cut]) == list(range(n))
    assert left.width <= limit
    place = {v: i for i, v in enumerate(left.order)}
    company = dict(zip(left.order, left.together, strict=True))
    for a, b in pairs:
        if a in place and b in place:
            first, second = sorted((a, b), key=place.__getitem__)
            assert second in company[first], "a link is in nobody's table"
    for met in left.together:
        for a, b in itertools.combinations(sorted(met, key=place.__getitem__), 2):
            assert b in company[a], "people who met once are not kept together"


def test_vast_groups_and_vast_tables_are_not_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dalenius.inference.attack.solvers.junction.MOST_BYTES", 10)
    assert cuts(ring()) == []
    monkeypatch.undo()
    monkeypatch.setattr(room, "MOST_PEOPLE", 7)
    assert cuts(ring()) == []
