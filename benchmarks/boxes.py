"""Rows in many boxes: bits and stretches of like rows against a look at every value with NumPy.

Run with ``python -m benchmarks.boxes``. The peer compares a column for each side of a box, later ones for the
rows that are left; it is timed on a share of the boxes and scaled up, as each costs it the same. Making rows
ready counts as ours. Counts and rows must agree. CPU seconds of all threads; peak memory of both.
"""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from benchmarks.common import best_by_turns, peak_megabytes
from dalenius.conditions.boxes.boxes import Boxes, IndexedRows, Inside, rows_inside
from dalenius.people.rows.columns import NumberColumn
from dalenius.people.rows.rows import Rows

ROWS, COLUMNS, BOXES, LIMIT = 200_000, 10, 10_000, 3
PEER_BOXES, REPEATS = 200, 3
WIDTHS = (2, 4, 8)
PER_BOX = 2.0
"""Rows that a box holds on average."""
GOAL = 20.0
"""How many times faster than NumPy boxes of four columns must be."""

Floats = NDArray[np.float64]


def main() -> None:
    """Print the table; fail if the goal is missed."""
    console = Console()
    table = Table(title=f"{BOXES:,} boxes over {ROWS:,} rows and {COLUMNS} columns of numbers")
    headings = ("columns of a box", "NumPy, CPU s", "ours, CPU s", "ratio", "NumPy, MB", "ours, MB")
    for heading in headings:
        table.add_column(heading, justify="right")
    values = np.random.default_rng(1).standard_normal((ROWS, COLUMNS))
    ratios = {width: measure(values, width, table) for width in WIDTHS}
    console.print(table)
    console.print(f"goal for four columns: {GOAL:g} times faster; got {ratios[4]:.0f}")
    if ratios[4] < GOAL:
        sys.exit(1)


def measure(values: Floats, width: int, table: Table) -> float:
    """Race both for boxes of so many columns; return the ratio."""
    boxes = some_boxes(values, width)
    few = boxes.take(np.arange(PEER_BOXES))
    rows = Rows(boxes.space)
    agree(rows_inside(few, rows, ROWS), [plain(values, few, p) for p in range(PEER_BOXES)])

    def ours() -> Inside:
        return rows_inside(boxes, IndexedRows(rows), LIMIT)

    def peer() -> list[NDArray[np.intp]]:
        return [plain(values, few, p)[:LIMIT] for p in range(PEER_BOXES)]

    costs = best_by_turns({"ours": ours, "peer": peer}, REPEATS)
    peers = costs["peer"].cpu * BOXES / PEER_BOXES
    ratio = peers / costs["ours"].cpu
    table.add_row(
        f"{width}",
        f"{peers:.1f}",
        f"{costs['ours'].cpu:.2f}",
        f"{ratio:.0f}",
        f"{peak_megabytes(peer):.0f}",
        f"{peak_megabytes(ours):.0f}",
    )
    return ratio


def some_boxes(values: Floats, width: int) -> Boxes:
    """Boxes around rows that were drawn, as wide as `PER_BOX` rows take if columns are independent."""
    draw = np.random.default_rng(width)
    columns = np.sort(draw.permuted(np.tile(np.arange(COLUMNS), (BOXES, 1)), axis=1)[:, :width], axis=1)
    middle = values[draw.integers(ROWS, size=BOXES)[:, None], columns]
    ordered = np.sort(values, axis=0)
    reach = round(ROWS * (PER_BOX / ROWS) ** (1 / width) / 2)
    low, high = np.empty(middle.shape), np.empty(middle.shape)
    for j in range(COLUMNS):
        here = columns == j
        at = np.searchsorted(ordered[:, j], middle[here])
        low[here] = ordered[np.maximum(at - reach, 0), j]
        high[here] = ordered[np.minimum(at + reach, ROWS - 1), j]
    space = tuple(NumberColumn(f"x{j}", values[:, j].copy(), "float") for j in range(COLUMNS))
    return Boxes(space, columns, low, high)


def plain(values: Floats, boxes: Boxes, p: int) -> NDArray[np.intp]:
    """Rows of one box by NumPy; later columns are compared for those that are left only."""
    left = np.arange(len(values))
    for j, low, high in zip(boxes.columns[p], boxes.low[p], boxes.high[p], strict=True):
        column = values[left, j] if left.size < len(values) else values[:, j]
        left = left[(column >= low) & (column <= high)]
    return left


def agree(ours: Inside, peers: list[NDArray[np.intp]]) -> None:
    """Fail if a box holds other rows for one than for the other."""
    for p, rows in enumerate(peers):
        assert np.array_equal(np.sort(ours.rows[p, : ours.counts[p]]), rows)


if __name__ == "__main__":
    main()
