"""Everything that is counted once the truth is there: claims, baselines, control, named people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dalenius.errors import InputError
from dalenius.findings.tally import Comparison, Tally
from dalenius.records.attack.claims import RecordClaims, claim_records
from dalenius.records.attack.named.match import NamedClaims, match_named
from dalenius.records.attack.ranked.others import PopulationShares
from dalenius.records.cells.release import PublishedRecords
from dalenius.records.finding import JudgedRanking, JudgedRecords, MatchRate, RankedBaseline, Reidentified
from dalenius.records.referee.baselines import judge_baselines, rankings, strongest
from dalenius.records.referee.control import other_people, published_again
from dalenius.records.referee.judge import judge_records
from dalenius.records.referee.named import JudgedNames, judge_named, linked
from dalenius.records.referee.ranking import Record, first_records, found, judge_ranking, match_rates
from dalenius.records.referee.truth import TruePeople, TrueRecords
from dalenius.shown import hides_people


@hides_people()
@dataclass(frozen=True)
class NamedFile:
    """Named people: what is claimed about them, and who they are where that is known."""

    claims: NamedClaims
    ids: tuple[str, ...] | None


@dataclass(frozen=True)
class Examined:
    """What the referee counted; ``records`` and ``people`` are the attack beside the strongest baseline."""

    judged: JudgedRecords
    ranking: JudgedRanking
    baselines: tuple[RankedBaseline, ...]
    control: tuple[MatchRate, ...] | None
    named: Reidentified | None
    records: Comparison
    records_control: Comparison | None
    people: Comparison | None
    people_control: Comparison | None


def examine(
    published: PublishedRecords,
    claims: RecordClaims,
    truth: TruePeople,
    others: PopulationShares | None = None,
    named: NamedFile | None = None,
    *,
    rng: np.random.Generator,
) -> Examined:
    """Hold claims against the truth, and beside them what simpler ways and other people's tables give."""
    counts = truth.counts
    simple = rankings(published, claims, others)
    baselines = tuple(judge_baselines(published, claims, simple, counts, others))
    best = strongest([each for each in baselines if each.name in simple])
    base = simple[best.name] if best is not None else []
    control = _control_claims(published, truth, others, rng)
    names = names_control = None
    if named is not None:
        behind = linked(named.claims, named.ids, truth)
        names = judge_named(claims, named.claims, behind, truth, published.unit, others)
        names_control = _named_control(control, named, behind, truth, published.unit, others)
    return Examined(
        judged=judge_records(claims, counts),
        ranking=judge_ranking(claims, counts),
        baselines=baselines,
        control=None if control is None else match_rates(first_records(control), counts),
        named=_with_control(names, names_control),
        records=_compared(first_records(claims), base, counts),
        records_control=None if control is None else _compared(first_records(control), base, counts),
        people=None if names is None else names.comparison,
        people_control=None if names_control is None else names_control.comparison,
    )


def _control_claims(
    published: PublishedRecords, truth: TruePeople, others: PopulationShares | None, rng: np.random.Generator
) -> RecordClaims | None:
    """The same attack on the same tables of other people; ``None`` if nobody can be drawn or some is lost."""
    people = other_people(published, truth, others, rng=rng)
    again = None if people is None else published_again(published, people, rng=rng)
    if again is None:
        return None
    try:
        found = claim_records(again, others, rng=rng)
    except InputError:  # their tables leave too many records
        return None
    return None if found.lost else found  # half an attack is nothing to compare with


def _named_control(
    control: RecordClaims | None,
    named: NamedFile,
    behind: list[int],
    truth: TruePeople,
    unit: int | None,
    others: PopulationShares | None,
) -> JudgedNames | None:
    if control is None:
        return None
    claims = match_named(control, named.claims.known, named.claims.people)
    return judge_named(control, claims, behind, truth, unit, others)


def _with_control(names: JudgedNames | None, control: JudgedNames | None) -> Reidentified | None:
    if names is None or control is None:
        return None if names is None else names.counts
    return names.counts.model_copy(update={"control": control.counts.confirmed})


def _compared(ranking: Sequence[Record], base: Sequence[Record], truth: TrueRecords) -> Comparison:
    """True records among the first of both: as many as there are."""
    mine, theirs = found(ranking, truth), found(base, truth)
    return Comparison(
        Tally(len(mine), len(truth)),
        Tally(len(theirs), len(truth)),
        len(mine - theirs),
        len(theirs - mine),
    )
