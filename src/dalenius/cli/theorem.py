"""``dalenius theorem``: list the statements, or run one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from dalenius.theorems.experiment import Outcome

BROKEN = 1

HELP = """List the theorems, or run one: what it promises beside what its attack measures.

\b
Examples:
  dalenius theorem
  dalenius theorem exposed-7 --n 4096 --alpha 0.001
  dalenius theorem krs-2.1 --n 100 --m 400 --beta 1 --runs 50
  dalenius theorem infer-A2b --out pictures/

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
    d: Annotated[int | None, typer.Option(help="Public yes/no attributes, or children (infer).")] = None,
    k: Annotated[int | None, typer.Option(help="People in a class (pso-6.1).")] = None,
    alpha: Annotated[float | None, typer.Option(help="Largest error, as a fraction of n.")] = None,
    tau: Annotated[float | None, typer.Option(help="Size of the error of an estimate.")] = None,
    gross: Annotated[float | None, typer.Option(help="Fraction of answers that is wild.")] = None,
    beta: Annotated[
        float | None, typer.Option(help="Largest error in counts (krs), or fraction of people (exposed-9).")
    ] = None,
    rho: Annotated[float | None, typer.Option(help="Privacy of the release, zero-concentrated.")] = None,
    delta: Annotated[float | None, typer.Option(help="False alarms allowed for one outsider.")] = None,
    sigma: Annotated[float | None, typer.Option(help="Standard deviation of the data.")] = None,
    c: Annotated[
        float | None, typer.Option(help="Size of the errors (krs-4), weight limit (pso-3.1).")
    ] = None,
    high: Annotated[float | None, typer.Option(help="Weight of a heavy condition, as c (pso-3).")] = None,
    epsilon: Annotated[float | None, typer.Option(help="Privacy, pure.")] = None,
    part: Annotated[int | None, typer.Option(help="Rows that are counted or marked (pso).")] = None,
    regions: Annotated[int | None, typer.Option(help="Disjoint regions (pso-4.6).")] = None,
    below: Annotated[int | None, typer.Option(help="Counts below are hidden (pso-4.7).")] = None,
    weight: Annotated[float | None, typer.Option(help="Least weight of a condition (pso-5.6).")] = None,
    agreement: Annotated[float | None, typer.Option(help="How often two linked people agree.")] = None,
    coupling: Annotated[float | None, typer.Option(help="Strength J of an edge.")] = None,
    weak: Annotated[float | None, typer.Option(help="A weaker J beside it (infer-A2a).")] = None,
    field: Annotated[float | None, typer.Option(help="Half the log-odds of everybody alone.")] = None,
    depth: Annotated[int | None, typer.Option(help="Generations below the root.")] = None,
    degree: Annotated[int | None, typer.Option(help="Most relatives of anybody.")] = None,
    slack: Annotated[float | None, typer.Option(help="1 - d tanh J (infer-4.2).")] = None,
    step: Annotated[float | None, typer.Option(help="How much larger the other epsilon is.")] = None,
    blocks: Annotated[int | None, typer.Option(help="Groups whose parity is one bit (infer-A1).")] = None,
    size: Annotated[int | None, typer.Option(help="People in each of them.")] = None,
    runs: Annotated[int | None, typer.Option(help="How often each simulation is repeated.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same outcome.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write the outcome as JSON here, and its pictures.")
    ] = None,
) -> None:
    """List the statements, or run one and end with 1 if it was broken."""
    sizes = {"n": n, "m": m, "d": d, "k": k, "alpha": alpha, "tau": tau, "gross": gross, "beta": beta}
    sizes |= {
        "rho": rho,
        "delta": delta,
        "sigma": sigma,
        "c": c,
        "high": high,
        "epsilon": epsilon,
        "part": part,
    }
    sizes |= {"regions": regions, "below": below, "weight": weight, "agreement": agreement}
    sizes |= {"coupling": coupling, "weak": weak, "field": field, "depth": depth, "degree": degree}
    sizes |= {"slack": slack, "step": step, "blocks": blocks, "size": size}
    given = {name: value for name, value in sizes.items() if value is not None}
    if id is None:
        _list(given, as_json=as_json)
        return
    from dalenius.cli.progress import bar
    from dalenius.theorems.catalogue import run

    with bar(quiet=as_json) as progress:
        outcome = run(id, given, runs=runs, seed=seed, progress=progress)
    if out is not None:
        _write(outcome, out)
    if as_json:
        typer.echo(json.dumps(outcome.to_json(), indent=2))
    else:
        from dalenius.theorems.text import parts

        _print(*parts(outcome))
    if not outcome.kept:
        raise typer.Exit(BROKEN)


def _write(outcome: Outcome, out: Path) -> None:
    from dalenius.records.atomic import write_files

    files = {f"{outcome.statement.id}.json": json.dumps(outcome.to_json(), indent=2) + "\n"}
    write_files(out, files | {name: picture() for name, picture in outcome.pictures.items()})


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
