"""Sheets from files and frames: CSV, Parquet, Arrow, xlsx, SPSS, Stata, SAS, pandas, Polars; no databases."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dalenius.errors import InputError
from dalenius.people.files.reading import (
    MOST_CELL,
    PIECE,
    are_several,
    check_exists,
    is_gzip,
    open_plain,
    read_parquet,
    refusing,
)
from dalenius.people.files.sheet import Sheet
from dalenius.people.files.strict_csv import bare, check_csv, check_names, look_through
from dalenius.people.files.written_values import Look

Source = Any
"""A path, an Arrow table, a frame of pandas or Polars, or a sheet."""

CSV = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz")
PARQUET = (".parquet", ".pq")
ARROW = (".arrow", ".feather", ".ipc")
XLSX = (".xlsx", ".xlsm")
STATISTICAL = {".sav": "SPSS", ".zsav": "SPSS", ".dta": "Stata", ".sas7bdat": "SAS", ".xpt": "SAS"}
"""By the ending of a file: the program that writes it."""

DATABASE = (".duckdb", ".db", ".sqlite", ".sqlite3")

IN_MEMORY = "the table"
"""What a frame is called."""


def read_sheet(source: Source, table: str | None = None, columns: Sequence[str] = ()) -> Sheet:
    """Read a file or a frame whole; a sheet is returned as it is.

    CSV is read strictly: every row as long as the header, UTF-8, no name twice, at least one row.

    Parameters
    ----------
    source
        A path to a CSV (perhaps gzipped), Parquet, Arrow, xlsx, SPSS, Stata or SAS file, an Arrow table, or
        any frame with the Arrow interface (pandas, Polars).
    table
        The sheet of a workbook, if it has more than one.
    columns
        The names of the columns of a CSV file that has no line of them.

    Examples
    --------
    >>> import pyarrow as pa
    >>> read_sheet(pa.table({"age": [32, 47]})).numbers("age")
    array([32., 47.])
    """
    if isinstance(source, Sheet):
        return source
    if isinstance(source, str | os.PathLike):
        only_csv(source, columns)
        return checked(_read_path(Path(source), table, columns), f"file {Path(source).name!r}")
    only_csv(source, columns)
    return checked(Sheet(IN_MEMORY, settled(frame_to_arrow(source))), IN_MEMORY)


def checked(sheet: Sheet, where: str) -> Sheet:
    """Refuse a sheet whose columns have no names of their own, or without rows."""
    check_names(where, sheet.names)
    if not len(sheet):
        raise InputError(where, "must have at least one row", "none")
    return sheet


def _read_path(path: Path, table: str | None, columns: Sequence[str]) -> Sheet:
    if are_several(path):
        import pyarrow as pa

        from dalenius.people.files.several import several_files

        held = pa.concat_tables([read_parquet(each) for each in several_files(path)])
        return Sheet(path.name, settled(held))
    check_exists(path)
    name = path.name.lower()
    if (held := read_held(path, table)) is not None:
        return Sheet(path.name, settled(held))
    if name.endswith(CSV):
        rows, delimiter = _read_csv(path, columns)
        return Sheet(path.name, rows, delimiter)
    if name.endswith(PARQUET):
        return Sheet(path.name, settled(read_parquet(path)))
    raise unknown_ending(path)


def read_held(path: Path, table: str | None = None) -> Any:
    """Read a file that is held in memory whole, as an Arrow table; None for any other kind of file.

    Parameters
    ----------
    path
        The file.
    table
        The sheet of a workbook, if it has more than one.
    """
    name = path.name.lower()
    if name.endswith(XLSX):
        from dalenius.people.files.other_programs import read_workbook

        return read_workbook(path, table)
    no_sheet(table)
    if name.endswith(tuple(STATISTICAL)):
        from dalenius.people.files.other_programs import read_statistical

        return read_statistical(path)
    return read_arrow(path) if name.endswith(ARROW) else None


def only_csv(source: Any, columns: Sequence[str]) -> None:
    """Refuse names of columns for what has names of its own."""
    if columns and not (isinstance(source, str | os.PathLike) and str(source).lower().endswith(CSV)):
        rule = "must only be given for a CSV file without a header"
        raise InputError("columns", rule, f"{len(columns)} names", "Leave them out.")


def no_sheet(table: str | None) -> None:
    """Refuse the name of a table where there is only one."""
    if table is not None:
        rule = "must only be given for a database or a workbook"
        raise InputError("table", rule, repr(table), "Leave it out.")


def unknown_ending(path: Path) -> InputError:
    """Say that a file is of no kind that is read."""
    return InputError(
        f"file {path.name!r}",
        "must be CSV, Parquet, Arrow, xlsx, SPSS, Stata, SAS, DuckDB or SQLite",
        f"the ending {path.suffix!r}",
        f"Known endings: {', '.join((*CSV, *PARQUET, *ARROW, *XLSX, *STATISTICAL, *DATABASE))}.",
    )


def frame_to_arrow(source: Any) -> Any:
    """Turn a frame into an Arrow table; the packages of frames are never imported here."""
    import pyarrow as pa

    if isinstance(source, pa.Table):
        return source
    kind = f"{type(source).__module__}.{type(source).__name__}"
    if not hasattr(source, "__arrow_c_stream__") or kind.endswith(("Series", "ChunkedArray")):
        raise InputError(
            "source",
            "must be a path, a database address, an Arrow table or a frame",
            kind,
            "Call .collect() on a lazy frame first, or give a path."
            if kind.endswith("LazyFrame")
            else "Give a frame with one row for each person.",
        )
    if hasattr(source, "columns"):
        check_names("the frame", [str(name) for name in source.columns])
    try:
        if kind.startswith("pandas."):
            return pa.Table.from_pandas(source, preserve_index=False)
        return pa.table(source)
    except (pa.ArrowInvalid, pa.ArrowTypeError):  # its message quotes a value
        raise InputError(
            "the frame",
            "must hold one type per column",
            "a column of mixed types",
            "Make each column all text or all numbers.",
        ) from None


def read_arrow(path: Path) -> Any:
    """Read a file or a stream, and look at every value: an offset that leads out of its buffer is fatal."""
    import pyarrow as pa
    from pyarrow import feather

    with path.open("rb") as start:
        is_file = start.read(6).startswith((b"ARROW1", b"FEA1"))
    with refusing(f"file {path.name!r}", "a whole Arrow IPC file"):
        if is_file:
            rows = feather.read_table(path, memory_map=False)
        else:
            with pa.OSFile(str(path)) as file, pa.ipc.open_stream(file) as reader:
                rows = reader.read_all()
        rows.validate(full=True)
    return rows


def settled(table: Any) -> Any:
    """Give equal values one form: a single-precision 0.7 is 0.7, not the double nearest to it."""
    import pyarrow as pa
    from pyarrow import types

    for position, field in enumerate(table.schema):
        if types.is_float32(field.type) or types.is_float16(field.type):
            column = table.column(position).cast(pa.float32()).cast(pa.string()).cast(pa.float64())
            table = table.set_column(position, field.name, column)
    return table


def _read_csv(path: Path, columns: Sequence[str]) -> tuple[Any, str]:
    """Read every column as text: an id 007 must not become 7 in one file and not in another."""
    import pyarrow as pa

    delimiter, quotes = look_through(path)
    if quotes or columns:  # a fast reader would forgive quotes that are not around whole fields
        check_csv(path, columns)
    with refusing(f"file {path.name!r}", "plain CSV"):
        try:
            with _stream(path) as stream:
                table = _as_text(path, delimiter, stream, columns, whole=True)
        except pa.ArrowInvalid:
            check_csv(path, columns)  # names the line; Arrow quotes it, that is a person
            raise
    if not table.num_rows:
        check_csv(path, columns)
    _check_cells(path, table)
    return _without_blanks(table, named=not columns), delimiter


def _without_blanks(table: Any, *, named: bool) -> Any:
    """Take the blanks around values away where names of columns have them, or all values after separators.

    ``named`` says that the names stand in the file.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    names = bare(table.schema.names) if named else tuple(table.schema.names)
    if list(names) == table.schema.names and not _padded(table.columns[1:]):
        return table
    trimmed = [pc.utf8_trim_whitespace(column) for column in table.columns]
    nothing = pa.scalar(None, pa.string())
    return pa.table([pc.if_else(pc.equal(each, ""), nothing, each) for each in trimmed], names=list(names))


def _padded(columns: Sequence[Any]) -> bool:
    """Whether every value that is not empty begins with a blank, which then belongs to the separator."""
    import pyarrow.compute as pc

    return bool(columns) and all(
        pc.all(pc.match_substring_regex(column, "^( |$)")).as_py() is not False for column in columns
    )


def look_at_columns(path: Path, delimiter: str, columns: Sequence[str] = ()) -> list[Look]:
    """Go through a CSV file that was checked, piece by piece, and say what its columns look like."""
    with refusing(f"file {path.name!r}", "plain CSV"), _stream(path) as stream:
        pieces = _as_text(path, delimiter, stream, columns, whole=False)
        looks = [Look() for _ in pieces.schema.names]
        for piece in pieces:
            for look, values in zip(looks, piece.columns, strict=True):
                look.at(values)
    return looks


def _as_text(path: Path, delimiter: str, stream: Any, columns: Sequence[str], *, whole: bool) -> Any:
    """Let Arrow read a file with all columns as text: whole, or piece by piece."""
    import pyarrow as pa
    from pyarrow import csv

    parse = csv.ParseOptions(delimiter=delimiter, newlines_in_values=True)
    names = columns
    if not columns:
        with _stream(path) as start:
            names = csv.open_csv(start, parse_options=parse).schema.names
    convert = csv.ConvertOptions(
        column_types=dict.fromkeys(names, pa.string()), null_values=[""], strings_can_be_null=True
    )
    given = list(columns) or None
    if whole:
        read = csv.ReadOptions(column_names=given)
        return csv.read_csv(stream, read_options=read, parse_options=parse, convert_options=convert)
    block = csv.ReadOptions(block_size=PIECE, column_names=given)
    return csv.open_csv(stream, read_options=block, parse_options=parse, convert_options=convert)


def _stream(path: Path) -> Any:
    """The bytes of a file for Arrow, unpacked if it is gzip."""
    import pyarrow as pa

    return pa.PythonFile(open_plain(path), "r") if is_gzip(path) else pa.OSFile(str(path))


def _check_cells(path: Path, table: Any) -> None:
    """Refuse cells too long to be a value of a person."""
    import pyarrow.compute as pc

    for column in table.columns:
        if (pc.max(pc.binary_length(column)).as_py() or 0) > MOST_CELL:
            raise InputError(
                f"file {path.name!r}", f"must have at most {MOST_CELL:,} characters in a cell", "more"
            )
