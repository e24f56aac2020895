"""The cells of a CSV or xlsx file as text, row by row, before anybody knows what they mean."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

from dalenius.errors import InputError
from dalenius.records.files import check_exists

Grid = list[list[str]]


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
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(str(path), "must be text in UTF-8, or xlsx", str(error)) from None
    first = next((line for line in text.splitlines() if line.strip()), "")
    delimiter = max(",;\t", key=first.count)
    try:
        return list(csv.reader(io.StringIO(text), delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise InputError(str(path), "must be a CSV table", str(error)) from None


def _workbook(path: Path) -> dict[str, Grid]:
    import zipfile

    from openpyxl import load_workbook
    from openpyxl.utils.exceptions import InvalidFileException

    try:
        shown, written = load_workbook(path, data_only=True), load_workbook(path)
    except (InvalidFileException, zipfile.BadZipFile, KeyError, OSError) as error:
        raise InputError(str(path), "must be an xlsx workbook", str(error)) from None
    sheets = {}
    for sheet in shown.worksheets:
        grid = [[_text(cell) for cell in row] for row in sheet.iter_rows()]
        _refuse_formulas(path, sheet, written[sheet.title])
        for area in sheet.merged_cells.ranges:
            for row, column in area.cells:
                grid[row - 1][column - 1] = grid[area.min_row - 1][area.min_col - 1]
        name = path.name if len(shown.worksheets) == 1 else f"{path.name}[{sheet.title}]"
        sheets[name] = grid
    return sheets


def _text(cell: Any) -> str:
    value = cell.value
    if value is None:
        return ""
    if isinstance(value, int | float) and not isinstance(value, bool):
        if "%" in str(cell.number_format):
            return f"{value * 100:.10g}%"
        return str(int(value)) if value == int(value) else repr(value)
    return str(value)


def _refuse_formulas(path: Path, shown: Any, written: Any) -> None:
    """A formula without its result would look like a hidden cell."""
    for row in written.iter_rows():
        for cell in row:
            if cell.data_type == "f" and shown[cell.coordinate].value is None:
                raise InputError(
                    f"{path}: cell {cell.coordinate}",
                    "must hold a value",
                    f"the formula {cell.value}",
                    "Open the file in a spreadsheet and save it once.",
                )
