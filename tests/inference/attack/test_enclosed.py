"""Couplings that are enclosed: the fitted ones lie inside, and nu of the fitted law is below its bound."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from validation.enclosed_couplings import compare

from dalenius.inference.answers.privacy_loss import spend
from dalenius.inference.answers.promise import promise
from dalenius.inference.attack.fit import enclosed
from dalenius.inference.attack.fit import implied as simulating
from dalenius.inference.attack.fit.enclosed import enclose
from dalenius.inference.attack.fit.fit import fit
from dalenius.inference.attack.nu import prepare
from dalenius.inference.priors.prior import read_network
from dalenius.inference.priors.settle import without_bounds
from helpers.networks import network


def test_the_fitted_law_is_inside() -> None:
    shown, broken, _ = compare(40)
    assert shown >= 12
    assert broken == 0


def test_limits_that_are_too_narrow_are_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(enclosed, "ROUNDING", -0.01)
    assert compare(40)[1] > 0


def test_a_link_that_must_be_negative_is_not_enclosed() -> None:
    """Parents of eight who agree no more than each with a child: by way of the children alone they would."""
    links = [(0, 1), *((p, c) for c in range(2, 10) for p in (0, 1))]
    model = network(links, [float(np.arctanh(0.3))] * 17, [0.0] * 10)
    assert fit(model, np.full(17, 0.65)).model.coupling[0] < 0
    assert enclose(model) is None


def test_signs_are_those_of_the_links() -> None:
    square = network([(0, 1), (1, 2), (2, 3), (3, 0)], [0.3, -0.3, -0.3, 0.3], [0.0] * 4)
    found = enclose(square)
    assert found is not None
    assert np.sign(found.least).tolist() == [1, -1, -1, 1]
    assert enclose(replace(square, coupling=np.array([0.3, -0.3, 0.3, 0.3]))) is None
    assert enclose(replace(square, field=np.full(4, 0.1))) is None


@pytest.fixture
def contacts(tmp_path: Path) -> Path:
    """Four links each among 150 people, by chance: far too wide to fit."""
    rng = np.random.default_rng(2)
    rounds = [rng.permutation(150) for _ in range(2)]
    pairs = {tuple(sorted(pair)) for one in rounds for pair in zip(one, np.roll(one, 1), strict=True)}
    (tmp_path / "edges.csv").write_text("\n".join(["a,b", *(f"q{a},q{b}" for a, b in pairs)]) + "\n")
    return tmp_path / "edges.csv"


def test_a_wide_network_is_decided_by_its_bounds(contacts: Path) -> None:
    prior = read_network(contacts, agreement=0.58)
    assert prior.least is not None
    assert prior.standing is not None
    assert prior.standing.as_stated
    found = promise(prior, spend([]), 1.0, source="edges.csv").finding.details
    assert found.chosen is not None
    assert found.chosen.epsilon > 0.2  # group privacy: 1/150
    assert not found.exact
    assert found.regardless is None
    assert "enclosed" in found.prior.how


def test_beliefs_are_not_those_of_bounds(contacts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulating, "WORK", 1e5)
    prior = read_network(contacts, agreement=0.58)
    own = without_bounds(prior)
    assert own.least is None
    assert own.model.coupling.max() == pytest.approx(np.arctanh(0.16))
    assert own.model.coupling.max() > prior.model.coupling.min()


def test_what_is_exact_for_the_largest_couplings_is_a_bound() -> None:
    pairs = network([(0, 1), (2, 3)], [0.5, 0.5], [0.0] * 4)
    nus = prepare(pairs, np.array([0.4, 0.5])).nus(0.3)
    assert [nus.bounds[at] for at in nus.bound] == ["bound-eq6", "bound-eq6", "exact-eq6", "exact-eq6"]
