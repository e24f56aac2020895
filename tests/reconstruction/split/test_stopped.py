"""A split audit that is stopped goes on where it was, and finds the same; so it does by a cluster."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from distributed import LocalCluster
from typer.testing import CliRunner

from dalenius.cli.main import app
from dalenius.knowledge.view import View
from dalenius.reconstruction.attack.guesses import Guesses
from dalenius.reconstruction.attack.split import bundles
from dalenius.reconstruction.attack.split.attack import BundleAttack
from dalenius.spread.parts import PARTS

PLAN = """
seed = 1
[data]
path = "country.csv"
[schema]
secret = "ill"
split = "block"
[[release]]
name = "blocks"
statistics = ["tables:k=2,attributes=block+sex"]
mechanism = "exact"
[budget]
resamples = 0
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(bundles, "BUNDLE", 12)
    people = (f"b{at // 6:02},{'fm'[at % 2]},{'no' if at % 5 else 'yes'}" for at in range(120))
    (tmp_path / "country.csv").write_text("\n".join(["block,sex,ill", *people]) + "\n")
    (tmp_path / "audit.toml").write_text(PLAN)
    return tmp_path


def audited(folder: Path, out: str, *words: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["audit", str(folder / "audit.toml"), "--out", str(folder / out), *words])
    found = folder / out / "findings.json"
    return done.exit_code, found.read_text() if found.exists() else done.output


KILLED = """
import os, signal, sys
from dalenius.cli.main import run
from dalenius.reconstruction.attack.split import bundles
from dalenius.reconstruction.attack.split.attack import BundleAttack
bundles.BUNDLE, attack, done = 12, BundleAttack.attack, []
def killed(self, number, view):
    if len(done) == 6:
        os.kill(os.getpid(), signal.SIGKILL)
    done.append(number)
    return attack(self, number, view)
BundleAttack.attack = killed
run()
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs a process to kill")
def test_bundles_that_are_done_are_not_done_again_after_a_kill(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, whole = audited(folder, "whole")
    assert code == 1
    words = ["audit", str(folder / "audit.toml"), "--out", str(folder / "again"), "--quiet"]
    killed = subprocess.run([sys.executable, "-c", KILLED, *words], check=False)
    assert killed.returncode == -signal.SIGKILL
    parts = folder / "again" / PARTS
    assert len(list(parts.glob("*/*.npz"))) == 6
    assert parts.stat().st_mode & 0o077 == 0
    done: list[int] = []
    attack = BundleAttack.attack

    def counted(self: BundleAttack, number: int, view: View) -> Guesses:
        done.append(number)
        return attack(self, number, view)

    monkeypatch.setattr(BundleAttack, "attack", counted)
    assert audited(folder, "again") == (code, whole)
    assert done == [
        *range(6, 10),
        *range(10),
    ]  # what was left of the release, then its control
    assert not parts.exists()


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs a process to kill")
def test_so_are_bundles_of_people_in_a_database(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts are named by what was read: other people in the same table are attacked anew."""
    base = sqlite3.connect(folder / "country.db")
    base.execute("create table country (block text, sex text, ill text, id integer)")
    lines = (folder / "country.csv").read_text().splitlines()[1:]
    rows = [(*line.split(","), at) for at, line in enumerate(lines)]
    base.executemany("insert into country values (?, ?, ?, ?)", rows)
    base.commit()
    there = f'url = "sqlite://{folder / "country.db"}"\ntable = "country"'
    plan = PLAN.replace('path = "country.csv"', there).replace("[[release]]", 'id = "id"\n[[release]]')
    (folder / "audit.toml").write_text(plan)
    code, whole = audited(folder, "whole")
    words = ["audit", str(folder / "audit.toml"), "--out", str(folder / "again"), "--quiet"]
    for out in ("again", "changed"):
        words[3] = str(folder / out)
        assert subprocess.run([sys.executable, "-c", KILLED, *words], check=False).returncode < 0
        assert len(list((folder / out / PARTS).glob("*/*.npz"))) == 6
    done: list[int] = []
    attack = BundleAttack.attack

    def counted(self: BundleAttack, number: int, view: View) -> Guesses:
        done.append(number)
        return attack(self, number, view)

    monkeypatch.setattr(BundleAttack, "attack", counted)
    assert audited(folder, "again") == (code, whole)
    assert done == [*range(6, 10), *range(10)]
    base.execute("update country set ill = 'no' where rowid = 1")
    base.commit()
    done.clear()
    audited(folder, "changed")
    assert done == [*range(10), *range(10)]
    assert not (folder / "changed" / PARTS).exists()


def test_another_plan_in_the_folder_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(self: Any, number: int, view: View) -> Guesses:
        if number == 2:
            raise KeyboardInterrupt
        return attack(self, number, view)

    attack = BundleAttack.attack
    monkeypatch.setattr(BundleAttack, "attack", stopped)
    audited(folder, "out")
    (folder / "audit.toml").write_text(PLAN.replace("exact", "rounding:base=5"))
    code, said = audited(folder, "out")
    assert code == 2
    assert "must hold parts of the same run" in " ".join(said.split())


def test_workers_of_a_cluster_find_the_same(folder: Path) -> None:
    whole = audited(folder, "whole")
    quiet: Any = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0", "silence_logs": 50}
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=False, protocol="tcp", **quiet) as cluster:
        assert audited(folder, "there", "--cluster", cluster.scheduler_address) == whole
