"""From whatever holds the people to one Ibis table: files, frames, Arrow, DuckDB files and SQL databases."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import ibis
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

from dalenius.dataset.engine import Engine, closed_on_error, local_engine, running
from dalenius.dataset.strict_csv import check_names, load_csv
from dalenius.errors import InputError, MissingExtraError, nearest
from dalenius.records.reading import check_exists, refusing

CSV = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
PARQUET = (".parquet", ".pq")
ARROW = (".arrow", ".feather", ".ipc")
DATABASE = (".duckdb", ".db", ".sqlite", ".sqlite3")


@dataclass(frozen=True)
class Opened:
    """The rows as they are, the engine that holds them, and a few words on where they come from."""

    engine: Engine
    table: Any
    description: str


def open_source(
    source: Any, *, table: str | None = None, memory: str = "2GB", text: Sequence[str] = ()
) -> Opened:
    """Open people wherever they are.

    Parameters
    ----------
    source
        A path (CSV, Parquet, Arrow IPC or Feather, DuckDB, SQLite), a database address that Ibis speaks, a
        ``pyarrow.Table``, or any frame with the Arrow interface (pandas, Polars).
    table
        The table of a database, perhaps with its schema as ``schema.table``.
    memory
        How much the private DuckDB may use before it spills to disk.
    text
        Columns that a CSV file's reader must keep as text.

    Examples
    --------
    >>> opened = open_source(pa.table({"age": [32, 47], "ill": ["no", "yes"]}))
    >>> opened.table.columns, opened.description
    (('age', 'ill'), 'a table in memory')
    >>> opened.engine.close()
    """
    if isinstance(source, str) and "://" in source:
        return _open_address(source, table, memory)
    if isinstance(source, str | os.PathLike):
        return _open_path(Path(source), table, memory, text)
    if table is not None:
        raise InputError("table", "must only be given for a database", repr(table), "Leave it out.")
    return _open_arrow(_to_arrow(source), "a table in memory", memory)


def columns_of(source: Any, *, table: str | None = None) -> tuple[str, ...]:
    """Return the names of a source's columns.

    Examples
    --------
    >>> import pyarrow as pa
    >>> columns_of(pa.table({"age": [32], "ill": ["no"]}))
    ('age', 'ill')
    """
    opened = open_source(source, table=table)
    try:
        return tuple(opened.table.columns)
    finally:
        opened.engine.close()


def _open_path(path: Path, table: str | None, memory: str, text: Sequence[str]) -> Opened:
    check_exists(path)
    name = path.name.lower()
    if name.endswith(DATABASE):
        with path.open("rb") as file:
            is_sqlite = file.read(15) == b"SQLite format 3"
        if is_sqlite:
            return _open_address(f"sqlite://{path.absolute()}", table, memory)
        return _open_duckdb(path, table, memory)
    if table is not None:
        raise InputError("table", "must only be given for a database", repr(table), "Leave it out.")
    if name.endswith(ARROW):
        return _open_arrow(_read_ipc(path), path.name, memory)
    if not name.endswith(CSV + PARQUET):
        raise InputError(
            f"file {path.name!r}",
            "must be CSV, Parquet, Arrow, DuckDB or SQLite",
            f"the ending {path.suffix!r}",
            f"Known endings: {', '.join(CSV + PARQUET + ARROW + DATABASE)}.",
        )
    engine = local_engine(memory)
    with closed_on_error(engine):
        rows = (
            _read_parquet(engine.backend, path)
            if name.endswith(PARQUET)
            else load_csv(engine.backend, path, text)
        )
    return Opened(engine, rows, path.name)


def _read_parquet(backend: Any, path: Path) -> Any:
    with refusing(f"file {path.name!r}", "a whole Parquet file"):
        names = pyarrow.parquet.read_schema(path).names
    check_names(f"file {path.name!r}", names)
    with refusing(f"file {path.name!r}", "a whole Parquet file"):
        return backend.read_parquet(glob.escape(str(path)))


def _read_ipc(path: Path) -> pa.Table:
    """Read a file or a stream, and look at every value: an offset that leads out of its buffer is fatal."""
    with path.open("rb") as start:
        is_file = start.read(6).startswith((b"ARROW1", b"FEA1"))
    with refusing(f"file {path.name!r}", "a whole Arrow IPC file"):
        if is_file:
            rows = pyarrow.feather.read_table(path, memory_map=False)
        else:
            with pa.OSFile(str(path)) as file, pa.ipc.open_stream(file) as reader:
                rows = reader.read_all()
        rows.validate(full=True)
    return rows


def _to_arrow(source: Any) -> pa.Table:
    """Turn a frame into Arrow; the packages of frames are never imported here."""
    if isinstance(source, pa.Table):
        return source
    kind = f"{type(source).__module__}.{type(source).__name__}"
    if not hasattr(source, "__arrow_c_stream__"):
        raise InputError(
            "source",
            "must be a path, a database address, an Arrow table or a frame",
            kind,
            "Call .collect() on a lazy frame first, or give a path.",
        )
    if hasattr(source, "columns"):
        check_names("the frame", [str(name) for name in source.columns])
    try:
        if kind.startswith("pandas."):
            return pa.Table.from_pandas(source, preserve_index=False)
        return pa.table(source)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        raise InputError(
            "the frame",
            "must hold one type a column",
            "a column of mixed types",
            "Make each column all text or all numbers.",
        ) from None


def _open_arrow(rows: pa.Table, description: str, memory: str) -> Opened:
    check_names("the table", rows.column_names)
    for position, field in enumerate(rows.schema):
        if pa.types.is_dictionary(field.type):  # an engine's ENUM would sort by first appearance
            rows = rows.set_column(position, field.name, rows.column(position).cast(field.type.value_type))
    engine = local_engine(memory)
    with closed_on_error(engine), running():
        return Opened(engine, engine.backend.create_table("raw", rows, temp=True), description)


def _open_duckdb(path: Path, table: str | None, memory: str) -> Opened:
    engine = local_engine(memory)
    quoted = str(path).replace("'", "''")
    schema, _, name = (table or "").rpartition(".")
    with closed_on_error(engine):
        with refusing(f"file {path.name!r}", "a whole DuckDB file that nobody else has open"):
            engine.backend.raw_sql(f"ATTACH '{quoted}' AS source (READ_ONLY)")
        rows = _find_table(engine, path.name, name, ("source", schema or "main"))
    return Opened(engine, rows, f"{path.name}, table {table}")


def _open_address(address: str, table: str | None, memory: str) -> Opened:
    parts = urlsplit(address)
    if parts.scheme == "duckdb":
        path = Path(address.removeprefix("duckdb://"))
        check_exists(path)
        return _open_duckdb(path, table, memory)
    if parts.scheme == "sqlite" and parts.path not in ("", "/"):
        check_exists(Path(parts.path))  # SQLite would make an empty one
    place = f"{parts.scheme}://{parts.hostname or ''}{parts.path}"  # neither user nor password
    engine = Engine(_connect(address, parts.scheme, place), memory=memory)
    schema, _, name = (table or "").rpartition(".")
    with closed_on_error(engine):
        rows = _find_table(engine, place, name, schema or None)
    return Opened(engine, rows, f"{place}, table {table}")


def _connect(address: str, scheme: str, place: str) -> Any:
    try:
        return ibis.connect(address)
    except ImportError as error:
        if scheme.startswith("postgres"):
            raise MissingExtraError("reading PostgreSQL", "psycopg", "postgres") from None
        raise InputError(
            f"address {place!r}",
            "must be of a database whose driver is installed",
            str(error.name),
            f"Install ibis-framework[{scheme}].",
        ) from None
    except ValueError:
        raise InputError(
            f"address {place!r}",
            "must be of a database that Ibis speaks",
            f"{scheme}://",
            "Use for example postgres://, sqlite:// or duckdb://.",
        ) from None
    except Exception as error:  # each driver has its own tree of errors, and none may carry the password out
        raise InputError(
            f"database {place!r}",
            "must let us in",
            type(error).__name__,
            "Check address, user and password, and that the server runs.",
        ) from None


def _find_table(engine: Engine, place: str, name: str, database: Any) -> Any:
    with running():
        names = engine.backend.list_tables(database=database)
    if not name:
        raise InputError(
            "table", "must be given for a database", "none", f"Tables there: {', '.join(sorted(names))}."
        )
    if name not in names:
        raise InputError(f"table {name!r}", f"must be in {place}", "no such table", nearest(name, names))
    with running():
        return engine.backend.table(name, database=database)
