"""Reports that fill every section of a page: explanations and a ladder, as findings may have them."""

from __future__ import annotations

from dalenius.findings.explanation import Cause, Explanation, Group, Learned, StatedAndRight, Why
from dalenius.findings.measure import Bound, Gain
from dalenius.findings.report import ChangeKind, Finding, Ladder, Price, Report, Rung

_Change = tuple[ChangeKind, str, int, int, float, Price, str | None, Bound | None]


def explained(finding: Finding, people: int = 7634) -> Finding:
    """A finding with everything that makes it readable."""
    explanation = Explanation(
        learned=(
            Learned(
                value=None,
                people=people,
                anyway=people - 474,
                only_by_release=93,
                hidden=381,
                sure=14,
                nearly=40,
            ),
            Learned(
                value="has it", people=434, anyway=12, only_by_release=91, hidden=331, sure=14, nearly=40
            ),
            Learned(
                value="has <not>",
                people=people - 434,
                anyway=people - 486,
                only_by_release=2,
                hidden=50,
                sure=0,
                nearly=0,
            ),
        ),
        why=Why(
            counted="people who are certain or as good as known",
            whole=54,
            causes=(
                Cause(kind="table", name="MSP×RAC1P", alone=1, without=31),
                Cause(kind="table", name="AGEP×<b>RAC1P</b>", alone=0, without=40),
                Cause(kind="table", name="SEX×EDU", alone=0, without=54),
            ),
            examples=("44 − 43 = 1: one person of 60 to 64 is left, and has it.",),
            left_out="cells one by one, since there are 2,484.",
        ),
        groups=(
            Group(column="age", value="18 to 39", people=3000, at_risk=3),
            Group(column="age", value="40 and more", people=4600, at_risk=51),
            Group(column="age", value=None, people=34, at_risk=0),
        ),
        calibration=(
            StatedAndRight(stated=0.55, claims=400, right=230),
            StatedAndRight(stated=0.8, claims=300, right=246),
            StatedAndRight(stated=0.98, claims=54, right=53),
        ),
    )
    return finding.model_copy(update={"explanation": explanation})


def ladder(release: str) -> Ladder:
    """Changes of every kind: one passes at the least price, three make a promise."""

    def gain(value: float) -> Gain:
        return Gain(value=value, low=value - 0.012, high=value + 0.012, confidence=0.95, method="made up")

    def bound(value: float) -> Bound:
        return Bound(
            statement="Theorem 1", text="No attack gains more.", kind="advantage-at-most", value=value
        )

    made: tuple[_Change, ...] = (
        (
            "as planned",
            "hide below 10, round to 5",
            14,
            40,
            0.03,
            Price(hidden=0.18, mean_error=0.5),
            None,
            None,
        ),
        (
            "round",
            "round to 10, hide nothing",
            0,
            0,
            0.011,
            Price(hidden=0.0, mean_error=1.4, adds_up=False),
            None,
            None,
        ),
        ("hide", "hide zeros too", 0, 17, 0.012, Price(hidden=0.65, mean_error=1.2), None, None),
        ("fewer", "withhold 5 tables", 1, 20, 0.02, Price(lost=5, mean_error=0.5), None, None),
        ("coarser", "ages in tens", 0, 9, 0.01, Price(mean_error=0.9, lost=0), None, None),
        ("noise", "noise, sd 2", 0, 22, 0.02, Price(hidden=0.0, mean_error=1.6), "rho = 5.3", bound(0.9)),
        ("noise", "noise, sd 4", 0, 0, 0.01, Price(hidden=0.0, mean_error=3.1), "rho = 1.3", bound(0.4)),
        (
            "noise",
            "noise, sd 14.5",
            0,
            0,
            0.002,
            Price(hidden=0.0, mean_error=11.3),
            "rho = 0.1",
            bound(0.089),
        ),
    )
    rungs = tuple(
        Rung(
            kind=kind,
            change=change,
            release=release,
            sure=sure,
            nearly=nearly,
            advantage=gain(value),
            price=price,
            promise=promise,
            bound=limit,
            verdict="stop" if sure or nearly else "pass",
            tried=20,
            kept=0 if sure or nearly else 20,
        )
        for kind, change, sure, nearly, value, price, promise, limit in made
    )
    return Ladder(
        rungs=rungs,
        best=1,
        allowed=("round", "hide", "fewer", "coarser", "noise"),
        not_tried=("k-anonymity: these are tables, not rows.",),
    )


def filled(report: Report) -> Report:
    """A report whose page has every section filled."""
    findings = tuple(explained(finding) for finding in report.findings)
    release = findings[0].release if findings else "release"
    return report.model_copy(update={"findings": findings, "ladder": ladder(release)})
