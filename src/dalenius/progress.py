"""How long work says where it stands: a callable that takes the share done and a few words.

Rooms below the command line only report; what is drawn is the caller's business.
"""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[float, str], None]


def silent(share: float, doing: str) -> None:
    """Report to nobody: the default everywhere."""
