"""From claims about amounts to a finding: counts first, then severity and sentences."""

from __future__ import annotations

import numpy as np

from dalenius.amounts.attack.claims import AmountClaims
from dalenius.amounts.finding import AmountDetails, AmountsFinding, CellsHeld
from dalenius.amounts.promised import bound_of, promise_assumed, promise_facts
from dalenius.amounts.referee.cell_rules import CellRules
from dalenius.amounts.referee.judge import JudgedAmounts
from dalenius.amounts.terms import AmountTerms
from dalenius.amounts.words import NOT_SHOWN, assumed, close, facts, if_assumed, sentence
from dalenius.findings.measure import Gain, Measure, Rate
from dalenius.findings.policy import WORDS, Grade, by_known, grade
from dalenius.findings.report import Headings
from dalenius.findings.tally import share_confidence
from dalenius.knowledge.weights import said_weights
from dalenius.release.amounts import AmountRelease
from dalenius.shown import several

METHOD = "linear programs"


def make_amounts_finding(
    release: AmountRelease,
    claims: AmountClaims,
    counted: tuple[JudgedAmounts, CellRules] | None,
    terms: AmountTerms,
    *,
    looks: int = 1,
) -> AmountsFinding:
    """Say how close the tables come to people's amounts; ``counted`` is None without the truth."""
    level = share_confidence(terms.confidence, max(looks, 1))
    details = _details(release, claims, counted, terms)
    judged = None if counted is None else counted[0]
    n = release.people
    certain = details.pinned if details.sure else 0
    known = (
        None if judged is None else (details.exposed or 0) + (details.inside or 0) + details.pinned - certain
    )
    measures = () if judged is None else (_measure(judged, level, terms.within),)
    graded = _graded(judged, measures, certain, known, n)
    return AmountsFinding(
        release=release.name,
        people=n,
        numbers=len(release.said),
        mechanism=_done(release),
        promise=release.promise.promise.said if release.promise else None,
        attack_method=METHOD,
        measures=measures,
        deciding=0 if measures else None,
        headings=_headings(details),
        certain=certain,
        known=known,
        bound=bound_of(release, terms.within),
        undecided=None if judged is not None else "the true amounts are not given, so nothing was counted",
        confidence=level if judged is not None else None,
        looks=looks if judged is not None else None,
        severity=graded.severity,
        severity_reason=f"{graded.reason}{if_assumed(details)}" if certain else graded.reason,
        sentence=sentence(details, n),
        facts=(*facts(details), *promise_facts(release, terms.within)),
        notes=release.notes,
        assumptions=(*assumed(details, terms.least, terms.most), *promise_assumed(release)),
        not_shown=NOT_SHOWN,
        details=details,
    )


def _headings(details: AmountDetails) -> Headings:
    how = close(details.within)
    return Headings(
        attack=how,
        baseline="without it",
        control="control",
        about=f"Advantage: estimates {how} of the true amount,",
        over="the estimate without the release",
        asks=f"how close does anybody come to somebody's {details.amount}?",
    )


def _measure(judged: JudgedAmounts, level: float, within: float) -> Measure:
    return Measure(
        label=close(within),
        attack=Rate.of(judged.estimates.attack, level),
        baseline=Rate.of(judged.estimates.baseline, level),
        advantage=Gain.of(judged.estimates, level),
        control=None if judged.control is None else Gain.of(judged.control, level),
    )


def _graded(
    judged: JudgedAmounts | None, measures: tuple[Measure, ...], certain: int, known: int | None, n: int
) -> Grade:
    """How bad it is: by what follows, by who is bounded closely, and by how often estimates are near."""
    if judged is None or not measures or measures[0].advantage is None:
        found = grade(low=0.0, baseline=0.0, wrong=1.0, certain=certain / n) if certain else None
        return found or Grade("undecided", "the true amounts are not given")
    gain, baseline = measures[0].advantage, judged.estimates.baseline.rate
    by_gain = grade(
        low=gain.low, baseline=baseline, wrong=1 - judged.estimates.attack.rate, certain=certain / n
    )
    graded = max(by_gain, by_known((known or 0) / n), key=lambda one: WORDS.index(one.severity))
    words = {"secrets": "amounts", "secret": "amount"}
    reason = graded.reason
    for old, new in words.items():
        reason = reason.replace(old, new)
    return Grade(graded.severity, reason)


def _done(release: AmountRelease) -> str:
    """What was done to the numbers, hidden ones included."""
    hidden = f"{several(release.hidden, 'cell')} hidden | " if release.hidden else ""
    return f"{hidden}{release.mechanism}"


def _details(
    release: AmountRelease,
    claims: AmountClaims,
    counted: tuple[JudgedAmounts, CellRules] | None,
    terms: AmountTerms,
) -> AmountDetails:
    within = terms.within
    held, judged = None, None
    if counted is not None:
        judged, rules = counted
        held = CellsHeld(
            cells=rules.cells,
            few=rules.few,
            dominated=rules.dominated,
            p_rule=rules.p_rule,
            unseen=judged.unseen,
        )
    return AmountDetails(
        amount=release.amount,
        within=within,
        classes=claims.classes,
        hidden=release.hidden,
        sure=claims.sure,
        pinned=int(np.sum(claims.pinned(within))) if judged is None else judged.pinned,
        exposed=None if judged is None else judged.exposed,
        inside=None if judged is None else judged.inside,
        outside=None if judged is None else judged.outside,
        searched=bool(claims.ends.searched.all()),
        cells=held,
        weights=said_weights(terms.weights) if release.weighted else None,
        unread=release.unread,
        assumed="" if terms.stated else "the numbers are exact to their last digit",
    )
