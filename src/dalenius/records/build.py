"""From claims about records to a finding: counts first, then severity and sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from dalenius.findings.explanation import (
    Explanation,
    Group,
    RankedRight,
    StatedAndRight,
    UnitsOfSize,
    groups_of,
)
from dalenius.findings.measure import Gain, Measure, Rate
from dalenius.findings.policy import Grade, grade
from dalenius.findings.report import Headings
from dalenius.findings.tally import share_confidence
from dalenius.records.attack.claims import RecordClaims
from dalenius.records.attack.ranked.others import PopulationShares
from dalenius.records.attack.units import Units, count_people
from dalenius.records.cells.release import PublishedRecords
from dalenius.records.finding import MatchedNames, MatchRate, RecordDetails, RecordsFinding
from dalenius.records.referee.examine import Examined
from dalenius.records.words import NOT_SHOWN, facts, if_assumed, not_attacked, sentence, taken_for_granted

METHOD = "whole records"

NOBODY_COUNTS = "nobody's record is certain, which does not show that the tables are safe"

HEADINGS = Headings(attack="certain", baseline="", asks="which records are in the data?")

JUDGED = Headings(
    at="of",
    attack="right",
    baseline="strongest baseline",
    control="control",
    about="records and people that are right",
    over="the strongest baseline",
    asks="which records are in the data?",
)

CONFIDENCE = 0.95

SIZES = (1, 10, 50, 100, 250, 500, 1000)
"""Where classes of units by their number of people begin."""

MOST_UNITS = 2_000
"""Units whose radius is told one by one; of more, those with most people."""


@dataclass(frozen=True)
class KnownBeside:
    """What there was beside the tables: other people, what was said of them, named people without a truth."""

    others: PopulationShares | None = None
    notes: tuple[str, ...] = ()
    matched: MatchedNames | None = None


def make_records_finding(
    published: PublishedRecords,
    claims: RecordClaims,
    examined: Examined | None = None,
    beside: KnownBeside = KnownBeside(),
    *,
    looks: int = 1,
    confidence: float = CONFIDENCE,
) -> RecordsFinding:
    """Say what tables give away about whole records."""
    details = _details(claims, examined, beside, noisy=bool(published.noisy))
    certain = claims.bounds.certain
    # where no data set was found a guess has too few people, and the tables may still say how many there are
    people = max(claims.people, details.fewest_people)
    graded = Grade("undecided", NOBODY_COUNTS)
    if certain and people:  # of as many as there may be: a share of fewer is not shown
        most = max(people, details.most_people)
        graded = _graded(grade(low=0.0, baseline=0.0, wrong=1.0, certain=certain / most))
    confidence = share_confidence(confidence, looks)
    measures = tuple(_measures(examined, confidence)) if examined is not None else ()
    return RecordsFinding(
        release=published.name,
        people=people,
        numbers=published.cells,
        mechanism=published.mechanism,
        promise=None,
        attack_method=METHOD,
        measures=measures,
        deciding=0 if measures else None,
        headings=JUDGED if measures else HEADINGS,
        certain=certain,
        bound=None,
        undecided=_undecided(certain, details),
        confidence=confidence if measures else None,
        looks=looks if measures else None,
        severity=graded.severity,
        severity_reason=f"{graded.reason}{if_assumed(details)}" if certain else graded.reason,
        sentence=sentence(details, certain, people),
        facts=tuple(facts(details, people, fits=claims.fits)),
        notes=(*published.notes, *beside.notes),
        assumptions=tuple(taken_for_granted(details)),
        not_shown=NOT_SHOWN,
        details=details,
        explanation=_explained(claims, details),
    )


def _undecided(certain: int, details: RecordDetails) -> str | None:
    """Why few certain records decide nothing; of records that were not attacked nobody knows how many are."""
    if details.lost:
        return f"{not_attacked(details.lost)}, so that nobody knows which of them are certain"
    return None if certain else NOBODY_COUNTS


def _explained(claims: RecordClaims, details: RecordDetails) -> Explanation:
    """What pictures are drawn of: units by size and radius, ranked claims, and what they state."""
    units = () if details.noisy or details.wide or details.units < 2 else tuple(_by_size(claims.units))
    return Explanation(
        calibration=tuple(_stated(details)),
        groups=tuple(_groups(claims)),
        units=units,
        radii=_radii(claims.units) if units else (),
        ranked=tuple(_ranked(details)),
    )


def _by_size(units: Units) -> Iterator[UnitsOfSize]:
    """How many people live in units that one data set alone fits, by number of people of a unit."""
    for first, last in zip(SIZES, [*SIZES[1:], None], strict=True):
        own = (units.people >= first) & (units.people < (np.inf if last is None else last))
        if own.any():
            yield UnitsOfSize(
                least=first,
                most=None if last is None else last - 1,
                units=int(own.sum()),
                people=int(units.people[own].sum()),
                alone=int(units.people[own & (units.unique == 1)].sum()),
            )


def _radii(units: Units) -> tuple[float, ...]:
    """In how large a share of its records the truth can differ, unit by unit in the order of their labels."""
    shown = np.flatnonzero(units.people > 0)
    if shown.size > MOST_UNITS:
        shown = np.sort(shown[np.argsort(-units.people[shown], kind="stable")[:MOST_UNITS]])
    shares = np.minimum(units.radius_high[shown] / units.people[shown], 1.0)
    return tuple(round(float(share), 3) for share in shares)


def _ranked(details: RecordDetails) -> Iterator[RankedRight]:
    """How many of the first claims are right: of the attack, of every simpler order, of the control."""
    if details.ranking is None:
        return
    yield _right("this attack", "attack", details.ranking.distinct)
    for each in details.baselines:
        yield _right(each.name, "baseline", each.distinct, each.said)
    if details.control is not None:
        yield _right("check: tables of other people", "control", details.control)


def _right(
    name: str, kind: Literal["attack", "baseline", "control"], rates: Sequence[MatchRate], said: str = ""
) -> RankedRight:
    some = [rate for rate in rates if rate.k]
    claims, right = tuple(rate.k for rate in some), tuple(rate.hits for rate in some)
    return RankedRight(name=name, kind=kind, said=said, claims=claims, right=right)


def _groups(claims: RecordClaims) -> Iterator[Group]:
    """Whom it hits: of every level the people whose whole record is certain, among those of the guess."""
    system, size = claims.bounds.system, claims.guess.size
    certain = claims.bounds.lo[:size]
    if not certain.any():
        return
    people = np.concatenate([certain, np.maximum(claims.guess - certain, 0)])
    whom = np.repeat([True, False], size)
    codes = np.asarray(system.records[:size], np.int32)
    for at, name in enumerate(system.columns.names):
        levels = system.columns.levels[at]
        yield from groups_of(name, levels, np.tile(codes[:, at], 2), whom, people)


def _stated(details: RecordDetails) -> Iterator[StatedAndRight]:
    """How often claims that do not follow by arithmetic come true."""
    for bin in details.ranking.calibration if details.ranking is not None else ():
        yield StatedAndRight(stated=bin.mean, claims=bin.trials, right=bin.hits)


def _measures(examined: Examined, confidence: float) -> Iterator[Measure]:
    """Ranked records, and named people, beside the strongest baseline and the control."""
    compared = (
        ("records, ranked", examined.records, examined.records_control),
        ("named people", examined.people, examined.people_control),
    )
    for label, own, control in compared:
        if own is not None and own.trials:
            yield Measure(
                label=label,
                attack=Rate.of(own.attack, confidence),
                baseline=Rate.of(own.baseline, confidence),
                advantage=Gain.of(own, confidence),
                control=None if control is None else Gain.of(control, confidence),
            )


def _graded(by_share: Grade) -> Grade:
    """The same words as for secrets, about records."""
    return Grade(by_share.severity, by_share.reason.replace("secrets", "records").replace("secret", "record"))


def _details(
    claims: RecordClaims, examined: Examined | None, beside: KnownBeside, *, noisy: bool
) -> RecordDetails:
    units, bounds = claims.units, claims.bounds
    inhabited = (units.people > 0) | (units.unique != 1)
    unique = (units.unique == 1) & inhabited
    unsaid = noisy or claims.wide
    count = None if unsaid else bounds.data_sets
    fewest, most = (claims.people,) * 2 if unsaid else count_people(bounds)
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
        drawn=claims.ranked.drawn_records,
        unranked=claims.ranked.open_records,
        apart=round(claims.ranked.apart, 4),
        others=None if beside.others is None else len(beside.others.records),
        matched=beside.matched,
        noisy=noisy,
        assumed=claims.assumed,
        by_word=bounds.by_word,
        unproved=sum(int((~each.low_decided).sum()) for each in bounds.pieces if len(each.points)),
        wide=claims.wide,
        searches=claims.ranked.searches,
        missed=claims.ranked.missed,
        fewest_people=fewest,
        most_people=most,
        lost=claims.lost,
        lost_walks=claims.ranked.lost,
        **_examined(examined),
    )


def _examined(examined: Examined | None) -> dict[str, Any]:
    if examined is None:
        return {}
    names = ("judged", "ranking", "baselines", "control", "named")
    return {name: getattr(examined, name) for name in names}
