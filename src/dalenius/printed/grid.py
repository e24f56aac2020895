"""The cells of a CSV or xlsx file as text, row by row, before anybody knows what they mean."""

from __future__ import annotations

import re
import sys
import warnings
import zipfile
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
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


@dataclass(frozen=True)
class PrintedSheet:
    """One sheet of a file, without its empty rows and columns, and where the others stand in it.

    Parameters
    ----------
    name
        What it is called.
    cells
        Their texts, row by row.
    rows, columns
        Where each of its rows and columns stands in the file, counted from one as a spreadsheet does.
    lettered
        Whether columns are told by letters, as those of a workbook.
    """

    name: str
    cells: Grid
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    lettered: bool

    def row(self, r: int) -> str:
        """Say where a row of the cells is, as who opens the file sees it."""
        return f"row {self.rows[r]}"

    def column(self, c: int) -> str:
        """Say where a column of the cells is."""
        return f"column {self._letters(c)}" if self.lettered else f"column {self.columns[c]}"

    def cell(self, r: int, c: int) -> str:
        """Say where a cell is.

        Examples
        --------
        >>> placed("t", {(3, 2): "age", (3, 4): "no"}).cell(0, 1)
        'cell D3'
        """
        if self.lettered:
            return f"cell {self._letters(c)}{self.rows[r]}"
        return f"{self.row(r)}, {self.column(c)}"

    def _letters(self, c: int) -> str:
        from openpyxl.utils import get_column_letter

        return str(get_column_letter(self.columns[c]))


def read_grids(path: Path) -> list[PrintedSheet]:
    """Read every sheet of a file: a CSV file has one; rows and columns without text are left out.

    Raises
    ------
    InputError
        If the file is no CSV or xlsx, or a sheet holds formulas that were never computed.
    """
    check_exists(path)
    sheets = _workbook(path) if path.suffix.lower() in (".xlsx", ".xlsm") else [_csv(path)]
    filled = [sheet for sheet in sheets if sheet.cells]
    if not filled:
        raise InputError(str(path), "must hold a table", "an empty file")
    return filled


Texts = Mapping[tuple[int, int], str]
"""The texts of cells by row and column, counted from one."""


def placed(name: str, texts: Texts, copies: Collection[tuple[int, int]] = ()) -> PrintedSheet:
    """Put the cells of a worksheet into rows that are equally long, without empty rows and columns.

    One cell in the far corner is no billion of cells, and a title that was merged over more columns than the
    table has makes no column: where nothing but ``copies`` of merged cells stand, there is none.

    Examples
    --------
    >>> sheet = placed("t", {(2, 2): "age", (2, 5): " no", (3, 2): "30", (4, 7): " "})
    >>> sheet.cells, sheet.rows, sheet.columns
    ([['age', 'no'], ['30', '']], (2, 3), (2, 5))
    """
    filled = [place for place, text in texts.items() if text.strip()]
    rows = sorted({row for row, _ in filled})
    columns = sorted({column for row, column in filled if (row, column) not in copies})
    if len(rows) * len(columns) > MOST_CELLS:
        raise TooLargeError(name, f"must have at most {MOST_CELLS:,} cells in a sheet", "more")
    cells = [[texts.get((row, column), "").strip() for column in columns] for row in rows]
    return PrintedSheet(name, cells, tuple(rows), tuple(columns), lettered=True)


def placed_lines(name: str, lines: Grid) -> PrintedSheet:
    """Put the lines of a CSV file into such rows.

    Examples
    --------
    >>> sheet = placed_lines("t", [["", ""], ["", "age", "no"], ["", "30"]])
    >>> sheet.cells, sheet.cell(1, 0)
    ([['age', 'no'], ['30', '']], 'row 3, column 2')
    """
    width = max((len(line) for line in lines), default=0)
    rows = [r for r, line in enumerate(lines) if any(map(str.strip, line))]
    full = [[cell.strip() for cell in lines[r]] + [""] * (width - len(lines[r])) for r in rows]
    keep = [c for c in range(width) if any(row[c] for row in full)]
    cells = [[row[c] for c in keep] for row in full]
    places = tuple(r + 1 for r in rows), tuple(c + 1 for c in keep)
    return PrintedSheet(name, cells, *places, lettered=False)


def _csv(path: Path) -> PrintedSheet:
    text = read_text(path)
    return placed_lines(path.name, split_rows(path, text, delimiter_of(text)))


def delimiter_of(text: str) -> str:
    """The mark that stands equally often in most lines: a title or decimals may hold commas, too."""
    lines = [line for line in text.splitlines() if line.strip()][:DELIMITED]
    found = {}
    for mark in ";\t,":
        often = Counter(line.count(mark) for line in lines if mark in line)
        found[mark] = max(often.values(), default=0)
    return max(found, key=lambda mark: found[mark])


def _workbook(path: Path) -> list[PrintedSheet]:
    from openpyxl import load_workbook

    with refusing(path, "an xlsx workbook", "Save it again as xlsx, or as CSV."), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of styles and other things that a table does not need
        _check_size(path)
        shown, written = load_workbook(path, data_only=True), load_workbook(path)
        sheets = {sheet.title: (sheet, written[sheet.title]) for sheet in shown.worksheets}
    found = []
    for title, (sheet, formulas) in sheets.items():
        _refuse_formulas(path, sheet, formulas)
        found.append(placed_sheet(sheet_name(path, title, len(sheets)), path, sheet))
    return found


def sheet_name(path: Path, title: str, sheets: int) -> str:
    """What a worksheet is called: by its file alone, if that has no other.

    Examples
    --------
    >>> sheet_name(Path("out/t.xlsx"), "ages", 1), sheet_name(Path("out/t.xlsx"), "ages", 2)
    ('t.xlsx', 't.xlsx[ages]')
    """
    return path.name if sheets == 1 else f"{path.name}[{title}]"


def placed_sheet(name: str, path: Path, sheet: Any) -> PrintedSheet:
    """Read the cells of a worksheet."""
    return placed(name, _texts_of(path, sheet), _copies_of(sheet))


def _copies_of(sheet: Any) -> set[tuple[int, int]]:
    """Cells that say nothing of their own: all but the first of those that were merged."""
    return {
        place
        for area in sheet.merged_cells.ranges
        for place in area.cells
        if place != (area.min_row, area.min_col)
    }


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


def _texts_of(path: Path, sheet: Any) -> dict[tuple[int, int], str]:
    """Read the texts of a worksheet; all cells that were merged say what the first of them says."""
    texts = {(cell.row, cell.column): text_of(path, cell) for cell in sheet._cells.values()}
    for area in sheet.merged_cells.ranges:
        first = texts.get((area.min_row, area.min_col), "")
        texts |= dict.fromkeys(area.cells, first)
    return texts


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
