"""How long work says where it stands: a callable that takes the share done and a few words.

Rooms below the command line only report; what is drawn is the caller's business.
"""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[float, str], None]

Announce = Callable[[str], None]
"""Takes a sentence that a reader wants before long work, not after it."""


def silent(share: float, doing: str) -> None:
    """Report to nobody: the default everywhere."""


def within(progress: Progress, start: float, end: float) -> Progress:
    """Report a part of longer work: its own 0 and 1 are these shares of the whole.

    Examples
    --------
    >>> within(lambda share, doing: print(share, doing), 0.5, 1.0)(0.5, "counting")
    0.75 counting
    """
    return lambda share, doing: progress(start + (end - start) * share, doing)


def saying(progress: Progress, before: str) -> Progress:
    """Report with words before: what the work is part of.

    Examples
    --------
    >>> saying(lambda share, doing: print(share, doing), "making planned")(0.5, "counting")
    0.5 making planned: counting
    """
    return lambda share, doing: progress(share, f"{before}: {doing}")


def unsaid(sentence: str) -> None:
    """Announce to nobody."""
