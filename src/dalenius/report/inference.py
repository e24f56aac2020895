"""Findings about related people as text: what an epsilon is worth to them, and how that is known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich import box
from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from dalenius.findings.inference import BoundOnWorst, InferenceFinding, Middle, Prior, Simulated, Spread
from dalenius.findings.words import people


def inference_parts(finding: InferenceFinding, colour: str) -> Iterator[RenderableType]:
    """Show one finding: the headline, a table, and what it rests on; nobody is named."""
    yield Text(f"{finding.release}: {finding.sentence}")
    yield Text.assemble((finding.severity, colour), f": {finding.severity_reason}")
    if finding.nu is not None and finding.epsilon is not None:
        yield ""
        yield _table(finding.nu, finding.epsilon, finding.regardless is None)
    yield ""
    if finding.prior.agreement is not None:
        yield held_table(finding.prior)
        yield ""
    for fact in (*_facts(finding), *finding.notes):
        yield Padding(Text(fact), (0, 0, 0, 2))
    for heading, lines in (("Prior:", finding.prior.model), ("Not said:", finding.not_said)):
        if lines:
            yield Text(heading)
        for line in lines:
            yield Padding(Text(line), (0, 0, 0, 2))
    yield ""


def _table(nu: Spread, epsilon: Spread, as_stated: bool) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("")
    for heading in ("epsilon", "protected like (nu)" if as_stated else "nu of another prior than stated"):
        table.add_column(heading, justify="right", no_wrap=True)
    for name, of in (
        ("worst-off", "worst"),
        ("19 in 20 at most", "most_of_95"),
        ("in the middle", "median"),
        ("best-off", "least"),
    ):
        table.add_row(name, f"{getattr(epsilon, of):.4g}", f"{getattr(nu, of):.4g}")
    return table


def held_table(prior: Prior) -> Table:
    """Show what the prior in use implies beside what was stated."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("")
    for heading in ("mean", "median", "least", "most"):
        table.add_column(heading, justify="right", no_wrap=True)
    for name, held in (("agreement", prior.agreement), ("probability of a 1", prior.prevalence)):
        if held is None:
            continue
        table.add_row(f"{name}, stated", *_four(held.stated))
        give = f" (to within {prior.error:.2g})" if prior.error else ""
        implied = _four(held.implied) if held.implied is not None else ("not known", "", "", "")
        table.add_row(f"  implied by the prior in use{give}", *implied)
    return table


def _four(some: Middle) -> tuple[str, ...]:
    return tuple(f"{value:.4g}" for value in (some.mean, some.median, some.least, some.most))


def _facts(finding: InferenceFinding) -> Iterator[str]:
    yield f"Mechanism: {finding.mechanism}."
    for part in finding.solved:
        kind = "the worst case" if part.exact else "an upper bound on the worst case"
        law = "the prior below" if finding.regardless is None else "a prior that was not stated"
        yield f"{people(part.people)} by {part.method}: {part.bound}, {kind} under {law}."
    if finding.bounds:
        yield _bounds(finding.bounds)
    if finding.by_distance:
        said = ", ".join(f"{step.nu:.4g} ({step.distance})" for step in finding.by_distance)
        yield f"nu of the worst-off if only people up to so many links away were in the data: {said}."
    if finding.instead is not None:
        gain = f"{finding.instead.advantage:.1%}"
        yield f"No attack beats guessing about anybody's fair coin by more than {gain} (group privacy)."
        yield from _simulated(finding.instead.simulated)
    if finding.promise is not None:
        yield f"Promised: {finding.promise}."


def _bounds(bounds: Sequence[BoundOnWorst]) -> str:
    """All bounds in one line, those without their condition at the end."""
    hold = ", ".join(f"{one.name} {one.nu:.4g}" for one in bounds if one.nu is not None)
    fail = ", ".join(one.name for one in bounds if one.nu is None)
    return f"Upper bounds for the worst-off: {hold}{f'; not valid here: {fail}' if fail else ''}."


def _simulated(levels: Sequence[Simulated]) -> Iterator[str]:
    for one in levels[:1]:
        moved = ", ".join(
            f"{each.moved:.3g} ({each.low:.3g} to {'more' if each.high is None else f'{each.high:.3g}'}) in "
            f"{each.level:.0%}"
            for each in levels
        )
        yield (
            f"{one.mechanism}, {one.draws:,} simulated releases: nobody's log-odds moved by more than "
            f"{moved} of them, each with confidence {one.confidence:g}. {one.label}"
        )
