"""What recoded labels stand for: the ends of an interval as tools write them, and the values below a label.

Ends are numbers, dates, and years or months of dates. A hierarchy of generalisation is read from its labels:
what is below a label, and which labels are next.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

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


@dataclass(frozen=True, eq=False)
class LabelTree:
    """The labels of a hierarchy, see `dalenius.mechanisms.anonymise.hierarchy.Hierarchy`.

    Parameters
    ----------
    labels
        For each value its labels from itself to the top, as many for all.

    Examples
    --------
    >>> towns = LabelTree({"Bern": ("Bern", "west", "*"), "Zug": ("Zug", "east", "*")})
    >>> towns.leaves_below("west"), towns.children("*")
    (('Bern',), ('west', 'east'))
    """

    labels: Mapping[str, tuple[str, ...]]

    @cached_property
    def _levels(self) -> tuple[dict[str, list[str]], ...]:
        """For every level from the values on, the values below each label."""
        levels: tuple[dict[str, list[str]], ...] = tuple({} for _ in next(iter(self.labels.values())))
        for value, path in self.labels.items():
            for labels, label in zip(levels, path, strict=True):
                labels.setdefault(label, []).append(value)
        return levels

    def knows(self, label: str) -> bool:
        """Whether a label is on one of the upper levels."""
        return any(label in labels for labels in self._levels[1:])

    def leaves_below(self, label: str, level: int | None = None) -> tuple[str, ...]:
        """All values that have a label, on one level or on any upper one."""
        levels = self._levels[1:] if level is None else self._levels[level : level + 1]
        found = dict.fromkeys(leaf for labels in levels for leaf in labels.get(label, ()))
        return tuple(found)

    def common_level(self, texts: Sequence[str]) -> int | None:
        """The lowest level on which all these labels are: the whole column was recoded to it."""
        for level, labels in enumerate(self._levels):
            if all(text.strip() in labels for text in texts):
                return level
        return None

    def children(self, label: str) -> tuple[str, ...]:
        """The labels one level below, where a label first means more than one of them."""
        for level in range(1, len(self._levels)):
            if label in self._levels[level]:
                below = dict.fromkeys(
                    path[level - 1] for path in self.labels.values() if path[level] == label
                )
                if len(below) > 1:
                    return tuple(below)
        return ()
