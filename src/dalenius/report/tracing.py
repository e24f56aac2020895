"""Findings about tracing as text: one table a release, a row for each rate of false alarms."""

from __future__ import annotations

from collections.abc import Iterator

from rich import box
from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from dalenius.findings.finding import Rate
from dalenius.findings.tracing import TracingFinding, TracingRate
from dalenius.findings.tracing_build import odds


def tracing_parts(finding: TracingFinding, colour: str) -> Iterator[RenderableType]:
    """Show one finding: its rates, what they mean in words, and what it rests on."""
    yield Text.assemble(f"{finding.release}: ", (finding.severity, colour), f", {finding.severity_reason}")
    yield _table(finding)
    yield ""
    yield Text(finding.sentence)
    for fact in (*_facts(finding), *finding.notes):
        yield Padding(Text(fact), (0, 0, 0, 2))
    yield ""


def _table(finding: TracingFinding) -> Table:
    control = any(rate.control is not None for rate in finding.rates)
    bound = any(rate.bound is not None for rate in finding.rates)
    ppv = finding.prior is not None
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    headings = ["level", "members", "outsiders"] + ["left out"] * control
    headings += ["advantage"] + ["at most"] * bound + ["right"] * ppv
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    for rate in finding.reachable:
        cells = [_share(rate.members), _share(rate.outsiders)]
        cells += [_share(rate.control)] if rate.control is not None else []
        cells.append(_advantage(rate))
        cells += [f"{rate.bound:.1%}"] if rate.bound is not None else []
        cells += ["" if rate.ppv is None else f"{rate.ppv:.1%}"] * ppv
        table.add_row(f"{rate.level:g}", *cells)
    return table


def _share(rate: Rate) -> str:
    return f"{rate.hits:,} ({rate.rate:.1%})"


def _advantage(rate: TracingRate) -> str:
    return f"{100 * rate.advantage:+.1f} ({100 * rate.low:.1f} to {100 * rate.high:.1f})"


def _facts(finding: TracingFinding) -> Iterator[str]:
    proved = "levels proved under the assumptions" if finding.rigorous else "levels approximate"
    yield (
        f"{finding.numbers:,} means published; mechanism {finding.mechanism}; test {finding.attack_method} "
        f"({proved}); the attacker holds {finding.pool:,} reference people."
    )
    beyond = [f"{rate.level:g}" for rate in finding.rates if not rate.reachable]
    if beyond:
        yield (
            f"Not reachable with {finding.pool:,} references: level {', '.join(beyond)}. No p-value can be "
            f"below {finding.smallest:.3g}, so nobody is accused there, whoever is in the data."
        )
    outsiders = finding.rates[0].outsiders.trials
    yield (
        f"Judged: {finding.people:,} members and {outsiders:,} people not in the data. A member is more "
        f"suspect than such a person with probability {finding.area:.3f}; 0.5 is chance."
    )
    for group in finding.groups:
        yield f"{group.name}: " + "; ".join(
            f"{_share(rate)} accused at {odds(at.level)}"
            for rate, at in zip(group.rates, finding.rates, strict=True)
            if at.reachable
        )
    over = finding.at_headline.over_releases
    if over is not None:
        yield (
            f"Over {over.releases} releases {over.mean:.1%} ({over.low:.1%} to {over.high:.1%}) of the "
            f"members are accused at {odds(finding.headline)}."
        )
    if finding.prior is not None:
        yield f"Right: how often an accusation is, if {finding.prior:.3g} of those looked at are members."
    if finding.promise is not None:
        yield f"Promised: {finding.promise}."
    if finding.bound is not None:
        yield finding.bound.text
