"""``dalenius audit``: run a plan."""

from __future__ import annotations

import shlex
from contextlib import AbstractContextManager, nullcontext
from math import comb
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dalenius.console.finish import GATE, REPORT, Gate, Outputs
from dalenius.console.options import THIS_PROCESS, WorkPlace, grouped

if TYPE_CHECKING:
    from dalenius.auditing.plan import Plan
    from dalenius.spread.parts import KeptParts

MANY = 1_000
"""Tables from which on it is said beforehand that there are many."""

HELP = """Attack the releases of a plan and say whether they keep to its policy.

\b
Example:
  dalenius audit audit.toml --out report

\b
audit.toml names the data, its columns, the releases, what the attacker knows and
what is tolerated; `dalenius init` writes one to start from.
DIR gets findings.json, the page report.html, the same in short as report.md, and
with --show-people claims.csv (<id>,probability,guess,certain), for several releases
claims-NAME.csv, for means accusations-NAME.csv, for anonymised rows
predicates-NAME.json.

Exit code: 0 every release keeps the policy; 1 one breaks it, or is not shown to keep it; 2 bad input.
"""

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command(help=HELP)
@grouped
def audit(
    plan: Annotated[Path, typer.Argument(metavar="audit.toml", help="The plan; `dalenius init` writes one.")],
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Folder for the results (default: dalenius-report beside the plan)."
        ),
    ] = None,
    show_people: Annotated[
        bool, typer.Option("--show-people", help="Also write what the attack says about every person.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print only the verdict.")] = False,
    spread: WorkPlace = THIS_PROCESS,
    gate: Gate = GATE,
) -> None:
    """Run a plan, write its findings and end with the exit code of its verdict."""
    from dalenius.auditing.plan import read_plan
    from dalenius.auditing.run import run_plan
    from dalenius.console.finish import NOT_PASSED, tell
    from dalenius.console.progress import bar
    from dalenius.progress import unsaid
    from dalenius.report.page.ladder import release_to_mend

    checked = read_plan(plan)
    outputs = Outputs(plan.parent / REPORT if out is None else out, gate, quiet)
    outputs.check()
    if not quiet and (warning := said_of_size(checked)):
        _say(warning)
    resumed = _resumed(plan, checked, outputs.out)
    shared = spread.or_of_plan(checked.budget.workers, checked.budget.cluster)
    with bar(quiet=quiet) as progress, resumed as parts, shared.begun():
        # what is claimed about people is kept nowhere: who wants to see it waits for all of it
        kept = parts if checked.knowledge.roster and not show_people else None
        result = run_plan(checked, progress=progress, announce=unsaid if quiet else _say, kept=kept)
    tell(result.report, result.people_files() if show_people else {}, outputs)
    if result.verdict == "pass":
        return
    if not quiet:
        words = f"{shlex.quote(str(plan))}{release_to_mend(result.report)}"
        _say(f"What would make it pass: dalenius remedy {words}")
    raise typer.Exit(NOT_PASSED)


def said_of_size(plan: Plan) -> str | None:
    """Say before the work that very many tables are planned, by the columns that the plan names."""
    from dalenius.grammar import parse_options

    planned = 0
    for text in (text for release in plan.release for text in getattr(release, "statistics", ())):
        options = parse_options(text)
        if options.name == "tables" and "k" in options.values:
            names = options.words("attributes") or plan.columns.public or ()
            planned += comb(len(names), options.whole("k", least=0))
    if planned < MANY:
        return None
    return (
        f"{planned:,} tables are planned, which may take long: all combinations of columns. Name those "
        "that will be published, as in tables:k=2,attributes=age+sex+town."
    )


def _resumed(path: Path, plan: Plan, out: Path) -> AbstractContextManager[KeptParts | None]:
    """Keep what is done until the end: parts of whole records, or the findings of several releases.

    Not where it cannot be told whether what was read then is what is read now.
    """
    if plan.knowledge.roster and plan.columns.split is None and len(plan.release) == 1 and not out.exists():
        return nullcontext()  # nothing was kept before, and its finding ends the run
    from dalenius import __version__
    from dalenius.auditing.plan_releases import STATISTICS, kind_of
    from dalenius.spread.digest import digest_files
    from dalenius.spread.parts import keeping

    data, others = plan.data.path, plan.knowledge.reference
    files = {
        "plan": path,
        "data file": None if data is None else Path(data),
        "reference": None if others is None else Path(others),
    }
    if plan.knowledge.roster:
        asked = [text for each in plan.release for text in getattr(each, "statistics", ())]
        if (
            data is None
            or not all(file is None or file.is_file() for file in files.values())
            or plan.knowledge.prior is not None
            or any(kind_of(each) != STATISTICS or getattr(each, "path", None) for each in plan.release)
            or any("path=" in text for text in asked)
        ):
            return nullcontext()
    about = {"version of dalenius": __version__, **digest_files(files)}
    return keeping(out, about, announce=_say)


def _say(sentence: str) -> None:
    """Say beforehand what to expect; on the error stream, since the report repeats it."""
    typer.echo(sentence, err=True)
