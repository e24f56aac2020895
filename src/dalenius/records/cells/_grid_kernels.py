"""Compiled loops over records: the cell of each, and the rows of a matrix from cells."""

from __future__ import annotations

from typing import Any

from dalenius.accelerate import kernel


@kernel
def cells_of(
    records: Any, columns: Any, groups: Any, starts: Any, sizes: Any, table: Any, found: Any
) -> None:
    """Write the cell of each record: what stands in a table at its place, -1 outside the universe."""
    for i in range(records.shape[0]):
        place = 0
        for k in range(columns.size):
            own = groups[starts[k] + records[i, columns[k]]]
            if own < 0:
                place = -1
                break
            place = place * sizes[k] + own
        found[i] = -1 if place < 0 else table[place]


@kernel
def rows_of_cells(cells: Any, first: Any, starts: Any, members: Any) -> None:
    """Write whom each row counts, in the order of records, and where each row begins.

    ``cells`` has a line for each grid with the cell of each record, negative where there is none; ``first``
    is the first row of each grid. ``starts`` has one entry more than rows, all zero at first.
    """
    rows = starts.size - 1
    for g in range(cells.shape[0]):
        for i in range(cells.shape[1]):
            if cells[g, i] >= 0:
                starts[first[g] + cells[g, i] + 1] += 1
    for r in range(rows):
        starts[r + 1] += starts[r]
    for g in range(cells.shape[0]):
        for i in range(cells.shape[1]):
            if cells[g, i] >= 0:
                r = first[g] + cells[g, i]
                members[starts[r]] = i
                starts[r] += 1
    for r in range(rows, 0, -1):
        starts[r] = starts[r - 1]
    starts[0] = 0
