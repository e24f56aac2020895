"""The ends of an interval as tools write them: numbers, dates, and years or months of dates."""

from __future__ import annotations

import math
import re

from dalenius.records.leaves import Between, Closed
from dalenius.records.row_columns import read_number

_OPEN = ("", "inf", "+inf", "-inf", "∞", "+∞", "-∞")
_PERIOD = re.compile(r"(\d{4})(?:-(\d{2}))?")

CLOSED: dict[tuple[bool, bool], Closed] = {
    (True, True): "both",
    (True, False): "left",
    (False, True): "right",
    (False, False): "neither",
}
"""What an interval is called that holds its lower and its upper end, or not."""


def between(
    column: str, low: str, high: str, *, with_low: bool, with_high: bool, dates: bool
) -> Between | None:
    """Make an interval from the texts of its ends; ``None`` if they cannot be ends, or are in wrong order.

    Parameters
    ----------
    low, high
        The ends; nothing or an infinity leaves that side open. Of a date a year or a month will do: it is held
        as a whole, or not at all.
    with_low, with_high
        Which of them belong to it.
    dates
        Whether the column holds dates.

    Examples
    --------
    >>> between("age", "20", "", with_low=True, with_high=False, dates=False)
    Between(column='age', low=20.0, high=None, closed='left')
    >>> years = between("born", "1970", "1970", with_low=True, with_high=True, dates=True)
    >>> years.low, years.high == 365 * 86_400e6, years.closed
    (0.0, True, 'left')
    """
    start, held_low = _end(low, with_low, dates, after=not with_low)
    stop, held_high = _end(high, with_high, dates, after=with_high)
    for end in (start, stop):
        if end is not None and math.isnan(end):
            return None
    if start is not None and stop is not None and start > stop:
        return None
    # a period ends where the next one starts, which is no longer in it
    return Between(column, start, stop, CLOSED[held_low or _is_period(low, dates), held_high])


def _end(text: str, held: bool, dates: bool, *, after: bool) -> tuple[float | None, bool]:
    """Read one end; of a period its start, or with ``after`` the start of the next one."""
    if text.lower() in _OPEN:
        return None, held
    if not dates:
        value = read_number(text, "float")
        return (read_number(text, "date") if math.isnan(value) else value), held
    found = _PERIOD.fullmatch(text)
    if found is None:
        return read_number(text, "date"), held
    months = 12 * int(found[1]) + int(found[2] or 1) - 1 + after * (1 if found[2] else 12)
    year, month = divmod(months, 12)
    return read_number(f"{year:04d}-{month + 1:02d}-01", "date"), False


def _is_period(text: str, dates: bool) -> bool:
    return dates and _PERIOD.fullmatch(text) is not None
