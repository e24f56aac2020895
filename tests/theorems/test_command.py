"""The command: list, run, JSON, and what it refuses."""

import json
import re

import pytest
from typer.testing import CliRunner

from dalenius.cli.main import app
from dalenius.errors import InputError, TooLargeError
from dalenius.theorems import text
from dalenius.theorems.catalogue import EXPERIMENTS, run
from dalenius.theorems.experiment import Promised
from dalenius.theory.catalogue import STATEMENTS

QUICK = ["--n", "64", "--alpha", "0.017", "--runs", "2"]


def call(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["theorem", *arguments])
    return result.exit_code, result.stdout, result.stderr


def test_list_names_every_statement() -> None:
    code, out, _ = call()
    assert code == 0
    for entry in STATEMENTS:
        assert re.search(rf"^{re.escape(entry.id)} .*{entry.paper.split(',')[0]}", out, re.MULTILINE)


def test_list_as_json() -> None:
    code, out, _ = call("--json")
    assert code == 0
    assert [entry["id"] for entry in json.loads(out)] == [entry.id for entry in STATEMENTS]


def test_run_prints_promised_beside_measured() -> None:
    code, out, _ = call("exposed-7", *QUICK)
    assert code == 0
    for words in (
        "Theorem 7",
        "Assumes",
        "at most 29.6% of the people wrong, in every run",
        "16 of 64 wrong",
        "no release",
        "Where we differ from the print",
        "exposed-7: every promise was kept.",
    ):
        assert words in out


def test_run_as_json_is_the_outcome() -> None:
    code, out, _ = call("exposed-7", *QUICK, "--seed", "3", "--json")
    assert code == 0
    assert json.loads(out) == json.loads(
        json.dumps(run("exposed-7", {"n": 64, "alpha": 0.017}, runs=2, seed=3).to_json())
    )


def test_a_broken_promise_ends_with_1(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dalenius.theory.hadamard.hadamard_error_bound", lambda n, alpha: 4 * alpha**2 * n)
    code, out, _ = call("exposed-7", *QUICK)
    assert code == 1
    assert "A PROMISE WAS BROKEN" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["exposed-77"], "id must name a statement; got 'exposed-77'. Did you mean 'exposed-7'?"),
        (
            ["exposed-7", "--rho", "1"],
            "--rho must be a parameter of exposed-7; got rho. It takes n, alpha, runs, seed.",
        ),
        (["exposed-7", "--alpha", "-1"], "alpha must lie between 0 and 1; got -1.0."),
        (["exposed-7", "--alpha", "nan"], "alpha must lie between 0 and 1; got nan."),
        (["exposed-7", "--n", "0"], "n must lie between 1 and 4,19"),
        (["exposed-7", "--n", "10000000"], "n must be at most 4,19"),
        (
            ["exposed-7", "--n", "4000000", "--runs", "100"],
            "people x runs must be at most 16,777,216; got 400,",
        ),
        (["exposed-6", "--n", "30"], "krs-2.1 takes hundreds of people, exposed-7 a million."),
        (["exposed-8", "--n", "12", "--m", "12"], "m must lie between 1.1 n and 2^n"),
        (["exposed-9", "--n", "16", "--m", "2"], "m must be large enough to tell 16 people apart"),
        (["krs-2.1", "--n", "20", "--m", "10"], "m must be at least n = 20; got 10."),
        (["krs-2.1", "--n", "1000"], "m x n^2 x runs must be at most 4,000,000,000"),
        (["krs-2.2", "--m", "500"], "Its certificate takes a linear program an answer."),
        (["exposed-1", "--runs", "0"], "runs must lie between 1 and 10,000; got 0."),
        (["--n", "5"], "--n must come with the id of a statement"),
    ],
)
def test_bad_input_says_what_to_do(arguments: list[str], message: str) -> None:
    code, out, err = call(*arguments)
    assert (code, out) == (2, "")
    assert message in err


def test_whole_numbers_are_asked_for_in_python_too() -> None:
    with pytest.raises(InputError, match=r"n must be a whole number; got 4\.5"):
        run("exposed-7", {"n": 4.5})
    with pytest.raises(TooLargeError):
        run("exposed-7", {"n": float("inf")})


@pytest.mark.parametrize("id", EXPERIMENTS)
def test_defaults_are_inside_their_limits(id: str) -> None:
    from dalenius.theorems.catalogue import check

    assert check(EXPERIMENTS[id], {}).get("n", 2) > 1


def test_every_parameter_can_be_given_on_the_command_line() -> None:
    known = {parameter.name: id for id, entry in EXPERIMENTS.items() for parameter in entry.parameters}
    for name, id in known.items():
        code, _, err = call(id, f"--{name}", "-1000000")
        assert code == 2
        assert f"{name} must lie between" in err


def test_a_bound_above_everybody_is_said_to_say_nothing() -> None:
    assert "nothing at these sizes" in text.promise_in_words(Promised("x", 1.0))
    code, out, _ = call("exposed-7", "--n", "64", "--alpha", "0.2", "--runs", "1")
    assert code == 0
    assert "nothing at these sizes" in out
