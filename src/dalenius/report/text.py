"""A report as text for a terminal: a table of the releases, what it means in words, and the verdict."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping

from rich import box
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from dalenius.findings.document import AuditReport
from dalenius.findings.finding import Difference, Finding
from dalenius.findings.inference import InferenceFinding
from dalenius.findings.interval import EXACT
from dalenius.findings.policy import Policy
from dalenius.findings.singling_out import SinglingOutFinding
from dalenius.findings.tracing import TracingFinding
from dalenius.findings.words import from_to, people, points
from dalenius.report.inference import inference_parts
from dalenius.report.singling_out import not_shown_parts, singling_out_parts
from dalenius.report.tracing import tracing_parts

WIDTH = 100
"""Columns of a text that goes to a file or a pipe."""

COLOURS = {
    "none": "green",
    "undecided": "yellow",
    "low": "cyan",
    "moderate": "yellow",
    "high": "red",
    "critical": "bold red",
}
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
    >>> print(summary(conclude([], Policy(), data=data, seed=1, version="0.2.0")))
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
        yield _table(secrets, {each.release: each.verdict for each in report.verdicts})
        yield ""
        for finding in secrets:
            yield from _in_words(finding, report.policy)
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
    yield from _verdict(report)


def _verdict(report: AuditReport) -> Iterator[RenderableType]:
    """The verdict; where there are several releases, that of each."""
    word, colour, meaning = _VERDICTS[report.verdict]
    if len(report.verdicts) < 2:
        yield Text.assemble((word, colour), f": {meaning}.")
        for reason in report.reasons:
            yield Padding(Text(reason), (0, 0, 0, 2))
        return
    kept = f"Releases that pass: {', '.join(report.passing)}." if report.passing else "No release passes."
    yield Text.assemble((word, colour), f": {meaning}. {kept}")
    for each in report.verdicts:
        word, colour, _ = _VERDICTS[each.verdict]
        yield Padding(Text.assemble(f"{each.release}: ", (word, colour)), (0, 0, 0, 2))
        for reason in each.reasons:
            yield Padding(Text(reason), (0, 0, 0, 4))


def _subject(report: AuditReport) -> str:
    data = report.data
    if data.secret is None:
        goals = {finding.goal for finding in report.findings}
        asked = ["who is among them"] * ("tracing" in goals)
        asked += ["can one of them be singled out"] * ("singling-out" in goals)
        return f"{data.source}: {data.people:,} people" + ", ".join(["", *asked])
    public = ", ".join(data.public) or "nothing"
    return f"{data.source}: {data.people:,} people, secret {data.secret}, public {public}"


def _table(findings: tuple[Finding, ...], verdicts: Mapping[str, str]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("release")
    for heading in ("recovered", "without it", "advantage", "control", "certain", "known"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("verdict")
    for finding in findings:
        verdict = verdicts[finding.release]
        control = "not made" if finding.control is None else _ends(finding.control)
        gain = finding.advantage
        table.add_row(
            Text(finding.release),
            f"{finding.attack.hits:,} ({finding.attack.rate:.1%})",
            f"{finding.better_baseline.rate:.1%}",
            f"{'+' * (gain.value > 0)}{points(gain.value)} ({_ends(gain)})",
            control,
            f"{finding.certain.hits:,}",
            f"{sum(row.right for row in finding.known):,}",
            Text(verdict, _VERDICTS[verdict][1]),
        )
    return table


def _ends(difference: Difference) -> str:
    return from_to(difference.low, difference.high)


def _in_words(finding: Finding, policy: Policy) -> Iterator[RenderableType]:
    yield Text(finding.sentence)
    exposed = finding.exposed
    facts = [
        f"Severity {finding.severity}: {finding.severity_reason}.",
        f"{finding.numbers:,} numbers published; mechanism {finding.mechanism}; "
        f"decoder {finding.attack_method}.",
        f"{people(exposed.people)} {_are(exposed.people)} guessed with probability {exposed.confidence:g} or "
        f"more; {exposed.right:,} of those guesses are right.",
        *_known(finding, policy),
    ]
    if finding.promise is not None:
        facts.append(f"Promised: {finding.promise}.")
    if finding.bound is not None:
        facts.append(finding.bound.text)
    for fact in (*facts, *finding.notes):
        yield Padding(Text(fact), (0, 0, 0, 2))
    yield ""


def _known(finding: Finding, policy: Policy) -> Iterator[str]:
    """Who is known, value by value; values that do not matter to the policy are said to be such."""
    for row in finding.known:
        matters = policy.sensitive is None or row.value in policy.sensitive
        if not (row.right or row.certain):
            continue
        has = "a rare value" if row.value is None else f"{finding.secret} = {row.value}"
        both = row.right + row.certain
        yield (
            f"{people(both)} {_are(both)} known to have {has} because of the release ({row.certain:,} by "
            f"arithmetic, {row.right:,} at {finding.known_at:g} or more); {row.before:,} without it."
            + ("" if matters else " That value is not among the sensitive ones, and decides nothing.")
        )


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


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
