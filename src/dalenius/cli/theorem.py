"""``dalenius theorem``: list the statements, or run one."""

from __future__ import annotations

import json
from typing import Annotated

import typer

BROKEN = 1

HELP = """List the theorems, or run one: what it promises beside what its attack measures.

\b
Examples:
  dalenius theorem
  dalenius theorem exposed-7 --n 4096 --alpha 0.001
  dalenius theorem krs-2.1 --n 100 --m 400 --beta 1 --runs 50

\b
The attack runs on simulated people, with random errors and with the strongest
errors we can construct inside the theorem's assumptions. Each statement takes
some of the parameters; the others are refused.

Exit code: 0; 1 if a promise was broken; 2 bad input.
"""


def theorem(
    id: Annotated[str | None, typer.Argument(metavar="[ID]", help="Which; none: list them.")] = None,
    n: Annotated[int | None, typer.Option(help="People.")] = None,
    m: Annotated[int | None, typer.Option(help="Queries.")] = None,
    d: Annotated[int | None, typer.Option(help="Public yes/no attributes.")] = None,
    alpha: Annotated[float | None, typer.Option(help="Largest error, as a fraction of n.")] = None,
    tau: Annotated[float | None, typer.Option(help="Size of the error of an estimate.")] = None,
    gross: Annotated[float | None, typer.Option(help="Fraction of answers that is wild.")] = None,
    beta: Annotated[
        float | None, typer.Option(help="Largest error in counts (krs), or fraction of people (exposed-9).")
    ] = None,
    rho: Annotated[float | None, typer.Option(help="Privacy of the release, zero-concentrated.")] = None,
    delta: Annotated[float | None, typer.Option(help="False alarms allowed for one outsider.")] = None,
    sigma: Annotated[float | None, typer.Option(help="Standard deviation of the data.")] = None,
    c: Annotated[float | None, typer.Option(help="Size of the errors (krs-4.1, krs-4.2).")] = None,
    runs: Annotated[int | None, typer.Option(help="How often each simulation is repeated.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same outcome.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """List the statements, or run one and end with 1 if it was broken."""
    sizes = {"n": n, "m": m, "d": d, "alpha": alpha, "tau": tau, "gross": gross, "beta": beta, "rho": rho}
    sizes |= {"delta": delta, "sigma": sigma, "c": c}
    given = {name: value for name, value in sizes.items() if value is not None}
    if id is None:
        _list(given, as_json=as_json)
        return
    from dalenius.cli.progress import bar
    from dalenius.theorems.catalogue import run

    with bar(quiet=as_json) as progress:
        outcome = run(id, given, runs=runs, seed=seed, progress=progress)
    if as_json:
        typer.echo(json.dumps(outcome.to_json(), indent=2))
    else:
        from dalenius.theorems.text import parts

        _print(*parts(outcome))
    if not outcome.kept:
        raise typer.Exit(BROKEN)


def _list(given: dict[str, float], *, as_json: bool) -> None:
    from dalenius.errors import InputError
    from dalenius.theory.catalogue import STATEMENTS

    if given:
        name = next(iter(given))
        raise InputError(
            f"--{name}", "must come with the id of a statement", "none", "Write: theorem exposed-7."
        )
    if as_json:
        keys = ("id", "paper", "number", "title")
        typer.echo(json.dumps([{key: getattr(entry, key) for key in keys} for entry in STATEMENTS], indent=2))
        return
    from dalenius.theorems.text import listing

    _print(listing(STATEMENTS), "\nRun one: dalenius theorem exposed-7 --n 4096 --alpha 0.001")


def _print(*pieces: object) -> None:
    from rich.console import Console

    from dalenius.theorems.text import plain

    console = Console()
    if console.is_terminal:
        for piece in pieces:
            console.print(piece, highlight=False)
    else:
        typer.echo(plain(*pieces), nl=False)  # type: ignore[arg-type]
