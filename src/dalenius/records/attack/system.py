"""Records that can be there, and rows that say how many of them there are: whole numbers throughout."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from dalenius.records.attack.support import MOST_PARTIAL, find_support
from dalenius.records.cells.cell import PublishedCell
from dalenius.records.cells.columns import RecordColumns
from dalenius.records.cells.grid import Codes, GroupedCells, Whole


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
        Where the rows come from, in their order; then come the ``sums``.
    """

    columns: RecordColumns
    records: Codes
    rows: sparse.csr_array
    low: Whole
    high: Whole
    grids: tuple[GroupedCells, ...]
    sums: tuple[PublishedCell, ...]

    def name_of(self, row: int) -> tuple[str, str]:
        """The table of a row, and whom it counts."""
        for grid in self.grids:
            if row < grid.places.size:
                return grid.table, self.columns.words(grid.where(row))
            row -= grid.places.size
        return self.sums[row].table, f"sum over {self.columns.words(self.sums[row].where)}"


def make_system(
    columns: RecordColumns,
    grids: Sequence[GroupedCells],
    sums: Sequence[PublishedCell] = (),
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
    entries: list[tuple[Whole, Whole, Whole]] = []
    before = 0
    forbidden = np.zeros(len(records), np.bool_)
    for grid in grids:
        row = grid.row_of(records)
        forbidden |= row == -2
        inside = np.flatnonzero(row >= 0)
        entries.append((row[inside] + before, inside, np.ones(inside.size, np.int64)))
        before += grid.places.size
    for at, each in enumerate(sums):
        inside, adds = _members(records, each)
        entries.append((np.full(inside.size, before + at), inside, adds))
    shape = before + len(sums), len(records)
    rows, inside, adds = (
        np.concatenate([entry[part] for entry in entries] or [np.zeros(0, np.int64)]) for part in range(3)
    )
    make: Any = sparse.csr_array  # its types know no whole numbers
    matrix = make((adds, (rows, inside)), shape=shape, dtype=np.int64)
    low = np.concatenate([*(grid.low for grid in grids), np.array([each.low for each in sums], np.int64)])
    high = np.concatenate([*(grid.high for grid in grids), np.array([each.high for each in sums], np.int64)])
    if forbidden.any():
        keep = ~forbidden
        matrix, records = matrix[:, keep], records[keep]
    matrix.sort_indices()
    return CellSystem(columns, records, matrix, low, high, tuple(grids), tuple(sums))


def _members(records: Codes, each: PublishedCell) -> tuple[Whole, Whole]:
    """Which records a sum is over, and what each adds to it."""
    keep = np.ones(len(records), np.bool_)
    for column, levels in each.where:
        keep &= np.isin(records[:, column], levels)
    inside = np.flatnonzero(keep)
    if each.weights is None:
        return inside, np.ones(inside.size, np.int64)
    adds = np.array(each.weights.values, np.int64)[records[inside, each.weights.column]]
    return inside[adds != 0], adds[adds != 0]
