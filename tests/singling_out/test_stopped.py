"""A game that is stopped goes on where it was, and finds the same."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from dalenius.cli.main import app
from dalenius.singling_out.game.game import Game
from dalenius.spread.parts import PARTS

ANONYMISER = ("--n", "40", "--mechanism", "mondrian:k=5", "--quasi", "age,town", "--trials", "12")
COUNTS = ("--n", "40", "--queries", "12", "--trials", "12")
LOOKED_AT = 30
"""Rounds after which a run is killed: the control and one game are over, and the next has begun."""

PLAN = """
[data]
path = "people.csv"
[knowledge]
population = "everybody.csv"
[[release]]
name = "few"
kind = "counts"
queries = 12
trials = 12
[[release]]
name = "more"
kind = "counts"
queries = 20
trials = 12
"""

KILLED = """
import os, signal, sys
from dalenius.cli.main import run
from dalenius.singling_out.game.game import Game
trial, done, most = Game.trial, [], int(sys.argv.pop(1))
def killed(self, j):
    if len(done) == most:
        os.kill(os.getpid(), signal.SIGKILL)
    done.append(j)
    return trial(self, j)
Game.trial = killed
run()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rng = np.random.default_rng(5)
    lines = [f"{age},{'abc'[age % 3]}" for age in rng.integers(18, 90, 800)]
    (tmp_path / "everybody.csv").write_text("\n".join(["age,town", *lines]) + "\n")
    (tmp_path / "people.csv").write_text("\n".join(["age,town", *lines[:40]]) + "\n")
    (tmp_path / "audit.toml").write_text(PLAN)
    return tmp_path


def words(folder: Path, command: str) -> list[str]:
    if command == "audit":
        return ["audit", str(folder / "audit.toml")]
    more = ANONYMISER if command == "game" else COUNTS
    return ["single-out", command, "--population", str(folder / "everybody.csv"), *more]


def said(given: list[str], out: Path) -> tuple[int, str]:
    done = CliRunner().invoke(app, [*given, "--out", str(out)])
    found = out / "findings.json"
    return done.exit_code, found.read_text() if found.exists() else " ".join(done.output.split())


def played(patch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """The rounds that are played from now on."""
    rounds: list[tuple[str, int]] = []
    trial = Game.trial
    patch.setattr(Game, "trial", lambda self, j: rounds.append((self.name, j)) or trial(self, j))
    return rounds


def kill(given: list[str], out: Path, after: int) -> None:
    command = [sys.executable, "-c", KILLED, str(after), *given, "--out", str(out), "--quiet"]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs a process to kill")
@pytest.mark.parametrize(("command", "after"), [("game", 18), ("counts", LOOKED_AT), ("audit", LOOKED_AT)])
def test_rounds_that_were_played_are_not_played_again_after_a_kill(
    folder: Path, monkeypatch: pytest.MonkeyPatch, command: str, after: int
) -> None:
    given, whole, again = words(folder, command), folder / "whole", folder / "again"
    with monkeypatch.context() as patch:
        rounds = played(patch)
        wanted = said(given, whole)
    assert wanted[0] in (0, 1)
    kill(given, again, after)
    assert not (again / "findings.json").exists()
    parts = again / PARTS
    assert len(list(parts.glob("game-*/*.npz"))) == after
    assert parts.stat().st_mode & 0o077 == 0
    left = played(monkeypatch)
    assert said(given, again) == wanted
    assert left == rounds[after:]
    assert not parts.exists()


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs a process to kill")
def test_a_game_about_something_else_is_refused_and_what_is_kept_stays(folder: Path) -> None:
    given, out = words(folder, "counts"), folder / "out"
    kill(given, out, 10)
    kept = sorted((out / PARTS).rglob("*"))
    code, text = said([*given, "--seed", "2"], out)
    assert (code, "with another set of options" in text) == (2, True)
    everybody = folder / "everybody.csv"
    there = everybody.read_text()
    everybody.write_text(there + "90,a\n")
    code, text = said(given, out)
    assert (code, "with another --population" in text) == (2, True)
    assert sorted((out / PARTS).rglob("*")) == kept
    everybody.write_text(there)
    assert said([*given, "--workers", "2"], out)[0] in (0, 1)  # who plays is nothing else
