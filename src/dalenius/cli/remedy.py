"""``dalenius remedy``: the least change that makes a plan pass."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dalenius.console.options import THIS_PROCESS, WorkPlace, grouped

if TYPE_CHECKING:
    from dalenius.remedy.options import RemedyOptions

HELP = """Find the least change of a plan that makes it pass, whatever kind of release it is.

Tables: rounding, hiding, fewer tables, coarser classes, noise. Rows: recoding, starred
rows, fewer columns. Means and frequencies: digits, fewer of them, noise. Related people:
the largest epsilon.

\b
Examples:
  dalenius remedy audit.toml --keep 'age*sex' --allow round,hide,noise
  dalenius remedy audit.toml --minutes 60 --workers 8

\b
Every change is tried by the ordinary audit; what passes is tried again on 20
random nine tenths of the people, or with 20 fresh draws of its noise. What is
out already is attacked along and never changed.
DIR gets findings.json of the plan as it is, with the ladder of changes in it,
remedy.json (the ladder alone) and, if a change passes, audit-remedied.toml,
findings-remedied.json, its page, and tables-remedied.xlsx with the changed cells
marked or the rows to publish instead.

Exit code: 0 the plan passes, as it is or changed; 1 nothing that was tried passes; 2 bad input.
"""

ALLOWED = "round,hide,fewer,coarser,noise"
OUT = Path("dalenius-remedy")
NOTHING_PASSES = 1

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@dataclass(frozen=True)
class RemedyAsked:
    """What may be changed of a plan, at which price, and how long is searched."""

    keep: Annotated[
        list[str] | None,
        typer.Option(metavar="TABLE", help="A table that must not be left out, as 'age*sex'; repeatable."),
    ] = None
    allow: Annotated[str, typer.Option(metavar="KINDS", help="Which kinds of change may be proposed.")] = (
        ALLOWED
    )
    price: Annotated[
        str | None,
        typer.Option(
            metavar="WEIGHTS",
            help="Compare changes by one number: hidden=1,error=1,table=5 for a hundredth of the numbers "
            "hidden, a mean error of one person, a table left out (default: in the order of the kinds).",
        ),
    ] = None
    minutes: Annotated[
        float, typer.Option(help="How long the search may take on one processor, as predicted from sizes.")
    ] = 5.0
    release: Annotated[
        str | None, typer.Option(metavar="NAME", help="The release to change, where several are planned.")
    ] = None

    def options(self) -> RemedyOptions:
        """Return the same for the search."""
        from dalenius.remedy.options import RemedyOptions, read_allow, read_price

        price = None if self.price is None else read_price(self.price)
        return RemedyOptions(
            read_allow(self.allow), tuple(self.keep or ()), price, self.minutes, self.release
        )


@app.command(help=HELP)
@grouped
def remedy(
    plan: Annotated[Path, typer.Argument(metavar="audit.toml", help="The plan; `dalenius init` writes one.")],
    asked: RemedyAsked,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Folder for the results (default: dalenius-remedy beside the plan)."
        ),
    ] = None,
    spread: WorkPlace = THIS_PROCESS,
) -> None:
    """Search, write what was found and end with whether something passes."""
    from rich.console import Console

    from dalenius.atomic_write import refuse_unwritable, write_results
    from dalenius.auditing.plan import read_plan
    from dalenius.console.finish import documents
    from dalenius.console.options import typed_again
    from dalenius.console.progress import bar
    from dalenius.remedy.find import find_remedy
    from dalenius.remedy.written.leave_behind import files_of
    from dalenius.remedy.written.text import show, summary

    options = asked.options()
    checked = read_plan(plan)
    folder = plan.parent / OUT if out is None else out
    refuse_unwritable(folder)
    shared = spread.or_of_plan(checked.budget.workers, checked.budget.cluster)
    with bar() as progress, shared.begun():
        found = find_remedy(checked, options, progress=progress)
    folder.mkdir(parents=True, exist_ok=True)  # the changed plan is read back as from there
    before = found.before.model_copy(update={"command": typed_again()})
    files = {**documents(before), **files_of(found, checked, plan, folder)}
    write_results(folder, files)
    console = Console()
    if console.is_terminal:
        show(found, console)
    else:
        typer.echo(summary(found), nl=False)
    typer.echo(f"\nWritten: {', '.join(str(folder / name) for name in files)}")
    raise typer.Exit(0 if found.passes else NOTHING_PASSES)
