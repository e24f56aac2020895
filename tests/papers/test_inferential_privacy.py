"""Statements on inference: golden values, kept as they are, and broken as soon as something is wrong."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from dalenius.cli.main import app
from dalenius.errors import InputError, TooLargeError
from dalenius.inference.attack.beliefs.totals import Totals
from dalenius.papers.experiment import Computed, StatementOutcome
from dalenius.papers.inferential_privacy import (
    example_zeus,
    lemma_3_5_noisy_sum,
    related_people,
    theorem_3_4_worst_case,
    theorem_4_2_bounded_influence,
    theorem_a2b_epsilon,
)
from dalenius.papers.run import run
from dalenius.theory import inference as theory

from .conftest import Spoil

SMALL: dict[str, tuple[dict[str, float], int]] = {
    "infer-3.4": ({"n": 5}, 10),
    "infer-3.5": ({"n": 5}, 100),
    "infer-4.2": ({}, 3),
    "infer-A1": ({}, 20),
    "infer-A2a": ({"n": 300}, 4),
    "infer-A2b": ({"depth": 6}, 2),
    "infer-zeus": ({"depth": 3}, 800),
}


def result(id: str) -> StatementOutcome:
    given, runs = SMALL[id]
    return run(id, given, runs=runs)


@cache
def true_result(id: str) -> StatementOutcome:
    return result(id)


def value(outcome: StatementOutcome, start: str) -> float:
    (found,) = [row for row in outcome.computed if row.what.startswith(start)]
    return found.value


@pytest.mark.parametrize("id", SMALL)
def test_every_promise_is_kept(id: str) -> None:
    outcome = true_result(id)
    assert outcome.kept
    assert json.loads(json.dumps(outcome.to_json(), allow_nan=False))["kept"] is True


@pytest.mark.parametrize(
    ("id", "module", "name", "factor"),
    [
        ("infer-3.4", theorem_3_4_worst_case, "worst_case", 0.9),
        ("infer-3.4", theorem_3_4_worst_case, "worst_case", 1.1),
        ("infer-3.5", lemma_3_5_noisy_sum, "log_odds", 1.05),
        ("infer-4.2", theorem_4_2_bounded_influence, "worst_case", 2.3),
        ("infer-A1", theory, "nu_of_parity", 1.1),
        ("infer-A1", theory, "affiliated_formula_on_parity", 1.01),
        ("infer-A2a", theory, "nu_of_bounded_degree", 0.5),
        ("infer-A2a", theory, "slope_limit", 0.9),
        ("infer-A2a", theory, "least_enforceable_nu", 1.01),
        ("infer-A2b", theorem_a2b_epsilon, "worst_case", 1.001),
        ("infer-zeus", theory, "nu_of_root", 1.001),
    ],
)
def test_a_wrong_number_is_seen(id: str, module: Any, name: str, factor: float, spoil: Spoil) -> None:
    spoil(module, name, factor)
    assert not result(id).kept


def test_databases_that_are_not_drawn_from_the_prior_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def coins(self: Totals, draws: int, *, rng: np.random.Generator) -> np.ndarray:
        return rng.random((draws, self.people)) < 0.1

    monkeypatch.setattr(Totals, "draw", coins)
    assert not result("infer-3.5").kept


def test_relatives_who_agree_more_than_told_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = related_people.draw_complete_tree
    stronger = theory.coupling_of(0.8)
    monkeypatch.setattr(
        example_zeus, "draw_complete_tree", lambda d, depth, J, h, rng: draw(d, depth, stronger, h, rng)
    )
    outcome = result("infer-zeus")
    assert [row.what for row in outcome.measured if row.kept is False] == [
        "last generation, guessed to be like Zeus: not more"
    ]


def test_the_last_generation_agrees_as_often_as_it_should() -> None:
    """(1 + 0.4^3)/2 = 0.532 at depth 3 and agreement 0.7."""
    outcome = true_result("infer-zeus")
    (promise,) = {
        row.promise.value for row in outcome.measured if row.promise and row.what.startswith("last")
    }
    assert promise == pytest.approx(0.532)


def test_golden_family() -> None:
    nu = related_people.worst_case(
        related_people.complete_tree(2, 3, theory.coupling_of(0.7)), np.full(15, 0.1)
    )
    assert nu[0] == pytest.approx(0.294097634497, abs=1e-9)
    assert nu[1:3] == pytest.approx([0.32223568] * 2, abs=1e-8)
    outcome = run("infer-zeus", {"depth": 5}, runs=2)
    assert value(outcome, "nu of Zeus") == pytest.approx(0.365023881204, abs=1e-9)
    assert value(outcome, "Zeus with his children") == pytest.approx(0.179944042532, abs=1e-9)
    outcome = run("infer-zeus", {"depth": 10, "agreement": 0.8}, runs=2)
    assert value(outcome, "nu of Zeus") == pytest.approx(1.953066369167, abs=1e-9)


def test_golden_jump_on_the_whole_tree() -> None:
    """797,161 people, through propagation over all of them."""
    outcome = run("infer-A2b", runs=1)
    assert value(outcome, "nu of the root at epsilon 0.19") == pytest.approx(0.190577582183, abs=1e-9)
    assert value(outcome, "nu of the root at epsilon 0.2,") == pytest.approx(20.593917217668, abs=1e-9)
    assert value(outcome, "nu at epsilon 0.2: 20") > 20
    other = run("infer-A2b", {"d": 2, "coupling": 2.6, "depth": 16}, runs=1)
    found = [row.value for row in other.computed]
    assert found == pytest.approx([0.191928663004, 20.979790128933], abs=1e-9)


def test_golden_transition() -> None:
    outcome = true_result("infer-A2a")
    assert value(outcome, "nu of all such trees, J = 0.6") == pytest.approx(1.770954089179, abs=1e-9)
    assert value(outcome, "nu at epsilon 1e-9") == pytest.approx(1.675504954896, abs=1e-6)
    outcome = run("infer-A2a", {"weak": 0.3, "epsilon": 0.1, "n": 50}, runs=1)
    assert value(outcome, "nu of all such trees, J = 0.3") == pytest.approx(0.307242733353, abs=1e-9)
    assert value(outcome, "nu of all such trees, J = 0.6") == pytest.approx(2.311108571173, abs=1e-9)


def test_golden_bounds() -> None:
    outcome = true_result("infer-4.2")
    golden = {"nu/epsilon": 3.165, "bound B-bin": 6.977, "bound A-bin": 74.6, "bound paper": 149.2}
    for start, expected in golden.items():
        assert value(outcome, start) == pytest.approx(expected, rel=5e-4)
    assert "Spectral norm of Gamma 1.0154" in " ".join(outcome.facts)
    assert "at most 0.962" in " ".join(outcome.facts)


@pytest.mark.parametrize(
    ("r", "s", "nu", "formula"),
    [(1, 2, 1.0, 0.620114506958), (3, 2, 2.0, 0.860343520875), (2, 3, 1.5, 0.558770160532)],
)
def test_golden_parity(r: int, s: int, nu: float, formula: float) -> None:
    outcome = run("infer-A1", {"blocks": r, "size": s}, runs=2)
    assert value(outcome, "the worst mechanism there is") == pytest.approx(nu, abs=1e-7)
    assert value(outcome, "Equation 6 of the table") == pytest.approx(formula, abs=1e-9)


def test_larger_parities_and_families_go_without_the_linear_program() -> None:
    assert "linear program" in run("infer-A1", {"blocks": 20}, runs=2).facts[-1]
    assert "linear program" in run("infer-3.4", {"n": 30}, runs=2).facts[-1]
    assert "No linear program" in run("infer-3.4", {"n": 6, "epsilon": 20}, runs=2).facts[-1]


def test_random_trees_keep_to_the_degree() -> None:
    parent = related_people.random_tree(500, np.random.default_rng(3), 3)
    relatives = np.bincount(np.r_[parent, np.arange(1, 500)], minlength=500)
    assert relatives.max() == 3
    assert (parent < np.arange(1, 500)).all()


def test_a_computed_number_is_held_from_the_right_side() -> None:
    assert Computed("x", 1.0).kept is None
    assert [Computed("x", 1.0, 2.0, side).kept for side in ("at most", "at least", "equal")] == [
        True,
        False,
        False,
    ]
    assert Computed("x", 1.0, 1.0 + 1e-10).kept is True


@pytest.mark.parametrize("id", ["infer-4.2", "infer-A1", "infer-A2a", "infer-A2b", "infer-zeus"])
def test_pictures_are_written(id: str, tmp_path: Path) -> None:
    given, _ = SMALL[id]
    options = [part for name, number in given.items() for part in (f"--{name}", str(number))]
    result = CliRunner().invoke(app, ["theorem", id, *options, "--runs", "2", "--out", str(tmp_path / "out")])
    assert result.exit_code == 0
    pictures = sorted((tmp_path / "out").glob("*.svg"))
    assert len(pictures) == (2 if id == "infer-zeus" else 1)
    for picture in pictures:
        text = picture.read_text(encoding="utf-8")
        assert text.startswith("<?xml")
        assert "nu" in text
    outcome = json.loads((tmp_path / "out" / f"{id}.json").read_text(encoding="utf-8"))
    assert outcome["kept"] is True
    assert outcome["computed"]


def test_a_text_shows_computed_beside_promised() -> None:
    found = CliRunner().invoke(app, ["theorem", "infer-A1", "--runs", "2"])
    assert found.exit_code == 0
    assert "Computed" in found.stdout
    assert "= 0.8603435209" in found.stdout


@pytest.mark.parametrize(
    ("id", "given", "message"),
    [
        ("infer-3.4", {"agreement": 0.4}, "agreement must lie between"),
        ("infer-3.5", {"epsilon": 0}, "epsilon must lie between"),
        ("infer-4.2", {"slack": 1.5}, "slack must lie between"),
        ("infer-A1", {"blocks": 0}, "blocks must lie between"),
        ("infer-A1", {"size": 1}, "size must lie between 2"),
        ("infer-A2a", {"degree": 2}, "degree must lie between"),
        ("infer-A2b", {"n": 3}, "must be a parameter of infer-A2b"),
        ("infer-zeus", {"agreement": 1}, "agreement must lie between"),
    ],
)
def test_bad_values_are_refused(id: str, given: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        run(id, given, runs=2)


def test_too_much_work_is_refused() -> None:
    for id, given in (
        ("infer-3.4", {"n": 2000}),
        ("infer-3.5", {"n": 200}),
        ("infer-4.2", {"d": 100, "depth": 5}),
        ("infer-A1", {"blocks": 1000, "size": 1000}),
        ("infer-A2a", {"n": 5000}),
        ("infer-A2b", {"depth": 3000, "d": 1000}),
        ("infer-zeus", {"depth": 3000}),
    ):
        with pytest.raises(TooLargeError):
            run(id, given, runs=5000)
