"""Tables that were rounded though nobody said so: all of their counts are multiples of one number.

Read as exact, such a table proves records that are not there. Counts that nobody changed are all multiples of
a base by chance now and then; the more cells, the less.
"""

from __future__ import annotations

from math import gcd, isnan

from dalenius.errors import InputError
from dalenius.records.published.measures import COUNT
from dalenius.records.published.sheets import RecordTable

LEAST_BASE = 3
"""What tables are rounded to at least; couples make counts even."""

BY_CHANCE = 0.002
"""The chance below which counts are no longer taken for multiples by chance."""


def base_of(counts: list[int]) -> int | None:
    """The number that all counts are multiples of, where chance does not explain it.

    A count that nobody changed is a multiple of b once in b at the most, about; cells of 0 say nothing.

    Examples
    --------
    >>> base_of([3, 6, 0, 3, 9, 3, 12]), base_of([3, 6, 0, 9]), base_of([5, 10, 15, 35, 7]), base_of([2] * 20)
    (3, None, None, None)
    """
    some = [count for count in counts if count]
    base = gcd(*some) if some else 0
    return base if base >= LEAST_BASE and base ** -len(some) <= BY_CHANCE else None


def check_unsaid(table: RecordTable) -> None:
    """Refuse a table that looks rounded, of which nobody said what was done to its counts.

    Raises
    ------
    InputError
        If all counts are multiples of a number: whether they were rounded decides what is certain.
    """
    printed = [cell.printed.number for cell in table.cells if cell.measure == COUNT]
    numbers = [number for number in printed if not isnan(number)]
    if not all(number.is_integer() for number in numbers):
        return
    base = base_of([int(number) for number in numbers])
    if base is not None:
        raise InputError(
            f"table {table.name}",
            "must say what was done to its counts",
            f"nothing said, and multiples of {base} alone",
            f"State --mechanism {table.name}=rounding:base={base}, or {table.name}=exact if nothing was.",
        )
