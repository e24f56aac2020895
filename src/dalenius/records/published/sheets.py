"""The cells of a printed table with the label of every column, before anybody knows what levels there are.

Two shapes are read. Long: columns, then ``count``, a row for each cell; beside counts, or instead, may stand
``mean age``, ``median age``, ``sum of age``, ``percent of block``. Crossed: columns down, and across
them the levels of a column whose name stands alone in the line above; further columns in rows above that,
named in their first cell. ``Total`` and ``All`` leave a column open. A count with no name at
all is one of everybody.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from dalenius.errors import InputError
from dalenius.printed.dimensions import fill, is_margin
from dalenius.printed.grid import Grid, PrintedSheet, read_grids
from dalenius.records.published.measures import COUNT, PrintedMeasure, parse_measure, split_head
from dalenius.statistics.printed_cell import Printed, decimal_comma, read_cell

SHAPE = "must be long (columns, then count, mean age, ...) or crossed (a column's name above its levels)"


@dataclass(frozen=True)
class LabelledCell:
    """One printed cell: its label in each column that is not left open, where it stands, what it says."""

    labels: dict[str, str]
    place: str
    printed: Printed
    measure: PrintedMeasure = COUNT


@dataclass(frozen=True)
class RecordTable:
    """One table: its name, the columns that it names, and its cells."""

    name: str
    columns: tuple[str, ...]
    cells: tuple[LabelledCell, ...]


def read_sheets(path: Path) -> list[RecordTable]:
    r"""Read every table of a CSV or xlsx file.

    Raises
    ------
    InputError
        If a sheet is of neither shape, or a cell is no count; it names row and column.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     _ = Path(place, "t.csv").write_text("sex,age,count\nf,child,3\nf,Total,7\n")
    ...     table, = read_sheets(Path(place, "t.csv"))
    >>> table.name, [(cell.labels, cell.printed.number) for cell in table.cells]
    ('t', [({'sex': 'f', 'age': 'child'}, 3.0), ({'sex': 'f'}, 7.0)])
    """
    found = []
    for printed in read_grids(path):
        sheet = replace(printed, name=printed.name.replace(path.name, path.stem, 1))
        at = _long_header(sheet.cells)
        found.append(_read(sheet.name, list(_crossed(sheet) if at is None else _long(sheet, at))))
    return found


Text = tuple[dict[str, str], str, str, PrintedMeasure]
"""The labels of a cell, where it stands, its text, and what it is."""


def _long_header(grid: Grid) -> int | None:
    """The row that ends in a word for counts, or for what else numbers are; the others in it are columns."""
    for at, row in enumerate(grid):
        if all(row) and parse_measure(row[-1]) is not None:
            return at
    return None


def _long(sheet: PrintedSheet, at: int) -> Iterator[Text]:
    grid, name = sheet.cells, sheet.name
    columns, measures = split_head(grid[at])
    depth = len(columns)
    if len(set(columns)) != depth:
        raise InputError(f"{name}: header", "must name every column once", "a name twice")
    for r in range(at + 1, _end(grid, depth)):
        row = grid[r]
        if not all(row[:depth]):
            raise InputError(f"{name}, {sheet.row(r)}", "must have a label in every column, or Total", "none")
        for measure, text in zip(measures, row[depth:], strict=True):
            yield dict(zip(columns, row[:depth], strict=True)), sheet.row(r), text, measure


def _crossed(sheet: PrintedSheet) -> Iterator[Text]:
    grid, name = sheet.cells, sheet.name
    spanners = [r for r, row in enumerate(grid) if not row[0] and len(set(filter(None, row))) == 1]
    if not spanners or spanners[-1] + 1 >= len(grid):
        raise InputError(name, SHAPE, "neither", "Write the name of the column across in a line of its own.")
    bottom = spanners[-1] + 1
    depth = next(j for j, cell in enumerate(grid[bottom - 1]) if cell)
    down, inner = grid[bottom][:depth], grid[bottom - 1][depth]
    outer = [row for row in grid[: bottom - 1] if row[0] and len(list(filter(None, row))) > 1]
    names = [*(row[0] for row in outer), inner]
    if not all(down) or len({*down, *names}) != len(down) + len(names):
        raise InputError(f"{name}: header", "must name every column once, down and across", "other cells")
    across, before = [], [""] * len(names)
    for j in range(depth, len(grid[bottom])):
        line = fill(
            [*(row[j] for row in outer), grid[bottom][j]], before, lambda k, t: is_margin(t, names[k])
        )
        if line is None or not line[-1]:
            raise InputError(f"{name}: header, {sheet.column(j)}", "must have a label, or Total", "none")
        across.append(line)
        before = line
    above = [""] * depth
    for r in range(bottom + 1, _end(grid, depth)):
        row = grid[r]
        labels = fill(row[:depth], above, lambda k, t: is_margin(t, down[k]))
        if labels is None or not (labels[-1] or any(map(is_margin, labels, down))):
            raise InputError(f"{name}, {sheet.row(r)}", "must have a label in every column, or Total", "none")
        above = labels
        for j, line in enumerate(across):
            found = dict(zip([*down, *names], [*labels, *line], strict=True))
            yield found, sheet.cell(r, depth + j), row[depth + j], COUNT


def _end(grid: Grid, depth: int) -> int:
    """Where the notes under a table begin: after its last row with anything beside the labels."""
    return max(r for r, row in enumerate(grid) if any(row[depth:])) + 1


def _read(name: str, texts: list[Text]) -> RecordTable:
    comma = decimal_comma(text for _, _, text, _ in texts)
    if comma is None:
        raise InputError(name, "must write decimals in one way", "some after a comma and some after a point")
    columns = dict.fromkeys(column for labels, _, _, _ in texts for column in labels)
    cells: list[LabelledCell] = []
    for labels, place, text, measure in texts:
        printed = read_cell(text, comma=comma, per=measure.per)
        if printed is None or (printed.per and measure.kind not in ("count", "share")):
            rule = "must be a count, a range as <5, or a mark as *"
            if measure.kind != "count":
                rule = f"must be a {measure.kind}, or a mark as *"
            raise InputError(f"{name}, {place}", rule, "other text", "Give the number.", value=text)
        kept = {column: label for column, label in labels.items() if label and not is_margin(label, column)}
        if printed.per and measure.kind == "count":
            measure = PrintedMeasure("share", None, printed.per)
        if printed.said:
            cells.append(LabelledCell(kept, place, printed, measure))
    return RecordTable(name, tuple(columns), tuple(cells))
