"""``dalenius decide``: old findings under other rules."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dalenius.console.options import grouped
from dalenius.console.policies import EveryRule

HELP = """Decide old findings again, under other rules and without the data.

\b
Examples:
  dalenius decide findings.json --rules open-data
  dalenius decide findings.json --max-advantage 0.1 --sensitive yes
  dalenius decide findings.json --policy audit.toml --out decided

\b
--rules and --policy (a file with [policy], or with its keys alone) start from
their own defaults; a single limit changes that one rule, of theirs or else of
the rules in the findings. What the new rules need and the findings do not have
(people counted from another probability on, wider intervals, samples of the
people) is never taken for kept: the verdict is then undecided, and says so.
Nothing is written without --out.

Exit code: 0 pass; 1 stop or undecided; 2 bad input.
"""

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command(help=HELP)
@grouped
def decide(
    findings: Annotated[Path, typer.Argument(metavar="findings.json", help="What a command has written.")],
    tolerated: EveryRule,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Folder for the new findings.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print only the verdict.")] = False,
) -> None:
    """Read findings, hold them against other rules, end with the exit code of the new verdict."""
    from dalenius.auditing.redecide import redecide
    from dalenius.auditing.schemas import read_findings
    from dalenius.console.finish import NOT_PASSED, Outputs, finish
    from dalenius.errors import InputError

    found = read_findings(findings)
    if tolerated.policy is None and not tolerated.given:
        raise InputError(
            "rules", "must be given", "none", "Write --rules open-data, --policy FILE or a limit."
        )
    if out is not None and out.resolve() == findings.resolve().parent:
        raise InputError(
            "--out",
            "must be another folder than that of the findings",
            str(out),
            "They would be overwritten.",
        )
    made = redecide(found, tolerated.made(found.policy))
    if out is not None:
        finish(made, {}, Outputs(out, quiet=quiet))
    typer.echo(made.verdict if quiet else made.summary().rstrip("\n"))
    raise typer.Exit(NOT_PASSED * (made.verdict != "pass"))
