"""The finding about a released table: counts and what they mean; nobody's condition is in it."""

from __future__ import annotations

from collections.abc import Iterator

from dalenius.findings.default_policy import CONFIDENCE
from dalenius.findings.tally import Tally
from dalenius.singling_out.build import (
    Attempts,
    ControlRun,
    Remarks,
    SharedError,
    Shown,
    make_singling_out_finding,
)
from dalenius.singling_out.finding import ConditionsFinding
from dalenius.singling_out.rows.result import AtLimit, SingledOutRows
from dalenius.singling_out.words import Subject, one_in

METHOD = "conditions about classes"


def finding_of_rows(
    found: SingledOutRows, release: str, *, looks: int = 1, confidence: float = CONFIDENCE
) -> ConditionsFinding:
    """Say what singling out got from a released table.

    Parameters
    ----------
    found
        What the attack gave; its intervals must have been made for as many looks.
    release
        What the table is called.
    looks, confidence
        How many findings are made together, and with which confidence all of them hold.
    """
    at = found.deciding
    subject = Subject(
        release=release,
        attack_method=METHOD,
        mechanism="unknown",
        source=found.source_text,
        people=found.n,
        unit="conditions",
        k=found.compatible if found.compatible is not None else None,
    )
    shown = Shown(
        weight=at.limit,
        evidence=found.evidence,
        undecided=found.undecided,
        weight_error=found.weight_error,
        control=_control(found),
        singled_out=at.people,
        as_they_are=found.as_they_are,
        together=found.together,
    )
    remarks = Remarks((*_notes(found), *found.notes), found.warnings, found.assumptions)
    shared = SharedError(looks, found.tried, confidence)
    return make_singling_out_finding(
        subject, [_attempts(one) for one in found.limits], shown, remarks, shared
    )


def _attempts(at: AtLimit) -> Attempts:
    tally = None if at.hits is None else Tally(at.hits, at.trials)
    return Attempts(at.limit, tally, at.baseline, at.expected if at.trials else None, shown=at.shown)


def _control(found: SingledOutRows) -> ControlRun | None:
    tally = found.control
    if tally is None or not tally.trials:
        return None
    what = f"the same conditions about {found.n:,} other people"
    return ControlRun(what, tally, found.deciding.baseline)


def _notes(found: SingledOutRows) -> Iterator[str]:
    kept = f"; released as they were: {', '.join(found.verbatim)}" if found.verbatim else ""
    gone = f"; {found.suppressed:,} rows suppressed" if found.suppressed else ""
    yield (
        f"{found.classes:,} classes (rows that agree on {', '.join(found.quasi)}), the smallest of "
        f"{found.k}{gone}{kept}."
    )
    if found.compatible == 1:
        yield "Somebody is alone in their class: the release is not k-anonymous for any k above 1."
    elif found.compatible is not None and found.compatible > found.k:
        yield (
            "Suppressed cells may be anything: counted so, nobody is among fewer than "
            f"{found.compatible} rows (k = {found.compatible})."
        )
    elif found.compatible is None:
        yield "Suppressed cells may be anything, so the classes do not say what k is."
    at = found.deciding
    if at.hits is None:
        matched = "" if at.isolating is None else f"; {at.isolating:,} do"
        yield (
            f"{at.trials:,} conditions were written down that may be met by {one_in(at.limit)}, if weights "
            f"are as assumed. The attack expects {at.expected:.0%} of them to match one person{matched}."
        )
    for one in found.limits:
        if one.hits is not None and one.isolating is not None and one.isolating > one.hits:
            yield (
                f"Of the conditions that may be met by {one_in(one.limit)}, {one.isolating:,} match one "
                f"person, and {one.hits:,} of those are certain to be so rare: only these count."
            )
    middle = found.ratios[1]
    if found.source != "none":
        yield (
            f"How closely classes fit: the middle one covers {middle:.2g} times as large a share of all "
            "people as of the data (at 1 it says no more than luck; far below, it fits them and few others)."
        )
    if found.verbatim and found.unique_rows:
        yield f"{found.unique_rows:,} released rows are alone in their class by values released as they were."
    if found.refined:
        fit = f"; the original has a row of its own for {found.refined_right or 0:,} of them"
        right = "" if found.refined_right is None else fit
        yield (
            f"{found.refined:,} released rows can be given back finer labels, if the anonymiser was sparing "
            f"(downcoding; --show-people writes the finer table){right}."
        )
