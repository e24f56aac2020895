"""Findings about tracing: counts in, intervals, bound, severity, sentence, verdict and file out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from dalenius.auditing.decide import conclude
from dalenius.errors import InputError
from dalenius.findings.policy import Policy
from dalenius.findings.report import Data, Report
from dalenius.findings.tally import Tally, clopper_pearson
from dalenius.mechanisms.base import Promise
from dalenius.release.means import MeansRelease
from dalenius.report.text import summary
from dalenius.tracing.build import make_tracing_finding, power_under, predictive_value
from dalenius.tracing.finding import TracingFinding
from dalenius.tracing.referee.bench import RocCurve, TracingJudgement

LEVELS = (0.1, 0.01)


def judged(hits: tuple[int, ...], /, alarms: tuple[int, ...] = (100, 10), **changes: Any) -> TracingJudgement:
    parts: dict[str, Any] = {
        "levels": LEVELS,
        "members": tuple(Tally(count, 1000) for count in hits),
        "outsiders": tuple(Tally(count, 1000) for count in alarms),
        "control": None,
        "paired": None,
        "groups": {},
        "curve": RocCurve(np.array([0.0, 0.1, 1.0]), np.array([0.0, 0.5, 1.0]), 0.7),
        "each": np.array([[count / 1000 for count in hits]]),
        "method": "llr, pooled",
        "rigorous": True,
        "pool": 400,
        "smallest": 0.0,
        "notes": (),
    }
    return TracingJudgement(**{**parts, **changes})


def released(promise: Promise | None = None) -> MeansRelease:
    names = np.array([f"rs{j}" for j in range(500)])
    return MeansRelease("cases", names, np.zeros(500), "genotype", 1000, "exact", 0.0, promise)


def found(hits: tuple[int, ...], promise: Promise | None = None, /, **changes: Any) -> TracingFinding:
    options = {key: changes.pop(key) for key in ("looks", "prior") if key in changes}
    return make_tracing_finding(judged(hits, **changes), released(promise), **options)


DATA = Data(source="cases.bed", people=1000, public=(), secret=None)


def report_of(*findings: TracingFinding, policy: Policy | None = None) -> Report:
    return conclude(findings, policy or Policy(), data=DATA, seed=1)


def test_the_interval_of_the_advantage_joins_two_exact_ones_that_pay_for_levels_and_looks() -> None:
    rate = found((600, 300), looks=3).measures[1]
    each = 1 - 0.05 / 3 / 2 / 2
    members, outsiders = clopper_pearson(300, 1000, each), clopper_pearson(10, 1000, each)
    assert rate.advantage.value == pytest.approx(0.29)
    assert rate.advantage.low == pytest.approx(members.low - outsiders.high)
    assert rate.advantage.high == pytest.approx(members.high - outsiders.low)


def test_the_joined_interval_holds_the_truth() -> None:
    """At least 95% for one level; a wrong one that pays nothing for the second proportion is narrower."""
    rng, hits, truth = np.random.default_rng(1), 0, 0.3 - 0.05
    for _ in range(300):
        judgement = judged(
            (0, 0),
            levels=(0.05,),
            members=(Tally(int(rng.binomial(80, 0.3)), 80),),
            outsiders=(Tally(int(rng.binomial(200, 0.05)), 200),),
        )
        rate = make_tracing_finding(judgement, released()).measures[0]
        hits += rate.advantage.low <= truth <= rate.advantage.high
    assert hits / 300 >= 0.95


@pytest.mark.parametrize(
    ("members", "severity"),
    [((800, 700), "critical"), ((500, 300), "high"), ((220, 30), "moderate"), ((110, 10), "none")],
)
def test_severity_follows_what_is_established(members: tuple[int, int], severity: str) -> None:
    assert found(members).severity == severity


def test_few_members_at_hardly_any_false_alarm_are_moderate() -> None:
    assert found((100, 40), alarms=(100, 0)).severity == "low"
    many = {"members": (Tally(1000, 10_000), Tally(1300, 10_000)), "outsiders": (Tally(1000, 10_000),) * 2}
    rare = {
        "members": (Tally(1000, 10_000), Tally(450, 10_000)),
        "outsiders": (Tally(900, 9000), Tally(0, 9000)),
    }
    assert found((0, 0), **many).severity == "low"
    assert found((0, 0), **rare, levels=(0.1, 0.001)).severity == "moderate"


def test_people_like_the_members_are_the_baseline_where_they_are_accused_more() -> None:
    control = (Tally(400, 1000), Tally(200, 1000))
    finding = found((420, 210), control=control, paired=((220, 200), (110, 100)))
    assert finding.measures[0].against == "left out"
    assert finding.measures[0].advantage.value == pytest.approx(0.02)
    assert finding.severity == "none"
    assert any("population the members come from" in note for note in finding.notes)
    assert "left out of it: 40.0%" in finding.sentence


def test_members_shown_against_many_outsiders_are_not_hidden_by_a_small_control() -> None:
    """46% of 50 members, 10.0% of 1,991 outsiders, 8 of 50 from a release made without them."""
    finding = found(
        (0,),
        levels=(0.1,),
        members=(Tally(23, 50),),
        outsiders=(Tally(199, 1991),),
        control=(Tally(8, 50),),
        paired=((16, 1),),
        each=np.array([[0.46]]),
    )
    (rate,) = finding.measures
    assert rate.against == "outsiders"
    assert rate.advantage.low > 0.05
    assert finding.severity != "none"
    assert "within chance" not in finding.sentence


def test_what_the_control_gains_too_is_not_established() -> None:
    finding = found((140, 20), control=(Tally(120, 1000), Tally(15, 1000)), paired=((70, 50), (12, 7)))
    assert finding.measures[0].against == "outsiders"
    assert finding.measures[0].advantage.low <= 0
    assert finding.severity == "none"


def test_a_broken_level_never_passes() -> None:
    many = {
        "members": (Tally(30_000, 100_000), Tally(20_000, 100_000)),
        "outsiders": (Tally(30_000, 100_000), Tally(20_000, 100_000)),
    }
    report = report_of(found((0, 0), **many))
    assert report.verdict == "undecided"
    assert "more people not in the data are accused than the level allows" in report.reasons[0]


def test_members_accused_with_and_without_them_never_pass() -> None:
    """References of another ancestry: everybody like the members is accused, so nothing can be seen."""
    all_of_them = (Tally(1000, 1000), Tally(990, 1000))
    finding = found((1000, 990), control=all_of_them, paired=((0, 0), (2, 2)))
    assert finding.measures[0].advantage.high < 0.05
    report = report_of(finding)
    assert report.verdict == "undecided"
    assert "people like the members are accused from a release made without them" in report.reasons[0]


def test_false_alarms_above_the_level_are_said() -> None:
    finding = found((600, 300), alarms=(300, 100))
    assert not finding.details.level_kept
    assert any("More outsiders are accused" in note for note in finding.notes)
    assert found((600, 300)).details.level_kept


def test_the_sentence_speaks_of_few_false_alarms_where_much_is_established() -> None:
    assert found((600, 370)).sentence == (
        "From the release 'cases', 37.0% of the participants can be recognised by somebody who has their "
        "record, at one false alarm in 100; a person not in the data: 1.0%."
    )
    assert found((600, 50)).headline == 0.1
    assert found((110, 10)).sentence.endswith("within chance.")


def test_bounds_of_a_promise() -> None:
    assert power_under(Promise(None, 0.01, ""), 0.05) == pytest.approx(0.0663638050612)
    assert power_under(Promise(1.0, None, ""), 0.05) == pytest.approx(0.05 * np.e)
    assert power_under(Promise(1.0, None, ""), 1.0) == 1.0
    assert power_under(None, 0.05) is None
    finding = found((110, 10), Promise(None, 0.01, "rho 0.01"))
    assert finding.bound is not None
    assert finding.bound.value == pytest.approx(0.056371977797)  # the total variation at rho = 0.01


def test_how_often_an_accusation_is_right() -> None:
    assert predictive_value(0.5, 0.3, 0.1) == pytest.approx(0.75)
    assert predictive_value(0.5, 0.0, 0.0) is None
    assert found((600, 300), prior=0.01).measures[1].ppv == pytest.approx(0.003 / (0.003 + 0.0099))
    with pytest.raises(InputError, match="prior"):
        found((600, 300), prior=0.0)


def test_verdicts() -> None:
    assert report_of(found((600, 300))).verdict == "stop"
    assert report_of(found((110, 10))).verdict == "undecided"
    many = {
        "members": (Tally(10_100, 100_000), Tally(1000, 100_000)),
        "outsiders": (Tally(9900, 100_000), Tally(990, 100_000)),
        "curve": RocCurve(np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.502, 1.0]), 0.501, 0.002),
    }
    everybody = make_tracing_finding(judged((0, 0), **many), replace(released(), n=100_000))
    assert report_of(everybody).verdict == "pass"
    few = make_tracing_finding(judged((0, 0), **many), replace(released(), n=10_000))
    assert few.details.sampled == 0.1
    assert report_of(few).verdict == "undecided"  # a tenth are in the sample: a tenth of the limit
    small = Promise(None, 0.0001, "rho 0.0001")
    assert report_of(found((110, 10), small)).verdict == "pass"
    with pytest.raises(InputError, match="intervals of confidence"):
        report_of(found((600, 300)), found((600, 300)))


def test_levels_that_ranks_cannot_reach_decide_nothing() -> None:
    # 1 of 60 among 50 references: no p-value below 1/51, so nobody is accused at 0.01 whoever is in
    few = {"members": (Tally(6, 60), Tally(0, 60)), "outsiders": (Tally(5, 50), Tally(0, 50))}
    finding = found((0, 0), **few, pool=50, smallest=1 / 51)
    assert [rate.shown for rate in finding.measures] == [True, False]
    assert finding.headline == 0.1
    alone = found((0,), **{key: value[:1] for key, value in few.items()}, levels=(0.1,), pool=50)
    assert finding.measures[0] == alone.measures[0], "a level without reach costs the others no confidence"
    report = report_of(finding)
    assert "at level 0.1," in report.reasons[0]
    text = summary(report)
    assert "Not reachable with 50 references: level 0.01" in text
    assert "0 (0.0%)" not in text


def test_without_any_level_in_reach_only_a_promise_decides() -> None:
    none = found((0, 0), alarms=(0, 0), pool=5, smallest=1 / 6)
    report = report_of(none)
    assert report.verdict == "undecided"
    assert "5 references allow no p-value below 0.167" in report.reasons[0]
    assert any("nothing is shown" in note for note in none.notes)
    small = Promise(None, 0.0001, "rho 0.0001")
    assert report_of(found((0, 0), small, alarms=(0, 0), pool=5, smallest=1 / 6)).verdict == "pass"


def test_the_file_reads_back() -> None:
    report = report_of(found((600, 300), looks=2, prior=0.1), found((110, 10), looks=2))
    again = Report.model_validate_json(report.to_json())
    assert [finding.goal for finding in again.findings] == ["tracing", "tracing"]
    assert again.to_json() == report.to_json()


def test_the_text_shows_every_level_and_names_nobody() -> None:
    group = {"children": (Tally(30, 100), Tally(5, 100))}
    control = (Tally(90, 1000), Tally(9, 1000))
    promise = Promise(None, 0.5, "rho 0.5")
    each = np.array([[0.6, 0.3], [0.62, 0.31]])
    finding = found((600, 300), promise, groups=group, control=control, each=each, prior=0.01)
    text = summary(report_of(finding))
    for part in (
        "cases.bed: 1,000 people",
        "60.0%",
        "300 (30.0%)",
        "children: 30 (30.0%)",
        "Over 2 releases",
    ):
        assert part in text
    assert "STOP" in text
