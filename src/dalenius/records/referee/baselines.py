"""Baselines on the same people: what simpler rankings, without putting tables together, get right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dalenius.records.attack.claims import RecordClaims
from dalenius.records.attack.ranked.others import PopulationShares
from dalenius.records.attack.ranked.simple import (
    OneWay,
    elsewhere,
    fixing_table,
    independent,
    modal,
    on_support,
    proportional,
)
from dalenius.records.cells.release import PublishedRecords
from dalenius.records.finding import MatchRate, RankedBaseline
from dalenius.records.referee.ranking import QUARTERS, Record, match_rates
from dalenius.records.referee.truth import TrueRecords

SAID = {
    "independent": "products of the one-way shares of a unit",
    "modal": "a table that fixes most columns, the others at the unit's most frequent level",
    "proportional": "the same, the others drawn by the unit's shares (expected)",
    "others": "records by how often other people have them",
    "on the support": "the same, without records that a zero cell forbids",
}


def rankings(
    published: PublishedRecords, claims: RecordClaims, others: PopulationShares | None
) -> dict[str, list[Record]]:
    """The simpler rankings, by name; made as an attacker makes them."""
    one_way = OneWay.of(claims, published.unit)
    found = {"independent": independent(one_way)}
    fixing = fixing_table(published)
    if fixing is not None:
        found["modal"] = modal(one_way, fixing)
    if others is not None:
        found["others"] = elsewhere(one_way, others)
    if not published.noisy:  # no number forbids a record then
        found["on the support"] = on_support(claims, one_way, others)
    return found


def judge_baselines(
    published: PublishedRecords,
    claims: RecordClaims,
    ranked: dict[str, list[Record]],
    truth: TrueRecords,
    others: PopulationShares | None,
) -> Iterator[RankedBaseline]:
    """Count what each gets right at the same numbers of claims."""
    for name, ranking in ranked.items():
        said = SAID[name]
        if name == "on the support" and others is None:
            said = "products of one-way shares, without records that a zero cell forbids"
        yield RankedBaseline(name=name, said=said, distinct=match_rates(ranking, truth))
    fixing = fixing_table(published)
    if fixing is not None:
        expected, draws = proportional(OneWay.of(claims, published.unit), fixing, list(truth))
        share = expected / draws if draws else 0.0
        rates = [
            MatchRate(k=k, hits=round(share * min(k, draws)))
            for k in (len(truth) * quarter // 4 for quarter in QUARTERS)
        ]
        yield RankedBaseline(name="proportional", said=SAID["proportional"], distinct=tuple(rates))


def strongest(baselines: Sequence[RankedBaseline]) -> RankedBaseline | None:
    """The one that gets most right at as many claims as there are records."""
    return max(baselines, key=lambda each: each.distinct[-1].hits, default=None)
