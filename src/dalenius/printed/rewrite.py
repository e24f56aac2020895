"""Write printed tables again with other numbers, in their own layout: changed cells are coloured."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from dalenius.people.schema import Column
from dalenius.printed.grid import PrintedSheet, delimiter_of, placed_lines, placed_sheet, sheet_name
from dalenius.printed.headers import find_layout

CHANGED = "FFE8C872"
"""The fill of a cell that is not as planned."""

WORKBOOKS = (".xlsx", ".xlsm")

DRAWN = re.compile(rb"<((?:\w+:)?numCache)\b.*?</\1>", re.DOTALL)
"""What a chart remembers of the numbers that it drew."""

Change = Callable[[int], int | str]
"""From a count to what is printed instead."""

Place = tuple[str, int, int]
"""The table, and the row and the column of the file, counted from one."""

ChangeAt = Callable[[Place, int], int | str]
"""The same of the count in one place."""


@dataclass(frozen=True)
class Rewritten:
    """What became of the counts of tables.

    Parameters
    ----------
    errors
        By how much every count that is still a number is off.
    hidden
        How many counts are no number any more.
    """

    errors: tuple[int, ...]
    hidden: int

    def __add__(self, other: Rewritten) -> Rewritten:
        return Rewritten(self.errors + other.errors, self.hidden + other.hidden)


def rewrite(
    path: Path, out: Path, columns: Sequence[Column], secret: str, change: Change
) -> Rewritten | None:
    """Write the tables of a file again; ``None``, and nothing written, if they hold more than plain counts.

    Parameters
    ----------
    path, out
        The file, and where to write.
    columns
        The public columns of the people, which the tables speak of.
    secret
        What the tables are about.
    change
        What is printed in the place of a count.
    """
    return rewrite_places(path, out, columns, secret, lambda place, count: change(count))


def rewrite_places(
    path: Path,
    out: Path,
    columns: Sequence[Column],
    secret: str,
    change: ChangeAt,
    *,
    mark_all: bool = False,
) -> Rewritten | None:
    """Write the tables of a file again where a count becomes what its place says; else as `rewrite`.

    With ``mark_all`` cells are marked whether or not they have another number: of noise that must not show.
    """
    if path.suffix.lower() in WORKBOOKS:
        return _workbook(path, out, columns, secret, change, mark_all)
    return _csv(path, out, columns, secret, change)


def _workbook(
    path: Path, out: Path, columns: Sequence[Column], secret: str, change: ChangeAt, mark_all: bool
) -> Rewritten | None:
    from openpyxl import load_workbook
    from openpyxl.styles import PatternFill

    book, fill = load_workbook(path, keep_links=False), PatternFill("solid", fgColor=CHANGED)
    found = Rewritten((), 0)
    for sheet in book.worksheets:
        printed = placed_sheet(sheet_name(path, sheet.title, len(book.worksheets)), path, sheet)
        for r, c, count in _counts(printed, columns, secret):
            if count is None:
                return None
            row, column = printed.rows[r], printed.columns[c]
            new = change((printed.name, row, column), count)
            cell = sheet.cell(row, column)
            if new != count or mark_all:
                cell.value, cell.fill = new, fill
            found += _became(count, new)
        sheet._pivots.clear()
    _save(book, out)
    return found


def _save(book: Any, out: Path) -> None:
    """Write a workbook without the numbers as they were, which it keeps behind charts and pivot tables.

    A spreadsheet draws its charts anew when it opens them; pivot tables are lost, with the rows behind them.
    """
    made = io.BytesIO()
    book.save(made)
    with ZipFile(made) as parts, ZipFile(out, "w", ZIP_DEFLATED) as kept:
        for name in parts.namelist():
            part = parts.read(name)
            kept.writestr(name, DRAWN.sub(b"", part) if name.startswith("xl/charts/") else part)


def _csv(path: Path, out: Path, columns: Sequence[Column], secret: str, change: ChangeAt) -> Rewritten | None:
    text = path.read_text(encoding="utf-8-sig")
    delimiter = delimiter_of(text)
    lines = list(csv.reader(io.StringIO(text), delimiter=delimiter))
    printed, found = placed_lines(path.name, lines), Rewritten((), 0)
    for r, c, count in _counts(printed, columns, secret):
        if count is None:
            return None
        row, column = printed.rows[r], printed.columns[c]
        new = change((printed.name, row, column), count)
        lines[row - 1][column - 1] = str(new)
        found += _became(count, new)
    written = io.StringIO()
    csv.writer(written, delimiter=delimiter, lineterminator="\n").writerows(lines)
    out.write_text(written.getvalue(), encoding="utf-8")
    return found


def _counts(
    sheet: PrintedSheet, columns: Sequence[Column], secret: str
) -> Iterator[tuple[int, int, int | None]]:
    """Where the counts of a table are; ``None`` for a cell that is none, such as a share or a mark."""
    layout = find_layout(sheet, columns, secret) if sheet.cells else None
    if layout is None:
        return
    grid = sheet.cells
    for r in range(layout.body, len(grid)):
        if not any(grid[r][1:]) and not layout.knows(grid[r][0]):
            continue  # a line under the table
        for c in layout.across:
            text = grid[r][c]
            yield r, c, int(text) if text.isdecimal() and layout.per[c] in (None, 0.0) else None


def _became(count: int, new: int | str) -> Rewritten:
    return Rewritten((), 1) if isinstance(new, str) else Rewritten((abs(new - count),), 0)
