"""A bar with the time left, for work that turns out to be long, and only for a person at a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from dalenius.progress import Progress, silent

PATIENCE = 2.0
"""Seconds of silence: shorter work shows no bar."""


EVERY = 10.0
"""Seconds between the lines that are written where nobody is at a terminal."""

BESIDE = 52
"""Columns that the bar, the share and the time left take beside the words."""


@contextmanager
def bar(*, quiet: bool = False) -> Iterator[Progress]:
    """Give a function to report progress to.

    It draws on the error stream if that is a terminal, and writes a line there now and then if it is not.
    """
    if quiet:
        yield silent
        return
    if not sys.stderr.isatty():
        yield _writer()
        return
    with ExitStack() as closing:
        yield _drawer(closing)


def _writer() -> Progress:
    """Write a line when work is long, then every few seconds: whoever reads a log sees that it goes on."""
    due = time.monotonic() + PATIENCE

    def report(share: float, doing: str) -> None:
        nonlocal due
        if time.monotonic() > due:
            due = time.monotonic() + EVERY
            print(f"{share:.0%} {doing}", file=sys.stderr, flush=True)

    return report


def _drawer(closing: ExitStack) -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    drawn = Progress(*columns, console=Console(stderr=True), transient=True)
    task = drawn.add_task("", total=1.0)
    since = time.monotonic()

    def report(share: float, doing: str) -> None:
        if not drawn.live.is_started and time.monotonic() - since > PATIENCE:
            drawn.start()
            closing.callback(drawn.stop)
        drawn.update(task, completed=share, description=_cut(doing, drawn.console.width - BESIDE))

    return report


def _cut(text: str, most: int) -> str:
    """Keep the end of a long text, which changes most: the bar must stay in sight.

    Examples
    --------
    >>> _cut("planned: attacking: least squares", 12), _cut("short", 12)
    ('...t squares', 'short')
    """
    most = max(most, 12)
    return text if len(text) <= most else f"...{text[3 - most :]}"
