"""CSV without surprises: every row as long as the header, UTF-8, nothing skipped, nothing filled in.

Fast readers forgive: they pad short rows, drop a trailing empty field, rename duplicate columns and let a
quote that stays open swallow the rest. So files are walked once by Python's own strict parser, which names
the line that is wrong.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from dalenius.errors import InputError
from dalenius.people.files.reading import MOST_CELL, bad_csv, not_text, open_plain, open_text

DELIMITERS = ",;\t|"

MOST_NAME = 10_000
"""Characters in the name of a column: a longer one is a line that lost its end."""


@dataclass(frozen=True)
class CsvShape:
    """What a checked file looks like.

    ``padded`` says that blanks stand around the names of its columns, or before every value after a
    separator: then they belong to the separators.
    """

    delimiter: str
    header: tuple[str, ...]
    rows: int
    padded: bool = field(default=False, repr=False)


def check_csv(path: Path, columns: Sequence[str] = ()) -> CsvShape:
    r"""Walk a CSV file once and say its shape, or the first line that breaks it.

    Parameters
    ----------
    path
        The file.
    columns
        The names of the columns, if the file has no line of them.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "people.csv")
    ...     _ = path.write_text("age;ill\n32;no\n47;yes\n")
    ...     check_csv(path)
    CsvShape(delimiter=';', header=('age', 'ill'), rows=2)
    """
    delimiter, _ = look_through(path)
    with open_text(path) as file:
        return _walk(path, file, delimiter, tuple(columns))


def look_through(path: Path) -> tuple[str, bool]:
    """Return the delimiter and whether there are quotes; refuse NUL, lines without end, mixed line ends.

    Quotes around the names of columns alone, as some programs write them, do not count.
    """
    quotes, first, ends, returns = 0, "", 0, 0
    try:
        with open_text(path) as lines:
            while piece := lines.read(1 << 24):
                first = first or re.split("[\r\n]", piece, maxsplit=1)[0]
                quotes += piece.count('"')
                ends, returns = ends + piece.count("\n"), returns + piece.count("\r")
    except UnicodeDecodeError:
        raise not_text(_name(path), _first_undecodable(path)) from None
    if not quotes and returns and ends != returns and ends:
        raise InputError(
            _name(path), "must be plain CSV with one kind of line end", "several", "Save it again."
        )
    above = first.count('"')
    return _delimiter(first), quotes > above or above % 2 > 0


def _walk(path: Path, file: IO[str], delimiter: str, columns: tuple[str, ...]) -> CsvShape:
    csv.field_size_limit(MOST_CELL)
    reader = csv.reader(file, delimiter=delimiter, strict=True)
    rows, line, padded = 0, 1, True
    try:
        written = columns or tuple(next(reader, ()))
        header = written if columns else bare(written)
        _check_header(path, header)
        line = reader.line_num + 1
        for row in reader:
            if row and len(row) != len(header):
                raise InputError(
                    f"{_name(path)}, line {line},",
                    f"must have {len(header)} fields like the {'list of columns' if columns else 'header'}",
                    str(len(row)),
                    "Quote fields that hold the separator, and fill or remove broken rows.",
                )
            rows += bool(row)
            padded = padded and all(value[:1] in ("", " ") for value in row[1:])
            line = reader.line_num + 1
    except csv.Error as error:
        raise bad_csv(_name(path), line, error) from None
    if rows == 0:
        raise InputError(_name(path), "must have at least one row below the header", "none")
    return CsvShape(delimiter, header, rows, header != written or (padded and len(header) > 1))


def bare(names: Sequence[str]) -> tuple[str, ...]:
    """Names of columns without the blanks that some programs write after a separator.

    Where names have them, so have values, and there they are no part of them either.

    Examples
    --------
    >>> bare(["age", " sex", " income"])
    ('age', 'sex', 'income')
    """
    return tuple(name.strip() for name in names)


def _check_header(path: Path, header: tuple[str, ...]) -> None:
    if not any(header):
        raise InputError(
            _name(path), "must start with a line of column names", "an empty file or line", "Add a header."
        )
    check_names(_name(path), header)


def check_names(where: str, names: Sequence[str]) -> None:
    """Refuse columns without a name, and names that differ at most in case: the engine mixes them up."""
    seen: dict[str, int] = {}
    for position, name in enumerate(names, start=1):
        if not name:
            raise InputError(where, "must name every column", f"no name for column {position}", "Name it.")
        if len(name) > MOST_NAME or "\0" in name:
            rule = f"must name every column in at most {MOST_NAME:,} characters, none of them NUL"
            raise InputError(where, rule, f"another name for column {position}", "Rename it.")
        if name.casefold() in seen:
            raise InputError(
                where,
                "must have each column name once (upper and lower case are the same)",
                f"column {position} named like column {seen[name.casefold()]}",
                "Rename one of them.",
            )
        seen[name.casefold()] = position


def _delimiter(line: str) -> str:
    return max(DELIMITERS, key=line.count)


def _first_undecodable(path: Path) -> int:
    with open_plain(path) as file:
        for number, line in enumerate(file, start=1):
            try:
                line.decode()
            except UnicodeDecodeError:
                return number
    return 1


def _name(path: Path) -> str:
    return f"file {path.name!r}"
