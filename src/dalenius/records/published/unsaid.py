"""What may have been done to printed tables though nobody said so.

Margins may be sums of protected cells: then they say nothing that the cells do not say. And a table may have
been rounded: all of its counts are multiples of one number. Read as exact, it proves records that are not
there. Counts that nobody changed are all multiples of a base by chance now and then; the more cells, the
less.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from dalenius.errors import InputError
from dalenius.records.cells.columns import RecordColumns, Where
from dalenius.records.published.measures import COUNT
from dalenius.records.published.sheets import RecordTable

Kind = tuple[int, ...]


def summed_cells(
    columns: RecordColumns, wheres: Sequence[Where], numbers: Sequence[float], margin: Sequence[bool]
) -> set[int]:
    """Return the margins of a table that are not to be used, since they may be sums of what is printed.

    Margins over the same columns were made in the same way: one that is no sum of the visible numbers below
    it shows that none of them is.

    Examples
    --------
    >>> columns = RecordColumns.of({"sex": ["f", "m"]})
    >>> wheres = [((0, (0,)),), ((0, (1,)),), ()]
    >>> summed_cells(columns, wheres, [5, 10, 15], [False, False, True])
    {2}
    >>> summed_cells(columns, wheres, [5, math.nan, 15], [False, False, True])
    set()
    """
    inner = [j for j, own in enumerate(margin) if not own]
    kinds: dict[Kind, list[int]] = {}
    for j, own in enumerate(margin):
        if own:
            kinds.setdefault(tuple(at for at, _ in wheres[j]), []).append(j)
    found: set[int] = set()
    for same in kinds.values():
        if all(_may_be_sum(wheres, numbers, j, inner) for j in same):
            found.update(same)
    return found


def _may_be_sum(wheres: Sequence[Where], numbers: Sequence[float], at: int, inner: Sequence[int]) -> bool:
    if math.isnan(numbers[at]):
        return True
    wanted = {column: set(levels) for column, levels in wheres[at]}
    total = 0.0
    for j in inner:
        own = dict(wheres[j])
        inside = all(column in own and set(own[column]) <= levels for column, levels in wanted.items())
        if inside and not math.isnan(numbers[j]):
            total += numbers[j]
    return abs(total - numbers[at]) < 1e-9


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
    base = math.gcd(*some) if some else 0
    return base if base >= LEAST_BASE and base ** -len(some) <= BY_CHANCE else None


def check_unsaid(table: RecordTable) -> None:
    """Refuse a table that looks rounded, of which nobody said what was done to its counts.

    Raises
    ------
    InputError
        If all counts are multiples of a number: whether they were rounded decides what is certain.
    """
    printed = [cell.printed.number for cell in table.cells if cell.measure == COUNT]
    numbers = [number for number in printed if not math.isnan(number)]
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
