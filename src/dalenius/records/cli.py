"""``dalenius reconstruct records``: whole records from published tables, without a list of people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dalenius.console.finish import OUTPUTS, Outputs
from dalenius.console.options import THIS_PROCESS, Place, WorkPlace, grouped, place
from dalenius.console.policies import RecordRules

if TYPE_CHECKING:
    from dalenius.records.published.said import SaidOfTables
    from dalenius.records.run import BesideTables

HELP = """Prove whole records from published tables, without a list of people.

\b
Example:
  dalenius reconstruct records --table P1.csv --table P12.xlsx \\
      --geography "block<tract" --universe P11=age=18+

\b
Files:
  table    CSV or xlsx, long: columns, then count, a row for each cell; or crossed:
           columns down, levels across, the name of their column alone in the line
           above; Total and All are margins; hidden cells are * c x . <5 or empty;
           ages may be bands: 0-4, 65+; beside count may stand mean age, median age,
           sum of age, percent of block
  nesting  CSV: a column, coarser ones beside it: block,tract or race,group; alone it
           lists names that look like bands
  others   CSV: other people, with the tables' columns but that of units: what is usual,
           never what must be; people of the units attacked are left out
  named    CSV: named people with the columns of --on, who are matched with the records
  truth    CSV: a row for each person, with the tables' columns; read by the referee only

\b
DIR gets certain.csv (what must be in the data, and what one table says of it alone),
records.csv (record, copy, probability), units.csv (unit, people, unique, certain, radius),
pictures and findings.json. Exit code: 1 stop (records are certain) or undecided; tables never
pass, since other tables may be put beside them; 2 bad input, such as tables that
contradict each other. A run that was stopped goes on with the same command: until it ends,
what is done is kept in DIR/.dalenius-parts, which only you can read.
"""


@dataclass(frozen=True)
class SaidBeside:
    """What is said of the tables beside what they print."""

    mechanism: Annotated[
        list[str] | None,
        typer.Option(metavar="[TABLE=]MECHANISM", help="What was done to counts: rounding:base=5."),
    ] = None
    margins: Annotated[
        list[str] | None,
        typer.Option(metavar="[TABLE=]MECHANISM", help="What was done to margins; none if they are sums."),
    ] = None
    universe: Annotated[
        list[str] | None,
        typer.Option(metavar="TABLE=COLUMN=LEVELS", help="Whom a table is about: P11=age=18+."),
    ] = None
    geography: Annotated[
        str | None,
        typer.Option(metavar="SMALL<LARGE", help="Columns of units, each within the next: block<tract."),
    ] = None
    nesting: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="What lies within what; by default labels begin alike."),
    ] = None
    complete: Annotated[
        list[str] | None,
        typer.Option(metavar="TABLE", help="A table in which what is not printed is 0; all for every one."),
    ] = None

    numbers: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN=FIRST-LAST", help="Each number is a level of its own: age=0-125."),
    ] = None
    shares: Annotated[
        list[str] | None,
        typer.Option(metavar="TABLE=COLUMNS", help="Whom percentages are of: P5=block, or P5=all."),
    ] = None

    digits: Annotated[
        str | None,
        typer.Option(metavar="WORD", help="Decimals of means and shares are rounded, truncated or full."),
    ] = None
    weights: Annotated[
        list[str] | None,
        typer.Option(metavar="[TABLE=]LOW-HIGH", help="Counts are by survey weights: 5-20, 1+ or unknown."),
    ] = None

    def said(self) -> SaidOfTables:
        """All of it, read."""
        from dalenius.records.published.nesting import read_nesting
        from dalenius.records.published.said import (
            ALL,
            SaidOfTables,
            parse_geography,
            parse_numbers,
            parse_shares,
            parse_universe,
            split_said,
        )
        from dalenius.records.published.weights import parse_table_weights

        return SaidOfTables(
            mechanism=split_said(self.mechanism or []),
            margins=split_said(self.margins or []),
            universe=parse_universe(self.universe or []),
            geography=parse_geography(self.geography),
            nestings=tuple(read_nesting(path) for path in self.nesting or []),
            complete=frozenset(ALL if name == "all" else name for name in self.complete or []),
            numbers=parse_numbers(self.numbers or []),
            shares=parse_shares(self.shares or []),
            digits=self.digits,
            weights=parse_table_weights(split_said(self.weights or [])),
        )


@dataclass(frozen=True)
class PeopleBeside:
    """Files of people beside the tables."""

    population: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Other people, for what is usual.")
    ] = None
    named: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Named people; needs --on. With --truth it is counted who is right."
        ),
    ] = None
    on: Annotated[
        str | None, typer.Option(metavar="COLUMNS", help="What is known of named people: block,sex,age.")
    ] = None
    id: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Who people are, in --named and --truth; else by --on."),
    ] = None

    def check(self) -> None:
        """Refuse what is said of named people where none are given."""
        from dalenius.errors import InputError

        for option, value in (("--on", self.on), ("--id", self.id)):
            if value is not None and self.named is None:
                raise InputError(option, "must come with --named", "no --named")


def plan_of(
    tables: Sequence[Path], beside: SaidBeside, people: PeopleBeside, files: BesideTables
) -> dict[str, str]:
    """What a run is about, by name: whoever goes on with it must ask for the same of the same files."""
    from dalenius import __version__
    from dalenius.spread.digest import digest_files, digest_of

    said = digest_of(*(str(value) for value in (*astuple(beside), people.on, people.id)))
    found = digest_files({f"table {path.name}": path for path in tables})
    others = {"--population": files.population, "--named": files.named, "--truth": files.truth}
    nesting = {f"nesting {path.name}": path for path in beside.nesting or []}
    found |= digest_files(others | nesting)
    return {"version of dalenius": __version__, "set of options": said, **found}


@grouped
def records(
    table: Annotated[list[Path], typer.Option(metavar="FILE", help="A published table; may be repeated.")],
    beside: SaidBeside,
    people: PeopleBeside,
    tolerated: RecordRules,
    truth: Annotated[
        Place, typer.Option(parser=place, metavar="FILE", help="True records, read by the referee only.")
    ] = None,
    spread: WorkPlace = THIS_PROCESS,
    outputs: Outputs = OUTPUTS,
) -> None:
    """Prove records and write what follows."""
    from dalenius.auditing.decide import conclude
    from dalenius.console.finish import drawn, finish
    from dalenius.console.progress import Notices, bar
    from dalenius.findings.report import Data
    from dalenius.records.published.read import read_records
    from dalenius.records.run import BesideTables, attack_and_examine
    from dalenius.spread.parts import keeping

    notices = Notices(quiet=outputs.quiet)
    published = read_records(table, beside.said(), notices.hold)
    files = BesideTables(
        people.population, people.named, people.on, people.id, None if truth is None else Path(truth)
    )
    plan = plan_of(table, beside, people, files)
    with (
        bar(quiet=outputs.quiet) as progress,
        keeping(outputs.out, plan, announce=notices.say),
        spread.begun(),
    ):
        done = attack_and_examine(
            published, files, confidence=tolerated.made().confidence, progress=progress, announce=notices.hold
        )
    notices.release()
    data = Data(
        source=published.name, people=done.finding.people or 0, public=published.columns.names, secret=None
    )
    written = {
        "certain.csv": done.claims.to_csv(),
        "records.csv": done.claims.ranked_csv(),
        "units.csv": done.claims.units_csv(published.unit),
        **drawn(done.pictures()),
    }
    finish(conclude([done.finding], tolerated.made(), data=data, seed=0), written, outputs)
