"""``dalenius compare``: two findings side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

HELP = """Say what changed between two findings: verdicts, people at risk, gains with intervals.

\b
Example:
  dalenius compare before/findings.json after/findings.json

\b
Releases stand side by side by name. Where data, seeds, rules or versions differ,
that is said first. With --out the same is written as a fragment of HTML.

Exit code: 0, whatever changed; 2 bad input.
"""

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command(help=HELP)
def compare(
    before: Annotated[Path, typer.Argument(metavar="before.json", help="The findings before.")],
    after: Annotated[Path, typer.Argument(metavar="after.json", help="The findings after.")],
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write it here, as a fragment of HTML.")
    ] = None,
) -> None:
    """Read two findings, say what changed."""
    from dalenius.atomic_write import write_files
    from dalenius.auditing.schemas import read_findings
    from dalenius.report.changes import changes_html, changes_text
    from dalenius.report.compare import compare as side_by_side

    changes = side_by_side(read_findings(before), read_findings(after))
    if out is not None:
        write_files(out.parent, {out.name: changes_html(changes)})
    typer.echo(changes_text(changes), nl=False)
    if out is not None:
        typer.echo(f"\nWritten: {out}")
