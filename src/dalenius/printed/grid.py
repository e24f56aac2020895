"""The cells of a CSV or xlsx file as text, row by row, before anybody knows what they mean."""

from __future__ import annotations

import re
import sys
import warnings
import zipfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dalenius.errors import InputError, TooLargeError
from dalenius.people.files.reading import check_exists, read_text, refusing, split_rows

Grid = list[list[str]]

MOST_BYTES = 32 << 20
"""Of a workbook, unpacked: about 500,000 cells, more than anybody prints."""

MOST_CELLS = 1_000_000
MOST_MERGED = 100_000

DELIMITED = 200
"""Lines that show what stands between cells."""


def read_grids(path: Path) -> dict[str, Grid]:
    """Read every sheet of a file: a CSV file has one; rows and columns without text are left out.

    Raises
    ------
    InputError
        If the file is no CSV or xlsx, or a sheet holds formulas that were never computed.
    """
    check_exists(path)
    sheets = _workbook(path) if path.suffix.lower() in (".xlsx", ".xlsm") else {path.name: _csv(path)}
    grids = {name: trim(grid) for name, grid in sheets.items()}
    filled = {name: grid for name, grid in grids.items() if grid}
    if not filled:
        raise InputError(str(path), "must hold a table", "an empty file")
    return filled


def trim(grid: Grid) -> Grid:
    """Make all rows equally long and leave out empty rows and columns.

    Examples
    --------
    >>> trim([["", ""], ["", "age", "no"], ["", "30"]])
    [['age', 'no'], ['30', '']]
    """
    width = max((len(row) for row in grid), default=0)
    full = [
        [cell.strip() for cell in row] + [""] * (width - len(row)) for row in grid if any(map(str.strip, row))
    ]
    keep = [j for j in range(width) if any(row[j] for row in full)]
    return [[row[j] for j in keep] for row in full]


def _csv(path: Path) -> Grid:
    text = read_text(path)
    return split_rows(path, text, delimiter_of(text))


def delimiter_of(text: str) -> str:
    """The mark that stands equally often in most lines: a title or decimals may hold commas, too."""
    lines = [line for line in text.splitlines() if line.strip()][:DELIMITED]
    found = {}
    for mark in ";\t,":
        often = Counter(line.count(mark) for line in lines if mark in line)
        found[mark] = max(often.values(), default=0)
    return max(found, key=lambda mark: found[mark])


def _workbook(path: Path) -> dict[str, Grid]:
    from openpyxl import load_workbook

    with refusing(path, "an xlsx workbook", "Save it again as xlsx, or as CSV."), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of styles and other things that a table does not need
        _check_size(path)
        shown, written = load_workbook(path, data_only=True), load_workbook(path)
        sheets = {sheet.title: (sheet, written[sheet.title]) for sheet in shown.worksheets}
    grids = {}
    for title, (sheet, formulas) in sheets.items():
        _refuse_formulas(path, sheet, formulas)
        grids[path.name if len(sheets) == 1 else f"{path.name}[{title}]"] = _cells(path, sheet)
    return grids


def _check_size(path: Path) -> None:
    """Refuse a workbook that would take for ever, before the library that reads it starts on it."""
    with zipfile.ZipFile(path) as book:
        if sum(part.file_size for part in book.infolist()) > MOST_BYTES:
            raise TooLargeError(str(path), f"must unpack to at most {MOST_BYTES >> 20} MB", "more")
        for part in book.namelist():
            if "worksheets/" in part:
                for area in re.findall(rb"<mergeCell\s[^>]*ref=\"([^\"]*)\"", book.read(part)):
                    _check_area(path, area.decode("ascii", "replace"))


def _check_area(path: Path, area: str) -> None:
    from openpyxl.utils import range_boundaries

    left, top, right, bottom = range_boundaries(area)
    if left is None or top is None or right is None or bottom is None:  # a whole row or column
        raise InputError(str(path), "must merge cells from one corner to another", "whole rows or columns")
    if (right - left + 1) * (bottom - top + 1) > MOST_MERGED:
        raise TooLargeError(str(path), f"must merge at most {MOST_MERGED:,} cells into one", "more")


def _cells(path: Path, sheet: Any) -> Grid:
    """Return the rows and columns that hold anything: one cell in the far corner is no billion of cells."""
    texts = {(cell.row, cell.column): text_of(path, cell) for cell in sheet._cells.values()}
    for area in sheet.merged_cells.ranges:
        first = texts.get((area.min_row, area.min_col), "")
        texts |= dict.fromkeys(area.cells, first)
    rows, columns = filled_lines(texts)
    if len(rows) * len(columns) > MOST_CELLS:
        raise TooLargeError(str(path), f"must have at most {MOST_CELLS:,} cells in a sheet", "more")
    return [[texts.get((row, column), "") for column in columns] for row in rows]


def filled_lines(texts: Mapping[tuple[int, int], str]) -> tuple[list[int], list[int]]:
    """Return the rows and the columns that hold anything, by the texts of cells.

    Examples
    --------
    >>> filled_lines({(2, 1): "age", (2, 5): "no", (3, 7): " "})
    ([2], [1, 5])
    """
    filled = [place for place, text in texts.items() if text.strip()]
    return sorted({row for row, _ in filled}), sorted({column for _, column in filled})


def text_of(path: Path, cell: Any) -> str:
    """A cell of a workbook as it is read: a share with its sign, a whole number without a point."""
    value = cell.value
    if value is None:
        return ""
    if isinstance(value, int | float) and not isinstance(value, bool):
        if not abs(value) <= sys.float_info.max:  # a whole number may be no float
            raise InputError(f"{path}: cell {cell.coordinate}", "must hold a finite number", "none")
        if "%" in str(cell.number_format):
            return f"{value * 100:.10g}%"
        return str(int(value)) if value == int(value) else repr(value)
    return str(value)


def _refuse_formulas(path: Path, shown: Any, written: Any) -> None:
    """A formula without its result would look like a hidden cell."""
    for cell in written._cells.values():
        if cell.data_type == "f" and shown[cell.coordinate].value is None:
            raise InputError(
                f"{path}: cell {cell.coordinate}",
                "must hold a value",
                "a formula that was never computed",
                "Open the file in a spreadsheet and save it once.",
                value=str(cell.value),
            )
