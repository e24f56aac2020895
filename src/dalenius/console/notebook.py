"""A bar in a notebook, for work that turns out to be long: plain HTML, gone when the work is done."""

from __future__ import annotations

import html
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from dalenius.console.progress import PATIENCE
from dalenius.progress import Progress, silent

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
