"""The ends of an interval as tools write them: numbers, dates, and years or months of dates."""

from __future__ import annotations

import math
import re

from dalenius.conditions.leaves import Between, Closed
from dalenius.people.rows.columns import NumberKind, number, read_number

_OPEN = ("", "inf", "+inf", "-inf", "∞", "+∞", "-∞")
_PERIOD = re.compile(r"(\d{4})(?:-(0[1-9]|1[0-2]))?")

_CLOSED: dict[tuple[bool, bool], Closed] = {
    (True, True): "both",
    (True, False): "left",
    (False, True): "right",
    (False, False): "neither",
}


def between(
    column: str, low: str, high: str, *, with_low: bool, with_high: bool, kind: NumberKind | None
) -> Between | None:
    """Make an interval from the texts of its ends; ``None`` if they cannot be ends, or nothing lies between.

    Parameters
    ----------
    low, high
        The ends; nothing or an infinity leaves that side open. In a column of dates a year or a month will
        do: all of it is held, or nothing.
    with_low, with_high
        Which of them belong to it.
    kind
        What the column holds; ``None`` if that is not known, or text.

    Examples
    --------
    >>> between("age", "20", "", with_low=True, with_high=False, kind="integer")
    Between(column='age', low=20.0, high=None, closed='left')
    >>> year = between("born", "1970", "1970", with_low=True, with_high=True, kind="date")
    >>> year.low, year.high == 365 * 86_400e6, year.closed
    (0.0, True, 'left')
    """
    start, stop = _place(low, kind, after=not with_low), _place(high, kind, after=with_high)
    if any(end is not None and math.isnan(end) for end in (start, stop)):
        return None
    # a period was replaced by where it starts, or by where the next one does, which is not in it
    closed = _CLOSED[with_low or is_period(low, kind), with_high and not is_period(high, kind)]
    if start is not None and stop is not None and (start > stop or (start == stop and closed != "both")):
        return None
    return Between(column, start, stop, closed)


def is_period(text: str, kind: NumberKind | None) -> bool:
    """Whether a text is a year or a month in a column of dates."""
    return kind == "date" and _PERIOD.fullmatch(text) is not None


def _place(text: str, kind: NumberKind | None, *, after: bool) -> float | None:
    """Where an end lies, NaN if nowhere; of a period where it starts, or the next one with ``after``."""
    if text.lower() in _OPEN:
        return None
    if is_period(text, kind):
        year, _, month = text.partition("-")
        months = 12 * int(year) + (int(month) - 1 if month else 0)
        months += after * (1 if month else 12)
        text = f"{months // 12:04d}-{months % 12 + 1:02d}-01"
    if kind is not None:
        return read_number(text, kind)
    value = number(text)
    return read_number(text, "date") if math.isnan(value) else value
