"""What a decoder that was not asked for by name may take."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from dalenius.errors import InputError
from dalenius.reconstruction.attack.cost import Cost, say_bytes, say_seconds

SECONDS = 120.0
"""Predicted seconds that ``auto`` spends on all values of the secret together."""

SEARCH = 0.1
"""Part of them that the search for certain secrets may take, beyond following single rows."""

SHARE = 0.5
"""Part of the machine's memory that ``auto`` takes."""

ELSEWHERE = 4e9
"""Bytes of memory where the machine does not say."""

CGROUP = Path("/sys/fs/cgroup/memory.max")


def machine_memory() -> float:
    """Bytes of memory that this machine has, or that its container allows."""
    if not hasattr(os, "sysconf"):
        return ELSEWHERE
    found = float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")
    allowed = CGROUP.read_text(encoding="ascii").strip() if CGROUP.is_file() else "max"
    return min(found, float(allowed)) if allowed.isdecimal() else found


@dataclass(frozen=True)
class ComputeBudget:
    """Seconds and bytes that a decoder may be predicted to take.

    Examples
    --------
    >>> ComputeBudget(60, 1e9).misses(Cost(300, 1e8))
    'about 5 min'
    >>> ComputeBudget(60, 1e9).misses(Cost(3, 1e8)) is None
    True
    """

    seconds: float = SECONDS
    bytes: float = field(default_factory=lambda: SHARE * machine_memory())

    def __post_init__(self) -> None:
        if not self.seconds > 0 or not self.bytes > 0:
            got = f"{self.seconds:g} s and {self.bytes:g} bytes"
            raise InputError("budget", "must have seconds and bytes above 0", got)

    def misses(self, cost: Cost) -> str | None:
        """What of a cost does not fit, in words; ``None`` if all does."""
        words = [say_seconds(cost.seconds)] if cost.seconds > self.seconds else []
        if cost.bytes > self.bytes:
            words.append(say_bytes(cost.bytes))
        return " and ".join(words) or None
