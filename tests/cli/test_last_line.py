"""What a command leaves when it ends otherwise than planned: one line, a code, and nothing on the disk."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dalenius.cli import main

Run = Callable[..., Any]


def test_a_value_is_shown_only_where_people_are_asked_for(folder: Path, run: Run) -> None:
    (folder / "answers.csv").write_text("query,answer\nq0,ZQ9x\n")
    words = ("reconstruct", "counts", "--people", "list.csv", "--id", "client", "--queries", "queries.csv")
    said = run(*words, "--answers", "answers.csv")
    assert said.exit_code == 2
    assert "answers.csv: column 'answer' must hold numbers; got text in row 1" in said.stderr
    assert "ZQ9x" not in said.stderr
    assert "It is 'ZQ9x'." in run("--show-people", *words, "--answers", "answers.csv").stderr


def test_a_mistake_of_ours_quotes_nobody(folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fall(path: Path) -> None:
        raise KeyError("ZQ9x")

    monkeypatch.setattr("dalenius.auditing.plan.read_plan", fall)
    said = run("audit", "audit.toml")
    assert said.exit_code == main.OUR_MISTAKE
    assert said.stderr.startswith(
        "error: a mistake of dalenius, not of yours: KeyError in dalenius.cli.audit, line"
    )
    assert len(said.stderr.splitlines()) == 1
    assert "ZQ9x" not in said.stderr
    monkeypatch.setenv(main.RAISE, "1")
    assert isinstance(run("audit", "audit.toml").exception, KeyError)


def test_an_interrupt_that_became_another_error_is_one(
    folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A package that is interrupted while it is loaded says that it cannot be imported."""

    def fall(path: Path) -> None:
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt:
            raise ImportError("half a package")  # noqa: B904 - as others do

    monkeypatch.setattr("dalenius.auditing.plan.read_plan", fall)
    said = run("audit", "audit.toml")
    assert (said.exit_code, said.stderr) == (130, "interrupted: no file was left half-written\n")


@pytest.mark.parametrize(("raised", "code"), [(KeyboardInterrupt, 130), (KeyError, main.OUR_MISTAKE)])
def test_a_story_that_does_not_end_is_not_called_well(
    folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch, raised: type[BaseException], code: int
) -> None:
    def fall(path: Path) -> None:
        raise raised

    monkeypatch.setattr("dalenius.auditing.plan.read_plan", fall)
    assert run("demo", "tables", "--out", "told").exit_code == code


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (signal.SIGINT, 130),
        (signal.SIGTERM, 143),
        pytest.param(signal.SIGHUP, 143, marks=pytest.mark.slow(beside="test_ended_from_outside")),
    ],
)
def test_ended_from_outside(number: int, code: int, folder: Path, tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    program = (
        "import sys, time\n"
        "from dalenius.cli import main\n"
        "from dalenius.people.engine.engine import local_engine\n"
        "import dalenius.auditing.plan as plan\n"
        "def wait(path):\n"
        "    engine = local_engine('100MB')\n"
        "    print('ready', flush=True)\n"
        "    time.sleep(60)\n"
        "plan.read_plan = wait\n"
        "sys.argv = ['dalenius', 'audit', 'audit.toml']\n"
        "main.run()\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", program],
        env=os.environ | {"TMPDIR": str(scratch)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    assert len(list(scratch.iterdir())) == 1
    time.sleep(0.2)
    child.send_signal(number)
    said = child.communicate(timeout=60)[1]
    assert child.returncode == code, said
    assert "no file was left half-written" in said
    assert not list(scratch.iterdir())
