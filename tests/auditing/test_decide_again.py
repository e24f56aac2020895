"""A budget saves time and never makes a release pass."""

from __future__ import annotations

from pathlib import Path

import pytest

from dalenius.auditing.plan import check_plan
from dalenius.auditing.run import run_plan


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Twenty towns of ten people, three ill in each: nobody is known, but would be with another ten."""
    lines = [f"{at},t{at // 10},{'yes' if at % 10 < 3 else 'no'}" for at in range(200)]
    (tmp_path / "people.csv").write_text("\n".join(["id,town,ill", *lines]) + "\n")
    return tmp_path


@pytest.mark.parametrize(
    ("mechanism", "samples", "verdict"),
    [
        ("exact", 0, "undecided"),  # passed: nobody looked
        ("exact", 1, "undecided"),
        ("exact", 5, "undecided"),  # some samples break the policy
        ("rounding:base=1000", 0, "undecided"),
        ("rounding:base=1000", 5, "pass"),
        ("gaussian:rho=0.001", 0, "pass"),  # a theorem holds for all people
    ],
)
def test_fewer_samples_than_usual_never_let_pass(
    folder: Path, mechanism: str, samples: int, verdict: str
) -> None:
    release = {"name": "t", "statistics": ["tables:k=1"], "mechanism": mechanism}
    plan = {
        "data": {"path": "people.csv"},
        "schema": {"id": "id", "secret": "ill", "public": ["town"]},
        "release": [release],
        "budget": {"resamples": samples, "why": False},
    }
    report = run_plan(check_plan(plan, folder)).report
    assert report.verdict == verdict, report.reasons
    few = samples < 5 and verdict == "undecided"
    assert ("a pass takes 5" in " ".join(report.reasons)) == few
