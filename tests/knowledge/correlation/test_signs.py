"""Relabelling: every network that can be fixed is, against brute force over all relabellings."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.knowledge.correlation.model import CorrelationModel
from dalenius.knowledge.correlation.signs import FrustratedError, contradiction, fix_signs
from helpers.networks import network, networks


@settings(deadline=None)
@given(networks(6, st.sampled_from([-np.inf, -0.7, 0.0, 0.4, np.inf]), st.just(1.0)))
def test_fixed_exactly_where_some_relabelling_does(model: CorrelationModel) -> None:
    a, b = model.edges.T
    signs = [np.array(s) for s in itertools.product((1, -1), repeat=len(model))]
    possible = any((np.sign(model.coupling) * s[a] * s[b] >= 0).all() for s in signs)
    if not possible:
        with pytest.raises(FrustratedError, match="a cycle has an odd number of negative agreements"):
            fix_signs(model)
        check_cycle(model, f"the cycle {contradiction(model)} has")
        return
    assert contradiction(model) == ""
    fixed = fix_signs(model)
    turn = np.where(fixed.flipped, -1, 1)
    assert (np.sign(model.coupling) * turn[a] * turn[b] >= 0).all()
    assert (fixed.model.coupling == np.abs(model.coupling)).all()
    assert (fixed.model.field == model.field * turn).all()


def check_cycle(model: CorrelationModel, message: str) -> None:
    """The people named are a cycle of the network, without repeats, with an odd number of negative edges."""
    named = re.search(r"the cycle (p\d(?: - p\d)+) has", message)
    assert named is not None
    way = [int(name[1:]) for name in named[1].split(" - ")]
    assert way[0] == way[-1]
    assert len(set(way)) == len(way) - 1 >= 3
    J = {frozenset(pair): c for pair, c in zip(model.edges.tolist(), model.coupling, strict=True)}
    negative = [J[frozenset(pair)] < 0 for pair in itertools.pairwise(way)]
    assert sum(negative) % 2 == 1


def test_a_link_that_says_nothing_does_not_frustrate() -> None:
    triangle = network([(0, 1), (1, 2), (2, 0)], [-0.5, 0.5, 0.0], [1.0] * 3)
    assert fix_signs(triangle).flipped.tolist() == [False, True, True]


@pytest.mark.parametrize(("people", "left_out"), [(12, ""), (13, "(2 more)"), (500, "(489 more)")])
def test_of_a_long_cycle_some_are_named(people: int, left_out: str) -> None:
    links = [(i, (i + 1) % people) for i in range(people)]
    ring = network(links, [-0.5] + [0.5] * (people - 1), [1.0] * people)
    names = contradiction(ring).split(" - ")
    assert names[0] == names[-1]
    assert len(set(names)) == 12
    assert left_out in names or not left_out


def test_a_hundred_thousand_links() -> None:
    rng, n = np.random.default_rng(1), 100_000
    child = np.arange(1, n)
    edges = np.stack([(rng.random(n - 1) * child).astype(np.int64), child], axis=1)
    model = CorrelationModel("id", np.arange(n).astype(str), edges, rng.normal(size=n - 1), np.zeros(n))
    flipped = fix_signs(model).flipped
    assert ((flipped[edges[:, 0]] != flipped[edges[:, 1]]) == (model.coupling < 0)).all()
