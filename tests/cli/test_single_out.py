"""The commands of singling out on small files: what is written, what is said, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from dalenius.findings.document import AuditReport
from dalenius.mechanisms.anonymise.parse import anonymise
from dalenius.records.rows import read_rows

from .conftest import Run


def write(path: Path, rng: np.random.Generator, people: int) -> None:
    ages, zips = rng.integers(18, 90, people), rng.integers(10_000, 10_100, people)
    sexes, pay = rng.choice(["f", "m"], people), rng.integers(20_000, 90_000, people)
    lines = [f"{a},{z},{s},{p}" for a, z, s, p in zip(ages, zips, sexes, pay, strict=True)]
    path.write_text("\n".join(["age,zip,sex,pay", *lines]) + "\n")


@pytest.fixture
def town(folder: Path) -> Path:
    rng = np.random.default_rng(2)
    write(folder / "everybody.csv", rng, 4000)
    lines = (folder / "everybody.csv").read_text().splitlines()
    chosen = rng.choice(np.arange(1, 4001), 300, replace=False)
    (folder / "people.csv").write_text("\n".join([lines[0], *(lines[i] for i in chosen)]) + "\n")
    people = read_rows(folder / "people.csv")
    anonymise(people, ("age", "zip", "sex"), "mondrian:k=5", rng).write(folder / "released.csv")
    return folder


def flat(text: str) -> str:
    return " ".join(text.split())


ROWS = ("single-out", "rows", "--anonymised", "released.csv", "--quasi", "age,zip,sex")
GAME = ("single-out", "game", "--population", "everybody.csv", "--n")
COUNTS = ("single-out", "counts", "--population", "everybody.csv", "--n", "200")


def test_rows(town: Path, run: Run) -> None:
    done = run(
        *ROWS, "--original", "people.csv", "--population", "everybody.csv", "--out", "o", "--limit", "0.1"
    )
    assert done.exit_code == 1, done.output
    assert "allows people to be singled out" in done.output
    said = json.loads((town / "o/predicates.json").read_text())
    assert said["verdict"] == "demonstrated"
    assert said["k"] >= 5
    assert all({"limit", "text", "predicate", "weight"} <= set(each) for each in said["predicates"])
    written = (town / "o/findings.json").read_text()
    report = AuditReport.model_validate_json(written)
    assert report.verdict == "stop"
    assert report.findings[0].goal == "singling-out"
    assert not any(each["text"] in written + done.output for each in said["predicates"])
    assert "Theorem 6.1" in (town / "o/success.svg").read_text()


def test_without_a_population_there_is_no_verdict(town: Path, run: Run) -> None:
    done = run(*ROWS, "--original", "people.csv", "--out", "o")
    assert done.exit_code == 1, done.output
    assert "UNDECIDED" in done.output
    assert "there is nobody to weigh conditions with; give a population or a holdout" in flat(done.output)


def test_game(town: Path, run: Run) -> None:
    done = run(*GAME, "200", "--mechanism", "mondrian:k=5", "--trials", "12", "--out", "o")
    assert done.exit_code == 1, done.output
    said = json.loads((town / "o/findings.json").read_text())
    assert said["verdict"] == "singling out demonstrated"
    assert (town / "o/success.svg").read_text().startswith("<?xml")


def test_counts(town: Path, run: Run) -> None:
    done = run(*COUNTS, "--queries", "30", "--trials", "30", "--out", "o")
    assert done.exit_code == 1, done.output
    assert "Each count alone is safe" in done.output
    games = json.loads((town / "o/findings.json").read_text())["games"]
    assert games[-1]["verdict"] == "not demonstrated", "with noise nobody is singled out"


def test_triple(town: Path, run: Run) -> None:
    lines = (town / "everybody.csv").read_text().splitlines()
    (town / "ctl.csv").write_text("\n".join(lines[:1500]) + "\n")
    files = ("--original", "people.csv", "--control", "ctl.csv", "--out", "o", "--attacks", "200")
    leak = run("single-out", "triple", *files, "--synthetic", "people.csv")
    assert leak.exit_code == 1, leak.output
    assert json.loads((town / "o/findings.json").read_text())["verdict"] == "stop"
    write(town / "fresh.csv", np.random.default_rng(9), 300)
    fresh = run("single-out", "triple", *files, "--synthetic", "fresh.csv")
    assert fresh.exit_code in (0, 1), fresh.output
    assert json.loads((town / "o/findings.json").read_text())["verdict"] != "stop"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((*ROWS[:-1], "age,town"), "town"),
        ((*ROWS, "--original", "everybody.csv"), "must be as many"),
        ((*ROWS, "--limit", "2"), "weight limit"),
        ((*ROWS, "--hierarchy", "zip"), "NAME=FILE"),
        (
            (
                "single-out",
                "game",
                "--population",
                "everybody.csv",
                "--n",
                "200",
                "--mechanism",
                "mondrian:k=1",
            ),
            "k",
        ),
        (
            ("single-out", "game", "--population", "everybody.csv", "--n", "200", "--mechanism", "arx:k=5"),
            "arx",
        ),
        (
            (
                "single-out",
                "game",
                "--population",
                "everybody.csv",
                "--n",
                "9999",
                "--mechanism",
                "mondrian:k=5",
            ),
            "n",
        ),
        (
            ("single-out", "counts", "--population", "everybody.csv", "--n", "200", "--queries", "1"),
            "queries",
        ),
        (("single-out", "counts", "--population", "no.csv", "--n", "200"), "no.csv"),
    ],
)
def test_bad_input(town: Path, run: Run, words: tuple[str, ...], message: str) -> None:
    done = run(*words)
    assert done.exit_code == 2, done.output
    assert message in done.output
    assert not (town / "dalenius-report").exists()


def test_help_teaches(run: Run) -> None:
    for action in ("rows", "game", "counts", "triple"):
        done = run("single-out", action, "--help")
        assert done.exit_code == 0
        assert f"dalenius single-out {action}" in done.output
