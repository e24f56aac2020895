"""The two engines, a private DuckDB with a memory budget or the user's own database, and CSV into them."""

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
    """An Ibis connection, and whether it is to a scratch DuckDB of our own.

    Only in our own DuckDB may tables be created, and only there do rows have an order. A connection that
    somebody else made (``owned`` false) is left open: closing it would stop their session.
    """

    def __init__(
        self, backend: Any, *, memory: str, home: PrivateDuckDB | None = None, owned: bool = True
    ) -> None:
        self.backend = backend
        self.memory = memory
        self.local = home is not None
        self._home = home
        self._finish = weakref.finalize(self, backend.disconnect) if owned else None

    def beside(self) -> Engine:
        """A place for more tables: another connection to our DuckDB has its own, and either may end first.

        Starting another DuckDB takes longer than counting thousands of people, and would have as much memory
        again.
        """
        return local_engine(self.memory) if self._home is None else self._home.connect(self.memory)

    def close(self) -> None:
        """Disconnect; with the last connection to our own DuckDB, remove what spilled to disk."""
        if self._finish is not None:
            self._finish()
        self._home = None


class PrivateDuckDB:
    """A DuckDB in memory that spills to a folder of this user alone, and ends with its last connection."""

    def __init__(self, memory: str) -> None:
        scratch = Scratch("dalenius-engine-")
        limits: dict[str, Any] = {"memory_limit": memory, "temp_directory": str(scratch.path)}
        try:
            self._first = duckdb.connect(config=limits)
        except duckdb.Error:
            scratch.close()
            raise
        weakref.finalize(self, _end, self._first, scratch)

    def connect(self, memory: str) -> Engine:
        """Return a connection with tables of its own."""
        return Engine(ibis.duckdb.from_connection(self._first.cursor()), memory=memory, home=self)


def _end(first: duckdb.DuckDBPyConnection, scratch: Scratch) -> None:
    first.close()
    scratch.close()


def local_engine(memory: str) -> Engine:
    """Start a DuckDB of our own.

    Examples
    --------
    >>> engine = local_engine("200MB")
    >>> engine.local
    True
    >>> engine.close()
    """
    if not _MEMORY.fullmatch(memory.strip()):
        raise InputError("memory", "must be a size with a unit", repr(memory), "Write for example 2GB.")
    try:
        return PrivateDuckDB(memory.strip()).connect(memory)
    except duckdb.Error:
        rule = "must be a size that the engine can be given"
        raise InputError("memory", rule, repr(memory), "Write for example 2GB.") from None


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
            backend.con.execute(f'CREATE TEMP TABLE "{name}" AS FROM {GIVEN}')
            backend.con.unregister(GIVEN)
        else:
            backend.con.execute(f'CREATE TEMP TABLE "{name}" AS {backend.compile(rows)}')
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
    return _read_on(reader)


def ask_batches(backend: Any, sql: str) -> Iterator[pa.RecordBatch]:
    """Put a question in SQL to the private DuckDB, and return its answer piece by piece."""
    with running():
        reader = backend.con.execute(sql).fetch_record_batch(BATCH_ROWS)
    return _read_on(reader)


def _read_on(reader: Any) -> Iterator[pa.RecordBatch]:
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
    last = found[shape.header[-1]][0] is WrittenKind.TEXT
    asked = {"torn": table[shape.header[-1]].endswith("\r").any()} if last else {}
    loaded = fetch(table.aggregate(rows=table.count(), **asked)).to_pylist()[0]
    if loaded.get("torn"):  # the engine took half of a line end for a part of the last value
        raise InputError(where, "must be plain CSV with one kind of line end", "several", _AGAIN)
    if loaded["rows"] != shape.rows:
        raise InputError(where, f"must load all of its {shape.rows} rows", f"{loaded['rows']}", _AGAIN)
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


def _cleaned(value: Any, kind: WrittenKind) -> Any:
    known = value.isin(MARKS).ifelse(None, value).strip()
    return (known.replace(",", ".") if kind is WrittenKind.COMMA else known).cast(
        "int64" if kind is WrittenKind.WHOLE else "float64"
    )
