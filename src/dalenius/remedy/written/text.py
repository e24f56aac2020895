"""The ladder as text: one line per change, what remains at risk beside what it costs."""

from __future__ import annotations

import io
from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from dalenius.findings.policy import points, promised_number
from dalenius.findings.report import Ladder, Rung, only_some_values
from dalenius.remedy.result import Remedy
from dalenius.remedy.rungs import PASSES_ONCE
from dalenius.report.page.ladder import of_any_value
from dalenius.shown import people, several

WIDTH = 120
"""Columns of a text that goes to a file or a pipe."""

LARGE = 1000
"""Errors from which on digits after the point say nothing."""

NEAREST = 2
"""So many changes of a kind are shown that do not pass."""


def summary(remedy: Remedy, *, width: int = WIDTH) -> str:
    """Return the ladder as plain text."""
    text = io.StringIO()
    show(remedy, Console(file=text, width=width, color_system=None))
    return "\n".join(line.rstrip() for line in text.getvalue().split("\n"))


def show(remedy: Remedy, console: Console) -> None:
    """Print the ladder: what passes or may, and of what does not the nearest of each kind."""
    ladder, data = remedy.ladder, remedy.before.data
    secret = "" if data.secret is None else f", secret {data.secret}"
    console.print(Text(f"{data.source}: {people(data.people)}{secret}"))
    console.print()
    shown = worth_showing(ladder)
    console.print(_table(ladder, shown))
    for said, places in _said(ladder, shown).items():
        console.print(Text(f"  {', '.join(str(at or 'as planned') for at in places)}: {said}"))
    if remedy.before.policy.sensitive:
        console.print(Text(of_any_value(remedy.before.policy.sensitive)))
    left = len(ladder.rungs) - len(shown)
    if left:
        console.print(
            Text(f"Not shown here, since they do not pass: {several(left, 'change')}; remedy.json has all.")
        )
    if ladder.not_tried:
        console.print(Text("Not tried:"))
        for said in ladder.not_tried:
            console.print(Text(f"  {said}"))
    console.print()
    console.print(Text(sentence(remedy)))
    if remedy.rung is None and (values := only_some_values(remedy.before)) is not None:
        console.print(Text(values))


def _said(ladder: Ladder, shown: Sequence[int]) -> dict[str, list[int]]:
    """What is said besides, and of which rungs: the same of several is told once."""
    found: dict[str, list[int]] = {}
    told = {ladder.best, ladder.strongest}
    for at in shown:
        rung = ladder.rungs[at]
        bound = rung.bound.text if rung.bound and at in told else None
        for said in filter(None, (bound, rung.note)):
            found.setdefault(said, []).append(at)
    return found


def worth_showing(ladder: Ladder) -> list[int]:
    """Say which rungs a reader wants: what passes or may, a promise, of each kind the nearest that fail."""
    last = len(ladder.rungs) - 1  # tried for its promise, if it has one, be there a theorem or not
    chosen = {0, *([last] if ladder.rungs[last].promise else [])}
    chosen |= set() if ladder.strongest is None else {ladder.strongest}
    failed: dict[str, list[int]] = {}
    for at, rung in enumerate(ladder.rungs):
        unconfirmed = rung.verdict == "undecided" and (rung.note or "").startswith(PASSES_ONCE)
        if rung.verdict == "pass" or unconfirmed or (rung.kind == "noise" and at == len(ladder.rungs) - 1):
            chosen.add(at)
        else:
            failed.setdefault(rung.kind, []).append(at)
    for places in failed.values():
        risk = [(_at_risk(ladder.rungs[at]), at) for at in places]
        chosen |= {at for _, at in sorted(risk)[:NEAREST]}
    return sorted(chosen)


def _at_risk(rung: Rung) -> tuple[int, float]:
    """How near to passing: what was not measured stands behind what was."""
    return (rung.sure or 0) + (rung.nearly or 0), 1.0 if rung.advantage is None else rung.advantage.high


def sentence(remedy: Remedy) -> str:
    """Say in one sentence what to do."""
    rung = remedy.rung
    if rung is None:
        forbidden = any(each.verdict == "pass" for each in remedy.ladder.rungs)
        return "Nothing that is allowed here passes." if forbidden else "Nothing in this list passes."
    if rung.kind == "as planned":
        return "The plan passes as it is: nothing needs to be changed."
    return (
        f"Least loss that passes: {rung.change}. It passes the audit, and {rung.kept} of {rung.tried} times "
        f"when tried again."
    )


def _table(ladder: Ladder, shown: Sequence[int]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("", justify="right")
    table.add_column("change\n(from as planned)", min_width=10)
    for heading in ("sure", "nearly\nsure", "gain,\npoints", "hidden", "mean\nerror", "lost"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("promise")
    table.add_column("passes", no_wrap=True)
    for at in shown:
        table.add_row(*_row(at, ladder.rungs[at], best=at == ladder.best))
    return table


def _row(at: int, rung: Rung, *, best: bool) -> list[str]:
    price = rung.price
    return [
        f"> {at}" if best and at else str(at or ""),
        rung.change,
        _count(rung.sure),
        _count(rung.nearly),
        "" if rung.advantage is None else points(rung.advantage.value),
        "" if price.hidden is None else f"{100 * price.hidden:.0f}%",
        _error(price.mean_error),
        _count(price.lost),
        promised_number(rung.promise),
        _passes(rung),
    ]


def _error(number: float | None) -> str:
    """An error of counts with its digits; of large amounts without them."""
    return "" if number is None else f"{number:,.0f}" if number >= LARGE else f"{number:.3g}"


def _count(number: int | None) -> str:
    return "" if number is None else f"{number:,}"


def _passes(rung: Rung) -> str:
    said = {"pass": "yes", "stop": "no", "undecided": "not shown"}[rung.verdict]
    if rung.tried:
        said += f",\n{rung.kept} of {rung.tried}"  # two lines: the last column must fit 80 letters
    return said
