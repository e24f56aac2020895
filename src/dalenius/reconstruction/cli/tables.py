"""``dalenius reconstruct tables`` and ``joint``: attack printed tables, and several releases together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dalenius.reconstruction.cli.options import REPORT, Confidence, Decoder, Id, Out, People, Seed, Truth

if TYPE_CHECKING:
    from dalenius.console.notices import Notices
    from dalenius.knowledge.view import View
    from dalenius.reconstruction.attack.certain.cells import DerivedCells
    from dalenius.reconstruction.attack.certain.differencing import Disclosure, Disclosures

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

Secret = Annotated[str | None, typer.Option(metavar="NAME", help="What the tables call the secret.")]
Numbers = Annotated[
    str | None,
    typer.Option(metavar="UNIT", help="Plain numbers are counts, percent, fraction or per:1000."),
]
Digits = Annotated[
    str | None,
    typer.Option(metavar="HOW", help="Last digits are rounded or truncated; else they may be either."),
]
Of = Annotated[
    str | None,
    typer.Option(metavar="WHAT", help="Percentages are of a row, a column (all with that value), or all."),
]
ShowPeople = Annotated[
    bool, typer.Option("--show-people", help="Print whom a few numbers give away, and how.")
]


def tables(
    people: People,
    id: Id,
    table: Annotated[list[Path], typer.Option(metavar="FILE", help="A published table; may be repeated.")],
    mechanism: Annotated[
        str, typer.Option(metavar="MECHANISM", help="What was done to the counts: rounding:base=5,ties=even.")
    ] = "exact",
    margins: Annotated[
        str | None,
        typer.Option(
            metavar="MECHANISM", help="What was done to the margins instead; none if they are sums."
        ),
    ] = None,
    numbers: Numbers = None,
    digits: Digits = None,
    of: Of = None,
    secret: Secret = None,
    values: Annotated[
        str | None, typer.Option(metavar="A,B,...", help="All values of the secret, if some are not printed.")
    ] = None,
    group_size: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Percentages are of all N people, not of a row.")
    ] = None,
    truth: Truth = None,
    decoder: Decoder = "auto",
    confidence: Confidence = 0.95,
    seed: Seed = 1,
    show_people: ShowPeople = False,
    out: Out = REPORT,
) -> None:
    """Attack printed tables and write what follows from them."""
    from dalenius.console.notices import Notices
    from dalenius.printed.tables import Said
    from dalenius.reconstruction.published.tables import read_tables

    name, said = _secret(secret, truth, id), Said(mechanism, margins, of, numbers, digits)
    listed = None if values is None else tuple(value.strip() for value in values.split(","))
    notices = Notices()
    view = read_tables(
        people,
        table,
        id=id,
        said=said,
        secret=name,
        group_size=group_size,
        values=listed,
        announce=notices.hold,
    )
    attack_together(view, notices, truth, decoder, confidence, seed, show_people, out)


def joint(
    folder: Annotated[Path, typer.Argument(metavar="releases", help="The folder of releases.")],
    id: Id,
    people: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The people; default: people.csv in the folder.")
    ] = None,
    mechanism: Annotated[
        list[str] | None,
        typer.Option(metavar="[NAME=]MECHANISM", help="What is said of all tables, or of one by its name."),
    ] = None,
    margins: Annotated[
        list[str] | None,
        typer.Option(metavar="[NAME=]MECHANISM", help="What was done to margins instead; none for sums."),
    ] = None,
    numbers: Numbers = None,
    digits: Digits = None,
    of: Of = None,
    unchanged: Annotated[
        bool, typer.Option("--unchanged", help="Nobody's secret has changed between the releases.")
    ] = False,
    secret: Secret = None,
    truth: Truth = None,
    decoder: Decoder = "auto",
    confidence: Confidence = 0.95,
    seed: Seed = 1,
    show_people: ShowPeople = False,
    out: Out = REPORT,
) -> None:
    """Attack a folder of releases as one and write what follows from them."""
    from dalenius.console.notices import Notices
    from dalenius.printed.tables import Said
    from dalenius.reconstruction.published.tables import read_joint

    counts, totals = (dict(_split(text) for text in texts or []) for texts in (mechanism, margins))
    said = {
        name: Said(
            counts.get(name, counts.get("", "exact")), totals.get(name, totals.get("")), of, numbers, digits
        )
        for name in {"", *counts, *totals}
    }
    name = _secret(secret, truth, id)
    notices = Notices()
    view = read_joint(
        folder, id=id, people=people, said=said, secret=name, announce=notices.hold, unchanged=unchanged
    )
    attack_together(view, notices, truth, decoder, confidence, seed, show_people, out)


def _secret(secret: str | None, truth: Path | None, id: str) -> str | None:
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
    truth: Path | None,
    decoder: str,
    confidence: float,
    seed: int,
    show_people: bool,
    out: Path,
) -> None:
    """Find what a few numbers give away, derive hidden cells, attack with all of it, write and print."""
    from dalenius.console.finish import finish
    from dalenius.console.progress import bar
    from dalenius.reconstruction.attack.certain.cells import derive_cells
    from dalenius.reconstruction.attack.certain.differencing import find_disclosures
    from dalenius.reconstruction.cli.attack_view import hold_forecast, refuted_lines
    from dalenius.reconstruction.published.tables import read_truth_of
    from dalenius.reconstruction.single import attack_one

    roster, levels = view.knowledge.roster, view.release.secret.levels
    codes = None if truth is None else read_truth_of(truth, roster.ids, roster.id_name, levels)
    with bar() as progress:
        expected = hold_forecast(view, notices)
        disclosures = find_disclosures(view)
        cells = derive_cells(view, progress=progress)
        result, claims = attack_one(
            view,
            codes,
            decoder=decoder,
            confident=confidence,
            seed=seed,
            progress=progress,
            announce=notices.say,
            expected=expected,
        )
    notices.release()
    files = {
        "claims.csv": claims.to_csv(),
        "cells.csv": cells.to_csv(),
        "disclosures.csv": _to_csv(disclosures.found),
    }
    sure = f"{int(claims.certain.sum()):,} of {claims.ids.size:,} people are given away by arithmetic alone."
    told = [*(refuted_lines(result) or [sure]), *_lines(disclosures, cells, show_people), ""]
    finish(result, files, out, told=told)


def _lines(searched: Disclosures, cells: DerivedCells, show_people: bool) -> Iterator[str]:
    """What a few numbers give away, and what is known of cells that are not printed."""
    disclosures = searched.found
    if disclosures:
        kinds = Counter(found.kind for found in disclosures)
        said = ", ".join(f"{count:,} {kind}" for kind, count in sorted(kinds.items()))
        verb = "follows" if len(disclosures) == 1 else "follow"
        where = "disclosures.csv has the words"
        yield f"{len(disclosures):,} {verb} from one or two numbers ({said}); {where}."
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


def _to_csv(disclosures: Sequence[Disclosure]) -> str:
    import csv
    import io

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["kind", "what", "people"])
    for found in disclosures:
        writer.writerow([found.kind, found.text, " ".join(found.people)])
    return text.getvalue()
