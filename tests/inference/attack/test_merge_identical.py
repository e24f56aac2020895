"""Identical people as one, and brute force held against a loop that follows the definition."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.errors import InputError
from dalenius.inference.attack.identical import merge_identical
from dalenius.knowledge.correlation.model import CorrelationModel
from helpers.brute_force import log_odds
from helpers.networks import network, networks


def by_the_definition(model: CorrelationModel, person: int) -> float:
    weight = [0.0, 0.0]
    for bits in itertools.product((0, 1), repeat=len(model)):
        s = [1 - 2 * x for x in bits]
        energy = sum(h * v for h, v in zip(model.field, s, strict=True))
        energy += sum(J * s[i] * s[j] for (i, j), J in zip(model.edges, model.coupling, strict=True))
        weight[bits[person]] += math.exp(energy)
    return math.log(weight[0] / weight[1])


@settings(deadline=None)
@given(networks())
def test_enumeration_is_the_definition(model: CorrelationModel) -> None:
    expected = [by_the_definition(model, i) for i in range(len(model))]
    assert log_odds(model, model.field) == pytest.approx(expected, abs=1e-12)


@settings(deadline=None, max_examples=50)
@given(networks(), st.booleans())
def test_identical_people_are_the_limit_of_strong_links(model: CorrelationModel, opposite: bool) -> None:
    if not len(model.edges):
        return
    sign = -1 if opposite else 1
    strong, endless = model.coupling.copy(), model.coupling.copy()
    strong[0], endless[0] = sign * 40.0, sign * np.inf
    limit = CorrelationModel("id", model.ids, model.edges, endless, model.field)
    near = CorrelationModel("id", model.ids, model.edges, strong, model.field)
    assert log_odds(limit, model.field) == pytest.approx(log_odds(near, model.field), abs=1e-9)


def test_twins_are_one_person_with_both_fields() -> None:
    merged = merge_identical(network([(0, 1), (1, 2), (0, 2)], [-np.inf, 0.5, 0.2], [0.3, 0.1, 0.0]))
    assert merged.group.tolist() == [0, 0, 1]
    assert merged.sign.tolist() == [1, -1, 1]
    assert merged.model.field == pytest.approx([0.2, 0.0])
    assert merged.model.coupling == pytest.approx([-0.3])
    assert merged.epsilon(np.array([0.5, 0.25, 1.0])).tolist() == [0.75, 1.0]


def test_links_that_say_nothing_are_no_links() -> None:
    merged = merge_identical(network([(0, 1), (1, 2)], [0.0, 0.5], [0.0] * 3))
    assert merged.model.edges.tolist() == [[1, 2]]
    cancelled = merge_identical(network([(0, 1), (1, 2), (0, 2)], [-np.inf, 0.5, 0.5], [0.0] * 3))
    assert len(cancelled.model.edges) == 0


def test_twenty_people_and_large_numbers() -> None:
    chain = network([(i, i + 1) for i in range(19)], [300.0] * 19, [0.01] * 20)
    assert log_odds(chain, chain.field) == pytest.approx([0.4] * 20, abs=1e-9)


def test_refusals() -> None:
    with pytest.raises(InputError, match="must be 2"):
        log_odds(network([], [], [0.0] * 2), np.zeros(3))
    torn = network([(0, 1), (1, 2), (0, 2)], [np.inf, np.inf, -np.inf], [0.0] * 3)
    with pytest.raises(InputError, match="must not contradict"):
        log_odds(torn, torn.field)
