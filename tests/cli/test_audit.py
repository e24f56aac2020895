"""``dalenius audit``, ``init`` and ``demo``: files, text and exit codes."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dalenius.cli import demo as demo_command
from dalenius.people.dataset import read
from dalenius.reconstruction.attack import attack as attempts

Run = Callable[..., Any]


def change_plan(folder: Path, old: str, new: str) -> None:
    text = (folder / "audit.toml").read_text()
    assert old in text
    (folder / "audit.toml").write_text(text.replace(old, new))


def files(folder: Path) -> set[str]:
    return {str(p.relative_to(folder)) for p in folder.rglob("[!.]*") if p.is_file()}


def test_a_broken_policy_is_exit_code_1(folder: Path, run: Run) -> None:
    before = files(folder)
    result = run("audit", "audit.toml")
    assert result.exit_code == 1, result.output
    written = {f"dalenius-report/{name}" for name in ("findings.json", "report.html", "report.md")}
    assert files(folder) - before == written
    report = json.loads((folder / "dalenius-report/findings.json").read_text())
    assert report["verdict"] == "stop"
    assert "STOP: the policy is broken." in result.output
    assert "guessing without the release gets" in result.output.replace("\n", " ")
    assert f"Written: {Path('dalenius-report/findings.json')}" in result.output
    assert "c00" not in result.output + json.dumps(report)


def test_a_kept_policy_is_exit_code_0(folder: Path, run: Run) -> None:
    change_plan(folder, "rounding:base=5", "gaussian:rho=0.005")
    result = run("audit", "audit.toml", "--quiet", "--out", "deep/report")
    assert (result.exit_code, result.stdout) == (0, "pass\n")
    assert (folder / "deep/report/findings.json").is_file()


def test_people_are_shown_only_when_asked(folder: Path, run: Run) -> None:
    run("audit", "audit.toml", "--show-people")
    lines = (folder / "dalenius-report/claims.csv").read_text().splitlines()
    assert lines[0] == "client,probability,guess,certain"
    assert len(lines) == 65
    text = (folder / "audit.toml").read_text()
    more = text[text.index("[[release]]") :].replace("planned", "other one")
    (folder / "audit.toml").write_text(text + more)
    run("audit", "audit.toml", "--show-people", "--out", "two")
    assert files(folder / "two") == {
        "findings.json",
        "report.html",
        "report.md",
        "claims-planned.csv",
        "claims-other one.csv",
        "claims-all together.csv",
    }


def test_the_same_seed_writes_the_same_bytes(folder: Path, run: Run) -> None:
    change_plan(folder, "rounding:base=5", "gaussian:sigma=2")
    for name in ("one", "two"):
        run("audit", "audit.toml", "--out", name, "--show-people", "--quiet")
    for name in ("findings.json", "claims.csv"):
        assert (folder / "one" / name).read_bytes() == (folder / "two" / name).read_bytes()


def test_ctrl_c_leaves_nothing(folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*args: object, **options: object) -> None:
        raise KeyboardInterrupt

    before = files(folder)
    monkeypatch.setattr(attempts, "reconstruct", interrupt)
    result = run("audit", "audit.toml")
    assert result.exit_code == 130
    monkeypatch.undo()
    monkeypatch.chdir(folder)
    monkeypatch.setattr(Path, "replace", interrupt)
    assert run("audit", "audit.toml", "--quiet").exit_code == 130
    assert files(folder) == before
    assert not (folder / "dalenius-report").exists()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for children")
def test_ctrl_c_from_outside(folder: Path) -> None:
    """When the attack is over and what it found is being judged: nothing of it is written."""
    program = (
        "import sys, time\n"
        "from dalenius.cli.main import run\n"
        "from dalenius.reconstruction.case import SecretsCase\n"
        "def judge(*given, **named):\n"
        "    print('ready', flush=True)\n"
        "    time.sleep(60)\n"
        "SecretsCase.judge = judge\n"
        "sys.argv = ['dalenius', 'audit', 'audit.toml', '--quiet']\n"
        "run()\n"
    )
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
        child.send_signal(signal.SIGINT)
        child.communicate(timeout=60)
    assert child.returncode == 130
    assert not (folder / "dalenius-report").exists()


def test_init_writes_a_plan_that_runs(folder: Path, run: Run) -> None:
    result = run("init", "people.csv", "--secret", "ill", "--out", "plans/audit.toml")
    assert result.exit_code == 0, result.output
    text = (folder / "plans/audit.toml").read_text()
    assert 'path = "../people.csv"' in text
    assert 'id = "client"' in text
    assert run("audit", "plans/audit.toml", "--quiet").exit_code in (0, 1)
    assert (folder / "plans/dalenius-report/findings.json").is_file()


def test_init_bins_missing_values_and_odd_names(folder: Path, run: Run) -> None:
    lines = ["who,income of year,sex,note,ill"]
    lines += [f"p{i},{i * 37 % 1009}.5,{'fm'[i % 2] if i % 7 else ''},always,{i % 3 % 2}" for i in range(200)]
    (folder / "odd.csv").write_text("\n".join(lines) + "\n")
    result = run("init", "odd.csv", "--secret", "ill", "--id", "who", "--out", "odd.toml")
    assert result.exit_code == 0, result.output
    text = (folder / "odd.toml").read_text()
    assert 'bins = { "income of year" = [' in text
    assert 'missing = "value"' in text
    assert '"note",  # the same for everybody' in text
    assert run("audit", "odd.toml", "--quiet").exit_code in (0, 1)


def test_init_does_not_overwrite(folder: Path, run: Run) -> None:
    result = run("init", "people.csv", "--secret", "ill")
    assert result.exit_code == 2
    assert "audit.toml must not exist yet; got a file. Use --force to replace it." in result.stderr
    assert "# Plan of an audit" not in (folder / "audit.toml").read_text()
    assert run("init", "people.csv", "--secret", "ill", "--force").exit_code == 0


def test_the_demo(folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The demo on fewer people: the whole takes the better part of a minute."""
    people = lambda name: read("people.csv", secret="ill", id="client")  # noqa: E731
    monkeypatch.setattr("dalenius.people.examples.examples.example", people)
    result = run("demo")
    assert result.exit_code == 0, result.output
    report = json.loads((folder / "dalenius-demo/findings.json").read_text())
    assert [f["release"] for f in report["findings"]] == list(demo_command.MECHANISMS)


@pytest.mark.parametrize("story", ["family", "census"])
def test_a_story_of_the_demo_says_its_command_and_runs_it(folder: Path, run: Run, story: str) -> None:
    result = run("demo", story, "--out", "told")
    assert result.exit_code == 0, result.output  # whatever was found
    said = next(line for line in result.stdout.splitlines() if line.startswith("  dalenius "))
    report = (folder / "told/findings.json").read_text()
    assert json.loads(report)["verdict"] == "stop"
    assert "simulated" in result.stdout
    assert (folder / "told/report.html").exists()
    again = run(*shlex.split(said)[1:])
    assert again.exit_code == 1
    assert (folder / "told/findings.json").read_text() == report


def test_a_story_nobody_tells_is_refused(folder: Path, run: Run) -> None:
    result = run("demo", "genmes", "--out", "told")
    assert result.exit_code == 2
    assert "must be one of survey, tables, genomes, anonymised, family, census" in result.stderr
    assert not (folder / "told").exists()


def test_help_is_quick_and_teaches(run: Run) -> None:
    import_nothing = (
        "import sys; from dalenius.cli.main import app; "
        "heavy = {'numpy', 'scipy', 'ibis', 'duckdb', 'pydantic', 'numba', 'rich'}; "
        "sys.exit(' '.join(heavy & set(sys.modules)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", import_nothing], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for words in (["audit"], ["init"], ["demo"], ["reconstruct", "counts"]):
        text = run(*words, "--help").output
        assert re.search("Examples?:\n", text)
        assert f"dalenius {' '.join(words)}" in text
