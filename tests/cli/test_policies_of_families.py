"""Every command that attacks takes a policy: a purpose, a file, or limits of its own."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from dalenius.cli.demo import STORIES
from dalenius.cli.main import app

TRIPLE = ["single-out", "triple", "--original", "o.csv", "--synthetic", "s.csv", "--control", "c.csv"]
COUNTS = ["single-out", "counts", "--population", "all.csv", "--n", "20", "--queries", "8", "--trials", "20"]
BELIEFS = ["infer", "beliefs", "--edges", "e.csv", "--agreement", "0.8", "--answers", "a.csv"]
PLAN = ["trace", "plan", "--n", "500", "--means", "10", "--sigma", "0.5"]
DEGREE = ["infer", "degree", "--degree", "2", "--agreement", "0.7", "--epsilon", "0.2"]

COMMANDS: dict[str, Sequence[str]] = {
    "triple": [*TRIPLE, "--attacks", "50"],
    "counts": COUNTS,
    "beliefs": [*BELIEFS, "--epsilon", "1", "--truth", "t.csv"],
    "plan": PLAN,
    "degree": DEGREE,
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, first in (("o", 0), ("s", 400), ("c", 800)):
        rows = [f"{20 + (first + 7 * i) % 60},{(first + 3 * i) % 50},{i % 4}" for i in range(60)]
        Path(f"{name}.csv").write_text("\n".join(["age,zip,kind", *rows]) + "\n")
    Path("all.csv").write_text(
        "\n".join(["age,zip", *(f"{20 + 7 * i % 60},{11 * i % 97}" for i in range(300))]) + "\n"
    )
    Path("e.csv").write_text("a,b\n1,2\n2,3\n")
    Path("a.csv").write_text("id,answer\n1,1\n2,0\n3,1\n")
    Path("t.csv").write_text("id,value\n1,1\n2,1\n3,1\n")
    return tmp_path


def run(*words: str) -> Any:
    return CliRunner().invoke(app, [*words, "--out", "found"])


def decided() -> dict[str, Any]:
    return dict(json.loads(Path("found/findings.json").read_text()))


LONGEST = pytest.param("triple", marks=pytest.mark.slow(beside="test_a_purpose_decides_with_its_confidence"))


@pytest.mark.parametrize("name", [*(name for name in COMMANDS if name != "triple"), LONGEST])
def test_a_purpose_decides_with_its_confidence(here: Path, name: str) -> None:
    """Intervals that were made for less than the purpose asks are refused: none may be."""
    done = run(*COMMANDS[name], "--rules", "gwas")
    assert done.exit_code in (0, 1), done.output
    assert (decided()["policy"]["rules"], decided()["policy"]["confidence"]) == ("gwas", 0.99)


@pytest.mark.parametrize("story", ["genomes", "anonymised", "census"])
def test_the_commands_of_the_stories(here: Path, story: str) -> None:
    Path("own.toml").write_text("[policy]\nconfidence = 0.99\nmax_advantage = 0.3\n")
    words = STORIES[story].make(here)
    done = run(*words, "--policy", "own.toml")
    assert done.exit_code in (0, 1), done.output
    assert (decided()["policy"]["max_advantage"], decided()["policy"]["confidence"]) == (0.3, 0.99)
    assert run(*words, "--rules", "press").exit_code == 2


def test_limits_turn_a_verdict(here: Path) -> None:
    """The same attack under two limits: what stops under one passes under the other."""
    assert run(*PLAN, "--max-advantage", "0").exit_code == 1
    assert decided()["verdict"] != "pass"
    assert run(*PLAN, "--max-advantage", "1").exit_code == 0
    assert run(*DEGREE, "--max-nu", "0.01").exit_code == 1
    assert decided()["verdict"] == "stop"
    assert run(*DEGREE, "--target-nu", "5").exit_code == 0
    Path("nu.toml").write_text("max_nu = 5\n")
    assert run(*DEGREE, "--policy", "nu.toml").exit_code == 0


@pytest.mark.parametrize("name", COMMANDS)
def test_a_policy_that_is_none_is_refused_before_the_work(here: Path, name: str) -> None:
    Path("typo.toml").write_text("max_advantag = 0.1\n")
    done = run(*COMMANDS[name], "--policy", "typo.toml")
    assert done.exit_code == 2, done.output
    assert "Did you mean 'max_advantage'?" in done.output
    assert not Path("found").exists()
