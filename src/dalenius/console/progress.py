"""A bar with the time left, for work that turns out to be long, and only for a person at a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from dalenius.progress import Progress, silent

PATIENCE = 2.0
"""Seconds of silence: shorter work shows no bar."""


@contextmanager
def bar(*, quiet: bool = False) -> Iterator[Progress]:
    """Give a function to report progress to; it draws on the error stream if that is a terminal."""
    if quiet or not sys.stderr.isatty():
        yield silent
        return
    with ExitStack() as closing:
        yield _drawer(closing)


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
        drawn.update(task, completed=share, description=doing)

    return report
