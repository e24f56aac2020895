"""From printed sums, means, medians and shares to rows over records; what each says, and never more."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from dalenius.errors import InputError
from dalenius.records.cells.columns import Where
from dalenius.records.cells.sums import (
    Ends,
    EvenMedian,
    LevelNumbers,
    SumCell,
    mean_cells,
    median_cells,
    share_cells,
    total_cells,
)
from dalenius.records.published.levels import SharedLevels
from dalenius.records.published.nesting import band_of
from dalenius.records.published.said import FULL
from dalenius.records.published.sheets import LabelledCell
from dalenius.statistics.printed_cell import DIGITS, Printed

FINEST = 10**6
"""Decimals of printed numbers are read up to six places."""


@dataclass(frozen=True)
class WeighedCell:
    """A printed number that is no count, whom it is about, and of whom it is a share."""

    cell: LabelledCell
    where: Where
    base: Where
    table: str


def number_column(shared: SharedLevels, column: str, table: str) -> LevelNumbers:
    """The numbers behind the levels of a column.

    Raises
    ------
    InputError
        If there is no such column, or its levels are neither numbers nor bands of them.
    """
    name = shared.fine.get(column, column)
    if name not in shared.columns.names:
        raise InputError(
            f"table {table}",
            "must have sums, means and medians of a column of the tables",
            f"none called {column!r}",
            f"State --numbers {column}=0-125 if no table breaks it down.",
        )
    at = shared.columns.position(name)
    least: list[int | None] = []
    most: list[int | None] = []
    for label in shared.columns.levels[at]:
        band = band_of(label)
        if band is None:
            rule = "must have numbers or bands as labels where a table has its sum, mean or median"
            raise InputError(f"column {name!r}", rule, "others")
        least.append(None if math.isinf(band[0]) else int(band[0]))
        most.append(None if math.isinf(band[1]) else int(band[1]) - 1)
    return LevelNumbers(at, name, tuple(least), tuple(most))


def rows_of(
    weighed: WeighedCell, shared: SharedLevels, people: Mapping[Where, int]
) -> tuple[list[SumCell], list[EvenMedian]]:
    """What a number says; ``people`` are groups of which it is known how many they are."""
    cell, where, table = weighed.cell, weighed.where, weighed.table
    printed, measure = cell.printed, cell.measure
    if math.isnan(printed.number):
        return [], []
    if measure.kind == "share":
        low, high = _ends(printed)
        per = Fraction(measure.per or printed.per)
        low, high = max(low / per, Fraction(0)), min(high / per, Fraction(1))
        if low > high:
            raise InputError(f"{table}, {cell.place}", "must be a share of people, 0 to all", "another")
        return share_cells(where, weighed.base, (low, high), table), []
    column = number_column(shared, next(iter(measure.of or ("",))), table)
    if measure.kind == "sum":
        whole = printed.unit <= 1 and printed.number == int(printed.number)
        exact = Fraction(printed.number).limit_denominator(FINEST)
        return total_cells(column, where, (exact, exact) if whole else _ends(printed), table), []
    count = people.get(where)
    if measure.kind == "mean":
        low, high = _ends(printed)
        if count is None:
            return mean_cells(column, where, (low, high), table), []
        return total_cells(column, where, (low * count, high * count), table), []
    ends = _median_ends(printed, count)
    rows = median_cells(column, where, ends, table)
    if count is None or count % 2 or ends[0] != ends[1] or not column.single:
        return rows, []
    values = tuple(value or 0 for value in column.least)
    return rows, [EvenMedian(where, column.at, values, int(2 * ends[0]), count, table)]


def _ends(printed: Printed) -> Ends:
    """Between which numbers the true one is: rounded, or the rest cut off."""
    number, down, up = (
        Fraction(each).limit_denominator(FINEST) for each in (printed.number, printed.down, printed.up)
    )
    return number - down, number + up


def _median_ends(printed: Printed, people: int | None) -> Ends:
    """Between which halves a median of whole numbers is; of an odd number of people it is one of them."""
    low, high = _ends(printed)
    parts = 1 if people is not None and people % 2 else 2
    return Fraction(math.ceil(low * parts), parts), Fraction(math.ceil(high * parts) - 1, parts)


def finest(cells: list[LabelledCell], digits: str | None) -> list[LabelledCell]:
    """Numbers of one column, each as exact as the finest of them: 33.0 beside 36.7 is no 33.

    ``digits`` says that the last digit is rounded, that what follows is cut off, or that 33.0 is printed in
    full and never stands for a rounded 33.
    """
    shown = min((each.printed.shown for each in cells if not math.isnan(each.printed.number)), default=1.0)
    if digits == FULL:
        shown = 0.0
    said = digits if digits in DIGITS else None
    return [
        replace(each, printed=replace(each.printed, shown=min(shown, each.printed.shown), digits=said))
        for each in cells
    ]
