"""CSV into the engine: checked by the strict reader, and no row lost on the way."""

from __future__ import annotations

import glob
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb

from dalenius.errors import InputError
from dalenius.people.engine.engine import fetch, running, too_little_memory
from dalenius.people.files.read_file import look_at_columns
from dalenius.people.files.reading import is_gzip
from dalenius.people.files.strict_csv import CsvShape, check_csv
from dalenius.people.files.written_values import MARKS, WrittenKind, decide

_TYPES = {WrittenKind.WHOLE: "BIGINT", WrittenKind.REAL: "DOUBLE", WrittenKind.COMMA: "DOUBLE"}
_AGAIN = "Save it again as CSV UTF-8, or as Parquet."


def load_csv(backend: Any, path: Path, text: Sequence[str] = (), columns: Sequence[str] = ()) -> Any:
    """Check a CSV file and load it into the engine, as whole numbers, numbers or text.

    Parameters
    ----------
    backend
        The private DuckDB.
    path
        The file, perhaps gzipped.
    text
        Columns kept as text whatever they look like: an id ``007`` is not the number 7.
    columns
        The names of the columns, if the file has no line of them.

    Raises
    ------
    InputError
        For an empty file, a header alone, duplicate names, a row of another length, an unclosed quote or
        bytes that are not UTF-8; with the line where there is one.
    """
    shape = check_csv(path, columns)
    found = _columns(path, shape, text, columns)
    direct = {name for name, (kind, plain) in found.items() if kind in _TYPES and plain}
    where = f"file {path.name!r}"
    try:
        written = backend.read_csv(
            glob.escape(str(path)),
            delim=shape.delimiter,
            quote='"',
            escape='"',
            header=not columns,
            skip=0,
            comment="",
            strict_mode=True,
            null_padding=False,
            ignore_errors=False,
            auto_detect=False,
            columns={
                name: _TYPES[kind] if name in direct else "VARCHAR" for name, (kind, _) in found.items()
            },
            encoding="utf-8",
            compression="gzip" if is_gzip(path) else "none",
        )
        rough = {
            name: _cleaned(written[name], kind)
            for name, (kind, _) in found.items()
            if kind in _TYPES and name not in direct
        }
        with running():
            table = backend.create_table("raw", written.mutate(**rough) if rough else written, temp=True)
    except duckdb.OutOfMemoryException:
        raise too_little_memory() from None
    except duckdb.Error as error:
        # The engine's own message quotes the row, that is a person: it is not passed on.
        raise InputError(
            where,
            "must be plain CSV with one kind of line end and quotes only around whole fields",
            f"a file the engine cannot parse ({type(error).__name__})",
            _AGAIN,
        ) from None
    if found[shape.header[-1]][0] is WrittenKind.TEXT and _torn(table[shape.header[-1]]):
        raise InputError(where, "must be plain CSV with one kind of line end", "several", _AGAIN)
    loaded_rows = int(fetch(table.aggregate(n=table.count()))["n"][0].as_py())
    if loaded_rows != shape.rows:
        raise InputError(where, f"must load all of its {shape.rows} rows", f"{loaded_rows}", _AGAIN)
    return table


def _columns(
    path: Path, shape: CsvShape, text: Sequence[str], columns: Sequence[str]
) -> dict[str, tuple[WrittenKind, bool]]:
    """What every column is, and whether the engine can read its numbers as they stand.

    Dates and truth values stay as they are written.
    """
    looks = look_at_columns(path, shape.delimiter, columns)
    kinds = decide(looks, shape.delimiter)
    return {
        name: (kind if kind in _TYPES and name not in text else WrittenKind.TEXT, look.plain)
        for name, kind, look in zip(shape.header, kinds, looks, strict=True)
    }


def _torn(last: Any) -> bool:
    """Whether the engine took half of a line end for a part of the last value."""
    return bool(fetch(last.endswith("\r").any().name("x").as_table())["x"][0].as_py())


def _cleaned(value: Any, kind: WrittenKind) -> Any:
    known = value.isin(MARKS).ifelse(None, value).strip()
    return (known.replace(",", ".") if kind is WrittenKind.COMMA else known).cast(
        "int64" if kind is WrittenKind.WHOLE else "float64"
    )
