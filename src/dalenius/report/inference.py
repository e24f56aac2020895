"""Findings about related people as text: what an epsilon is worth to them, and how that is known."""

from __future__ import annotations

from collections.abc import Iterator

from rich import box
from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from dalenius.findings.inference import InferenceFinding, Simulated, Spread


def inference_parts(finding: InferenceFinding, colour: str) -> Iterator[RenderableType]:
    """Show one finding: the headline, a table, and what it rests on; nobody is named."""
    yield Text.assemble(f"{finding.release}: ", (finding.severity, colour), f", {finding.severity_reason}")
    yield Text(finding.sentence)
    if finding.nu is not None and finding.epsilon is not None:
        yield ""
        yield _table(finding.nu, finding.epsilon)
    yield ""
    for fact in (*_facts(finding), *finding.notes):
        yield Padding(Text(fact), (0, 0, 0, 2))
    for heading, lines in (("Prior:", finding.prior.model), ("Not said:", finding.not_said)):
        yield Text(heading)
        for line in lines:
            yield Padding(Text(line), (0, 0, 0, 2))
    yield ""


def _table(nu: Spread, epsilon: Spread) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("")
    for heading in ("epsilon", "protected like (nu)"):
        table.add_column(heading, justify="right", no_wrap=True)
    for name, of in (
        ("worst-off", "worst"),
        ("19 in 20 at most", "most_of_95"),
        ("in the middle", "median"),
        ("best-off", "least"),
    ):
        table.add_row(name, f"{getattr(epsilon, of):.4g}", f"{getattr(nu, of):.4g}")
    return table


def _facts(finding: InferenceFinding) -> Iterator[str]:
    prior = finding.prior
    group = "group" if prior.groups == 1 else "groups"
    yield (
        f"{prior.people:,} people with {prior.links:,} links, in {prior.groups:,} {group}, the largest of "
        f"{prior.largest:,}; mechanism {finding.mechanism}."
    )
    for part in finding.solved:
        kind = "the worst case itself" if part.exact else "an upper bound on the worst case"
        yield f"{part.people:,} people by {part.method}: {part.bound}, {kind}."
    if finding.bounds:
        said = [f"{one.name} {_or_none(one.nu)}" for one in finding.bounds]
        yield f"Upper bounds for the worst-off: {', '.join(said)}."
    if finding.by_distance:
        said = [f"{step.nu:.4g} ({step.distance})" for step in finding.by_distance]
        yield f"nu of the worst-off by how many links away people's data is used: {', '.join(said)}."
    if finding.instead is not None:
        gain = f"{finding.instead.advantage:.1%}"
        yield f"No attack beats guessing about anybody's fair coin by more than {gain} (group privacy)."
        yield from (_simulated(one) for one in finding.instead.simulated)
    if finding.promise is not None:
        yield f"Promised: {finding.promise}."


def _simulated(one: Simulated) -> str:
    ends = f"{one.low:.3g} to {'more' if one.high is None else f'{one.high:.3g}'}"
    return (
        f"{one.mechanism}: in {one.level:.0%} of {one.draws:,} simulated releases nobody's log-odds moved by "
        f"more than {one.moved:.3g} ({ends} with confidence {one.confidence:g}). {one.label}"
    )


def _or_none(nu: float | None) -> str:
    return "does not hold" if nu is None else f"{nu:.4g}"
