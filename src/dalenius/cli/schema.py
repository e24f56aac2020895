"""``dalenius schema``: the shapes of the files that programs read and write."""

from __future__ import annotations

import json
from typing import Annotated, Literal

import typer

HELP = """Print the JSON Schema of a plan (audit.toml) or of findings.json.

\b
Example:
  dalenius schema plan > plan.schema.json

Editors that know TOML complete and check a plan by it: put the line
#:schema plan.schema.json at its top.
"""

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command(help=HELP)
def schema(
    of: Annotated[Literal["plan", "findings"], typer.Argument(metavar="plan|findings", help="Which file.")],
) -> None:
    """Print a schema."""
    from dalenius.auditing.schemas import findings_schema, plan_schema

    made = plan_schema() if of == "plan" else findings_schema()
    typer.echo(json.dumps(made, indent=2, ensure_ascii=False))
