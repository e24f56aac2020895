"""CSV without surprises: every row as long as the header, UTF-8, nothing skipped, nothing filled in.

DuckDB's reader is fast and forgiving: it can pad short rows, drop a trailing empty field and rename
duplicate columns. So each file is walked once by Python's own strict parser, which names the line that is
wrong, and the number of rows it saw must be the number DuckDB loaded.
"""

from __future__ import annotations

import csv
import glob
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import duckdb

from dalenius.dataset.engine import fetch, running, too_little_memory
from dalenius.errors import InputError
from dalenius.records.reading import MOST_CELL, bad_csv, is_gzip, not_text, open_plain, open_text

DELIMITERS = ",;\t|"

MOST_NAME = 10_000
"""Characters in the name of a column: a longer one is a line that lost its end."""


@dataclass(frozen=True)
class CsvShape:
    """What a checked file looks like."""

    delimiter: str
    header: tuple[str, ...]
    rows: int


def load_csv(backend: Any, path: Path, text: Sequence[str] = ()) -> Any:
    """Check a CSV file and load it into the engine, as whole numbers, numbers or text.

    Parameters
    ----------
    backend
        The private DuckDB.
    path
        The file, perhaps gzipped.
    text
        Columns kept as text whatever they look like: an id ``007`` is not the number 7.

    Raises
    ------
    InputError
        For an empty file, a header alone, duplicate names, a row of another length, an unclosed quote or
        bytes that are not UTF-8; with the line where there is one.
    """
    shape = check_csv(path)
    types = {name: "VARCHAR" for name in text if name in shape.header}
    try:
        loaded = backend.read_csv(
            glob.escape(str(path)),
            delim=shape.delimiter,
            quote='"',
            escape='"',
            header=True,
            skip=0,
            comment="",
            strict_mode=True,
            null_padding=False,
            ignore_errors=False,
            sample_size=-1,
            encoding="utf-8",
            compression="gzip" if is_gzip(path) else "none",
            auto_type_candidates=["BIGINT", "DOUBLE", "VARCHAR"],
            **({"types": types} if types else {}),
        )
        with running():
            table = backend.create_table("raw", loaded, temp=True)
    except duckdb.OutOfMemoryException:
        raise too_little_memory() from None
    except duckdb.Error as error:
        # The engine's own message quotes the row, that is a person: it is not passed on.
        raise InputError(
            _name(path),
            "must be plain CSV with one kind of line end and quotes only around whole fields",
            f"a file the engine cannot parse ({type(error).__name__})",
            "Save it again as CSV UTF-8, or as Parquet.",
        ) from None
    loaded_rows = int(fetch(table.aggregate(n=table.count()))["n"][0].as_py())
    if loaded_rows != shape.rows:
        raise InputError(
            _name(path),
            f"must load all of its {shape.rows} rows",
            f"{loaded_rows}",
            "Save it again as CSV UTF-8, or as Parquet.",
        )
    return table


def check_csv(path: Path) -> CsvShape:
    r"""Walk a CSV file once and say its shape, or the first line that breaks it.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "people.csv")
    ...     _ = path.write_text("age;ill\n32;no\n47;yes\n")
    ...     check_csv(path)
    CsvShape(delimiter=';', header=('age', 'ill'), rows=2)
    """
    try:
        with open_text(path) as file:
            delimiter = _delimiter(file.readline())
        with open_text(path) as file:
            return _walk(path, file, delimiter)
    except UnicodeDecodeError:
        raise not_text(_name(path), _first_undecodable(path)) from None


def _walk(path: Path, file: IO[str], delimiter: str) -> CsvShape:
    csv.field_size_limit(MOST_CELL)
    reader = csv.reader(file, delimiter=delimiter, strict=True)
    rows, line = 0, 1
    try:
        header = tuple(next(reader, ()))
        _check_header(path, header)
        line = reader.line_num + 1
        for row in reader:
            if row and len(row) != len(header):
                raise InputError(
                    f"{_name(path)}, line {line},",
                    f"must have {len(header)} fields like the header",
                    str(len(row)),
                    "Quote fields that hold the separator, and fill or remove broken rows.",
                )
            rows += bool(row)
            line = reader.line_num + 1
    except csv.Error as error:
        raise bad_csv(_name(path), line, error) from None
    if rows == 0:
        raise InputError(_name(path), "must have at least one row below the header", "none")
    return CsvShape(delimiter, header, rows)


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
