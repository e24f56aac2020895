"""From claims about records to a finding: counts first, then severity and sentences."""

from __future__ import annotations

import numpy as np

from dalenius.findings.finding import Headings
from dalenius.findings.severity import Grade, grade
from dalenius.records.attack.claims import RecordClaims
from dalenius.records.cells.release import PublishedRecords
from dalenius.records.finding import JudgedRecords, RecordDetails, RecordsFinding
from dalenius.records.words import ASSUMED, NOT_SHOWN, facts, sentence

METHOD = "whole records"

NOBODY_COUNTS = "nobody's record is certain, which does not show that the tables are safe"

HEADINGS = Headings(attack="certain", baseline="", asks="which records are in the data?")


def make_records_finding(
    published: PublishedRecords, claims: RecordClaims, judged: JudgedRecords | None = None
) -> RecordsFinding:
    """Say what tables give away about whole records."""
    details = _details(claims, judged)
    people, certain = claims.people, claims.bounds.certain
    graded = Grade("undecided", NOBODY_COUNTS)
    if certain and people:
        graded = _graded(grade(low=0.0, baseline=0.0, wrong=1.0, certain=certain / people))
    return RecordsFinding(
        release=published.name,
        people=people,
        numbers=published.cells,
        mechanism=published.mechanism,
        promise=None,
        attack_method=METHOD,
        measures=(),
        deciding=None,
        headings=HEADINGS,
        certain=certain,
        bound=None,
        undecided=None if certain else NOBODY_COUNTS,
        confidence=None,
        looks=None,
        severity=graded.severity,
        severity_reason=graded.reason,
        sentence=sentence(details, certain, people),
        facts=tuple(facts(details, people, fits=claims.fits)),
        notes=published.notes,
        assumptions=ASSUMED,
        not_shown=NOT_SHOWN,
        details=details,
    )


def _graded(by_share: Grade) -> Grade:
    """The same words as for secrets, about records."""
    return Grade(by_share.severity, by_share.reason.replace("secrets", "records").replace("secret", "record"))


def _details(claims: RecordClaims, judged: JudgedRecords | None) -> RecordDetails:
    units, bounds = claims.units, claims.bounds
    inhabited = (units.people > 0) | (units.unique != 1)
    unique = (units.unique == 1) & inhabited
    count = bounds.data_sets
    return RecordDetails(
        units=int(inhabited.sum()),
        unique_units=int(unique.sum()),
        unique_people=int(units.people[unique].sum()),
        open_units=int((units.unique == -1).sum()),
        tied_units=int(units.tied.sum()),
        partial=len(claims.partial),
        data_sets=None if count is None else f"{count:,}",
        radius_low=int(units.radius_low.sum()),
        radius_high=int(np.sum(units.radius_high)),
        records=len(bounds.lo),
        domain=f"{bounds.system.columns.records:,}",
        judged=judged,
    )
