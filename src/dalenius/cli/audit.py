"""``dalenius audit``: run a plan."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from dalenius.audit.run import Audit
    from dalenius.findings.document import AuditReport

POLICY_BROKEN = 1

HELP = """Attack the releases of a plan and say whether they keep to its policy.

\b
Example:
  dalenius audit audit.toml --out report

\b
audit.toml names the data, its columns, the releases, what the attacker knows and
what is tolerated; `dalenius init` writes one to start from.
DIR gets findings.json, and with --show-people claims.csv (<id>,probability,guess,
certain), for several releases claims-NAME.csv, for means accusations-NAME.csv,
for anonymised rows predicates-NAME.json.

Exit code: 0 every release keeps the policy; 1 one breaks it, or is not shown to keep it; 2 bad input.
"""


def audit(
    plan: Annotated[Path, typer.Argument(metavar="audit.toml", help="The plan; `dalenius init` writes one.")],
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Where to write; default: dalenius-report beside the plan."),
    ] = None,
    show_people: Annotated[
        bool, typer.Option("--show-people", help="Also write what the attack says about every person.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print only the verdict.")] = False,
) -> None:
    """Run a plan, write its findings and end with the exit code of its verdict."""
    from dalenius.audit.people import run_plan
    from dalenius.audit.plan import read_plan
    from dalenius.cli.progress import bar
    from dalenius.progress import unsaid

    checked = read_plan(plan)
    with bar(quiet=quiet) as progress:
        result = run_plan(checked, progress=progress, announce=unsaid if quiet else _say)
    folder = plan.parent / "dalenius-report" if out is None else out
    finish(result.report, _said(result) if show_people else {}, folder, quiet=quiet)
    if result.verdict != "pass":
        raise typer.Exit(POLICY_BROKEN)


def _say(sentence: str) -> None:
    """Say beforehand what to expect; on the error stream, since the report repeats it."""
    typer.echo(sentence, err=True)


def _said(result: Audit) -> dict[str, str]:
    """What the attacks say about people, file by file."""
    from dalenius.audit.people import WholeAudit

    one = len(result.claims) == 1
    files = {"claims.csv" if one else f"claims-{name}.csv": c.to_csv() for name, c in result.claims.items()}
    if not isinstance(result, WholeAudit):
        return files
    levels = {f.release: f.headline for f in result.report.findings if f.goal == "tracing"}
    files |= {f"accusations-{name}.csv": a.to_csv(levels[name]) for name, a in result.accusations.items()}
    return files | {f"predicates-{name}.json": text for name, text in result.predicates.items()}


def finish(report: AuditReport, people: Mapping[str, str], folder: Path, *, quiet: bool) -> None:
    """Write the files of an audit, those about people only if given, then print it."""
    from rich.console import Console

    from dalenius.atomic_write import write_files
    from dalenius.report.text import show, summary

    files = {"findings.json": report.to_json()}
    files |= people
    write_files(folder, files)
    if quiet:
        typer.echo(report.verdict)
        return
    console = Console()
    if console.is_terminal:
        show(report, console)
    else:
        typer.echo(summary(report), nl=False)
    typer.echo(f"\nWritten: {', '.join(str(folder / name) for name in files)}")
