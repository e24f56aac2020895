"""The phase transition on few people: the numbers, and a picture that repeats byte by byte."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[2] / "validation"
DOCS = Path(__file__).parents[2] / "docs" / "explanation"


def run(script: str, *arguments: object) -> None:
    subprocess.run([sys.executable, SCRIPTS / script, *map(str, arguments)], check=True, capture_output=True)


SOME = ("--noise", 0.025, 0.2, 0.5, 4.0)
BESIDE = pytest.mark.slow(beside="test_recovery_falls_from_everybody_to_chance_inside_the_limits")


@pytest.fixture(
    scope="module", params=[SOME, pytest.param((), marks=BESIDE)], ids=["some levels", "all levels"]
)
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("phase")
    run("phase_transition.py", "--out", out, "--people", 64, "--runs", 3, *request.param)
    return out


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_recovery_falls_from_everybody_to_chance_inside_the_limits(folder: Path):
    rows = read(folder / "phase_transition.csv")
    assert {row["decoder"] for row in rows} == {"least-squares", "posterior"}
    for row in rows:
        share, slack = float(row["recovered"]), 5 * float(row["standard_error"]) + 0.02
        assert share >= float(row["guaranteed_independent_errors"]) - slack
        assert share <= float(row["most_any_attack"]) + slack
    assert float(rows[0]["recovered"]) == 1
    assert float(rows[-1]["recovered"]) < 0.7


def test_the_picture_repeats(folder: Path):
    picture = folder / "phase_transition.svg"
    first = picture.read_bytes()
    run("phase_transition_plot.py", folder / "phase_transition.csv")
    assert picture.read_bytes() == first


def test_the_published_points_follow_the_prediction():
    for row in read(DOCS / "phase_transition.csv"):
        if row["decoder"] == "least-squares":
            allowed = 4 * float(row["standard_error"]) + 0.01
            assert abs(float(row["recovered"]) - float(row["predicted_least_squares"])) < allowed
