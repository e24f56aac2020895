"""What may be so of printed tables though nobody said it.

Margins may be sums of protected cells: then they say nothing that the cells do not say. A table may have
been rounded: all of its counts are multiples of one number. And a label may be a total in words that nobody
here knows: it counts as many as all others of its column. Read as exact, and as people of their own, such
numbers prove records that are not there. Counts look so by chance now and then; the more cells, the less.
"""

from __future__ import annotations

import math
from collections.abc import Sequence, Set

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.mechanisms.chain import Mechanism
from dalenius.records.cells.columns import RecordColumns, Where
from dalenius.records.published.measures import COUNT
from dalenius.records.published.nesting import band_of
from dalenius.records.published.sheets import RecordTable

Floats = NDArray[np.float64]
Kind = tuple[int, ...]

SUM_BY_CHANCE = 0.01
"""The chance below which numbers are not taken for sums by chance: to ask costs less than to be wrong."""

MOST_LABELS = 2_000
"""Labels of a column among which totals are looked for."""


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


def check_totals(table: RecordTable, chain: Mechanism, listed: Set[str]) -> None:
    """Refuse a table in which a label of a column seems to be the sum of others; not of columns listed.

    Its people would be taken for others, and their records for certain.

    Raises
    ------
    InputError
        If it counts as many as those before or after it, wherever they are printed.
    """
    shape, sd = chain.noise
    for column in (name for name in table.columns if name not in listed):
        labels, numbers = _lines_of(table, column)
        exact = shape == "none"
        away = len(labels) * max(map(abs, chain.moves)) if exact else 4 * sd * len(labels) ** 0.5
        found = _sum_among(numbers, away) if 2 < len(labels) <= MOST_LABELS and len(numbers) else None
        if found is not None and band_of(labels[found[0]]) is None:
            at, parts = found
            raise InputError(
                f"table {table.name}, column {column!r}",
                "must call a total Total, or say what lies within what",
                f"{labels[at]!r}, which counts as many as {parts} labels beside it together",
                "Write Total for a total; --nesting FILE says what lies within a part, or lists all labels "
                "if each is a level of its own.",
            )


def _lines_of(table: RecordTable, column: str) -> tuple[list[str], Floats]:
    """The labels of a column in their order, and their numbers in every line in which all are printed."""
    lines: dict[tuple[tuple[str, str], ...], dict[str, float]] = {}
    for cell in table.cells:
        if cell.measure == COUNT and column in cell.labels and not math.isnan(cell.printed.number):
            rest = tuple(sorted((name, label) for name, label in cell.labels.items() if name != column))
            lines.setdefault(rest, {})[cell.labels[column]] = cell.printed.number
    labels = list(dict.fromkeys(label for line in lines.values() for label in line))
    full = [[line[label] for label in labels] for line in lines.values() if len(line) == len(labels)]
    return labels, np.array(full)


def _sum_among(numbers: Floats, away: float) -> tuple[int, int] | None:
    """Which column is the sum of how many beside it in every line, where chance does not explain it.

    Examples
    --------
    >>> _sum_among(np.array([[70.0, 30.0, 40.0, 5.0], [90.0, 50.0, 40.0, 8.0], [60.0, 25.0, 35.0, 1.0]]), 0.0)
    (0, 2)
    >>> _sum_among(np.array([[3.0, 1.0, 2.0]]), 0.0) is None
    True
    """
    size = numbers.shape[1]
    chance = np.minimum(1.0, (1 + 2 * away) / (1 + numbers)).prod(axis=0)
    for at in range(size):
        for beside in (numbers[:, at + 1 :], numbers[:, :at][:, ::-1]):
            sums = np.cumsum(beside, axis=1)[:, 1:]
            equal = np.flatnonzero((np.abs(sums - numbers[:, [at]]) <= away).all(axis=0))
            if not equal.size:
                continue
            looks = (
                1 if equal[0] + 3 == size else 2 * size
            )  # a total is of all others, a part may be anywhere
            if chance[at] * looks <= SUM_BY_CHANCE:
                return at, int(equal[0]) + 2
    return None
