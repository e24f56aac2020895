"""``dalenius init``: a first plan for one's own data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

HELP = """Look at a table of people and write a commented audit.toml that runs as it is.

\b
Example:
  dalenius init people.csv --secret hiv --id client_id
  dalenius audit audit.toml

\b
The table is CSV, Parquet, Arrow, DuckDB or SQLite (with --table), or the address of
a database. One row per person; a column that names nobody and is not the secret is
taken as public, so check the list in the plan.
"""

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command(help=HELP)
def init(
    source: Annotated[str, typer.Argument(metavar="people.csv", help="File or database with the people.")],
    secret: Annotated[
        str, typer.Option(metavar="COLUMN", help="Secret column: what an attacker must not learn.")
    ],
    id: Annotated[str | None, typer.Option(metavar="COLUMN", help="Column with person ids.")] = None,
    table: Annotated[str | None, typer.Option(metavar="NAME", help="Table of the database.")] = None,
    out: Annotated[Path, typer.Option(metavar="FILE", help="Plan file to write.")] = Path("audit.toml"),
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing plan.")] = False,
) -> None:
    """Write a first plan."""
    from dalenius.atomic_write import write_files
    from dalenius.auditing.draft import draft_plan
    from dalenius.errors import InputError

    if out.exists() and not force:
        raise InputError(str(out), "must not exist yet", "a file", "Use --force to replace it.")
    text = draft_plan(source, secret=secret, id=id, table=table, out=out)
    write_files(out.parent, {out.name: text})
    typer.echo(f"Written: {out}\nCheck which columns are public, then run: dalenius audit {out}")
