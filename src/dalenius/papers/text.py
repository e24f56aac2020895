"""An outcome as text: what is said, what is promised, what was measured, where the print differs."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator

from rich import box
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from dalenius.papers.experiment import MeasuredShare, PromisedShare, StatementOutcome
from dalenius.papers.settings import Parameter
from dalenius.papers.statement import Heading
from dalenius.shown import several

WIDTH = 110
"""Columns of a text that goes to a file or a pipe."""


def listing(headings: Iterable[Heading]) -> Table:
    """Put statements into a table."""
    table = _table("id", "statement", "title")
    for entry in headings:
        table.add_row(entry.id, f"{_authors(entry)}, {entry.number}", entry.title)
    return table


def parameter_table(parameters: Iterable[Parameter]) -> Table:
    """Put what a statement takes into a table."""
    table = _table("parameter", "default", "range", "meaning", numbers=1)
    for entry in parameters:
        table.add_row(f"--{entry.name}", entry.default_in_words, entry.range_in_words, entry.meaning)
    return table


def plain(*parts: RenderableType, width: int = WIDTH) -> str:
    """Return what would be printed, without colours.

    Examples
    --------
    >>> print(plain("one", "two"), end="")
    one
    two
    """
    text = io.StringIO()
    console = Console(file=text, width=width, color_system=None, force_jupyter=False)
    for part in parts:
        console.print(part, highlight=False)
    return "\n".join(line.rstrip() for line in text.getvalue().split("\n"))


def parts(outcome: StatementOutcome) -> Iterator[RenderableType]:
    """Return the outcome piece by piece, ready to print."""
    heading, statement, settings = outcome.heading, outcome.statement, outcome.settings
    yield Text(f"{heading.id}: {heading.title}", "bold")
    yield Text(f"{heading.paper}, {heading.number}")
    yield from _section("Says", (statement.says,))
    yield from _section("Assumes", statement.assumptions)
    sizes = [f"{name} = {value:,g}" for name, value in settings.values.items()]
    here = f"{', '.join(sizes)}; {several(settings.runs, 'run')}, seed {settings.seed}."
    yield from _section("Here", (here, *outcome.facts))
    yield from _section("Promised", [promise_in_words(p) for p in outcome.promised] or ["Nothing."])
    if outcome.computed:
        yield ""
        yield _computed(outcome)
    yield ""
    yield _measured(outcome)
    yield Padding(
        Text(f"Intervals hold together with confidence {outcome.confidence:g}: {outcome.method}."), (0, 2)
    )
    if statement.errata:
        yield from _section("Where we differ from the print", statement.errata)
    yield ""
    kept = "every promise was kept." if outcome.kept else "A PROMISE WAS BROKEN."
    yield Text(f"{heading.id}: {kept}", "bold green" if outcome.kept else "bold red")


def promise_in_words(promise: PromisedShare) -> str:
    """Say a promise in a sentence.

    Examples
    --------
    >>> promise_in_words(PromisedShare("the rounded transform", 0.0625))
    'the rounded transform: at most 6.25% of the people wrong, in every run'
    >>> promise_in_words(PromisedShare("any errors", 1.0))
    'any errors: nothing at these sizes, the bound passes 100%'
    >>> promise_in_words(PromisedShare("one member", 0.95, "with enough accused", "at least", "on average"))
    'one member: at least 95% of the runs with enough accused, on average'
    """
    if promise.empty:
        return f"{promise.what}: nothing at these sizes, the bound passes 100%"
    share = f"{promise.side} {_percent(promise.value)}"
    return f"{promise.what}: {share} of the {promise.of} {promise.counts}, {promise.holds}"


def _measured(outcome: StatementOutcome) -> Table:
    table = _table("Measured", "people", "share", "interval", "worst run", "promised", "kept", numbers=5)
    for row in outcome.measured:
        interval = "" if row.low == row.high else f"{_percent(row.low)} to {_percent(row.high)}"
        table.add_row(
            f"{row.what}",
            f"{row.hits:,} of {row.trials:,} {row.counts}",
            _percent(row.rate),
            interval,
            _percent(row.most) if row.promise and row.promise.holds == "in every run" else "",
            *_held(row),
        )
    return table


def _computed(outcome: StatementOutcome) -> Table:
    table = _table("Computed", "value", "promised", "kept", numbers=2)
    signs = {"at most": "<=", "at least": ">=", "equal": "="}
    for row in outcome.computed:
        held = "" if row.promised is None else f"{signs[row.side]} {row.promised:.10g}"
        table.add_row(row.what, f"{row.value:.10g}", held, _word(row.kept))
    return table


def _held(row: MeasuredShare) -> tuple[str, Text]:
    if row.promise is None or row.promise.empty:
        return "", Text("")
    sign = "<=" if row.promise.side == "at most" else ">="
    return f"{sign} {_percent(row.promise.value)}", _word(row.kept)


def _word(kept: bool | None) -> Text:
    if kept is None:
        return Text("")
    return Text("yes", "green") if kept else Text("NO", "bold red")


def _percent(share: float) -> str:
    """Three digits, or as many as it takes not to call all what is nearly all.

    Examples
    --------
    >>> _percent(0.999906), _percent(1.0), _percent(0.3698)
    ('99.99%', '100%', '37%')
    """
    digits = next(d for d in range(3, 18) if share >= 1 or float(f"{100 * share:.{d}g}") < 100)
    return f"{100 * share:.{digits}g}%"


def _section(title: str, lines: tuple[str, ...] | list[str]) -> Iterator[RenderableType]:
    yield ""
    yield Text(title, "bold")
    for line in lines:
        yield Padding(Text(line), (0, 0, 0, 2))


def _table(*headings: str, numbers: int = 0) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for at, heading in enumerate(headings):
        table.add_column(heading, justify="right" if 0 < at <= numbers else "left")
    return table


def _authors(entry: Heading) -> str:
    return entry.paper.split(")")[0] + ")"
