"""Levels that a plan states, for a promise that holds whoever is in the data."""

from __future__ import annotations

import json
from pathlib import Path


def test_levels_in_a_plan(tmp_path: Path, run):
    rows = ["town,ill", *(["a,no"] * 20), *(["b,yes"] * 20), "a,rare"]
    (tmp_path / "people.csv").write_text("\n".join(rows) + "\n")
    plan = """
[data]
path = "people.csv"
[schema]
secret = "ill"
levels = { ill = ["no", "yes", "rare", "worse"], town = ["a", "b"] }
[[release]]
name = "noisy"
statistics = ["tables:k=1"]
mechanism = "gaussian:rho=0.001"
"""
    (tmp_path / "audit.toml").write_text(plan)
    result = run("audit", str(tmp_path / "audit.toml"))
    assert result.exit_code in (0, 1), result.output
    found = json.loads((tmp_path / "dalenius-report/findings.json").read_text())["findings"][0]
    assert "levels" not in found["promise"]
    (tmp_path / "audit.toml").write_text(plan.replace('"rare", ', ""))
    result = run("audit", str(tmp_path / "audit.toml"))
    assert result.exit_code == 2
    assert "must hold only the stated levels" in result.output
    assert "rare" not in result.output
