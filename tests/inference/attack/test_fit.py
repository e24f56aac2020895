"""Fitted couplings: golden families, biases too, whatever is feasible, and what nobody can have."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, logsumexp

from dalenius.errors import InputError
from dalenius.inference.attack.fit import fit as fitting
from dalenius.inference.attack.fit.cliques import fit_clique
from dalenius.inference.attack.fit.fit import fit
from dalenius.knowledge.correlation.couplings import couple, strengths
from dalenius.knowledge.correlation.model import CorrelationModel
from helpers.brute_force import log_odds, log_weights
from helpers.networks import Edges

FAMILY = [(p, c) for p in (0, 1) for c in (2, 3, 4)]
SQUARE = [(0, 1), (1, 2), (2, 3), (3, 0)]
TRIANGLE = [(0, 1), (1, 2), (2, 0)]


def coupled(n: int, edges: Edges, agreement: np.ndarray, bias: np.ndarray | None = None) -> CorrelationModel:
    """Couplings made link by link from agreements: what a fit starts from."""
    ids, pairs = np.array([f"p{i}" for i in range(n)]), np.array(edges, np.int64).reshape(-1, 2)
    J, h = couple(ids, pairs, agreement, bias)
    return CorrelationModel("id", ids, pairs, J, h)


def agreements(model: CorrelationModel) -> np.ndarray:
    weight = np.exp(log_weights(model, model.field))
    pairs = [np.moveaxis(weight, edge, (0, 1)).reshape(2, 2, -1).sum(axis=2) for edge in model.edges]
    return np.array([np.trace(pair) / pair.sum() for pair in pairs])


def written_out(n: int, edges: Edges, J: np.ndarray, h: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Log-odds of agreement and of 0, by every combination of values: nothing here is the product's."""
    bits = np.array(list(itertools.product([0, 1], repeat=n)))
    spin = 1 - 2 * bits
    a, b = np.array(edges).T
    weight = (spin[:, a] * spin[:, b]) @ J + spin @ h
    differ = (bits[:, a] != bits[:, b]).T
    together = [logsumexp(weight[~one]) - logsumexp(weight[one]) for one in differ]
    return np.array(together), np.array(
        [logsumexp(weight[one == 0]) - logsumexp(weight[one == 1]) for one in bits.T]
    )


def shift(model: CorrelationModel, eps: float) -> np.ndarray:
    return log_odds(model, model.field + eps / 2) - log_odds(model, model.field)


def test_golden_family() -> None:
    wanted = np.full(6, 0.75)
    alone = coupled(5, FAMILY, wanted)
    assert agreements(alone) == pytest.approx(0.828947368421, abs=1e-9)
    assert shift(alone, 0.25) == pytest.approx([0.896113000898] * 2 + [0.828775483348] * 3, abs=1e-9)
    found = fit(alone, wanted)
    assert found.model.coupling == pytest.approx(0.423760707139, abs=1e-9)
    assert found.worst < 1e-9
    assert found.steps > 1
    assert shift(found.model, 0.25) == pytest.approx([0.730336889225] * 2 + [0.662879056023] * 3, abs=1e-9)


def test_golden_square() -> None:
    found = fit(coupled(4, SQUARE, np.full(4, 0.75)), np.full(4, 0.75))
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
    fitted = fit(coupled(n, edges, wanted, bias), wanted, bias)
    found = fitted.model
    assert not fitted.open_links.any()
    assert agreements(found) == pytest.approx(wanted, abs=1e-9)
    assert log_odds(found, found.field) == pytest.approx(log_odds(truth, h), abs=2e-9)
    assert found.coupling == pytest.approx(J, abs=1e-6), "the model with these agreements is unique"
    assert fitted.agreement == pytest.approx(agreements(found), abs=1e-9)
    assert fitted.prevalence == pytest.approx(expit(-log_odds(found, found.field)), abs=1e-9)


def feasible(per_size: int) -> Iterator[tuple[float, int, Edges, np.ndarray, np.ndarray]]:
    """Random models with couplings of size 0.3, 0.8 and 1.5, both signs and positive, biased and not."""
    rng = np.random.default_rng(20)
    for size, biased, at in itertools.product((0.3, 0.8, 1.5), (False, True), range(per_size)):
        n = int(rng.integers(3, 11))
        pairs = list(itertools.combinations(range(n), 2))
        density = rng.uniform(0.3, 1)
        edges = [pair for pair in pairs if rng.random() < density] or pairs
        J = rng.normal(0, size, len(edges))
        h = rng.normal(0, 0.5, n) if biased else np.zeros(n)
        yield size, n, edges, np.abs(J) if at % 2 else J, h


@pytest.mark.parametrize(
    "of_each", [6, pytest.param(27, marks=pytest.mark.slow(beside="test_whatever_a_model_has_can_be_fitted"))]
)
def test_whatever_a_model_has_can_be_fitted(of_each: int) -> None:
    """Up to 162 models of ten people: corrections step by step left one in five without an answer."""
    worst = 0.0
    for size, n, edges, J, h in feasible(of_each):
        together, u = written_out(n, edges, J, h)
        bias = expit(-u) if h.any() else None
        ids, pairs = np.arange(n).astype(str), np.array(edges)
        blank = CorrelationModel("id", ids, pairs, np.zeros_like(J), np.zeros(n))
        found = fit(blank, expit(together), bias)
        assert not found.open_links.any(), (size, n, len(edges))
        again, u_again = written_out(n, edges, found.model.coupling, found.model.field)
        worst = max(
            worst,
            float(np.abs(expit(again) - expit(together)).max()),
            float(np.abs(expit(u_again) - expit(u)).max()),
        )
    assert worst < 2e-9


def test_four_people_who_nearly_always_agree() -> None:
    pairs = list(itertools.combinations(range(4), 2))
    wanted = np.array([0.9701, 0.9871, 0.9766, 0.9597, 0.9909, 0.9661])
    found = fit(coupled(4, pairs, wanted), wanted)
    assert agreements(found.model) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize(("members", "bias", "agreement"), [(8, 0.05, 0.93), (5, 0.05, 0.93), (8, 0.3, 0.75)])
def test_households_with_a_bias_have_it(members: int, bias: float, agreement: float) -> None:
    """Link by link their fields ran away: 5 in 100 became nearly all."""
    pairs = list(itertools.combinations(range(members), 2))
    wanted, biases = np.full(len(pairs), agreement), np.full(members, bias)
    together, u = written_out(members, pairs, *_parameters(coupled(members, pairs, wanted, biases)))
    assert expit(-u).min() > 0.9
    found = fit(coupled(members, pairs, wanted, biases), wanted, biases).model
    together, u = written_out(members, pairs, *_parameters(found))
    assert expit(together) == pytest.approx(agreement, abs=1e-10)
    assert expit(-u) == pytest.approx(bias, abs=1e-10)


def _parameters(model: CorrelationModel) -> tuple[np.ndarray, np.ndarray]:
    return model.coupling, model.field


def test_parents_and_eight_children_with_a_bias() -> None:
    edges = [(p, c) for p in (0, 1) for c in range(2, 10)]
    wanted, bias = np.full(16, 0.93), np.full(10, 0.05)
    found = fit(coupled(10, edges, wanted, bias), wanted, bias).model
    together, u = written_out(10, edges, *_parameters(found))
    assert expit(together) == pytest.approx(0.93, abs=1e-9)
    assert expit(-u) == pytest.approx(0.05, abs=1e-9)


def test_blocks_that_share_a_person_are_fitted_as_one_network() -> None:
    """Two loops that meet in a person, a chain from there, and a household: by brute force, all at once."""
    edges = [*TRIANGLE, (2, 3), (3, 4), (4, 2), (4, 5), (5, 6), (6, 7), (7, 8), (8, 6), (5, 9)]
    rng = np.random.default_rng(3)
    J, h = rng.uniform(0.1, 0.8, len(edges)), rng.normal(0, 0.4, 10)
    together, u = written_out(10, edges, J, h)
    blank = CorrelationModel("id", np.arange(10).astype(str), np.array(edges), np.zeros_like(J), np.zeros(10))
    found = fit(blank, expit(together), expit(-u)).model
    assert found.coupling == pytest.approx(J, abs=1e-8)
    assert found.field == pytest.approx(h, abs=1e-8)


def test_only_blocks_with_loops_are_touched() -> None:
    wanted = np.r_[np.full(4, 0.75), 0.9, 0.6]
    model = coupled(7, [*SQUARE, (3, 4), (5, 6)], wanted)
    found = fit(model, wanted).model
    assert (found.coupling[4:] == model.coupling[4:]).all()
    assert (found.coupling[:4] < model.coupling[:4]).all()
    forest = coupled(3, [(0, 1), (1, 2)], np.array([0.7, 0.8]))
    assert fit(forest, np.array([0.7, 0.8])).steps == 0


def test_a_link_that_says_nothing_new_gets_no_coupling() -> None:
    """Its sign would be rounding, and might contradict the others."""
    wanted = np.array([0.8, 0.8, 0.8**2 + 0.2**2])
    assert fit(coupled(3, TRIANGLE, wanted), wanted).model.coupling[2] == 0


@pytest.mark.parametrize(
    ("edges", "wanted", "bias", "why"),
    [
        (TRIANGLE, [0.2] * 3, None, r"circle of 3 people.* 0\.2 \(to agree\).* add up to 0\.6, not to 1"),
        (TRIANGLE, [0.9, 0.9, 0.5], None, r"0\.5 \(to agree\), 0\.1 \(to differ\), 0\.1 .* add up to 0\.7"),
        (TRIANGLE, [0.95, 0.95, 0.8], [0.05] * 3, "and two biases"),
        (list(itertools.combinations(range(8), 2)), [0.42] * 28, None, "12 of the 28 pairs agree"),
        (
            list(itertools.combinations(range(5), 2)),
            [0.39] * 9 + [0.391],
            None,
            "10 agreements of 5 people that contradict",
        ),
    ],
)
def test_agreements_that_nobody_can_have(edges: Edges, wanted: list[float], bias, why: str) -> None:
    n = 1 + max(max(edge) for edge in edges)
    biases = None if bias is None else np.array(bias)
    blank = CorrelationModel(
        "id", np.array([f"canary{i}" for i in range(n)]), np.array(edges), np.zeros(len(edges)), np.zeros(n)
    )
    with pytest.raises(InputError, match="must be such that people can have them") as caught:
        fit(blank, np.array(wanted), biases)
    assert re.search(why, str(caught.value)), str(caught.value)
    assert "canary" not in str(caught.value)
    assert "canary" in str(caught.value.value)


def test_no_law_is_refused_that_exists() -> None:
    """On the edge of what can be: no combination is left out but in the limit."""
    wanted = np.array([0.9, 0.9, 0.8])
    found = fit(coupled(3, TRIANGLE, wanted), wanted)
    assert agreements(found.model) == pytest.approx(wanted, abs=1e-8)


def test_what_is_too_wide_stays_open_and_says_so() -> None:
    rng = np.random.default_rng(1)
    pairs = [pair for pair in itertools.combinations(range(60), 2) if rng.random() < 0.9]
    wanted = rng.uniform(0.51, 0.53, len(pairs))
    found = fit(coupled(60, pairs, wanted), wanted)
    assert found.open_links.all()
    assert found.too_wide
    assert (found.model.coupling == strengths(wanted)).all()


def test_a_household_of_any_size() -> None:
    members = 120
    pairs = list(itertools.combinations(range(members), 2))
    wanted, bias = np.full(len(pairs), 0.7), np.full(members, 0.3)
    found = fit(coupled(members, pairs, wanted, bias), wanted, bias)
    assert not found.open_links.any()
    assert found.model.coupling[0] == fit_clique(members, 0.7, 0.3).coupling


def test_identical_people_on_a_loop_are_one() -> None:
    """A pair of twins, and two people related to one of them each and to each other."""
    edges = np.array([[0, 1], [0, 2], [1, 3], [2, 3]])
    wanted = np.array([1.0, 0.8, 0.7, 0.65])
    found = fit(CorrelationModel("id", np.arange(4).astype(str), edges, np.zeros(4), np.zeros(4)), wanted)
    once = fit(coupled(3, TRIANGLE, np.array([0.8, 0.65, 0.7])), np.array([0.8, 0.65, 0.7]))
    assert np.isinf(found.model.coupling[0])
    assert found.model.coupling[1:] == pytest.approx(once.model.coupling[[0, 2, 1]], abs=1e-9)
    twice = np.array([[0, 1], [0, 2], [1, 2]])
    blank = CorrelationModel("id", np.arange(3).astype(str), twice, np.zeros(3), np.zeros(3))
    both = fit(blank, np.array([1.0, 0.8, 0.8]), np.full(3, 0.3)).model
    assert both.coupling[1] + both.coupling[2] == pytest.approx(
        couple(np.arange(2), np.array([[0, 1]]), np.array([0.8]), np.full(2, 0.3))[0][0]
    )
    with pytest.raises(InputError, match="must be the same for all who are identical"):
        fit(blank, np.array([1.0, 0.8, 0.7]))
    with pytest.raises(InputError, match="by way of others"):
        fit(blank, np.array([1.0, 1.0, 0.7]))


def test_a_planted_fault_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without people's own fields taken off where blocks meet, biases come out wrong."""
    edges = [*TRIANGLE, (2, 3), (3, 4), (4, 2)]
    wanted, bias = np.full(6, 0.8), np.full(5, 0.3)
    right = fit(coupled(5, edges, wanted, bias), wanted, bias).model
    monkeypatch.setattr(fitting, "add_fields", lambda links, edges, which: links.alone * 0)
    wrong = fit(coupled(5, edges, wanted, bias), wanted, bias).model
    off = [np.abs(expit(-written_out(5, edges, *_parameters(m))[1]) - 0.3).max() for m in (right, wrong)]
    assert off[0] < 1e-9
    assert off[1] > 0.01


def test_bad_input() -> None:
    model = coupled(3, TRIANGLE, np.full(3, 0.7))
    with pytest.raises(InputError, match="agreements must be 3"):
        fit(model, np.full(2, 0.7))
    with pytest.raises(InputError, match="biases must be one per person"):
        fit(model, np.full(3, 0.7), np.array([0.5, 0.5, 1.0]))
