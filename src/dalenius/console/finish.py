"""How every command ends: where it writes, the files, the report, and an exit code for its verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from dalenius.errors import MissingExtraError

if TYPE_CHECKING:
    from dalenius.findings.report import Report


REPORT = Path("dalenius-report")
"""The folder of results, if no other is named."""


@dataclass(frozen=True)
class Gate:
    """What else is written for a pipeline."""

    junit: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Also write JUnit XML: a test case for every release and rule."),
    ] = None
    summary: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Also append the result as Markdown: $GITHUB_STEP_SUMMARY."),
    ] = None

    def check(self) -> None:
        """Refuse what could not be written."""
        from dalenius.atomic_write import refuse_unwritable_file

        for option, path in (("--junit", self.junit), ("--summary", self.summary)):
            if path is not None:
                refuse_unwritable_file(path, option)

    def texts(self, report: Report) -> dict[Path, str]:
        """What is written whole, by place."""
        if self.junit is None:
            return {}
        from dalenius.report.pipeline import to_junit

        return {self.junit: to_junit(report)}

    def append(self, report: Report) -> None:
        """Add the result to the summary of a job, after what others wrote there."""
        if self.summary is None:
            return
        from dalenius.atomic_write import append_text
        from dalenius.report.pipeline import job_summary

        append_text(self.summary, job_summary(report))


@dataclass(frozen=True)
class Outputs:
    """The folder of results, what a pipeline reads, and how much is printed."""

    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the results.")] = REPORT
    gate: Gate = field(default_factory=Gate)
    quiet: Annotated[bool, typer.Option("--quiet", help="Print only the verdict.")] = False

    def check(self) -> None:
        """Refuse what could not be written; see `dalenius.console.options.Checked`."""
        from dalenius.atomic_write import refuse_unwritable

        refuse_unwritable(self.out)


GATE, OUTPUTS = Gate(), Outputs()
"""What is written if nothing is said."""


def drawn(pictures: Mapping[str, Callable[[], str]]) -> dict[str, str]:
    """Draw files by name; without the package that draws, say what is left out and go on without them.

    Examples
    --------
    >>> drawn({"a.svg": lambda: "<svg/>"})
    {'a.svg': '<svg/>'}
    """
    try:
        return {name: draw() for name, draw in pictures.items()}
    except MissingExtraError as error:
        typer.echo(f"Left out: {', '.join(pictures)}. {error}.", err=True)
        return {}


NOT_PASSED = 1
"""The exit code of a verdict that is not ``pass``: stop, or undecided."""


def finish(
    report: Report,
    files: Mapping[str, str | bytes | Iterable[str]],
    outputs: Outputs,
    *,
    told: Iterable[str] = (),
) -> NoReturn:
    """Write and print a report, see `tell`, and end with the exit code of its verdict."""
    tell(report, files, outputs, told=told)
    raise typer.Exit(NOT_PASSED * (report.verdict != "pass"))


def tell(
    report: Report,
    files: Mapping[str, str | bytes | Iterable[str]],
    outputs: Outputs,
    *,
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
        Where to write, and whether to print more than the verdict. What an earlier run left in the folder
        goes.
    told
        What this command says besides, line by line, before the report.
    """
    from rich.console import Console

    from dalenius.atomic_write import write_files, write_results
    from dalenius.console.options import typed_again
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
    if outputs.quiet:
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
