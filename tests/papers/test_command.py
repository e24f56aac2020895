"""The command: list, run, JSON, and what it refuses."""

import json
import re

import pytest
from typer.testing import CliRunner

from dalenius.cli.main import app
from dalenius.errors import InputError, TooLargeError
from dalenius.papers import text
from dalenius.papers.experiment import PromisedShare
from dalenius.papers.registry import HEADINGS, check, parameters, statement
from dalenius.papers.run import run

QUICK = ["--n", "64", "--alpha", "0.017", "--runs", "2"]


def call(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["theorem", *arguments])
    return result.exit_code, result.stdout, result.stderr


def test_list_names_every_statement() -> None:
    code, out, _ = call()
    assert code == 0
    for entry in HEADINGS.values():
        assert re.search(rf"^{re.escape(entry.id)} .*{entry.paper.split(',')[0]}", out, re.MULTILINE)


def test_list_as_json() -> None:
    code, out, _ = call("--json")
    assert code == 0
    assert [entry["id"] for entry in json.loads(out)] == list(HEADINGS)


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
    monkeypatch.setattr(
        "dalenius.theory.reconstruction.subset_counts.hadamard_error_bound",
        lambda n, alpha: 4 * alpha**2 * n,
    )
    code, out, _ = call("exposed-7", *QUICK)
    assert code == 1
    assert "A PROMISE WAS BROKEN" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["exposed-77"], "got 'exposed-77'. Did you mean 'exposed-7'?"),
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
        (["krs-2.2", "--m", "500"], "Its certificate takes one linear program for each answer."),
        (["exposed-1", "--runs", "0"], "runs must lie between 1 and 10,000; got 0."),
        (["exposed-7", "--set", "n=5", "--n", "6"], "--n must be given once; got it twice."),
        (
            ["exposed-7", "--apha", "1"],
            "must be a parameter of exposed-7; got apha. Did you mean 'alpha'?",
        ),
        (["exposed-7", "--set", "apha=1"], "Did you mean 'alpha'? It takes n, alpha, runs, seed."),
        (["exposed-7", "--jsn", "--n", "64"], "got jsn. Did you mean 'json'? It takes n, alpha, runs, seed."),
        (["exposed-7", "--set", "n"], "--set must look like NAME=VALUE; got 'n'."),
        (["exposed-7", "--n"], "--n must be a whole number; got ''. It is the number of people."),
        (["exposed-7", "--n", "many"], "--n must be a whole number; got 'many'."),
        (["exposed-7", "--n", "4.5"], "n must be a whole number; got 4.5."),
        (["exposed-7", "--n", "9" * 400], "n must be at most 4,19"),
        (["exposed-7", "--alpha", "small"], "--alpha must be a number; got 'small'."),
        (["exposed-7", "--set", "seed=-1"], "seed must be at least 0; got -1."),
        (["exposed-7", "--set", "runs=inf"], "runs must lie between 1 and 10,000; got inf."),
        (["exposed-7", "exposed-8"], "id must be one statement; got exposed-7, exposed-8."),
        (
            ["exposed-77", "--parameters"],
            "id must name a statement; got 'exposed-77'. Did you mean 'exposed-7'?",
        ),
        (["--set", "n=5"], "--n must come with the id of a statement"),
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


@pytest.mark.parametrize("id", HEADINGS)
def test_defaults_are_inside_their_limits(id: str) -> None:
    assert check(id, {}).get("n", 2) > 1


def test_every_parameter_can_be_given_on_the_command_line() -> None:
    known = {parameter.name: id for id in HEADINGS for parameter in statement(id).parameters}
    for name, id in known.items():
        code, _, err = call(id, f"--{name}", "-1000000")
        assert code == 2
        assert f"{name} must lie between" in err


def test_a_bound_above_everybody_is_said_to_say_nothing() -> None:
    assert "nothing at these sizes" in text.promise_in_words(PromisedShare("x", 1.0))
    code, out, _ = call("exposed-7", "--n", "64", "--alpha", "0.2", "--runs", "1")
    assert code == 0
    assert "nothing at these sizes" in out


def test_a_parameter_is_given_in_any_of_four_ways() -> None:
    first, *others = [
        call("exposed-7", "--n", "64", "--alpha", "0.017", "--runs", "2", "--seed", "3"),
        call("exposed-7", "--set", "n=64", "--set", "alpha=0.017", "--runs", "2", "--seed", "3"),
        call("exposed-7", "--set", "n=64, alpha=0.017,runs=2,seed=3"),
        call("--n=64", "--alpha", "1.7e-2", "exposed-7", "--runs=2", "--seed=3"),
    ]
    assert first[0] == 0
    assert "n = 64, alpha = 0.017; 2 runs, seed 3." in first[1]
    assert all(other == first for other in others)


def test_a_seed_is_not_rounded() -> None:
    seed = 2**60 + 1
    _, out, _ = call("exposed-7", "--n", "4", "--runs", "1", "--seed", str(seed), "--json")
    assert json.loads(out)["parameters"]["seed"] == seed


@pytest.mark.parametrize("id", ["exposed-8", "infer-A2b"])
def test_parameters_are_said_with_default_range_and_meaning(id: str) -> None:
    code, out, _ = call(id, "--parameters")
    assert code == 0
    for parameter in parameters(id):
        (line,) = [line for line in out.splitlines() if line.startswith(f"--{parameter.name} ")]
        assert f" {parameter.default:g}" in line
        assert parameter.meaning in line
    assert "--seed" in out
    if id == "exposed-8":
        assert re.search(r"^--m +4 n  whole, 1 to 128 +number of random subsets$", out, re.MULTILINE)
        assert re.search(r"^--seed +1  whole, 0 or more +seed of all random numbers$", out, re.MULTILINE)


def test_parameters_of_all_and_as_json() -> None:
    _, out, _ = call("--parameters")
    assert all(f"{id}: {entry.title}" in out for id, entry in HEADINGS.items())
    code, out, _ = call("exposed-9", "--parameters", "--json")
    assert code == 0
    beta = json.loads(out)["exposed-9"][3]
    meaning = {"meaning": "fraction of people", "default_per_person": False}
    assert beta == {"name": "beta", "type": "number", "default": 0.25, "least": 0.0, "most": 0.99, **meaning}


def test_help_says_how_to_find_the_parameters() -> None:
    code, out, _ = call("--help")
    assert code == 0
    assert "dalenius theorem exposed-7 --parameters" in out
    assert "--set NAME=VALUE" in out
    assert "--alpha" not in out.split("Options:")[1]
