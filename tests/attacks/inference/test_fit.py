"""Fitted couplings: golden families, biases too, and agreements that nobody can have."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.attacks.inference import fit as fitting
from dalenius.attacks.inference.enumerate import log_odds, log_weights
from dalenius.attacks.inference.fit import fit
from dalenius.errors import InputError, SolveError, UnsupportedError
from dalenius.knowledge.correlation.couplings import couple, strengths
from dalenius.knowledge.correlation.model import CorrelationModel

FAMILY = [(p, c) for p in (0, 1) for c in (2, 3, 4)]
SQUARE = [(0, 1), (1, 2), (2, 3), (3, 0)]


def network(n: int, edges: list[tuple[int, int]], agreement: np.ndarray, bias=None) -> CorrelationModel:
    ids, pairs = np.array([f"p{i}" for i in range(n)]), np.array(edges, np.int64).reshape(-1, 2)
    J, h = couple(ids, pairs, agreement, bias)
    return CorrelationModel("id", ids, pairs, J, h)


def agreements(model: CorrelationModel) -> np.ndarray:
    weight = np.exp(log_weights(model, model.field))
    pairs = [np.moveaxis(weight, edge, (0, 1)).reshape(2, 2, -1).sum(axis=2) for edge in model.edges]
    return np.array([np.trace(pair) / pair.sum() for pair in pairs])


def shift(model: CorrelationModel, eps: float) -> np.ndarray:
    return log_odds(model, model.field + eps / 2) - log_odds(model, model.field)


def test_golden_family() -> None:
    wanted = np.full(6, 0.75)
    alone = network(5, FAMILY, wanted)
    assert agreements(alone) == pytest.approx(0.828947368421, abs=1e-9)
    assert shift(alone, 0.25) == pytest.approx([0.896113000898] * 2 + [0.828775483348] * 3, abs=1e-9)
    found = fit(alone, wanted)
    assert found.model.coupling == pytest.approx(0.423760707139, abs=1e-9)
    assert found.worst < 1e-11
    assert found.sweeps > 1
    assert shift(found.model, 0.25) == pytest.approx([0.730336889225] * 2 + [0.662879056023] * 3, abs=1e-9)


def test_golden_square() -> None:
    found = fit(network(4, SQUARE, np.full(4, 0.75)), np.full(4, 0.75))
    assert found.model.coupling == pytest.approx(0.466566010315, abs=1e-9)


@settings(deadline=None, max_examples=30)
@given(st.data())
def test_agreements_and_biases_hold_on_any_small_network(data: st.DataObject) -> None:
    n = data.draw(st.integers(3, 6))
    pairs = list(itertools.combinations(range(n), 2))
    edges = [pair for pair in pairs if data.draw(st.booleans())] or pairs[:1]
    # what some model has can be had; biased or not
    J = np.array([data.draw(st.floats(-0.4, 0.8)) for _ in edges])
    h = np.array([data.draw(st.floats(-0.5, 0.5)) for _ in range(n)])
    truth = CorrelationModel("id", np.arange(n).astype(str), np.array(edges), J, h)
    wanted, bias = agreements(truth), 1 / (1 + np.exp(log_odds(truth, h)))
    found = fit(network(n, edges, wanted, bias), wanted, bias).model
    assert agreements(found) == pytest.approx(wanted, abs=1e-10)
    assert log_odds(found, found.field) == pytest.approx(log_odds(truth, h), abs=1e-10)
    assert found.coupling == pytest.approx(J, abs=1e-6), "the model with these agreements is unique"


def test_only_groups_with_loops_are_touched() -> None:
    wanted = np.r_[np.full(4, 0.75), 0.9, 0.6]
    model = network(7, [*SQUARE, (4, 5), (5, 6)], wanted)
    found = fit(model, wanted).model
    assert (found.coupling[4:] == model.coupling[4:]).all()
    assert (found.coupling[:4] < model.coupling[:4]).all()
    forest = network(3, [(0, 1), (1, 2)], np.array([0.7, 0.8]))
    assert fit(forest, np.array([0.7, 0.8])).sweeps == 0


def test_agreements_that_nobody_can_have(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fitting, "MOST_SWEEPS", 300)
    wanted = np.full(3, 0.2)  # of three people at least two agree, so the mean is at least a third
    with pytest.raises(SolveError, match=r"after 300 corrections .* of three, at least two agree"):
        fit(network(3, [(0, 1), (1, 2), (2, 0)], wanted), wanted)


def test_bad_input() -> None:
    model = network(3, [(0, 1), (1, 2), (2, 0)], np.full(3, 0.7))
    with pytest.raises(InputError, match="agreements must be 3"):
        fit(model, np.full(2, 0.7))
    with pytest.raises(InputError, match="biases must be one a person"):
        fit(model, np.full(3, 0.7), np.array([0.5, 0.5, 1.0]))
    twins = CorrelationModel("id", model.ids, model.edges, strengths(np.array([1, 0.7, 0.7])), np.zeros(3))
    with pytest.raises(UnsupportedError, match="always agree lie on a loop"):
        fit(twins, np.array([1, 0.7, 0.7]))
