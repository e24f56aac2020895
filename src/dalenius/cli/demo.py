"""``dalenius demo``: the audit of a real survey."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

MECHANISMS = {"exact": "exact", "rounded": "rounding:base=5", "suppressed": "suppression:below=10"}
"""What is done to the tables of each release of the demo."""

DEFAULT = Path("dalenius-demo")

HELP = """Audit a real survey: 6,366 women, eight public columns, and whether they had an affair.

\b
All tables of the secret with three public columns are published in three ways:
exact, rounded to base 5, and with cells below 10 suppressed. Takes under a
minute. The survey comes inside statsmodels (extra `demo`).

\b
Example:
  dalenius demo --out dalenius-demo

DIR gets findings.json and the page, report.html. Exit code: 0, whatever was found.
"""

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command(help=HELP)
def demo(
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the results.")] = DEFAULT,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same findings.")] = 1,
) -> None:
    """Audit the survey and write its findings."""
    from dalenius.console.finish import tell
    from dalenius.console.outputs import Outputs
    from dalenius.console.progress import bar
    from dalenius.people.examples.examples import example
    from dalenius.reconstruction.audit import audit
    from dalenius.reconstruction.case import Planned, Scenario

    outputs = Outputs(out)
    outputs.check()
    releases = {name: Planned("tables:k=3", mechanism) for name, mechanism in MECHANISMS.items()}
    with bar() as progress, example("fair") as people:
        result = audit(people, releases, Scenario(seed=seed), progress=progress)
    tell(result.report, {}, outputs)
