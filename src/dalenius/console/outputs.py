"""Where a command writes: its folder, and what a pipeline reads; refused before the work if it cannot be."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

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
        from dalenius.report.junit import to_junit

        return {self.junit: to_junit(report)}

    def append(self, report: Report) -> None:
        """Add the result to the summary of a job, after what others wrote there."""
        if self.summary is None:
            return
        from dalenius.atomic_write import append_text
        from dalenius.report.job_summary import job_summary

        append_text(self.summary, job_summary(report))


@dataclass(frozen=True)
class Outputs:
    """The folder of results, and what a pipeline reads."""

    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the results.")] = REPORT
    gate: Gate = field(default_factory=Gate)

    def check(self) -> None:
        """Refuse what could not be written; see `dalenius.console.options.Checked`."""
        from dalenius.atomic_write import refuse_unwritable

        refuse_unwritable(self.out)


GATE, OUTPUTS = Gate(), Outputs()
"""What is written if nothing is said."""
