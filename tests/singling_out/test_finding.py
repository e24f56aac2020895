"""Findings about singling out: counts in; interval, severity, words for a lawyer, verdict and file out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.auditing.decide import conclude
from dalenius.auditing.schemas import findings_schema, read_report
from dalenius.errors import InputError
from dalenius.findings.measure import Bound, Rate
from dalenius.findings.policy import Policy
from dalenius.findings.report import Data, Report
from dalenius.findings.tally import Tally, clopper_pearson
from dalenius.report.text import summary
from dalenius.singling_out.build import (
    Attempts,
    ControlRun,
    Remarks,
    SharedError,
    Shown,
    grade_singling_out,
    make_singling_out_finding,
)
from dalenius.singling_out.finding import AsTheyAre, ConditionsFinding, Together
from dalenius.singling_out.rules import rulings
from dalenius.singling_out.words import Subject, conditions_facts, one_in
from dalenius.theory.isolation import isolation

N, WEIGHT = 1000, 1e-5
LUCK = isolation(N, WEIGHT)
DATA = Data(source="people.csv", people=N, public=(), secret=None)
BOUND = Bound(statement="Theorem 5.4", text="At most 0.03.", kind="advantage-at-most", value=0.02)


def made(hits: int, trials: int, evidence: Any = "not shown", /, **more: Any) -> ConditionsFinding:
    words = {"k": 5, "unit": "conditions", "promise": None} | {
        key: more.pop(key) for key in ("k", "unit", "promise") if key in more
    }
    subject = Subject("rows", "classes", "unknown", "a population of 100,000", N, **words)
    tally = more.pop("tally", Tally(hits, trials))
    expected = more.pop("expected", 0.4)
    attempts = [Attempts(1e-4, tally, isolation(N, 1e-4), expected), Attempts(WEIGHT, tally, LUCK, expected)]
    shared = SharedError(**{key: more.pop(key) for key in ("looks", "tried") if key in more})
    remarks = Remarks(warnings=more.pop("warnings", ()))
    return make_singling_out_finding(subject, attempts, Shown(WEIGHT, evidence, **more), remarks, shared)


def report_of(*findings: ConditionsFinding, policy: Policy | None = None) -> Report:
    return conclude(findings, policy or Policy(), data=DATA, seed=1)


def test_the_cautious_end_pays_for_looks_for_other_attacks_and_for_wrong_weights() -> None:
    at = made(37, 100, "demonstrated", looks=3, tried=2, weight_error=0.001).at_best
    exact = clopper_pearson(37, 100, 1 - 0.05 / 3 / 2)
    assert at.advantage.value == pytest.approx(0.37 - LUCK)
    assert at.advantage.low == pytest.approx(exact.low - LUCK - 0.001)
    assert at.advantage.high == pytest.approx(exact.high - LUCK)
    plain = made(37, 100, "demonstrated").at_best
    assert plain.attack is not None
    assert (plain.attack.low, plain.attack.high) == pytest.approx((0.275566579615, 0.472351640552))


@pytest.mark.parametrize(
    ("hits", "trials", "more", "verdict", "reason"),
    [
        (40, 100, {}, "stop", "advantage over luck 39.0 points (29.3 to 49.3), limit 5.0 points"),
        (0, 1000, {}, "pass", "below the limit"),
        (3, 40, {}, "undecided", "more conditions would decide"),
        (3, 40, {"bound": BOUND}, "pass", "no attack can gain more than 2.0 points (Theorem 5.4)"),
        (40, 100, {"bound": BOUND}, "stop", "above what Theorem 5.4 allows"),
        (0, 1000, {"undecided": "weights are not certain"}, "undecided", "weights are not certain"),
        (0, 0, {"tally": None, "undecided": "nobody can weigh"}, "undecided", "nobody can weigh"),
        (0, 0, {"expected": None}, "undecided", "no condition is rare enough to count"),
    ],
)
def test_the_policy(hits: int, trials: int, more: dict[str, Any], verdict: str, reason: str) -> None:
    finding = made(hits, trials, "demonstrated" if hits > 10 else "not shown", **more)
    found, why, _ = rulings(finding, Policy())[0]
    assert found == verdict
    assert reason in why
    report = report_of(finding)
    assert report.verdict == verdict
    assert reason in report.reasons[0]


def test_no_advantage_passes_only_where_the_attack_expects_none() -> None:
    """Few coarse classes leave a wide interval: theory decides, unless the attack expects to succeed."""
    assert rulings(made(0, 0, "no advantage", expected=None), Policy())[0][0] == "pass"
    assert rulings(made(0, 3, "no advantage", expected=0.03), Policy())[0][0] == "pass"
    assert rulings(made(0, 3, "no advantage", expected=0.9), Policy())[0][0] == "undecided"


def test_a_control_that_gains_too_stops_nothing() -> None:
    right = ControlRun("others", Tally(3, 300), LUCK)
    wrong = ControlRun("others", Tally(100, 300), LUCK)
    kept, broken = (made(90, 100, "demonstrated", control=control) for control in (right, wrong))
    assert kept.details.control is not None
    assert kept.details.control.kept
    assert broken.details.control is not None
    assert not broken.details.control.kept
    assert rulings(kept, Policy())[0][0] == "stop"
    assert rulings(broken, Policy())[0] == (
        "undecided",
        "advantage over luck 89.0 points (81.4 to 94.1), but the control gains too (33.3% where luck "
        "allows 1.0%): weights are wrong.",
        "max_advantage",
    )


@given(st.floats(-1, 1), st.floats(-1, 1))
def test_severity_grows_with_what_is_established(one: float, other: float) -> None:
    order = ("none", "low", "moderate", "high", "critical")
    low, high = sorted((one, other))
    assert order.index(grade_singling_out(low).severity) <= order.index(grade_singling_out(high).severity)
    assert (grade_singling_out(low).severity == "none") == (low <= 0)


def test_severity_of_nothing_shown() -> None:
    assert made(0, 0, "not counted", tally=None, undecided="nobody").severity == "undecided"
    shown = made(0, 0, "not counted", tally=None, undecided="nobody")
    assert "may still single people out" in shown.severity_reason


def test_the_words_for_a_lawyer() -> None:
    shown = made(47, 50, "demonstrated")
    assert shown.sentence == (
        "From 'rows' alone 50 conditions were written down, each one that at most 1 in 100,000 of all people "
        "meets; 47 of them match exactly one of the 1,000 people. Without the release the best such "
        "condition does so in 1.0% of cases. The release allows people to be singled out."
    )
    assert "Recital 26" in shown.details.law[0]
    assert "k = 5" in shown.details.law[1]
    assert "Opinion 05/2014" in shown.not_shown[-1]
    assert len(made(47, 50, "demonstrated", k=None).details.law) == 1
    hidden = made(0, 50)
    assert "does not prove that the release is anonymous" in hidden.details.law[0]
    assert "a better one may find somebody" in hidden.not_shown[0]
    game = made(90, 100, "demonstrated", unit="rounds", k=None)
    assert "exactly one of 1,000 people met in 90 of 100 rounds" in game.sentence
    assert made(0, 0).sentence.startswith("From 'rows' alone no condition that at most 1 in 100,000 of all")


def test_the_p_value_is_that_of_the_exact_test() -> None:
    at = made(20, 200, "demonstrated").at_best
    assert at.p_value == pytest.approx(2.4095172888e-14)
    assert made(0, 200).at_best.p_value == 1.0
    assert made(0, 0, "not counted", tally=None, undecided="nobody").at_best.p_value is None


def test_theorem_6_1_is_what_a_hash_reaches_in_a_class() -> None:
    assert made(1, 2).details.reached == pytest.approx(0.4096)
    assert made(1, 2, k=1).details.reached is None
    assert made(1, 2, k=None).details.reached is None


def test_the_file_holds_all_goals_and_reads_back() -> None:
    report = report_of(made(47, 50, "demonstrated", control=ControlRun("others", Tally(0, 50), LUCK)))
    text = report.to_json()
    assert Report.model_validate_json(text).to_json() == text
    assert read_report(text).to_json() == text
    shapes = findings_schema()["properties"]["findings"]["items"]["oneOf"]
    assert {"$ref": "#/$defs/SinglingOutFinding"} in shapes


def test_findings_made_for_too_few_looks_are_refused() -> None:
    with pytest.raises(InputError, match=r"must have intervals of confidence 0\.975"):
        report_of(made(1, 50), made(1, 50))
    assert report_of(made(1, 50, looks=2), made(1, 50, looks=2)).verdict == "undecided"


def test_the_report_says_it_on_a_screen() -> None:
    said = " ".join(summary(report_of(made(47, 50, "demonstrated", warnings=("Few people.",)))).split())
    for words in (
        "people.csv: 1,000 people, can one of them be singled out",
        "at most 1 in 100,000 * 47 of 50 (94.0%) 1.0% +93.0 (82.5 to 97.8)",
        "* is where the release gives most away",
        "Warning: Few people.",
        "For the law: Recital 26 GDPR",
        "Not shown: It does not say who the person is.",
        "STOP: the policy is broken.",
    ):
        assert words in said


def test_a_single_line_has_no_star_to_explain() -> None:
    finding = made(47, 50, "demonstrated")
    (best,) = (row for row in finding.measures if row is finding.decisive)
    alone = finding.model_copy(update={"measures": (best,), "deciding": 0})
    assert not any(said.startswith("*") for said in conditions_facts(alone))
    assert any(said.startswith("*") for said in conditions_facts(finding))


@pytest.mark.parametrize(("weight", "words"), [(1e-6, "at most 1 in 1,000,000"), (0.25, "at most 2.5 in 10")])
def test_shares_in_words(weight: float, words: str) -> None:
    assert one_in(weight) == words


OWN = AsTheyAre(columns=("ssn",), identifying=("ssn",), people=990, luck=0.01, advantage=0.98, low=0.9)
ALL = Together(success=Rate.of(Tally(90, 100), 0.95), luck=0.05, advantage=0.85, low=0.7, high=0.9)


def test_what_needs_no_weights_stops_by_itself() -> None:
    """Even where nobody can weigh, where nothing is light enough, and where weights are wrong."""
    wrong = ControlRun("others", Tally(100, 300), LUCK)
    for more in (
        {"tally": None, "undecided": "nobody can weigh"},
        {"undecided": "ssn is not known of the population"},
        {"control": wrong},
    ):
        found = made(0, 0, "demonstrated", as_they_are=OWN, **more)
        verdict, why, _ = rulings(found, Policy())[0]
        assert verdict == "stop"
        assert "990 of 1,000 people have values of their own in columns released as they are" in why
        assert "column ssn identifies nearly everybody by value" in why
        assert found.severity == "critical"
        assert found.sentence.startswith("990 of 1,000 people have values of their own")
        assert rulings(made(0, 0, "demonstrated", together=ALL, **more), Policy())[0][0] == "stop"


def test_what_was_not_weighed_never_passes() -> None:
    """Classes as luck would have them are no reason to pass if a column could not be weighed."""
    found = made(0, 0, "not shown", undecided="ssn is released, but not known of the population")
    assert rulings(found, Policy())[0][0] == "undecided"


def test_every_limit_that_can_be_shown_decides() -> None:
    """23 of 23 at a larger weight is not forgotten for a smaller one at which there is one condition."""
    subject = Subject("rows", "classes", "unknown", "a population", 400, "conditions")
    coarse = Attempts(2.5e-4, Tally(23, 23), 0.091, 1.0)
    fine = Attempts(2.5e-5, Tally(1, 1), 0.01, 1.0)
    found = make_singling_out_finding(
        subject, [coarse, fine], Shown(2.5e-4, "demonstrated"), shared=SharedError(tried=2)
    )
    assert rulings(found, Policy())[0][0] == "stop"
    hidden = make_singling_out_finding(
        subject,
        [replace(coarse, shown=False), replace(fine, tally=Tally(0, 0))],
        Shown(2.5e-5, "not shown"),
    )
    assert rulings(hidden, Policy())[0][0] == "undecided"
