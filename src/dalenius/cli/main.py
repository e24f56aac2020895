"""The command line: ``dalenius`` and its commands, each in a file of its own.

A command is loaded when it is run, or listed by ``--help``. Nothing heavy is imported here or at the top of a
command's file, so that ``--help`` answers at once.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import signal
import sys
import traceback
from collections import UserDict
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
import typer.main
from typer.exceptions import TyperException

from dalenius import __version__
from dalenius.console.options import WholeSentences, asked, option, remember
from dalenius.errors import DaleniusError, InputError, SaysNothingError

COMMANDS = {
    "demo": "dalenius.cli.demo",
    "init": "dalenius.cli.init",
    "audit": "dalenius.cli.audit",
    "report": "dalenius.cli.report",
    "decide": "dalenius.cli.decide",
    "compare": "dalenius.cli.compare",
    "remedy": "dalenius.cli.remedy",
    "theorem": "dalenius.cli.theorem",
    "schema": "dalenius.cli.schema",
    "reconstruct": "dalenius.cli.reconstruct",
    "trace": "dalenius.tracing.cli.commands",
    "single-out": "dalenius.singling_out.cli",
    "rows": "dalenius.singling_out.released.cli",
    "infer": "dalenius.inference.cli",
}
"""The module of each command, which holds its ``app``, in the order of ``--help``."""

NOTHING_LEARNT = 1
BAD_INPUT = 2
OUR_MISTAKE = 3
INTERRUPTED = 130
TERMINATED = 143

RAISE = "DALENIUS_RAISE"
"""Set in the environment, a mistake of our own is raised with its traceback, which may quote people."""


class Loaded(UserDict[str, Any]):
    """Commands by name, each made from its module when it is first looked up."""

    def __getitem__(self, name: str) -> Any:
        found = super().__getitem__(name)
        if isinstance(found, str):
            found = self.data[name] = typer.main.get_command(importlib.import_module(found).app)
        return found


class Commands(WholeSentences):
    """Loads commands when they are asked for, and turns errors into a line and an exit code."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands = Loaded(COMMANDS)

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        """Read the words, and keep them: a report says by which command it can be made again."""
        remember(args)
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all commands, none of them loaded."""
        return list(COMMANDS)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find a command; whoever gives a file instead is told which one takes it."""
        name = args[0]
        if name not in COMMANDS and "." in name.strip("."):
            told = f"audit {name}" if name.endswith(".toml") else f"init {name} --secret COLUMN"
            raise InputError(repr(name), "must be a command", "a file", f"Write: dalenius {told}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run a command; what a person gave wrong is said in one line, without a traceback."""
        show_people = "--show-people" in ctx.args or ctx.params.get("show_people")
        try:
            return super().invoke(ctx)
        except SaysNothingError as error:  # nothing is wrong with the input, and nothing was shown either
            typer.echo(f"nothing learnt: {error}", err=True)
            raise typer.Exit(NOTHING_LEARNT) from None
        except DaleniusError as error:
            typer.echo(f"error: {error}{_value(error) if show_people else ''}", err=True)
            _tell_pipeline(str(error))
            raise typer.Exit(BAD_INPUT) from None
        except KeyboardInterrupt:
            _interrupted()
        except (TyperException, typer.Exit, typer.Abort, BrokenPipeError):
            raise
        except Exception as error:  # the last line: a traceback may quote people, and ends up in logs
            if _came_of_an_interrupt(error):
                _interrupted()
            if os.environ.get(RAISE):
                raise
            typer.echo(f"error: {_mistake(error)}", err=True)
            _tell_pipeline(_mistake(error))
            raise typer.Exit(OUR_MISTAKE) from None


def _interrupted() -> NoReturn:
    typer.echo("interrupted: no file was left half-written", err=True)
    raise typer.Exit(INTERRUPTED) from None


def _came_of_an_interrupt(error: BaseException | None) -> bool:
    """Whether Ctrl-C is behind an error: a package that was being loaded may make another one of it."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def _tell_pipeline(message: str) -> None:
    """Write what went wrong where a pipeline looks for test cases, if it asked for them."""
    place = option(asked(), "--junit")
    if place is None:
        return
    from dalenius.atomic_write import write_files
    from dalenius.report.pipeline import error_junit

    path = Path(place)
    # an output that cannot be written has been said already
    with contextlib.suppress(DaleniusError, OSError):
        write_files(path.parent, {path.name: error_junit(message)})


def _value(error: DaleniusError) -> str:
    value, hint = getattr(error, "value", None), getattr(error, "hint", "")
    return ("" if value is None else f" It is {value!r}.") + (f" {hint}" if hint else "")


def _mistake(error: Exception) -> str:
    """Where something unexpected happened, without what the error says, since that may quote a person."""
    if isinstance(error, MemoryError):
        return "memory must hold the work; got too little. Give fewer people or questions, or more memory."
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    ours = [f for f in frames if f.f_globals.get("__name__", "").startswith("dalenius.")]
    place = f"{ours[-1].f_globals['__name__']}, line {ours[-1].f_lineno}" if ours else "dalenius"
    return (
        f"a mistake of dalenius, not of yours: {type(error).__name__} in {place}. Nothing was decided. "
        f"Please report this line; {RAISE}=1 in the environment shows more, which may quote your data."
    )


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="""What could an attacker learn about one person from the statistics you are about to publish?

    \b
    dalenius demo                           audit a real survey
    dalenius init people.csv --secret hiv   write a plan for your own data
    dalenius audit audit.toml               run it: 0 pass, 1 stop or undecided, 2 bad input
    dalenius report findings.json           the page again; --external without counts of people at risk
    dalenius decide findings.json --help    old findings under other rules, without the data
    dalenius compare before.json after.json what changed
    dalenius remedy audit.toml              the least change that makes it pass
    dalenius trace members --help           who is in the data behind published means?
    dalenius single-out rows --help         who can be pointed at in an anonymised file?
    dalenius rows --help                    do synthetic rows single out, link or tell secrets?
    dalenius infer network --help           what is epsilon worth to people who are related?
    dalenius reconstruct tables --help      whose secret do published tables give away?
    dalenius reconstruct records --help     which whole records do tables prove, without a list?
    dalenius reconstruct desk --help        what does a query interface give away?
    """,
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"dalenius {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    show_people: Annotated[
        bool, typer.Option("--show-people", help="In an error, also show what stands in the file there.")
    ] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


def run() -> None:
    """Start the command line; whoever ends it leaves nothing behind."""
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), _end)
    app()


def _end(number: int, frame: object) -> None:
    """Leave by way of every clean-up, as after Ctrl-C."""
    typer.echo("ended: no file was left half-written", err=True)
    sys.exit(TERMINATED)
