"""The end of every command that attacks: write the files, print the report, exit with its verdict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NoReturn

import typer

if TYPE_CHECKING:
    from dalenius.console.outputs import Outputs
    from dalenius.findings.report import Report

NOT_PASSED = 1
"""The exit code of a verdict that is not ``pass``: stop, or undecided."""


def finish(
    report: Report,
    files: Mapping[str, str | bytes | Iterable[str]],
    outputs: Outputs,
    *,
    quiet: bool = False,
    told: Iterable[str] = (),
) -> NoReturn:
    """Write and print a report, see `tell`, and end with the exit code of its verdict."""
    tell(report, files, outputs, quiet=quiet, told=told)
    raise typer.Exit(NOT_PASSED * (report.verdict != "pass"))


def tell(
    report: Report,
    files: Mapping[str, str | bytes | Iterable[str]],
    outputs: Outputs,
    *,
    quiet: bool = False,
    told: Iterable[str] = (),
) -> None:
    """Write ``findings.json``, the page of it and what else a command makes, and print the report.

    Parameters
    ----------
    report
        What was found.
    files
        Other files by name: pictures, and what is said about people where that was asked for.
    outputs
        Where to write. What an earlier run left in the folder goes.
    quiet
        Print only the verdict.
    told
        What this command says besides, line by line, before the report.
    """
    from rich.console import Console

    from dalenius.atomic_write import write_files, write_results
    from dalenius.console.command import typed_again
    from dalenius.report.text import show, summary

    report = report.model_copy(update={"command": report.command or typed_again()})
    folder, apart = outputs.out, outputs.gate.texts(report)
    written = {**documents(report), **files}
    inside = {path.name: text for path, text in apart.items() if path.parent == folder}
    kept = write_results(folder, {**written, **inside})
    for path, text in apart.items():
        if path.parent != folder:
            write_files(path.parent, {path.name: text})
    outputs.gate.append(report)
    for name in kept:
        typer.echo(f"{folder / name} was changed since it was written, and was left there.", err=True)
    if quiet:
        typer.echo(report.verdict)
        return
    for line in told:
        typer.echo(line)
    console = Console()
    if console.is_terminal:
        show(report, console)
    else:
        typer.echo(summary(report), nl=False)
    places = [*(folder / name for name in written), *apart, *filter(None, [outputs.gate.summary])]
    typer.echo(f"\nWritten: {', '.join(map(str, places))}")


def documents(report: Report) -> dict[str, str | bytes | Iterable[str]]:
    """Return a report as every command writes it, by name of file: findings, and the page of them."""
    from dalenius.report.page.render import pages

    return {"findings.json": report.to_json(), **pages(report)}
