"""Beliefs from perfect samples: intervals hold exact ones, and chains that do not meet are refused."""

from __future__ import annotations

import numpy as np
import pytest

from dalenius.errors import UnsupportedError
from dalenius.inference.attack.beliefs import beliefs, sampled
from dalenius.inference.attack.beliefs.beliefs import after_answers
from dalenius.inference.attack.beliefs.sampled import SampledLaw, sample_law
from dalenius.inference.attack.beliefs.solver import solver
from dalenius.inference.attack.solvers.junction import TooWideError
from dalenius.knowledge.correlation.model import CorrelationModel
from helpers.networks import network


def random_model(rng: np.random.Generator) -> tuple[CorrelationModel, np.ndarray]:
    """A few people with loops, signs that can be fixed, and any fields."""
    people = int(rng.integers(3, 8))
    links = [(i, j) for i in range(people) for j in range(i) if rng.random() < 0.6] or [(0, 1)]
    side = rng.choice([-1, 1], people)
    couplings = [float(side[i] * side[j] * rng.exponential(0.3)) for i, j in links]
    field = rng.normal(0, 0.5, people)
    return network(links, couplings, field.tolist()), field


def missed(seed: int, models: int, spoil: float = 0.0) -> int:
    """How many networks have somebody whose exact probability of a 1 is outside the interval."""
    rng, count = np.random.default_rng(seed), 0
    for at in range(models):
        model, field = random_model(rng)
        exact = 1 / (1 + np.exp(solver(model)(field)))
        low, high = sample_law(model, field + spoil, seed=at, draws=150).limits()
        count += bool(((exact < low) | (exact > high)).any())
    return count


def test_intervals_hold_the_exact_beliefs() -> None:
    assert missed(1, 16) <= 3  # less than 1 expected


def test_samples_of_another_law_are_found_out() -> None:
    assert missed(1, 16, spoil=0.4) > 8


def test_a_chain_that_did_not_settle_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Strong links: whoever takes the state after one round for a sample is wrong; here it is refused."""
    ring = network([(i, (i + 1) % 12) for i in range(12)], [1.5] * 12, [0.0] * 12)
    unsettled = SampledLaw(np.zeros(12, np.int64), 400, 1)  # all chains still where they began, at 0
    high = unsettled.limits()[1]
    assert (high < 0.5).all()  # the exact belief of a fair bit is outside
    monkeypatch.setattr(sampled, "LONGEST", 3)
    with pytest.raises(UnsupportedError, match="have not met"):
        sample_law(ring, ring.field, draws=20)


def test_a_wide_network_is_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    model, _ = random_model(rng)
    model = CorrelationModel(model.id_name, model.ids, model.edges, model.coupling, np.zeros(len(model)))
    answers = rng.integers(0, 2, len(model)).astype(float)
    exact = after_answers(model, answers, 0.8)

    def refuse(*_: object) -> None:
        raise TooWideError.__new__(TooWideError)

    monkeypatch.setattr(beliefs, "_beliefs", refuse)
    found = after_answers(model, answers, 0.8)
    assert found.sampled is not None
    low, high = found.sampled.limits()
    assert ((low <= exact.probability_after) & (exact.probability_after <= high)).all()
    assert (found.before == 0).all()


def test_biases_are_sampled_before_and_after(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(6)
    model, _ = random_model(rng)
    answers = rng.integers(0, 2, len(model)).astype(float)
    exact = after_answers(model, answers, 0.8)

    def refuse(*_: object) -> None:
        raise TooWideError.__new__(TooWideError)

    monkeypatch.setattr(beliefs, "_beliefs", refuse)
    found = after_answers(model, answers, 0.8)
    for law, truth in (
        (found.sampled, exact.probability_after),
        (found.sampled_before, exact.probability_before),
    ):
        assert law is not None
        low, high = law.limits()
        assert ((low <= truth) & (truth <= high)).all()
        assert (truth > 0.5).any() or (truth < 0.5).any()
