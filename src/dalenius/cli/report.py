"""``dalenius report``: the page of some findings, again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

HELP = """Write the page of some findings again, from their file alone.

\b
Examples:
  dalenius report dalenius-report/findings.json
  dalenius report findings.json --external --out for-the-website
  dalenius report findings.json --docx

\b
DIR gets report.html (one file, nothing fetched, no script needed) and report.md;
with --docx annex.docx, the page for the file with fields to sign. With --external
the files are report-external.html and report-external.md, without any count of
people at risk, and annex-external.docx.

Exit code: 0; 2 bad input.
"""

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command(help=HELP)
def report(
    findings: Annotated[Path, typer.Argument(metavar="findings.json", help="What a command has written.")],
    external: Annotated[
        bool, typer.Option("--external", help="For readers outside: without counts of people at risk.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder for the page (default: that of the findings).")
    ] = None,
    docx: Annotated[
        bool, typer.Option("--docx", help="Also write the annex for the file as a Word document.")
    ] = False,
) -> None:
    """Read findings, write their page."""
    from dalenius.atomic_write import write_files
    from dalenius.auditing.schemas import read_findings
    from dalenius.report.page.render import pages

    found = read_findings(findings)
    files: dict[str, str | bytes] = {**pages(found, external=external)}
    if docx:
        from dalenius.report.docx import annex_docx

        files[f"annex{'-external' * external}.docx"] = annex_docx(found, external=external)
    folder = findings.parent if out is None else out
    write_files(folder, files)
    typer.echo(f"Written: {', '.join(str(folder / name) for name in files)}")
