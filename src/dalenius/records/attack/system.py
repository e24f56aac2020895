"""Records that can be there, and rows that say how many of them there are: whole numbers throughout."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from dalenius.records.attack.support import MOST_PARTIAL, find_support
from dalenius.records.cells._grid_kernels import rows_of_cells
from dalenius.records.cells.columns import RecordColumns
from dalenius.records.cells.grid import EMPTY_PLACE, Codes, GroupedCells, Whole
from dalenius.records.cells.sums import EvenMedian, SumCell


@dataclass(frozen=True)
class CellSystem:
    """``low <= A x <= high`` for the number ``x`` of people with each record.

    Parameters
    ----------
    columns
        What records are made of.
    records
        Those that no zero forbids, one row of levels each.
    rows
        The matrix ``A`` by rows: 1 where a record counts in a cell, or what it adds to a sum.
    low, high
        Between which numbers each row is.
    grids
        Where the rows come from, in their order; then come the ``sums`` and the ``medians``.
    choices
        How many columns of the matrix come after those of the records: which two people a median lies
        between. They are 0 or 1, and no people.
    """

    columns: RecordColumns
    records: Codes
    rows: sparse.csr_array
    low: Whole
    high: Whole
    grids: tuple[GroupedCells, ...]
    sums: tuple[SumCell, ...] = ()
    medians: tuple[EvenMedian, ...] = ()
    choices: int = 0

    def name_of(self, row: int) -> tuple[str, str]:
        """The table of a row, and whom it counts."""
        for grid in self.grids:
            if row < grid.places.size:
                return grid.table, self.columns.words(grid.where(row))
            row -= grid.places.size
        if row < len(self.sums):
            return self.sums[row].table, self.sums[row].said
        return "", "median"

    def most(self, people: int) -> Whole:
        """A high end of every column: so many people with a record, and a choice is made or not."""
        return np.concatenate([np.full(len(self.records), people), np.ones(self.choices, np.int64)])


def make_system(
    columns: RecordColumns,
    grids: Sequence[GroupedCells],
    sums: Sequence[SumCell] = (),
    medians: Sequence[EvenMedian] = (),
    most: int = MOST_PARTIAL,
) -> CellSystem:
    """Find the support and write down the rows.

    Examples
    --------
    >>> from dalenius.records.cells.cell import cell
    >>> from dalenius.records.cells.grid import grids_of
    >>> columns = RecordColumns.of({"sex": ["f", "m"]})
    >>> system = make_system(columns, grids_of(columns, [cell(columns, {"sex": ["f"]}, 2, 3)]))
    >>> system.rows.toarray().tolist(), system.name_of(0)
    ([[1, 0]], ('table', 'sex=f'))
    """
    records = find_support(columns, grids, most)
    found = [grid.row_of(records) for grid in grids]
    if any((row == EMPTY_PLACE).any() for row in found):
        keep = np.all([row != EMPTY_PLACE for row in found], axis=0)
        records, found = records[keep], [row[keep] for row in found]
    entries = _RowEntries()
    for each in sums:
        entries.add_row(each.adds(records), np.zeros(0, np.int64), 0, (each.low, each.high))
    choices = 0
    for median in medians:
        for adds, chosen, *ends in median.rows(records):
            entries.add_row(adds, chosen, len(records) + choices, (ends[0], ends[1]))
        choices += len(median.pairs)
    width = len(records) + choices
    counted = _rows_of_cells(grids, found, width)
    matrix, *beside = entries.matrix(width)
    if entries.count:
        counted = sparse.vstack([counted, matrix], format="csr")
    low = np.concatenate([*(grid.low for grid in grids), beside[0]])
    high = np.concatenate([*(grid.high for grid in grids), beside[1]])
    return CellSystem(
        columns, records, counted, low, high, tuple(grids), tuple(sums), tuple(medians), choices
    )


def _rows_of_cells(grids: Sequence[GroupedCells], found: Sequence[Whole], width: int) -> sparse.csr_array:
    """The cells of all grids as rows of ones, by the cell that each record is found in."""
    first = np.cumsum([0, *(grid.places.size for grid in grids)])
    cells = np.array(found, np.int32).reshape(len(grids), found[0].size if found else 0)
    entries = int((cells >= 0).sum())
    number = np.int32 if entries <= np.iinfo(np.int32).max else np.int64
    starts, members = np.zeros(first[-1] + 1, number), np.empty(entries, number)
    rows_of_cells(cells, first[:-1], starts, members)
    make: Any = sparse.csr_array  # its types know no whole numbers
    rows: sparse.csr_array = make(
        (np.ones(members.size, np.int64), members, starts), shape=(int(first[-1]), width)
    )
    rows.has_sorted_indices = True
    return rows


class _RowEntries:
    """A sparse matrix while rows are still added."""

    def __init__(self) -> None:
        self.parts: list[tuple[Whole, Whole, Whole]] = [(np.zeros(0, np.int64),) * 3]
        self.ends: list[tuple[Whole, Whole]] = [(np.zeros(0, np.int64),) * 2]
        self.count = 0

    def add(self, row: Whole, column: Whole, adds: Whole, ends: tuple[Whole, Whole]) -> None:
        """Add rows: what stands where, and between which numbers they are."""
        self.parts.append((row + self.count, column, adds))
        self.ends.append(ends)
        self.count += ends[0].size

    def add_row(self, adds: Whole, chosen: Whole, first: int, ends: tuple[int, int]) -> None:
        """Add one row: over all records, and over choices from a column on."""
        own, beside = np.flatnonzero(adds), np.flatnonzero(chosen)
        column = np.concatenate([own, first + beside])
        numbers = np.concatenate([adds[own], chosen[beside]])
        self.add(np.zeros(column.size, np.int64), column, numbers, (np.array(ends[:1]), np.array(ends[1:])))

    def matrix(self, width: int) -> tuple[sparse.csr_array, Whole, Whole]:
        """All rows, and their ends."""
        rows, columns, adds = (np.concatenate(part) for part in zip(*self.parts, strict=True))
        make: Any = sparse.csr_array  # its types know no whole numbers
        found = make((adds, (rows, columns)), shape=(self.count, width), dtype=np.int64)
        found.sort_indices()
        low, high = (np.concatenate(side) for side in zip(*self.ends, strict=True))
        return found, low, high
