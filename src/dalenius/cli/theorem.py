"""``dalenius theorem``: list the statements, say what one takes, or run it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dalenius.console.options import THIS_PROCESS, WorkPlace, grouped
from dalenius.errors import InputError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from dalenius.papers.experiment import StatementOutcome

BROKEN = 1

SETTINGS = {"allow_extra_args": True, "ignore_unknown_options": True}
"""The parameters of a statement are known to the registry of the papers, not to the command line."""

OPTIONS = ("set", "parameters", "json", "out", "workers", "cluster", "help")
"""What may be meant by a name that is no parameter."""

HELP = """List the theorems, or run one: what it promises beside what its attack measures.

\b
Examples:
  dalenius theorem                               list all statements
  dalenius theorem exposed-7 --parameters        what one takes: names, defaults, ranges
  dalenius theorem exposed-7 --n 4096 --alpha 0.001
  dalenius theorem exposed-7 --set n=4096,alpha=0.001
  dalenius theorem krs-2.1 --n 100 --m 400 --beta 1 --runs 50
  dalenius theorem infer-A2b --out pictures/

\b
The attack runs on simulated people, with random errors and with the strongest
errors we can construct inside the theorem's assumptions. Each statement has its
own parameters, given as --NAME VALUE or --set NAME=VALUE; what is not given has
a default, and a name that the statement does not know is refused. All of them
take --runs (how often each simulation is repeated) and --seed (the same seed
gives the same outcome, also by several --workers or on a --cluster, which share
the runs).

Exit code: 0; 1 if a promise was broken; 2 bad input.
"""

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command(help=HELP, context_settings=SETTINGS)
@grouped
def theorem(
    context: typer.Context,
    id: Annotated[str | None, typer.Argument(metavar="[ID]", help="Statement id; omit to list all.")] = None,
    assigned: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Set a parameter; may be given several times."),
    ] = None,
    parameters: Annotated[
        bool, typer.Option("--parameters", help="Say what the statement takes; without ID, of all.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write the outcome as JSON here, and its pictures.")
    ] = None,
    spread: WorkPlace = THIS_PROCESS,
) -> None:
    """List the statements, or run one and end with 1 if it was broken."""
    # click takes an option it does not know for the id, if it stands first
    id, given = _arguments([*([] if id is None else [id]), *context.args], assigned or [])
    if parameters:
        _say_parameters(id, as_json=as_json)
    elif id is None:
        _list([name for name, _ in given], as_json=as_json)
    else:
        with spread.begun():
            _run(id, given, as_json=as_json, out=out)


def _arguments(words: Sequence[str], assigned: Sequence[str]) -> tuple[str | None, list[tuple[str, str]]]:
    """Tell the id from ``--name value``, ``--name=value`` and what was set.

    Examples
    --------
    >>> _arguments(["exposed-7", "--n", "64", "--alpha=-1"], ["tau=1,rho=2"])
    ('exposed-7', [('n', '64'), ('alpha', '-1'), ('tau', '1'), ('rho', '2')])
    """
    ids: list[str] = []
    given: list[tuple[str, str]] = []
    left = list(words)
    while left:
        word = left.pop(0)
        name, equals, value = word.removeprefix("--").partition("=")
        if not word.startswith("--"):
            ids.append(word)
        elif equals or not left or left[0].startswith("--"):
            given.append((name, value))
        else:
            given.append((name, left.pop(0)))
    for pair in (pair for text in assigned for pair in text.split(",")):
        name, equals, value = (part.strip() for part in pair.partition("="))
        if not (name and equals):
            raise InputError("--set", "must look like NAME=VALUE", repr(pair), "Write for example n=100.")
        given.append((name, value))
    if len(ids) > 1:
        raise InputError("id", "must be one statement", ", ".join(ids), "Write parameters as --n 100.")
    return (ids[0] if ids else None), given


def _run(id: str, given: Sequence[tuple[str, str]], *, as_json: bool, out: Path | None) -> None:
    from dalenius.console.progress import bar
    from dalenius.papers.registry import check, read
    from dalenius.papers.run import run

    values = check(id, read(id, given, also=OPTIONS))
    runs, seed = int(values.pop("runs")), int(values.pop("seed"))
    with bar(quiet=as_json) as progress:
        outcome = run(id, values, runs=runs, seed=seed, progress=progress)
    if out is not None:
        _write(outcome, out)
    if as_json:
        typer.echo(json.dumps(outcome.to_json(), indent=2))
    else:
        from dalenius.papers.text import parts

        _print(*parts(outcome))
    if not outcome.kept:
        raise typer.Exit(BROKEN)


def _write(outcome: StatementOutcome, out: Path) -> None:
    from dalenius.atomic_write import write_files
    from dalenius.console.finish import drawn

    files = {f"{outcome.heading.id}.json": json.dumps(outcome.to_json(), indent=2) + "\n"}
    write_files(out, files | drawn(outcome.pictures))


def _list(given: Sequence[str], *, as_json: bool) -> None:
    from dalenius.papers.registry import HEADINGS

    if given:
        raise InputError(
            f"--{given[0]}", "must come with the id of a statement", "none", "Write: theorem exposed-7."
        )
    if as_json:
        keys = ("id", "paper", "number", "title")
        rows = [{key: getattr(entry, key) for key in keys} for entry in HEADINGS.values()]
        typer.echo(json.dumps(rows, indent=2))
        return
    from dalenius.papers.text import listing

    _print(
        listing(HEADINGS.values()),
        "\nRun one: dalenius theorem exposed-7 --n 4096 --alpha 0.001",
        "What it takes: dalenius theorem exposed-7 --parameters",
    )


def _say_parameters(id: str | None, *, as_json: bool) -> None:
    from dalenius.papers.registry import HEADINGS, heading, parameters

    headings = list(HEADINGS.values()) if id is None else [heading(id)]
    if as_json:
        found = {entry.id: [parameter.to_json() for parameter in parameters(entry.id)] for entry in headings}
        typer.echo(json.dumps(found, indent=2))
        return
    from dalenius.papers.text import parameter_table

    def pieces() -> Iterator[RenderableType]:
        for at, entry in enumerate(headings):
            yield f"{'' if at == 0 else chr(10)}{entry.id}: {entry.title}"
            yield parameter_table(parameters(entry.id))

    _print(*pieces())


def _print(*pieces: RenderableType) -> None:
    from rich.console import Console

    from dalenius.papers.text import plain

    console = Console()
    if console.is_terminal:
        for piece in pieces:
            console.print(piece, highlight=False)
    else:
        typer.echo(plain(*pieces), nl=False)
