"""The two engines: a private DuckDB with a memory budget, or the user's own database."""

from __future__ import annotations

import re
import sqlite3
import warnings
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import duckdb
import ibis
import pyarrow as pa

from dalenius.errors import InputError, TooLargeError
from dalenius.scratch import Scratch

BATCH_ROWS = 1 << 20
"""Rows fetched at a time: 8 columns of 2 bytes stay well below the smallest sensible budget."""

_MEMORY = re.compile(r"\d+(\.\d+)?\s*(KB|MB|GB|TB|KiB|MiB|GiB|TiB)", re.IGNORECASE)


class Engine:
    """An Ibis connection, and whether it is our own scratch DuckDB.

    Only in our own DuckDB may tables be created, and only there do rows have an order.
    """

    def __init__(self, backend: Any, *, memory: str, scratch: Scratch | None = None) -> None:
        self.backend = backend
        self.memory = memory
        self.local = scratch is not None
        self._finish = weakref.finalize(self, _finish, backend, scratch)

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
    scratch = Scratch("dalenius-")
    try:
        backend = ibis.duckdb.connect(memory_limit=memory.strip(), temp_directory=str(scratch.path))
    except duckdb.Error:
        scratch.close()
        rule = "must be a size that the engine can be given"
        raise InputError("memory", rule, repr(memory), "Write for example 2GB.") from None
    return Engine(backend, memory=memory, scratch=scratch)


def _finish(backend: Any, scratch: Scratch | None) -> None:
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
