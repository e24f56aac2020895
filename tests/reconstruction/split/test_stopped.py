"""A split audit that is stopped goes on where it was, and finds the same; so it does by a cluster."""

from __future__ import annotations

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


def test_bundles_that_are_done_are_not_done_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code, whole = audited(folder, "whole")
    assert code == 1
    done: list[int] = []
    attack = BundleAttack.attack

    def stopped(self: BundleAttack, number: int, view: View) -> Guesses:
        if len(done) == 6:
            raise KeyboardInterrupt
        done.append(number)
        return attack(self, number, view)

    def counted(self: BundleAttack, number: int, view: View) -> Guesses:
        done.append(number)
        return attack(self, number, view)

    monkeypatch.setattr(BundleAttack, "attack", stopped)
    audited(folder, "again")
    parts = folder / "again" / PARTS
    assert len(list(parts.glob("*/*.npz"))) == 6
    assert parts.stat().st_mode & 0o077 == 0
    monkeypatch.setattr(BundleAttack, "attack", counted)
    assert audited(folder, "again") == (code, whole)
    assert done == [*range(10), *range(10)]  # the release's ten bundles once, then the control's
    assert not parts.exists()


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
    with LocalCluster(2, threads_per_worker=1, processes=False, protocol="tcp", **quiet) as cluster:
        assert audited(folder, "there", "--cluster", cluster.scheduler_address) == whole
