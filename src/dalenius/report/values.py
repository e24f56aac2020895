"""What a report is about: every question of it, and the values that a stop is over."""

from __future__ import annotations

import json
from collections import Counter

from dalenius.findings.report import Finding, Report

_COUNTED = ("max_certain", "max_known")
"""The rules that ``sensitive`` narrows down; what an attack gains is about all values."""


def only_some_values(report: Report) -> str | None:
    """Say how to name the values that must not be known, where a stop counts people of every value."""
    if report.policy.sensitive is not None:
        return None
    stopped = {
        each.release
        for each in report.verdicts
        for ruled in each.rules
        if ruled.goal == "reconstruction" and ruled.rule in _COUNTED and ruled.verdict == "stop"
    }
    people, at_risk = _by_value([each for each in report.findings if each.release in stopped])
    if len(people) < 2 or report.data.secret is None:
        return None
    hit = [value for value, count in at_risk.items() if count]
    rarest = min(people, key=lambda value: (people[value], value))
    all_of_one = f"All of these people have {hit[0]}. " if len(hit) == 1 else ""
    named = f"sensitive = [{json.dumps(rarest, ensure_ascii=False)}]"
    return (
        f"{all_of_one}If only some values of {report.data.secret} must not be known, name them under "
        f"[policy], such as {named}: all others are then reported and stop nothing."
    )


def _by_value(findings: list[Finding]) -> tuple[Counter[str], Counter[str]]:
    """How many people have each value in all findings, and of how many it is sure or nearly sure."""
    people, at_risk = Counter[str](), Counter[str]()
    for row in (row for each in findings for row in each.explanation.learned):
        if row.value is not None:
            people[row.value] += row.people
            at_risk[row.value] += (row.sure or 0) + (row.nearly or 0)
    return people, at_risk


def asked_besides(report: Report) -> list[str]:
    """The other questions of a plan that also asks for a secret, each once and in a few words."""
    if report.data.secret is None or len({each.goal for each in report.findings}) < 2:
        return []
    asked = (
        each.headings.asks.removesuffix("?") for each in report.findings if each.goal != "reconstruction"
    )
    return list(dict.fromkeys(filter(None, asked)))
