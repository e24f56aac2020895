"""Findings about singling out as text: one table a release, a row for each weight; then what it means."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich import box
from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from dalenius.findings.singling_out import AtWeight, SinglingOutFinding
from dalenius.findings.singling_out_build import one_in


def singling_out_parts(finding: SinglingOutFinding, colour: str) -> Iterator[RenderableType]:
    """Show one finding: its rates, what they mean in words, and what that means for the law."""
    yield Text.assemble(f"{finding.release}: ", (finding.severity, colour), f", {finding.severity_reason}")
    if any(_tried(at) and at.shown for at in finding.limits):
        yield _table(finding)
    yield ""
    yield Text(finding.sentence)
    for heading, texts in (
        ("", (*_facts(finding), *finding.notes)),
        ("Warning: ", finding.warnings),
        ("For the law: ", finding.law),
    ):
        for text in texts:
            yield Padding(Text(heading + text), (0, 0, 0, 2))
    yield ""


def not_shown_parts(findings: Sequence[SinglingOutFinding]) -> Iterator[RenderableType]:
    """Say once what nobody should read into the findings."""
    if findings:
        yield Text("Not shown:")
        for text in dict.fromkeys(text for finding in findings for text in finding.not_shown):
            yield Padding(Text(text), (0, 0, 0, 2))
        yield ""


def _tried(at: AtWeight) -> bool:
    return at.success is not None and at.success.trials > 0


def _table(finding: SinglingOutFinding) -> Table:
    bound = any(at.at_most is not None for at in finding.limits)
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    headings = ["a condition met by", finding.unit, "match one person", "by luck", "advantage"]
    for heading in headings + ["at most"] * bound:
        table.add_column(heading, justify="right", no_wrap=True)
    for at in finding.limits:
        if at.success is None or not _tried(at) or not at.shown:
            continue
        mark = " *" if at is finding.deciding else ""
        cells = [f"{at.success.trials:,}", f"{at.success.hits:,} ({at.success.rate:.1%})", _luck(at.baseline)]
        cells += [_advantage(at)] + [f"{at.at_most:.1%}" if at.at_most is not None else ""] * bound
        table.add_row(one_in(at.weight) + mark, *cells)
    return table


def _luck(rate: float) -> str:
    return f"{rate:.1%}" if rate >= 0.001 else f"{100 * rate:.1g}%"


def _advantage(at: AtWeight) -> str:
    if at.advantage is None or at.low is None or at.high is None:
        return ""
    return f"{100 * at.advantage:+.1f} ({100 * at.low:.1f} to {100 * at.high:.1f})"


def _facts(finding: SinglingOutFinding) -> Iterator[str]:
    if _tried(finding.deciding) and finding.deciding.shown:
        yield "* is where the release gives most away; the verdict follows all lines together."
    lost = [at for at in finding.limits if not at.shown]
    if lost and finding.deciding.success is not None:
        yield f"Conditions met by {one_in(lost[0].weight)}, or fewer, could not be shown to be so rare."
    yield f"How rare a condition is was found from {finding.source}; the attack: {finding.attack_method}."
    if finding.singled_out and finding.unit == "conditions" and finding.deciding.shown:
        yield f"{finding.singled_out:,.0f} different people are singled out there."
    control = finding.control
    if control is not None:
        rate = f"{control.success.hits:,} of {control.success.trials:,} ({control.success.rate:.1%})"
        yield f"Control, {control.what}: {rate} match exactly one; luck allows {_luck(control.baseline)}."
    if finding.promise is not None:
        yield f"Promised: {finding.promise}."
    if finding.bound is not None:
        yield finding.bound.text
    if finding.epsilon:
        yield f"Differential privacy would allow this only with epsilon of {finding.epsilon:.3g} or more."
