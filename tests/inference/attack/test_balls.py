"""Exact balls enclose nu: of everybody in small networks, with biases too; a rim that is too near is seen."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dalenius.findings.policy import Policy
from dalenius.inference.answers.privacy_loss import spend
from dalenius.inference.answers.promise import promise
from dalenius.inference.attack.bounds import balls
from dalenius.inference.attack.bounds.balls import ball_around
from dalenius.inference.attack.nu import inferential_privacy
from dalenius.inference.priors.prior import read_network
from dalenius.inference.rules import rulings
from dalenius.knowledge.correlation.model import CorrelationModel
from helpers.networks import network


def random_model(rng: np.random.Generator, *, biased: bool) -> tuple[CorrelationModel, np.ndarray]:
    people = int(rng.integers(5, 10))
    links = [(i, j) for i in range(people) for j in range(i) if j == i - 1 or rng.random() < 0.3]
    couplings = rng.exponential(rng.choice([0.2, 0.6]), len(links)).tolist()
    field = (rng.normal(0, 0.4, people) * biased).tolist()
    return network(links, couplings, field), rng.exponential(0.6, people)


@pytest.mark.parametrize("biased", [False, True])
def test_nu_is_inside(biased: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(balls, "SIZES", (4, 3))
    rng, open_ = np.random.default_rng(7), 0
    for _ in range(25):
        model, epsilon = random_model(rng, biased=biased)
        nu = inferential_privacy(model, epsilon).nu
        for person in range(len(model)):
            ball = ball_around(model, person)
            assert ball is not None
            low, high = ball.nu(epsilon)
            assert low <= nu[person] + 1e-9
            assert high >= nu[person] - 1e-9
            open_ += high - low > 1e-3
    assert open_ > 50


def test_a_rim_that_is_left_out_from_above_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(balls, "SIZES", (4, 3))
    rng, broken = np.random.default_rng(7), 0
    for _ in range(10):
        model, epsilon = random_model(rng, biased=False)
        nu = inferential_privacy(model, epsilon).nu
        ball = ball_around(model, 0)
        assert ball is not None
        broken += ball.nu(epsilon)[0] < nu[0] - 1e-6  # the rim left out is no bound from above
    assert broken > 5


def test_the_least_couplings_give_the_bound_from_below() -> None:
    chain = network([(0, 1), (1, 2)], [0.5, 0.5], [0.0] * 3)
    ball = ball_around(chain, 1, np.array([0.2, 0.3]))
    assert ball is not None
    low, high = ball.nu(np.full(3, 0.4))
    weak = network([(0, 1), (1, 2)], [0.2, 0.3], [0.0] * 3)
    assert low == pytest.approx(inferential_privacy(weak, 0.4).nu[1])
    assert high == pytest.approx(inferential_privacy(chain, 0.4).nu[1])


def test_what_is_proven_from_both_sides_decides(tmp_path: Path) -> None:
    """A wide network: a limit below what a ball attains stops, one above the bound passes."""
    rng = np.random.default_rng(2)
    rounds = [rng.permutation(150) for _ in range(2)]
    pairs = {tuple(sorted(pair)) for one in rounds for pair in zip(one, np.roll(one, 1), strict=True)}
    (tmp_path / "edges.csv").write_text("\n".join(["a,b", *(f"q{a},q{b}" for a, b in pairs)]) + "\n")
    prior = read_network(tmp_path / "edges.csv", agreement=0.58)
    finding = promise(prior, spend([0.2]), 1.0, source="edges.csv").finding
    details = finding.details
    assert details.balls is not None
    assert details.nu is not None
    low, high = details.balls.least, details.balls.most
    assert 0.2 < low < high == details.nu.worst
    assert rulings(finding, Policy(max_nu=low * 0.99))[0][0] == "stop"
    assert rulings(finding, Policy(max_nu=(low + high) / 2))[0][0] == "undecided"
    assert rulings(finding, Policy(max_nu=high * 1.01))[0][0] == "pass"
    assert details.chosen is not None
    assert "somebody's nu passes it (an exact ball of" in details.chosen.reason
