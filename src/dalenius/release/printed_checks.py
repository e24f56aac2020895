"""Whether a printed table can be about the people on a list."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dalenius.errors import InputError, nearest
from dalenius.mechanisms.chain import Mechanism
from dalenius.records.roster import Roster
from dalenius.records.schema import Column
from dalenius.statistics.cells import Condition
from dalenius.statistics.printed_cell import Printed
from dalenius.statistics.table_files import PrintedTable

SLACK = 1e-9
"""Percentages are decimal fractions: their ends may be off by this much."""


@dataclass(frozen=True)
class Row:
    """The printed cells of one combination of levels, by value of the secret."""

    conditions: tuple[Condition, ...]
    label: str
    cells: dict[str | None, Printed]


def rows_of(table: PrintedTable) -> list[Row]:
    """Put the cells of each combination of levels together."""
    rows: dict[tuple[Condition, ...], Row] = {}
    for entry in table.entries:
        row = rows.setdefault(entry.conditions, Row(entry.conditions, entry.label, {}))
        row.cells[entry.value] = entry.printed
    return list(rows.values())


def refuse_unlisted(tables: Sequence[PrintedTable], roster: Roster) -> None:
    """Refuse people with a level that no table has, where tables have the column."""
    listed: dict[str, set[str]] = {}
    for name, levels in {condition for t in tables for e in t.entries for condition in e.conditions}:
        listed.setdefault(name, set()).update(levels)
    for name, known in sorted(listed.items()):
        at = roster.attributes.position(name)
        column = roster.attributes.columns[at]
        used, people = np.unique(roster.attributes.codes[:, at], return_counts=True)
        for code, count in zip(used, people, strict=True):
            if column.levels[code] not in known:
                raise InputError(
                    f"level {column.levels[code]!r} of {name!r}",
                    "must be in one of the tables",
                    f"{count:,} people with it and no such row or column",
                    "Spell the levels of the list of people as the tables do.",
                )


@dataclass(frozen=True)
class Checks:
    """One table, what is said about its numbers, and the values and levels that it may speak of.

    ``half`` is half a unit of the last digit of its percentages, which are of everybody or of each row.
    """

    table: PrintedTable
    chain: Mechanism
    levels: tuple[str, ...]
    columns: Mapping[str, Column]
    half: float
    of_everybody: bool

    def check(self, row: Row, total: float) -> None:
        """Refuse a row that these people cannot have given."""
        self._check_levels(row)
        whole = row.cells.get(None)
        if whole is not None and not whole.percent and not self._allows(whole, total):
            raise self._disagrees(row, total, _shown(whole))
        counted = [row.cells.get(value) for value in self.levels]
        parts = [cell for cell in counted if cell is not None and cell.said]
        if len(parts) < len(self.levels):
            return
        if all(part.percent for part in parts):
            self._check_percentages(row, parts)
        elif not any(part.percent for part in parts):
            intervals = [self._interval(part, row.label) for part in parts]
            if not sum(i[0] for i in intervals) <= total <= sum(i[1] for i in intervals):
                numbers = " + ".join(_shown(part) for part in parts)
                raise self._disagrees(row, total, numbers)

    def _allows(self, cell: Printed, total: float) -> bool:
        """Whether a printed number of people can be theirs; such numbers are often printed as they are."""
        if cell.number == total:
            return True
        try:
            low, high = self._interval(cell, "total")
        except InputError:
            return False
        return low <= total <= high

    def _interval(self, cell: Printed, label: str) -> tuple[float, float]:
        error = self.chain.error(np.array([[cell.number]]), labels=lambda: [f"{self.table.name}: {label}"])
        return max(float(error.low[0, 0]), cell.low), min(float(error.high[0, 0]), cell.high)

    def _disagrees(self, row: Row, total: float, got: str) -> InputError:
        return InputError(
            f"{self.table.name}: {row.label!r}",
            f"must add up to the {total:,.0f} people on the list",
            got,
            f"Check the list of people, and --mechanism ({self.chain}){self._hint()}.",
        )

    def _hint(self) -> str:
        """Say so if all numbers are multiples: somebody rounded them."""
        counted = [e.printed.number for e in self.table.entries if e.value is not None]
        numbers = [number for number in counted if not math.isnan(number)]
        for base in (10, 5, 3):
            if len(numbers) > 3 and any(numbers) and all(number % base == 0 for number in numbers):
                return f"; all counts are multiples of {base}, as with rounding:base={base}"
        return ""

    def _check_percentages(self, row: Row, parts: Sequence[Printed]) -> None:
        numbers = [part.number for part in parts]
        if self.of_everybody or any(map(math.isnan, numbers)):
            return
        if abs(sum(numbers) - 100) > self.half * len(numbers) + SLACK:
            raise InputError(
                f"{self.table.name}: {row.label!r}",
                "must have percentages of its row, which add up to 100, or of everybody",
                f"{' + '.join(f'{number:g}' for number in numbers)} = {sum(numbers):g}",
                "Give --group-size if they are percentages of all people.",
            )

    def _check_levels(self, row: Row) -> None:
        printed = [cell.number for cell in row.cells.values() if cell.number > 0]
        for (name, levels), words in zip(row.conditions, row.label.split(" & "), strict=False):
            if not levels and printed and max(self._interval(Printed(printed[0]), row.label)[0], 0) > 0:
                label = words.partition("=")[2]
                raise InputError(
                    f"{self.table.name}: level {label!r} of {name!r}",
                    "must be somebody's",
                    f"{printed[0]:g} people printed, and nobody on the list",
                    nearest(label, self.columns[name].levels),
                )


def _shown(cell: Printed) -> str:
    if not math.isnan(cell.number):
        return f"{cell.number:g}"
    return "hidden" if math.isinf(cell.high) else f"at most {cell.high:g}"
