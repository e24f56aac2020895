"""One release of tables, from cells to a finding: the attack, then the referee where there is a truth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from dalenius.progress import Announce, Progress, silent, unsaid
from dalenius.random import attack_stream, stream
from dalenius.records.attack.claims import RecordClaims, claim_records
from dalenius.records.attack.named.match import NamedClaims, match_named
from dalenius.records.attack.ranked.others import PopulationShares
from dalenius.records.build import CONFIDENCE, KnownBeside, make_records_finding
from dalenius.records.cells.release import PublishedRecords
from dalenius.records.finding import MatchedNames, RecordsFinding
from dalenius.records.published.beside import parse_on, read_others
from dalenius.records.published.people_file import read_people
from dalenius.records.referee.examine import Examined, NamedFile, examine
from dalenius.records.referee.truth import TruePeople, read_true_records
from dalenius.records.why import with_causes
from dalenius.shown import hides_people


@dataclass(frozen=True)
class BesideTables:
    """Files of people beside tables; ``on`` are the columns of named people, ``id`` says who they are."""

    population: Path | None = None
    named: Path | None = None
    on: str | None = None
    id: str | None = None
    truth: Path | None = None


@hides_people()
@dataclass(frozen=True)
class AttackedTables:
    """Claims about records, and what was found."""

    claims: RecordClaims
    finding: RecordsFinding

    def pictures(self) -> dict[str, Callable[[], str]]:
        """What was found, by name of file; drawn when it is called."""
        from dalenius.records.pictures import draw_records

        return draw_records(self.finding)


def attack_and_examine(
    published: PublishedRecords,
    files: BesideTables,
    *,
    confidence: float = CONFIDENCE,
    progress: Progress = silent,
    announce: Announce = unsaid,
) -> AttackedTables:
    """Read what is beside the tables, attack, and hold the claims against the truth where there is one.

    Raises
    ------
    InputError
        If a file lacks a column, or other people are those attacked.
    """
    columns, unit = published.columns, published.unit
    truth = None if files.truth is None else read_true_records(files.truth, columns, files.id)
    known = people = None
    if files.named is not None:
        known = parse_on(files.on, columns, unit)
        people = read_people(files.named, columns, known, id_column=files.id)
    others: PopulationShares | None = None
    notes: tuple[str, ...] = ()
    if files.population is not None:
        others, notes = read_others(files.population, columns, unit, files.truth)
    for note in notes:
        announce(note)
    claims = claim_records(published, others, rng=attack_stream("records"), progress=progress)
    named = matched = None
    if people is not None and known is not None:
        named = NamedFile(match_named(claims, known, people.records), people.ids)
        matched = None if truth is not None else _matched(named.claims, columns.names)
    examined = _examined(published, claims, truth, others, named)
    beside = KnownBeside(others, notes, matched)
    finding = make_records_finding(published, claims, examined, beside, confidence=confidence)
    return AttackedTables(claims, with_causes(finding, published, progress=progress))


def _matched(named: NamedClaims, names: Sequence[str]) -> MatchedNames:
    """Who matches one record alone; whether rightly, nobody knows without the truth."""
    return MatchedNames(
        known=tuple(names[at] for at in named.known),
        named=len(named.people),
        putative=int(named.putative.sum()),
        certain=int(named.certain.sum()),
    )


def _examined(
    published: PublishedRecords,
    claims: RecordClaims,
    truth: TruePeople | None,
    others: PopulationShares | None,
    named: NamedFile | None,
) -> Examined | None:
    if truth is None:
        return None
    return examine(published, claims, truth, others, named, rng=stream(0, "records", "control"))
