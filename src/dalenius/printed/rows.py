"""The cells of a printed table, put together by the people they are about."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from dalenius.mechanisms.chain import Mechanism
from dalenius.mechanisms.stages.suppression import Suppression
from dalenius.printed.files import PrintedTable
from dalenius.statistics.cells import Condition
from dalenius.statistics.printed_cell import Printed


@dataclass(frozen=True)
class Row:
    """The printed cells of one combination of levels, by value of the secret.

    ``per`` is of how many they are shares, 0 if they are counts. In a ``margin`` at least one public column
    is left out that the table breaks others down by.
    """

    conditions: tuple[Condition, ...]
    label: str
    per: float
    cells: dict[str | None, Printed]
    margin: bool

    def numbers(self, values: Sequence[str]) -> list[float]:
        """The numbers of some values that are printed here."""
        cells = [self.cells[value] for value in values if value in self.cells]
        return [cell.number for cell in cells if not math.isnan(cell.number)]

    def levels_in(self, names: Sequence[str]) -> tuple[Condition, ...]:
        """Its levels of some columns."""
        return tuple(condition for condition in self.conditions if condition[0] in names)

    def prints(self, values: Sequence[str]) -> bool:
        """Whether there is a number for each of these values."""
        return len(self.numbers(values)) == len(values)


def rows_of(table: PrintedTable, digits: str | None = None) -> list[Row]:
    """Put the cells of each combination of levels together, counts and shares apart.

    ``digits`` is what is said of their last digits.
    """
    rows: dict[tuple[tuple[Condition, ...], float], Row] = {}
    depth = max((len(entry.conditions) for entry in table.entries), default=0)
    for entry in table.entries:
        per = entry.printed.per
        fresh = Row(entry.conditions, entry.label, per, {}, len(entry.conditions) < depth)
        rows.setdefault((entry.conditions, per), fresh).cells[entry.value] = replace(
            entry.printed, digits=digits
        )
    return list(rows.values())


def read_blanks(
    rows: Sequence[Row], chain: Mechanism, beside: Sequence[str] = ()
) -> tuple[list[Row], Mechanism]:
    """Settle what empty cells mean, and by which mechanism the table is to be read then.

    An empty cell may be a zero that nobody printed. Where a zero is printed, it is none; but beside a mark
    such as ``*`` it is not the mark of suppression either, and says nothing. Where no zero is printed, zeros
    may be hidden with the small counts, whatever is said of them. A row or column of shares without any
    number may be shares of nobody: nothing divided by nothing is printed as nothing. Columns are told apart
    by the levels of what stands ``beside`` the values of the secret.
    """
    rows = _shares_of_nobody(rows, beside)
    cells = [c for row in rows for value, c in row.cells.items() if value is not None and c.said]
    if not any(cell.blank for cell in cells):
        return list(rows), chain
    if not any(cell.number == 0 for cell in cells):
        return list(rows), Mechanism(
            tuple(replace(s, zeros="hide") if isinstance(s, Suppression) else s for s in chain.stages)
        )
    marked = any(math.isnan(cell.number) and cell.said and not cell.blank for cell in cells)
    if not marked:
        return list(rows), chain
    return [_unsaid(row) for row in rows], chain


def says_nothing(rows: Sequence[Row]) -> list[Row]:
    """The rows of a table without any number, nothing being concluded from empty cells: counts or shares?"""
    values = {value for row in rows for value in row.cells if value is not None}
    return list(rows) if any(row.numbers([*values]) for row in rows) else [_unsaid(row) for row in rows]


def _shares_of_nobody(rows: Sequence[Row], beside: Sequence[str]) -> list[Row]:
    """The rows, nothing being concluded from empty rows and columns of a table with shares.

    An empty column does not even say whether it is one of shares.
    """
    if not any(row.per for row in rows):
        return list(rows)
    seen = {
        (row.levels_in(beside), row.per, value)
        for row in rows
        for value, cell in row.cells.items()
        if not math.isnan(cell.number)
    }

    def unseen(row: Row) -> set[str]:
        own = row.levels_in(beside)
        return {value for value in row.cells if value is not None and (own, row.per, value) not in seen}

    return [_unsaid(row, None if _shares_nothing(row) else unseen(row)) for row in rows]


def _shares_nothing(row: Row) -> bool:
    return bool(row.per) and not row.numbers([*filter(None, row.cells)])


def _unsaid(row: Row, values: set[str] | None = None) -> Row:
    """The row, nothing being concluded from its empty cells; or from those of some values alone."""
    cells = {
        value: replace(cell, said=False) if cell.blank and (values is None or value in values) else cell
        for value, cell in row.cells.items()
    }
    return replace(row, cells=cells)
