"""What is said while work is under way: a bar in a terminal or a notebook, and notices before it."""

from __future__ import annotations

import html
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import typer

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


BETWEEN = 0.3
"""Seconds between two drawings."""


@contextmanager
def notebook_bar() -> Iterator[Progress]:
    """Give a function to report progress to; it draws only where a notebook shows what is displayed."""
    if not in_notebook():
        yield silent
        return
    drawn = _Drawn()
    try:
        yield drawn.report
    finally:
        drawn.clear()


def in_notebook() -> bool:
    """Whether this process works for a notebook; IPython is asked only if somebody else has loaded it.

    Examples
    --------
    >>> in_notebook()
    False
    """
    asked = getattr(sys.modules.get("IPython"), "get_ipython", None)
    shell = asked() if asked is not None else None
    return shell is not None and hasattr(shell, "kernel")


class _Drawn:
    """One display, drawn again and again."""

    def __init__(self) -> None:
        self._since = time.monotonic()
        self._last = 0.0
        self._handle: Any = None

    def report(self, share: float, doing: str) -> None:
        now = time.monotonic()
        if now - self._since < PATIENCE or now - self._last < BETWEEN:
            return
        self._last = now
        self._show(bar_html(share, doing, now - self._since))

    def clear(self) -> None:
        if self._handle is not None:
            self._show("")

    def _show(self, text: str) -> None:
        import IPython.display

        show: Any = IPython.display
        if self._handle is None:
            self._handle = show.display(show.HTML(text), display_id=True)
        else:
            self._handle.update(show.HTML(text))


def bar_html(share: float, doing: str, seconds: float) -> str:
    """Draw how far work is, what is being done, and about how long it will still take.

    Examples
    --------
    >>> bar_html(0.25, "a<b", 10)
    '<progress value="0.250" max="1"></progress> 25%, about 30 s left: a&lt;b'
    """
    share = min(max(share, 0.0), 1.0)
    left = f", about {seconds * (1 - share) / share:.0f} s left" if share > 0.02 else ""
    return f'<progress value="{share:.3f}" max="1"></progress> {share:.0%}{left}: {html.escape(doing)}'


class Notices:
    """Sentences that are said when a long attack starts, or else when it has ended; never before an error.

    With ``quiet`` they are kept: the result repeats them.

    Examples
    --------
    >>> notices = Notices()
    >>> notices.hold("The releases are of 2 dates.")
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self._held: list[str] = []
        self._quiet = quiet

    def hold(self, sentence: str) -> None:
        """Keep a sentence for later."""
        self._held.append(sentence)

    def say(self, sentence: str) -> None:
        """Say a sentence, after all that were held."""
        self.hold(sentence)
        self.release()

    def release(self) -> None:
        """Say what was held; on the error stream, since the result repeats it."""
        for sentence in () if self._quiet else self._held:
            typer.echo(sentence, err=True)
        self._held.clear()
