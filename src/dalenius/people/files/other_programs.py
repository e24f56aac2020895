"""People in files of other programs: xlsx workbooks, SPSS, Stata and SAS.

People in files of SPSS, Stata and SAS, with the labels of their codes (extra ``formats``).

The library that reads them ends the whole process on some damaged files. So it runs in a process of its own,
which hands the people over as Arrow; one that dies was given a damaged file.

People in an xlsx workbook: names of columns in the first filled row of a sheet, people in those below.
"""

from __future__ import annotations

import datetime
import json
import subprocess
import sys
import warnings
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from dalenius.errors import InputError, MissingExtraError, TooLargeError, nearest
from dalenius.people.files.read_file import STATISTICAL
from dalenius.people.files.reading import FREE_BYTES, MOST_BYTES, MOST_CELL, MOST_RATIO, refusing
from dalenius.people.schema import label_number

REFUSED = 2
"""How the reading process ends when it can say what is wrong."""

AGAIN = "Save it again, or as CSV."


def read_statistical(path: Path) -> Any:
    """Read the people of such a file as an Arrow table.

    A column whose every value has a label is read as text of labels; one in which some values have none, such
    as an age with a code for "no answer", is read as numbers.

    Raises
    ------
    MissingExtraError
        Without pyreadstat.
    InputError
        For a damaged file.
    TooLargeError
        If it says that it unpacks to more than its size lets expect.
    """
    import pyarrow as pa

    program = STATISTICAL[path.suffix.lower()]
    try:
        import pyreadstat  # noqa: F401 (the other process uses it)
    except ImportError:
        raise MissingExtraError(f"reading a file of {program}", "pyreadstat", "formats") from None
    command = [sys.executable, "-P", "-m", "dalenius.people.files.statistical_child", str(path.absolute())]
    done = subprocess.run(command, capture_output=True, check=False)  # noqa: S603 (our own module)
    if done.returncode == REFUSED and done.stdout:
        said = json.loads(done.stdout)
        raise (TooLargeError if said.pop("large") else InputError)(**said)
    where, form = f"file {path.name!r}", f"a whole file of {program}"
    if done.returncode:  # its error stream may quote people: it is dropped
        raise InputError(where, f"must be {form}", "a damaged one", AGAIN)
    with refusing(where, form, AGAIN), pa.ipc.open_stream(done.stdout) as stream:
        return stream.read_all()


MOST_ROWS = 1_048_576


MOST_COLUMNS = 16_384
"""What a sheet can hold: a row or column beyond that was written to fill memories."""

MOST_CELLS = 20_000_000
"""Cells that are held, in as many columns as the widest row has: some GB, and more than a minute to read."""

ABSENT = "#N/A"
"""What a spreadsheet writes where a value is missing."""

ERRORS = ("#DIV/0!", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!")

_FORM = "a whole xlsx workbook"


_FIX = "Save it again as xlsx, or as CSV."


def read_workbook(path: Path, sheet: str | None = None) -> Any:
    """Read the people of a workbook as an Arrow table.

    Parameters
    ----------
    path
        The workbook.
    sheet
        The sheet they are on; needed only if more than one has anything on it.

    Raises
    ------
    InputError
        For a damaged file, formulas that were never computed, and a sheet that has to be named.
    TooLargeError
        If the workbook unpacks to more than people take.
    """
    from openpyxl import load_workbook

    with refusing(f"file {path.name!r}", _FORM, _FIX), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of styles and other things that people do not need
        _check_size(path)
        with closing(load_workbook(path, read_only=True, data_only=True)) as book:
            title = _choose(path, book, sheet)
            rows = list(_filled(path, book[title]))
        if any(cell is None for row in rows for cell in row):
            _refuse_formulas(path, title)
    return _to_arrow(path, rows)


def _check_size(path: Path) -> None:
    with zipfile.ZipFile(path) as book:
        unpacked = sum(part.file_size for part in book.infolist())
    if unpacked > min(MOST_BYTES, max(FREE_BYTES, MOST_RATIO * path.stat().st_size)):
        rule = f"must unpack to at most {MOST_RATIO} times its size and {MOST_BYTES >> 20:,} MB"
        raise TooLargeError(f"file {path.name!r}", rule, "more", "Give it as CSV or Parquet.")


def _choose(path: Path, book: Any, sheet: str | None) -> str:
    """The sheet with the people: the one that is named, or the only one with anything on it."""
    titles: list[str] = [each.title for each in book.worksheets]
    if sheet is not None:
        if sheet not in titles:
            what = f"sheet {sheet!r}"
            raise InputError(what, f"must be in {path.name!r}", "no such sheet", nearest(sheet, titles))
        return sheet
    filled = [title for title in titles if next(_filled(path, book[title]), None) is not None]
    if len(filled) == 1:
        return filled[0]
    if not filled:
        raise InputError(f"file {path.name!r}", "must have a sheet with people", "an empty workbook")
    raise InputError(
        f"file {path.name!r}",
        "must have one sheet, or the sheet must be named",
        f"{len(filled)} sheets: {', '.join(filled)}",
        f"Write the sheet after #, as in {path.name}#{filled[0]}.",
    )


def _filled(path: Path, sheet: Any) -> Iterator[tuple[Any, ...]]:
    """The rows with anything in them; what the file says about its own extent is not believed."""
    sheet.reset_dimensions()
    filled = widest = 0
    for number, row in enumerate(sheet.iter_rows(values_only=True), start=1):
        if number > MOST_ROWS or len(row) > MOST_COLUMNS:
            rule = f"must have at most {MOST_ROWS:,} rows and {MOST_COLUMNS:,} columns"
            raise TooLargeError(f"file {path.name!r}", rule, "more")
        if any(cell is not None for cell in row):
            filled, widest = filled + 1, max(widest, len(row))
            if filled * widest > MOST_CELLS:
                rule = f"must have at most {MOST_CELLS:,} cells, in rows as long as the longest"
                raise TooLargeError(f"file {path.name!r}", rule, "more", "Give it as CSV or Parquet.")
            yield row


def _refuse_formulas(path: Path, title: str) -> None:
    """A formula without its result would look like a missing value."""
    from openpyxl import load_workbook

    with (
        closing(load_workbook(path, read_only=True)) as written,
        closing(load_workbook(path, read_only=True, data_only=True)) as shown,
    ):
        sheets = written[title], shown[title]
        for sheet in sheets:
            sheet.reset_dimensions()
        for formulas, values in zip(*(sheet.iter_rows() for sheet in sheets), strict=False):
            for cell, value in zip(formulas, values, strict=False):
                if cell.data_type == "f" and value.value is None:
                    raise InputError(
                        f"file {path.name!r}, cell {cell.coordinate},",
                        "must hold a value",
                        "a formula that was never computed",
                        "Open the file in a spreadsheet and save it once.",
                    )


def _to_arrow(path: Path, rows: Sequence[tuple[Any, ...]]) -> Any:
    import pyarrow as pa

    header, people = rows[0], rows[1:]
    width = max(len(row) for row in rows)
    full = [row + (None,) * (width - len(row)) for row in people]
    columns = list(zip(*full, strict=True)) if full else [()] * width
    names = ["" if name is None else _text(name).strip() for name in header] + [""] * (width - len(header))
    kept = [j for j in range(width) if names[j] or any(cell is not None for cell in columns[j])]
    arrays = [_column(path, position, columns[j]) for position, j in enumerate(kept, start=1)]
    return pa.Table.from_arrays(arrays, names=[names[j] for j in kept])


def _column(path: Path, position: int, cells: Sequence[Any]) -> Any:
    """One column with the type that all of its cells have; numbers among text are text."""
    import pyarrow as pa

    cells = [None if cell == ABSENT else cell for cell in cells]
    known = [cell for cell in cells if cell is not None]
    kinds = {type(cell) for cell in known}
    where = f"file {path.name!r}, column {position},"
    if str in kinds and any(cell in ERRORS for cell in known):
        raise InputError(where, "must hold values", "the error of a formula", "Mend the formula.")
    if kinds <= {int, float}:
        # compared, not converted: a whole number may be too large for a float
        if not all(abs(cell) <= sys.float_info.max for cell in known):
            raise InputError(where, "must hold finite numbers", "others")
        whole = all(float(cell).is_integer() and abs(cell) < 2**53 for cell in known)
        made = [None if cell is None else (int(cell) if whole else float(cell)) for cell in cells]
        return pa.array(made, pa.int64() if whole else pa.float64())
    if kinds == {bool}:
        return pa.array(cells, pa.bool_())
    if kinds <= {datetime.datetime, datetime.date}:
        days = all(not isinstance(c, datetime.datetime) or c.time() == datetime.time() for c in known)
        return pa.array(cells, pa.timestamp("us")).cast(pa.date32() if days else pa.timestamp("us"))
    texts = [None if cell is None else _text(cell) for cell in cells]
    if any(text is not None and len(text) > MOST_CELL for text in texts):
        raise InputError(where, f"must have at most {MOST_CELL:,} characters in a cell", "more")
    return pa.array([text or None for text in texts], pa.string())


def _text(cell: Any) -> str:
    if isinstance(cell, bool):
        return str(cell).lower()
    return label_number(cell) if isinstance(cell, int | float) else str(cell)
