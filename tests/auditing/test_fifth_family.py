"""A further family is one folder and one line: it runs, decides, prints, writes and is read back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dalenius.auditing import families
from dalenius.auditing.plan import Plan, check_plan
from dalenius.auditing.run import run_plan
from dalenius.auditing.schemas import findings_schema, read_report
from dalenius.reconstruction.attack.guesses import Guesses
from dalenius.report.text import summary
from helpers.toy.family import ToyCase, ToyClaims, ToyFinding


@pytest.fixture
def line(monkeypatch: pytest.MonkeyPatch) -> None:
    toy = families.Line("helpers.toy.family", ("statistics",))
    monkeypatch.setattr(families, "FAMILIES", families.FAMILIES | {"toy": toy})


def plan(folder: Path, **policy: float) -> Plan:
    rows = "\n".join(f"p{i},{'abc'[i % 3]},{'yes' if i % 4 == 0 else 'no'}" for i in range(66))
    (folder / "people.csv").write_text(f"id,town,ill\n{rows}\n")
    release = {"name": "r", "statistics": ["tables:k=1"], "mechanism": "laplace:epsilon=0.01"}
    raw = {
        "data": {"path": "people.csv"},
        "schema": {"id": "id", "secret": "ill"},
        "release": [release],
        "policy": policy,
    }
    return check_plan(raw, folder)


@pytest.mark.usefixtures("line")
def test_a_fifth_family_is_one_folder_and_one_line(tmp_path: Path) -> None:
    result = run_plan(plan(tmp_path))
    assert [finding.goal for finding in result.report.findings] == ["reconstruction", "toy"]
    assert result.report.findings[0].looks == 2, "its interval pays for the toy's"
    text = summary(result.report)
    assert "The toy guesses yes for everybody in 'r'." in text
    assert "over it, with intervals that hold together" in " ".join(text.split())
    assert result.people_files()["toys-toy-r.csv"].startswith("person,guess\n0,yes\n")
    again = read_report(result.report.to_json())
    assert isinstance(again.findings[1], ToyFinding)
    assert again.to_json() == result.report.to_json()
    assert {"$ref": "#/$defs/ToyFinding"} in findings_schema()["properties"]["findings"]["items"]["oneOf"]
    assert json.loads(result.report.to_json())["findings"][1]["details"] == {"commonest": "yes"}


@pytest.mark.usefixtures("line")
def test_two_families_speak_of_one_release_and_neither_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both are asked about release r; the toy's file has the kind and the ending of the other's."""
    monkeypatch.setattr(ToyCase, "files", lambda self, claims, finding: {("claims", ".csv"): claims.to_csv()})
    result = run_plan(plan(tmp_path))
    assert set(result.claims) == {("reconstruction", "r"), ("toy", "r")}
    assert isinstance(result.claims["reconstruction", "r"], Guesses)
    assert isinstance(result.claims["toy", "r"], ToyClaims)
    files = result.people_files()
    assert set(files) == {"claims-reconstruction-r.csv", "claims-toy-r.csv"}
    assert files["claims-reconstruction-r.csv"] == result.claims["reconstruction", "r"].to_csv()


@pytest.mark.usefixtures("line")
def test_its_rules_decide_with_the_others(tmp_path: Path) -> None:
    strict = run_plan(plan(tmp_path, max_advantage=0.001))
    assert strict.verdict == "stop"
    assert any(reason == "r, commonest: the toy says so." for reason in strict.report.reasons)


def test_without_its_line_nobody_knows_it(tmp_path: Path) -> None:
    assert {finding.goal for finding in run_plan(plan(tmp_path)).report.findings} == {"reconstruction"}
