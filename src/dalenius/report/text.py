"""A report as text for a terminal: a table of the releases, what it means in words, and the verdict."""

from __future__ import annotations

import io
from collections.abc import Iterator

from rich import box
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from dalenius.findings.document import AuditReport
from dalenius.findings.finding import Difference, Finding, Rate
from dalenius.findings.inference import InferenceFinding
from dalenius.findings.interval import EXACT
from dalenius.findings.singling_out import SinglingOutFinding
from dalenius.findings.tracing import TracingFinding
from dalenius.report.inference import inference_parts
from dalenius.report.singling_out import not_shown_parts, singling_out_parts
from dalenius.report.tracing import tracing_parts

WIDTH = 100
"""Columns of a text that goes to a file or a pipe."""

COLOURS = {"none": "green", "low": "cyan", "moderate": "yellow", "high": "red", "critical": "bold red"}
_VERDICTS = {
    "pass": ("PASS", "bold green", "the findings keep to the policy"),
    "stop": ("STOP", "bold red", "the policy is broken"),
    "undecided": ("UNDECIDED", "bold yellow", "not shown to keep to the policy"),
}


def summary(report: AuditReport, *, width: int = WIDTH) -> str:
    """Return the report as plain text.

    Examples
    --------
    >>> from dalenius.findings.document import Data, conclude
    >>> from dalenius.findings.policy import Policy
    >>> data = Data(source="people.csv", people=3, public=("age",), secret="ill")
    >>> print(summary(conclude([], Policy(), data=data, seed=1, version="0.1.0")))
    people.csv: 3 people, secret ill, public age
    <BLANKLINE>
    UNDECIDED: not shown to keep to the policy.
      No attack could be run on the release.
    <BLANKLINE>
    """
    text = io.StringIO()
    show(report, Console(file=text, width=width, color_system=None))
    return "\n".join(line.rstrip() for line in text.getvalue().split("\n"))


def show(report: AuditReport, console: Console) -> None:
    """Print the report."""
    for part in _parts(report):
        console.print(part, highlight=False)


def _parts(report: AuditReport) -> Iterator[RenderableType]:
    yield Text(_subject(report))
    yield ""
    secrets = tuple(finding for finding in report.findings if isinstance(finding, Finding))
    if secrets:
        yield _table(secrets)
        yield ""
        for finding in secrets:
            yield from _in_words(finding)
    for traced in report.findings:
        if isinstance(traced, TracingFinding):
            yield from tracing_parts(traced, COLOURS[traced.severity])
    alone = [finding for finding in report.findings if isinstance(finding, SinglingOutFinding)]
    for one in alone:
        yield from singling_out_parts(one, COLOURS[one.severity])
    for related in report.findings:
        if isinstance(related, InferenceFinding):
            yield from inference_parts(related, COLOURS[related.severity])
    if report.findings:
        yield from _assumptions(report)
    yield from not_shown_parts(alone)
    for failed in report.not_run:
        yield Text(f"{failed.release}: {failed.attack_method} could not be run: {failed.reason}")
        yield ""
    word, colour, meaning = _VERDICTS[report.verdict]
    yield Text.assemble((word, colour), f": {meaning}.")
    for reason in report.reasons:
        yield Padding(Text(reason), (0, 0, 0, 2))


def _subject(report: AuditReport) -> str:
    data = report.data
    if data.secret is None:
        goals = {finding.goal for finding in report.findings}
        asked = ["who is among them"] * ("tracing" in goals)
        asked += ["can one of them be singled out"] * ("singling-out" in goals)
        return f"{data.source}: {data.people:,} people" + ", ".join(["", *asked])
    public = ", ".join(data.public) or "nothing"
    return f"{data.source}: {data.people:,} people, secret {data.secret}, public {public}"


def _table(findings: tuple[Finding, ...]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("release")
    for heading in ("recovered", "without it", "advantage", "control", "certain"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("severity")
    for finding in findings:
        table.add_row(
            Text(finding.release),
            _rate(finding.attack),
            _rate(finding.better_baseline),
            _difference(finding.advantage),
            "none" if finding.control is None else _ends(finding.control),
            f"{finding.certain.hits:,}",
            Text(finding.severity, COLOURS[finding.severity]),
        )
    return table


def _rate(rate: Rate) -> str:
    return f"{rate.hits:,} ({rate.rate:.1%})"


def _difference(difference: Difference) -> str:
    return f"{100 * difference.value:+.1f} ({_ends(difference)})"


def _ends(difference: Difference) -> str:
    return f"{100 * difference.low:.1f} to {100 * difference.high:.1f}"


def _in_words(finding: Finding) -> Iterator[RenderableType]:
    yield Text(finding.sentence)
    exposed = finding.exposed
    facts = [
        f"{finding.numbers:,} numbers published; mechanism {finding.mechanism}; "
        f"decoder {finding.attack_method}.",
        f"{exposed.people:,} people are guessed with probability {exposed.confidence:g} or more; "
        f"{exposed.right:,} of those guesses are right.",
    ]
    if finding.promise is not None:
        facts.append(f"Promised: {finding.promise}.")
    if finding.bound is not None:
        facts.append(finding.bound.text)
    for fact in (*facts, *finding.notes):
        yield Padding(Text(fact), (0, 0, 0, 2))
    yield ""


def _assumptions(report: AuditReport) -> Iterator[RenderableType]:
    """Say what the findings rest on, each assumption once."""
    yield Text("Assumed:")
    said = dict.fromkeys(text for finding in report.findings for text in finding.assumptions)
    for text in said:
        yield Padding(Text(text), (0, 0, 0, 2))
    together = f"intervals that hold together with confidence {report.policy.confidence:g}"
    for first in [finding for finding in report.findings if isinstance(finding, Finding)][:1]:
        told = (
            "Advantage and control are in percentage points over the better guess without the release, with "
            f"{together} ({first.advantage.method})."
        )
        yield Padding(Text(told), (0, 0, 0, 2))
    for traced in [finding for finding in report.findings if isinstance(finding, TracingFinding)][:1]:
        told = (
            "The advantage of tracing is in percentage points over the larger rate among people not in the "
            f"data, with {together} ({traced.rates[0].members.method})."
        )
        yield Padding(Text(told), (0, 0, 0, 2))
    if any(isinstance(finding, SinglingOutFinding) for finding in report.findings):
        told = (
            "The advantage of singling out is in percentage points over the best luck at that rarity, with "
            f"{together} ({EXACT})."
        )
        yield Padding(Text(told), (0, 0, 0, 2))
    yield ""
