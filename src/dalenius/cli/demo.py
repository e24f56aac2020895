"""``dalenius demo``: the audit of a real survey, and stories of simulated people."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dalenius.errors import InputError, nearest

if TYPE_CHECKING:
    from dalenius.console.finish import Outputs

MECHANISMS = {"exact": "exact", "rounded": "rounding:base=5", "suppressed": "suppression:below=10"}
"""What is done to the tables of each release of the demo."""

DEFAULT = Path("dalenius-demo")

HELP = """Audit a real survey, or tell another story with simulated people.

\b
survey      6,366 women and whether they had an affair: all tables with three public
            columns, exact, rounded to base 5, and with cells below 10 suppressed
            (real; it comes inside statsmodels, extra `demo`)
tables      tables of an illness, rounded, and the same with noise
genomes     allele frequencies of a study: who took part?
anonymised  rows without names: who can be pointed at?
family      an epsilon, and relatives who answer too
census      tables of 12 blocks shaped as the nation: which records do they prove?

\b
Example:
  dalenius demo
  dalenius demo genomes --out genomes

DIR gets findings.json and the page, report.html; for a story of simulated people also these, in
DIR/people, and the command is printed so that you can run it yourself. Exit code: 0, whatever was
found.
"""

app = typer.Typer(add_completion=False, rich_markup_mode=None)

REAL = "survey"


@app.command(help=HELP)
def demo(
    story: Annotated[str, typer.Argument(metavar="STORY", help="Which story.")] = REAL,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the results.")] = DEFAULT,
    seed: Annotated[int, typer.Option(min=0, help="Of the survey: the same seed, the same findings.")] = 1,
) -> None:
    """Audit the survey and write its findings, or run the command of another story."""
    from dalenius.console.finish import Outputs

    outputs = Outputs(out)
    outputs.check()
    if story == REAL:
        _survey(outputs, seed)
    else:
        _simulated(story, out)


def _survey(outputs: Outputs, seed: int) -> None:
    from dalenius.console.finish import tell
    from dalenius.console.progress import bar
    from dalenius.people.examples.examples import example
    from dalenius.reconstruction.audit import audit
    from dalenius.reconstruction.case import Planned, Scenario

    releases = {name: Planned("tables:k=3", mechanism) for name, mechanism in MECHANISMS.items()}
    with bar() as progress, example("fair") as people:
        result = audit(people, releases, Scenario(seed=seed), progress=progress)
    tell(result.report, {}, outputs)


def _simulated(story: str, out: Path) -> None:
    """Make the people of a story, and run its command as a person would; its exit code is not ours."""
    import shlex

    import typer.main

    from dalenius.cli.main import app as commands
    from dalenius.cli.stories import STORIES

    if story not in STORIES:
        known = ", ".join([REAL, *STORIES])
        raise InputError(
            "STORY", f"must be one of {known}", repr(story), hint=nearest(story, [REAL, *STORIES])
        )
    people = out / "people"
    people.mkdir(parents=True, exist_ok=True)
    words = [*STORIES[story].make(people), "--out", str(out)]
    typer.echo(f"{STORIES[story].title}, of simulated people: {STORIES[story].told} The command:")
    typer.echo(f"  dalenius {shlex.join(words)}\n")
    typer.main.get_command(commands).main(words, prog_name="dalenius", standalone_mode=False)
