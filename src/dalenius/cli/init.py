"""``dalenius init``: a first plan for one's own data."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dalenius.console.options import grouped

if TYPE_CHECKING:
    from dalenius.auditing.drafting.draft import DraftOptions

HELP = """Look at a table of people and write a commented audit.toml that runs as it is.

\b
Examples:
  dalenius init people.csv --secret hiv --id client_id
  dalenius init people.xlsx --secret income --bins income=10000,20000 --table age+sex
  dalenius audit audit.toml

\b
The people are in CSV, Parquet, Arrow, xlsx, SPSS, Stata, SAS, DuckDB or SQLite
(clinic.sqlite#patients), or at the address of a database. One row per person; a
column that names nobody and is not the secret is taken as public, so check the
list in the plan. Dates are taken by year; survey weights, numbers of households
and codes for missing values are recognised, and the plan says so.
"""

MOST_NAMED = 40
"""Columns that are named where somebody has to choose one."""

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@dataclass(frozen=True)
class DraftAsked:
    """What is said about a table of people for which a plan is to be written."""

    secret: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Secret column: what an attacker must not learn. Required."),
    ] = None
    id: Annotated[str | None, typer.Option(metavar="COLUMN", help="Column with person ids.")] = None
    table: Annotated[
        list[str] | None, typer.Option(metavar="A+B", help="Columns of a table that is planned; repeatable.")
    ] = None
    bins: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN=N,N", help="Cut points of a number; repeatable.")
    ] = None
    header: Annotated[
        bool | None, typer.Option("--header/--no-header", help="Whether the first line names the columns.")
    ] = None
    columns: Annotated[
        str | None, typer.Option(metavar="A,B,C", help="Names of the columns of a CSV file without a header.")
    ] = None
    reference: Annotated[
        str | None, typer.Option(metavar="FILE", help="Other people with their secrets.")
    ] = None
    labels: Annotated[str | None, typer.Option(metavar="FILE", help="What codes stand for, JSON or CSV.")] = (
        None
    )

    def of(self, source: str) -> DraftOptions:
        """Return the same for the draft of a plan about a source."""
        from dalenius.auditing.drafting.draft import DraftOptions
        from dalenius.people.opening import in_database, split_table

        secret = self._one_secret(source)
        tables = [] if self.table is None else list(self.table)
        _, within = split_table(source)
        old = tables.pop(0) if tables and within is None and in_database(source) else None
        return DraftOptions(
            secret=secret,
            id=self.id,
            table=old,
            columns=_columns(source, self.header, self.columns),
            header=self.header is True,
            tables=[each.split("+") for each in tables],
            bins=dict(_bins(each) for each in self.bins or ()),
            reference=self.reference,
            labels=self.labels,
        )

    def _one_secret(self, source: str) -> str:
        from dalenius.errors import InputError

        if not self.secret:
            asked = "must name the column that an attacker must not learn"
            raise InputError("--secret", asked, "none", _choose_from(source, self.header, self.columns))
        if len(self.secret) != 1:
            rule, fix = "must be one column", "An audit looks at one secret at a time: write a plan for each."
            raise InputError("--secret", rule, f"{len(self.secret)}", fix)
        return self.secret[0]


@app.command(help=HELP)
@grouped
def init(
    source: Annotated[str, typer.Argument(metavar="people.csv", help="File or database with the people.")],
    asked: DraftAsked,
    out: Annotated[Path, typer.Option(metavar="FILE", help="Plan file to write.")] = Path("audit.toml"),
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing plan.")] = False,
) -> None:
    """Write a first plan."""
    from dalenius.atomic_write import write_files
    from dalenius.auditing.drafting.draft import draft_plan
    from dalenius.console.progress import bar
    from dalenius.errors import InputError

    options = asked.of(source)
    with bar() as progress:
        text, summary = draft_plan(source, options, out=out, progress=progress)
    if out.exists() and not force:
        raise InputError(str(out), "must not exist yet", "a file", "Use --force to replace it.")
    write_files(out.parent, {out.name: text})
    typer.echo("\n".join([*summary, f"Written: {out}"]))
    typer.echo(f"Check which columns are public, then run: dalenius audit {out}")


def _choose_from(source: str, header: bool | None, columns: str | None) -> str:
    """Name the columns of a source, unless somebody stands in their place; a database has several tables."""
    from dalenius.people.describe.header import check_header
    from dalenius.people.opening import columns_of, in_database

    if header is not True and columns is None:
        check_header(source)
    if in_database(source):
        return "Write for example --secret hiv."
    names = _columns(source, header, columns) or columns_of(source)
    more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
    return f"Its columns are {', '.join(names[:MOST_NAMED])}{more}."


def _columns(source: str, header: bool | None, columns: str | None) -> list[str]:
    from dalenius.errors import InputError
    from dalenius.people.describe.header import numbered_columns

    if columns is not None:
        if header:
            raise InputError("--columns", "must not be given with --header", "both", "Give one of them.")
        return [name.strip() for name in columns.split(",")]
    return numbered_columns(source) if header is False else []


def _bins(text: str) -> tuple[str, list[float]]:
    from dalenius.errors import InputError

    name, sign, cuts = text.partition("=")
    try:
        if not sign:
            raise ValueError
        return name, [float(cut) for cut in cuts.split(",")]
    except ValueError:
        fix = "Write for example --bins income=10000,20000."
        raise InputError("--bins", "must be a column and its cut points", repr(text), fix) from None
