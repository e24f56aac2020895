"""What goes out on a page for others: no count of people at risk, no measured share, no seed."""

from __future__ import annotations

import re

import pytest

from dalenius.findings.report import Report
from dalenius.report.page.render import page_html, page_markdown
from dalenius.report.page.verdict import in_words

from .conftest import GOALS

CANARY = 6_173_911


def planted(report: Report) -> Report:
    """The report with a number that must not go out in the place of every count of people at risk."""
    plain = report.model_dump()

    def plant(value: object, key: str = "") -> object:
        if isinstance(value, dict):
            return {k: plant(v, k) for k, v in value.items()}
        if isinstance(value, list | tuple):
            return tuple(plant(each, key) for each in value)
        counts = (
            "certain",
            "known",
            "hits",
            "at_risk",
            "sure",
            "nearly",
            "anyway",
            "only_by_release",
            "hidden",
        )
        if key in counts and isinstance(value, int):
            return CANARY
        said = ("sentence", "facts", "reasons", "reason", "notes", "warnings", "severity_reason", "undecided")
        if key in (*said, "examples", "change", "left_out") and isinstance(value, str):
            return f"{CANARY:,} people"
        return value

    findings = []
    for finding in report.findings:
        changed = {key: plant(value, key) for key, value in finding.model_dump(exclude={"details"}).items()}
        findings.append(type(finding).model_validate(changed | {"details": finding.details}))
    changed = {key: plant(plain[key], key) for key in ("reasons", "verdicts", "ladder")}
    return Report.model_validate(plain | changed | {"findings": findings})


@pytest.mark.parametrize("goal", GOALS)
def test_outside_no_count_of_people_at_risk_is_told(
    goal: str, reports: dict[str, Report], whole: Report
) -> None:
    report = planted(whole if goal == "reconstruction" else reports[goal])
    inside = page_html(report) + page_markdown(report)
    assert f"{CANARY:,}" in inside, "the canary sings inside"
    outside = page_html(report, external=True) + page_markdown(report, external=True)
    assert not re.search(r"6,?173,?911", outside)
    for finding in report.findings:
        assert in_words(finding.mechanism).replace("<", "&lt;") in outside
    assert "Not tested." in outside


@pytest.mark.parametrize("goal", GOALS)
def test_outside_no_measured_share_is_told(goal: str, reports: dict[str, Report]) -> None:
    """A gain in points and the number of people make a count."""
    report = reports[goal]
    outside = page_html(report, external=True)
    for finding in report.findings:
        for row in finding.measures:
            for rate in (row.attack, row.advantage):
                value = getattr(rate, "rate", getattr(rate, "value", None))
                if value:
                    assert f"{100 * value:.1f} points" not in outside
                    assert f"{value:.1%}" not in outside.replace("0.0%", "")


def test_outside_it_is_said_how_each_family_is_judged(reports: dict[str, Report]) -> None:
    judged = {
        goal: page_markdown(report, external=True).split("## 5 ")[1].split("## 6 ")[0]
        for goal, report in reports.items()
    }
    assert "how many people who are not in the data" in judged["tracing"]
    assert "beside what luck would do" in judged["singling-out"]
    assert "nu, is the epsilon" in judged["inference"]
    assert "would be right without the publication" in judged["reconstruction"]
    assert all("Left out of this version" in said for said in judged.values())


def test_outside_the_seed_is_not_told(whole: Report) -> None:
    """Whoever knows it can draw the noise of the audit again."""
    report = whole.model_copy(update={"seed": CANARY})
    assert str(CANARY) in page_html(report)
    assert str(CANARY) not in page_html(report, external=True) + page_markdown(report, external=True)
