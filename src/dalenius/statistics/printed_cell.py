"""One cell as it is printed: a number, a percentage, ``<5``, ``100+``, or a mark in place of a hidden one."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

HIDDEN = frozenset(
    {"", "*", "**", "***", "c", "(c)", "[c]", "s", "(s)", "x", "(x)", "[x]", ".", "..", "...", ":"}
)
"""Marks of a cell that was suppressed."""

UNSAID = frozenset({"-", "–", "—", "n/a", "na"})
"""Marks that mean zero in one office and hidden in another: nothing is concluded from them."""

_NUMBER = re.compile(r"[+-]?(\d+|\d{1,3}([,\s\u00a0\u202f]\d{3})+)(\.\d*)?")
_BELOW = re.compile(r"(<=|≤|<|under|below|less than|fewer than|at most|up to)\s*(\d+)")
_ABOVE = re.compile(r"(>=|≥|>|over|above|more than|at least)\s*(\d+)")
_OPEN = re.compile(r"(\d+)\s*(\+|and over|or more|and more|and above|or over)")
_RANGE = re.compile(r"(\d+)\s*(?:-|–|—|to|\.\.)\s*(\d+)")
_NOT_THE_LIMIT = ("<", ">", "under", "below", "less than", "fewer than", "over", "above", "more than")


@dataclass(frozen=True)
class Printed:
    """What one cell says.

    Parameters
    ----------
    number
        The number in it, not a number where there is none.
    low, high
        What the text says about the true count without a number, such as 0 and 4 for ``<5``.
    percent
        Whether the number is a percentage.
    decimals
        Digits after the point.
    said
        Whether the cell says anything, be it only that it is hidden.
    """

    number: float = math.nan
    low: float = -math.inf
    high: float = math.inf
    percent: bool = False
    decimals: int = 0
    said: bool = True


def read_cell(text: str) -> Printed | None:
    """Read one cell; ``None`` if it cannot be read.

    Examples
    --------
    >>> read_cell("1,204").number, read_cell("12.50 %").decimals, read_cell("<5").high
    (1204.0, 2, 4.0)
    >>> read_cell("*").number, read_cell("see note") is None
    (nan, True)
    """
    text = " ".join(text.split()).lower()
    if text in HIDDEN:
        return Printed()
    if text in UNSAID:
        return Printed(said=False)
    percent = text.endswith("%")
    bare = text.removesuffix("%").strip()
    if _NUMBER.fullmatch(bare):
        whole = re.sub(r"[,\s\u00a0\u202f]", "", bare)
        return Printed(float(whole), percent=percent, decimals=len(whole.partition(".")[2]))
    interval = None if percent else read_interval(text)
    return None if interval is None else Printed(low=max(interval[0], 0.0), high=interval[1])


def read_interval(text: str) -> tuple[float, float] | None:
    """Read whole numbers as people write them; ``None`` if the text is no interval.

    Examples
    --------
    >>> read_interval("30-39"), read_interval("60+"), read_interval("under 5")
    ((30.0, 39.0), (60.0, inf), (-inf, 4.0))
    """
    text = " ".join(text.split()).lower()
    if found := _BELOW.fullmatch(text):
        return -math.inf, float(int(found[2]) - (found[1] in _NOT_THE_LIMIT))
    if found := _ABOVE.fullmatch(text):
        return float(int(found[2]) + (found[1] in _NOT_THE_LIMIT)), math.inf
    if found := _OPEN.fullmatch(text):
        return float(found[1]), math.inf
    if (found := _RANGE.fullmatch(text)) and int(found[1]) <= int(found[2]):
        return float(found[1]), float(found[2])
    return None
