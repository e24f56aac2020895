"""What the labels of a printed table mean: a level, a band of numbers, or a margin."""

from __future__ import annotations

from dalenius.records.schema import Column
from dalenius.statistics.printed_cell import read_interval

_MARGINS = frozenset({"total", "totals", "all", "sum", "overall", "everybody", "everyone", "any", "(all)"})


def is_margin(label: str) -> bool:
    """Whether a label stands for everybody.

    Examples
    --------
    >>> is_margin("Total"), is_margin("All persons"), is_margin("Allegheny")
    (True, True, False)
    """
    words = label.lower().split()
    return label.lower() in _MARGINS or (bool(words) and words[0] in ("all", "total"))


def levels_of(column: Column, label: str) -> tuple[str, ...] | None:
    """The levels of a column that a label stands for: one, or those in a band such as ``30-39``.

    ``None`` if nobody has such a level.

    Examples
    --------
    >>> from dalenius.records.schema import Kind, Role
    >>> age = Column("age", Role.PUBLIC, Kind.CATEGORICAL, ("28", "31", "35", "62"))
    >>> levels_of(age, "31"), levels_of(age, "30-39"), levels_of(age, "60+"), levels_of(age, "thirty")
    (('31',), ('31', '35'), ('62',), None)
    """
    if label in column.levels:
        return (label,)
    for same in (str.casefold, _number):
        wanted = same(label)
        alike = tuple(level for level in column.levels if wanted is not None and same(level) == wanted)
        if len(alike) == 1:
            return alike
    numbers = [_number(level) for level in column.levels]
    band = read_interval(label)
    if band is None or any(number is None for number in numbers):
        return None
    inside = [number is not None and band[0] <= number < band[1] + 1 for number in numbers]
    return tuple(level for level, within in zip(column.levels, inside, strict=True) if within) or None


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
