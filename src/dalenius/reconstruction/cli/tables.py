"""``dalenius reconstruct tables`` and ``joint``: attack printed tables, and several releases together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dalenius.console.options import Place, grouped, place
from dalenius.reconstruction.published.options import (
    AttackOptions,
    Id,
    ListedPeople,
    PrintedCells,
    Secret,
    ShowPeople,
    Truth,
)

if TYPE_CHECKING:
    from dalenius.console.progress import Notices
    from dalenius.findings.report import NotRun
    from dalenius.knowledge.view import View
    from dalenius.printed.tables import Said
    from dalenius.reconstruction.attack.certain.cells import DerivedCells
    from dalenius.reconstruction.attack.certain.differencing import Disclosures

SHOWN = 10
"""Disclosures that are printed where people may be; all are in the file."""

TABLES_HELP = """Reconstruct a secret from published tables, as they are printed.

\b
Example:
  dalenius reconstruct tables --people public.csv --id client_id \\
      --table t1.csv --table t2.xlsx --mechanism rounding:base=5

\b
Files:
  people  <id>,columns        everybody who was counted, with their public columns
  table   CSV or xlsx, long:  columns, the secret, and count or percent; or crossed:
                              columns down, values of the secret across, levels of
                              further columns in rows above them; Total and All are
                              margins; n beside values counts people; hidden cells
                              are * c x . <5 or empty; shares are 12.5% or say so
  truth   <id>,<secret>       adds the referee's tally

\b
DIR gets claims.csv (<id>,probability,guess,certain), cells.csv (for every hidden or
rounded cell what follows about it), disclosures.csv (what a few numbers give away, in
words) and findings.json. Exit code:
0 pass; 1 stop, undecided (as without the truth), or nothing can be learnt, and then
nothing is written; 2 bad input.
"""

JOINT_HELP = """Attack several releases about the same people together.

\b
Example:
  dalenius reconstruct joint releases --id client_id --mechanism 2024=rounding:base=5

\b
In the folder: folders of releases (release.json), tables (CSV or xlsx), folders of
tables, and people.csv, the list of people with their public columns. A folder with a
people.csv of its own is about those people: this year's tables beside last year's.
Each folder is a date of its own, and so is each year in the name of a table. Between
dates secrets may change: what is said is about the last date by name, and nothing
follows for certain from the others, unless --unchanged says that no secret can have
changed, as with what people are born with.

\b
DIR gets the files that `reconstruct tables` writes. Exit code:
0 pass; 1 stop, undecided (as without the truth), or nothing can be learnt, and then
nothing is written; 2 bad input.
"""


@dataclass(frozen=True)
class ProtectedTables:
    """What was done to the counts of printed tables, and what their numbers are."""

    mechanism: Annotated[
        str, typer.Option(metavar="MECHANISM", help="What was done to the counts: rounding:base=5,ties=even.")
    ] = "exact"
    margins: Annotated[
        str | None,
        typer.Option(
            metavar="MECHANISM", help="What was done to the margins instead; none if they are sums."
        ),
    ] = None
    cells: PrintedCells = field(default_factory=PrintedCells)
    group_size: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Percentages are of all N people, not of a row.")
    ] = None
    weight: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Survey weights in FILE, by which tables count; all know them."),
    ] = None
    weights: Annotated[
        str | None,
        typer.Option(metavar="LOW-HIGH", help="Tables count by survey weights between these, or unknown."),
    ] = None

    def said(self) -> Said:
        """What is said of every table."""
        from dalenius.printed.tables import Said

        cells = self.cells
        return Said(
            self.mechanism,
            self.margins,
            cells.of,
            cells.numbers,
            cells.digits,
            self.group_size,
            self.weight,
            self.weights,
        )


@dataclass(frozen=True)
class ProtectedFolder:
    """The same of a folder of tables, where it may be said of one table by its name."""

    mechanism: Annotated[
        list[str] | None,
        typer.Option(metavar="[NAME=]MECHANISM", help="What is said of all tables, or of one by its name."),
    ] = None
    margins: Annotated[
        list[str] | None,
        typer.Option(metavar="[NAME=]MECHANISM", help="What was done to margins instead; none for sums."),
    ] = None
    cells: PrintedCells = field(default_factory=PrintedCells)

    def said(self) -> dict[str, Said]:
        """What is said of each table by its name, and under an empty name of all others."""
        from dalenius.printed.tables import Said

        cells, both = self.cells, (self.mechanism, self.margins)
        counts, totals = (dict(_split(text) for text in texts or []) for texts in both)
        return {
            name: Said(
                counts.get(name, counts.get("", "exact")),
                totals.get(name, totals.get("")),
                cells.of,
                cells.numbers,
                cells.digits,
            )
            for name in {"", *counts, *totals}
        }


@dataclass(frozen=True)
class PeopleOfFolder:
    """Whom the releases of a folder are about."""

    id: Id
    people: Annotated[
        Place,
        typer.Option(parser=place, metavar="FILE", help="The people; default: people.csv in the folder."),
    ] = None
    truth: Truth = None


@grouped
def tables(
    listed: ListedPeople,
    table: Annotated[list[Path], typer.Option(metavar="FILE", help="A published table; may be repeated.")],
    protected: ProtectedTables,
    options: AttackOptions,
    secret: Secret = None,
    values: Annotated[
        str | None, typer.Option(metavar="A,B,...", help="All values of the secret, if some are not printed.")
    ] = None,
    show_people: ShowPeople = False,
) -> None:
    """Attack printed tables and write what follows from them."""
    from dalenius.console.progress import Notices
    from dalenius.reconstruction.published.tables import read_tables

    notices = Notices(quiet=options.outputs.quiet)
    said = protected.said()
    view = read_tables(
        listed.people,
        table,
        id=listed.id,
        said=said,
        secret=_secret(secret, listed.truth, listed.id),
        values=None if values is None else tuple(value.strip() for value in values.split(",")),
        announce=notices.hold,
    )
    not_run = _unweighed(said, view)
    attack_together(view, notices, listed.truth, options, show_people=show_people, not_run=not_run)


def _unweighed(said: Said, view: View) -> Sequence[NotRun]:
    """What is not attacked of weighted counts."""
    if said.weight is None and said.weights is None:
        return ()
    from dalenius.reconstruction.published.weighted import not_weighed

    return not_weighed(view.release, said.weights)


@grouped
def joint(
    folder: Annotated[Path, typer.Argument(metavar="releases", help="The folder of releases.")],
    listed: PeopleOfFolder,
    protected: ProtectedFolder,
    options: AttackOptions,
    unchanged: Annotated[
        bool, typer.Option("--unchanged", help="Nobody's secret has changed between the releases.")
    ] = False,
    secret: Secret = None,
    show_people: ShowPeople = False,
) -> None:
    """Attack a folder of releases as one and write what follows from them."""
    from dalenius.console.progress import Notices
    from dalenius.reconstruction.published.tables import read_joint

    notices = Notices(quiet=options.outputs.quiet)
    view = read_joint(
        folder,
        id=listed.id,
        people=listed.people,
        said=protected.said(),
        secret=_secret(secret, listed.truth, listed.id),
        announce=notices.hold,
        unchanged=unchanged,
    )
    attack_together(view, notices, listed.truth, options, show_people=show_people)


def _secret(secret: str | None, truth: Place, id: str) -> str | None:
    """What the secret is called: as asked, or as the file of truth does."""
    from dalenius.people.truth_file import secret_name

    return secret if secret is not None or truth is None else secret_name(truth, id)


def _split(text: str) -> tuple[str, str]:
    """``2024=rounding:base=5`` is about one table, ``rounding:base=5`` about all others."""
    name, equals, rest = text.partition("=")
    return (name.strip(), rest.strip()) if equals and ":" not in name else ("", text)


def attack_together(
    view: View,
    notices: Notices,
    truth: Place,
    options: AttackOptions,
    *,
    show_people: bool,
    not_run: Sequence[NotRun] = (),
) -> None:
    """Find what a few numbers give away, derive hidden cells, attack with all of it, write and print."""
    from dalenius.console.finish import finish
    from dalenius.console.progress import bar
    from dalenius.reconstruction.attack.certain.cells import derive_cells
    from dalenius.reconstruction.attack.certain.differencing import find_disclosures
    from dalenius.reconstruction.cli.attack_view import hold_forecast, refuted_lines
    from dalenius.reconstruction.published.attack_one import attack_one
    from dalenius.reconstruction.published.tables import read_truth_of
    from dalenius.shown import people

    roster, levels = view.knowledge.roster, view.release.secret.levels
    codes = None if truth is None else read_truth_of(truth, roster.ids, roster.id_name, levels)
    with bar(quiet=options.outputs.quiet) as progress:
        notes = hold_forecast(view, notices)
        disclosures = find_disclosures(view)
        cells = derive_cells(view, progress=progress)
        result, claims = attack_one(
            view, codes, options, notes=notes, not_run=not_run, progress=progress, announce=notices.say
        )
    notices.release()
    files = {
        "claims.csv": claims.to_csv(),
        "cells.csv": cells.to_csv(),
        "disclosures.csv": disclosures.to_csv(),
    }
    given = int(claims.certain.sum())
    verb = "is" if given == 1 else "are"
    sure = f"{given:,} of {people(claims.ids.size)} {verb} given away by arithmetic alone."
    told = [*(refuted_lines(result) or [sure]), *_lines(disclosures, cells, show_people), ""]
    finish(result, files, options.outputs, told=told)


def _lines(searched: Disclosures, cells: DerivedCells, show_people: bool) -> Iterator[str]:
    """What a few numbers give away, and what is known of cells that are not printed."""
    from dalenius.shown import several

    disclosures = searched.found
    if disclosures:
        kinds = Counter(found.kind for found in disclosures)
        said = ", ".join(f"{count:,} {kind}" for kind, count in sorted(kinds.items()))
        where = "disclosures.csv has the words"
        yield f"{several(len(disclosures), 'disclosure')} by one or two numbers ({said}); {where}."
    for found in disclosures[:SHOWN] if show_people else ():
        yield f"  {found.text}"
    if show_people and len(disclosures) > SHOWN:
        yield f"  and {len(disclosures) - SHOWN:,} more"
    for note in searched.notes:
        yield note
    if cells.cells:
        yield f"Cells not printed as they are: {len(cells.cells):,}; known exactly: {cells.exact:,}."
    for note in cells.notes:
        yield f"  {note}"
