"""The command line: ``dalenius`` and its commands, each in a file of its own.

Nothing heavy is imported here or at the top of a command's file, so that ``--help`` answers at once.
"""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup

from dalenius.cli import audit, demo, infer, init, reconstruct, single_out, theorem, trace
from dalenius.errors import DaleniusError

INTERRUPTED = 130
BAD_INPUT = 2


class Commands(TyperGroup):
    """Turns the errors that dalenius raises on purpose into a line and an exit code."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command; what a person gave wrong is said in one line, without a traceback."""
        try:
            return super().invoke(ctx)
        except DaleniusError as error:
            typer.echo(f"error: {error}", err=True)
            raise typer.Exit(BAD_INPUT) from None
        except KeyboardInterrupt:
            typer.echo("interrupted: no file was left half-written", err=True)
            raise typer.Exit(INTERRUPTED) from None


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="""What could an attacker learn about one person from the statistics you are about to publish?

    \b
    dalenius demo                           audit a real survey
    dalenius init people.csv --secret hiv   write a plan for your own data
    dalenius audit audit.toml               run it: 0 pass, 1 policy broken, 2 bad input
    dalenius trace members --help           who is in the data behind published means?
    dalenius single-out rows --help         who can be pointed at in an anonymised file?
    dalenius infer network --help           what is epsilon worth to people who are related?
    dalenius reconstruct tables --help      whose secret do published tables give away?
    """,
)
app.command("demo", help=demo.HELP)(demo.demo)
app.command("init", help=init.HELP)(init.init)
app.command("audit", help=audit.HELP)(audit.audit)
app.add_typer(reconstruct.app, name="reconstruct")
app.add_typer(trace.app, name="trace")
app.add_typer(single_out.app, name="single-out")
app.add_typer(infer.app, name="infer")
app.command("theorem", help=theorem.HELP)(theorem.theorem)


def run() -> None:
    """Start the command line."""
    app()
