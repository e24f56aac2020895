"""An audit that is stopped between two releases goes on, and ends as if it had not been."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from dalenius.auditing.kept_findings import WORK, keep_finding, read_finding
from dalenius.cli.main import app
from dalenius.reconstruction.case import SecretsCase
from dalenius.reconstruction.finding import SecretsFinding
from dalenius.spread.parts import PARTS, KeptParts

PLAN = """
seed = 1
[data]
path = "people.csv"
[schema]
secret = "ill"
id = "id"
public = ["town", "sex"]
[[release]]
name = "towns"
statistics = ["tables:k=1"]
mechanism = "rounding:base=50"
[[release]]
name = "pairs"
statistics = ["tables:k=2"]
mechanism = "exact"
"""


def write(folder: Path) -> Path:
    rng = np.random.default_rng(1)
    drawn = [rng.choice(values, 60) for values in (["a", "b", "c"], ["f", "m"], ["no", "yes"])]
    lines = [",".join([str(i), *each]) for i, each in enumerate(zip(*drawn, strict=True))]
    (folder / "people.csv").write_text("\n".join(["id,town,sex,ill", *lines]) + "\n")
    (folder / "audit.toml").write_text(PLAN)
    return folder / "audit.toml"


def attacked(monkeypatch: pytest.MonkeyPatch, *, stop_at: str | None = None) -> list[str]:
    """Which releases are attacked from now on; Ctrl-C comes at one of them."""
    found: list[str] = []
    attack = SecretsCase.attack

    def watched(case: SecretsCase, *given: object) -> object:
        if case.release == stop_at:
            raise KeyboardInterrupt
        found.append(case.release)
        return attack(case, *given)

    monkeypatch.setattr(SecretsCase, "attack", watched)
    return found


def run(plan: Path, *more: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["audit", str(plan), "--out", str(plan.parent / "out"), "--quiet", *more])
    findings = plan.parent / "out/findings.json"
    return done.exit_code, findings.read_text() if findings.exists() else ""


def stopped(tmp_path: Path, *more: str) -> Path:
    plan = write(tmp_path)
    with pytest.MonkeyPatch.context() as patch:
        attacked(patch, stop_at="pairs")
        run(plan, *more)
    return plan


def test_what_was_found_is_not_looked_for_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = tmp_path / "whole"
    whole.mkdir()
    code, wanted = run(write(whole))
    plan = stopped(tmp_path)
    assert not (tmp_path / "out/findings.json").exists()
    (part,) = (tmp_path / "out").rglob("*.npz")
    tried = attacked(monkeypatch)
    assert run(plan) == (code, wanted)
    assert "towns" not in tried
    assert "pairs" in tried
    assert not (tmp_path / "out" / PARTS).exists()
    assert part.parent.name == WORK


def test_other_people_are_another_audit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = stopped(tmp_path)
    people = tmp_path / "people.csv"
    people.write_text(people.read_text().replace("yes", "ja"))
    assert run(plan) == (2, "")


def test_what_is_claimed_about_people_is_not_kept(tmp_path: Path) -> None:
    stopped(tmp_path, "--show-people")
    assert not list((tmp_path / "out").rglob("*.npz"))


def test_a_part_of_another_shape_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = stopped(tmp_path)
    (part,) = (tmp_path / "out").rglob("*.npz")
    with np.load(part) as before:
        found = json.loads(str(before["finding"]))
    np.savez(part, finding=np.array(json.dumps(found | {"measures": "none"})))
    tried = attacked(monkeypatch)
    assert run(plan)[0] == 1
    assert "towns" in tried


def test_what_does_not_come_back_as_it_is_is_not_kept(tmp_path: Path) -> None:
    stopped(tmp_path)
    (part,) = (tmp_path / "out").rglob("*.npz")
    with np.load(part) as before:
        finding = SecretsFinding.model_validate_json(str(before["finding"]))
    parts = KeptParts(tmp_path / "others", {"plan": "1"})
    keep_finding(parts, 0, finding)
    keep_finding(parts, 1, finding.model_copy(update={"confidence": float("inf")}))
    assert read_finding(parts, 0, finding.goal) == finding
    assert read_finding(parts, 1, finding.goal) is None
    parts.remove()
