"""Sentences and cells of a page that somebody stumbled over."""

from __future__ import annotations

import itertools
import re

from dalenius.findings.explanation import Group
from dalenius.findings.report import Report
from dalenius.report.page.annex import annex
from dalenius.report.page.blocks import width_of
from dalenius.report.page.charts import LEFT, group_bars
from dalenius.report.page.planes import PricedRung, price_and_people
from dalenius.report.page.sections import numbers
from dalenius.report.page.verdict import at_risk, promise_of, releases, verdict_box
from helpers.page_samples import ladder


def test_an_epsilon_about_related_people_is_a_promise(reports: dict[str, Report]) -> None:
    report = reports["inference"]
    assert promise_of(report.findings[0]) == "differential privacy with epsilon = 0.5"
    assert releases(report).rows[0][-1] == "differential privacy with epsilon = 0.5"
    assert "no promise" not in " ".join(annex(report)[5].said)
    assert promise_of(reports["tracing"].findings[0]) is None


def test_of_no_tries_there_is_no_share(reports: dict[str, Report]) -> None:
    report = reports["singling-out"]
    finding = report.findings[0]
    grid = numbers(report)
    at = grid.head.index("attack")
    shown = [row[at] for row in grid.rows]
    tried = [measure.attack is not None and measure.attack.trials != 0 for measure in finding.measures]
    assert False in tried, "a rarity at which no condition was found"
    assert [text != "not tried" for text in shown] == tried


def test_what_was_worked_out_has_no_interval_and_shares_have_a_unit(reports: dict[str, Report]) -> None:
    related, secrets = numbers(reports["inference"]), numbers(reports["reconstruction"])
    assert " to " not in related.rows[0][related.head.index("advantage")]
    assert related.caption == "All numbers"
    assert secrets.caption == "All numbers (advantage, control, limit in points)"


def test_causes_by_a_quicker_attack_are_told_as_such(whole: Report) -> None:
    finding = whole.findings[0]
    why = finding.explanation.why
    assert why is not None
    risk = at_risk(finding)
    for count, told in ((risk, False), (risk - 1, True)):
        causes = tuple(one.model_copy(update={"without": 0}) for one in why.causes)
        less = why.model_copy(update={"whole": count, "causes": causes})
        explained = finding.explanation.model_copy(update={"why": less})
        changed = (finding.model_copy(update={"explanation": explained}), *whole.findings[1:])
        box = verdict_box(whole.model_copy(update={"findings": changed}))
        assert ("by a quicker attack, which finds fewer" in " ".join(box.sentences)) == told


def test_a_group_is_told_with_its_column() -> None:
    drawn = group_bars("years", [Group(column="years", value="0.5", people=370, at_risk=368)])
    assert drawn.description == "Highest: years=0.5, 99.5% of 370 people."


def test_claims_about_records_are_held_against_what_came_true(reports: dict[str, Report]) -> None:
    finding = reports["records"].findings[0]
    assert sum(bin.claims for bin in finding.explanation.calibration) == finding.details.ranking.uncertain


def test_numbers_of_marks_do_not_lie_on_each_other() -> None:
    rung = ladder("planned").rungs[0]
    close = [PricedRung(j, rung, 1 + j / 15) for j in range(12)]
    svg = str(price_and_people(close, "mean error", 0).svg)
    labels = re.findall(r'<text x="([\d.]+)" y="([\d.]+)"[^>]*class="dal-small"[^>]*>(\d[^<]*)<', svg)
    inside = [(float(x), float(y), width_of(text)) for x, y, text in labels if float(x) > LEFT]
    assert inside
    for first, other in itertools.combinations(inside, 2):
        apart = abs(first[1] - other[1]) >= 12 or abs(first[0] - other[0]) >= min(first[2], other[2])
        assert apart, (first, other)
