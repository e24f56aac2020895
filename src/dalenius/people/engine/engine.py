"""The two engines, and CSV files into them.

The two engines: a private DuckDB with a memory budget, or the user's own database.

CSV into the engine: checked by the strict reader, and no row lost on the way.
"""

from __future__ import annotations

import glob
import re
import sqlite3
import warnings
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import ibis
import pyarrow as pa

from dalenius.atomic_write import Scratch
from dalenius.errors import InputError, TooLargeError
from dalenius.people.files.read_file import look_at_columns
from dalenius.people.files.reading import is_gzip
from dalenius.people.files.strict_csv import CsvShape, check_csv
from dalenius.people.files.written_values import MARKS, WrittenKind, decide

BATCH_ROWS = 1 << 20
"""Rows fetched at a time: 8 columns of 2 bytes stay well below the smallest sensible budget."""

_MEMORY = re.compile(r"\d+(\.\d+)?\s*(KB|MB|GB|TB|KiB|MiB|GiB|TiB)", re.IGNORECASE)


class Engine:
    """An Ibis connection, and whether it is our own scratch DuckDB.

    Only in our own DuckDB may tables be created, and only there do rows have an order. A connection that
    somebody else made (``owned`` false) is left open: closing it would stop their session.
    """

    def __init__(
        self, backend: Any, *, memory: str, scratch: Scratch | None = None, owned: bool = True
    ) -> None:
        self.backend = backend
        self.memory = memory
        self.local = scratch is not None
        self._finish = weakref.finalize(self, _finish, backend if owned else None, scratch)

    def close(self) -> None:
        """Disconnect, and remove what spilled to disk."""
        self._finish()


def local_engine(memory: str) -> Engine:
    """Start a DuckDB in memory that spills to a folder only this user can read.

    Examples
    --------
    >>> engine = local_engine("200MB")
    >>> engine.local
    True
    >>> engine.close()
    """
    if not _MEMORY.fullmatch(memory.strip()):
        raise InputError("memory", "must be a size with a unit", repr(memory), "Write for example 2GB.")
    scratch = Scratch("dalenius-engine-")
    try:
        backend = ibis.duckdb.connect(memory_limit=memory.strip(), temp_directory=str(scratch.path))
    except duckdb.Error:
        scratch.close()
        rule = "must be a size that the engine can be given"
        raise InputError("memory", rule, repr(memory), "Write for example 2GB.") from None
    return Engine(backend, memory=memory, scratch=scratch)


def _finish(backend: Any, scratch: Scratch | None) -> None:
    if backend is not None:
        backend.disconnect()
    if scratch is not None:
        scratch.close()


def too_little_memory() -> TooLargeError:
    """Say that the engine has too little memory."""
    fix = 'Give more, as in memory="8GB".'
    return TooLargeError("memory", "must hold the work of the engine", "too little", fix)


@contextmanager
def closed_on_error(engine: Engine) -> Iterator[None]:
    """Close an engine that nobody will get, because what it was to hold cannot be read."""
    try:
        yield
    except BaseException:
        engine.close()
        raise


def keep(backend: Any, name: str, rows: Any) -> Any:
    """Hold a table of Arrow, or what a query finds, in a temporary table of the private DuckDB.

    Half the work of Ibis's own way, which makes an empty table before it fills it.
    """
    with running():
        if isinstance(rows, pa.Table):
            backend.con.register(GIVEN, rows)
        found = GIVEN if isinstance(rows, pa.Table) else f"({backend.compile(rows)})"
        backend.con.execute(f'CREATE TEMP TABLE "{name}" AS FROM {found}')
        backend.con.unregister(GIVEN)
        return backend.table(name, database=("temp", "main"))


GIVEN = "given"
"""What a table of Arrow is called while it is taken in."""


def fetch(expression: Any) -> pa.Table:
    """Run a small query and return its result."""
    with running():
        return expression.to_pyarrow()


def fetch_batches(expression: Any) -> Iterator[pa.RecordBatch]:
    """Run a query and return its result piece by piece."""
    with running():
        reader = expression.to_pyarrow_batches(chunk_size=BATCH_ROWS)
    while True:
        with running():
            batch = next(reader, None)
        if batch is None:
            return
        yield batch


@contextmanager
def running() -> Iterator[None]:
    """Say in our words that memory ran out, that data are damaged, or that a database went away.

    Two warnings are silenced that Ibis 12 causes in what it stands on.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The 'future.infer_string' option")  # pandas 3, for SQLite
        warnings.filterwarnings("ignore", message="fetch_\\w+\\(\\) is deprecated")  # duckdb 1.5
        try:
            yield
        except duckdb.OutOfMemoryException:
            raise too_little_memory() from None
        except (duckdb.ParserException, duckdb.BinderException, duckdb.CatalogException):
            raise  # a question that was put wrong, which is nobody's file
        except (duckdb.Error, sqlite3.DatabaseError, pa.ArrowException) as error:
            # engines quote what they stumbled over, that is a person: it is not passed on
            raise InputError(
                "the data",
                "must be readable to the last value",
                f"a table that the engine cannot read ({type(error).__name__})",
                "Write the file again, or give it as CSV.",
            ) from None
        except Exception as error:
            if not _says_database(error):
                raise
            raise InputError(
                "the database",
                "must answer to the last row",
                f"{type(error).__name__}",
                "Check that the server runs, that the connection holds, and what the user may read.",
            ) from None


def _says_database(error: Exception) -> bool:
    """Whether a driver says it of its database, and not of the question: by the names of Python's DB-API 2.0.

    Drivers need not be installed, so their errors cannot be named; each has the same tree of them.
    """
    names = {kind.__name__ for kind in type(error).__mro__}
    asked_wrongly = "ProgrammingError" in names and "InsufficientPrivilege" not in names
    return bool(names & {"DatabaseError", "InterfaceError"}) and not asked_wrongly


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
        if shape.padded:
            texts = [name for name, (kind, _) in found.items() if kind not in _TYPES]
            rough |= {name: written[name].strip().nullif("") for name in texts}
        table = keep(backend, "raw", written.mutate(**rough) if rough else written)
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
