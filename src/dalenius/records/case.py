"""A release of a plan under the question which records are in the data: the attacker knows nobody."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from dalenius.auditing.case import Claims
from dalenius.auditing.plan import Plan
from dalenius.auditing.plan_parts import TablesPlan
from dalenius.auditing.plan_releases import ReleasePlan, open_data
from dalenius.errors import UnsupportedError
from dalenius.findings.report import Finding
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.people.describe.header import check_header
from dalenius.people.files.sheet import Sheet
from dalenius.progress import Announce, Progress
from dalenius.random import attack_stream, stream
from dalenius.records.attack.claims import RecordClaims, claim_records
from dalenius.records.attack.ranked.others import PopulationShares
from dalenius.records.build import KnownBeside, make_records_finding
from dalenius.records.cells.columns import RecordColumns
from dalenius.records.cells.grid import Codes
from dalenius.records.cells.release import OF_SAMPLE, PublishedRecords
from dalenius.records.published.beside import read_others
from dalenius.records.published.read import read_records
from dalenius.records.published.said import ALL, SaidOfTables
from dalenius.records.referee.examine import examine
from dalenius.records.referee.people import people_in_tables, people_of_sheet
from dalenius.records.referee.publish import draw_sample, publish_tables
from dalenius.records.referee.truth import TruePeople
from dalenius.records.why import with_causes


class RecordsCase:
    """Tables of a plan, planned or printed; every column of the data is unknown to the attacker."""

    goal = "records"
    looks = 1

    def __init__(self, plan: Plan, asked: ReleasePlan | TablesPlan, sheet: Sheet) -> None:
        self.plan, self.asked, self.sheet, self.release = plan, asked, sheet, asked.name
        self.others: PopulationShares | None = None
        self.notes: tuple[str, ...] = ()
        self.published: PublishedRecords | None = None
        self.truth: TruePeople | None = None

    def publish(self, progress: Progress) -> PublishedRecords:
        """Publish what is planned, or read what was printed; other people are read beside it."""
        if isinstance(self.asked, TablesPlan):
            margins = {} if self.asked.margins is None else {ALL: self.asked.margins}
            stated = "mechanism" in self.asked.model_fields_set
            mechanism = {ALL: self.asked.mechanism} if stated else {}
            said = SaidOfTables(mechanism=mechanism, margins=margins)
            self.published = read_records(self.asked.tables, said)
            self.truth = people_in_tables(self.sheet, self.published.columns)
        else:
            if self.asked.mechanism is None:
                raise UnsupportedError("a published release without its tables is not read without a roster")
            columns, everybody = people_of_sheet(self.sheet, self.columns_asked(), self.plan.columns.bins)
            done = self.asked.mechanism
            self.published = self._planned(columns, everybody.records, self.asked.statistics, done)
        place = self.plan.knowledge.population
        if place is not None:
            self.others, self.notes = read_others(Path(str(place)), self.published.columns, None)
        return self.published

    def _planned(
        self, columns: RecordColumns, everybody: Codes, statistics: Sequence[str], mechanism: str
    ) -> PublishedRecords:
        """Publish tables about everybody, or about a random sample: its people are the truth then."""
        people, done = draw_sample(everybody, mechanism, rng=stream(self.plan.seed, "sample", self.release))
        if not len(people):
            raise UnsupportedError("nobody is in the random sample that would be counted")
        self.truth = TruePeople(people)
        made = publish_tables(
            self.release,
            columns,
            people,
            statistics,
            done,
            rng=stream(self.plan.seed, "noise", self.release),
        )
        if done == mechanism:
            return made
        note = f"A random sample is counted, {len(people):,} of {len(everybody):,} people: {OF_SAMPLE}"
        chain = f"{parse_mechanism(mechanism).stages[0]} | {made.mechanism}".removesuffix(" | exact")
        return replace(made, mechanism=chain, notes=(*made.notes, note))

    def attack(self, view: PublishedRecords, progress: Progress, announce: Announce) -> RecordClaims:
        """Prove and rank records."""
        return claim_records(view, self.others, rng=attack_stream("records"), progress=progress)

    def control(self, progress: Progress) -> PublishedRecords | None:
        """Return nothing: the referee publishes tables of other people itself."""
        return None

    def judge(
        self, claims: RecordClaims, control: RecordClaims | None, looks: int, progress: Progress
    ) -> Finding:
        """Hold claims against the records, beside simpler rankings and other people's tables."""
        if self.published is None or self.truth is None:
            raise UnsupportedError("nothing was published")
        rng = stream(self.plan.seed, "records", "control", self.release)
        examined = examine(self.published, claims, self.truth, self.others, rng=rng)
        finding = make_records_finding(
            self.published,
            claims,
            examined,
            KnownBeside(self.others, self.notes),
            looks=looks,
            confidence=self.plan.policy.confidence,
        )
        if not self.plan.budget.why:
            return finding
        return with_causes(finding, self.published, progress=progress)

    def about_people(self, claims: RecordClaims) -> Claims | None:
        """Return what is certain and ranked: to be kept as safe as the data."""
        return claims

    def files(self, claims: RecordClaims, finding: Finding) -> Mapping[tuple[str, str], str]:
        """Return certain and ranked records, and units."""
        unit = None if self.published is None else self.published.unit
        return {
            ("certain", ".csv"): claims.to_csv(),
            ("records", ".csv"): claims.ranked_csv(),
            ("units", ".csv"): claims.units_csv(unit),
        }

    def columns_asked(self) -> list[str]:
        """The columns that tables may be by."""
        schema = self.plan.columns
        if schema.public is not None:
            return [*schema.public, *filter(None, [schema.secret])]
        apart = {*schema.ignored, schema.id, schema.weight, schema.household}
        return [name for name in self.sheet.names if name not in apart]


def open_cases(plan: Plan, asked: list[ReleasePlan | TablesPlan]) -> list[RecordsCase]:
    """One case for each release, over one reading of the data."""
    _check_header(plan)
    sheet = open_data(plan)
    return [RecordsCase(plan, each, sheet) for each in asked]


def _check_header(plan: Plan) -> None:
    """Where a plan names no column, somebody in the first line would become the names of all columns."""
    columns, place = plan.columns, plan.data.path
    if place is None or plan.data.columns or columns.id or columns.public or columns.ignored:
        return
    fix = "Name the columns under data.columns; if it is a header after all, list them under schema.public."
    check_header(str(place), fix)
