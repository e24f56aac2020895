"""Open whatever holds people: files, frames, DuckDB and SQLite files, SQL databases, tables of Ibis.

`open_source` gives a table in an engine, for counting; `open_sheet` the same table in memory. Both take the
same sources, and what one refuses the other does.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import ibis
import pyarrow as pa
import pyarrow.compute

from dalenius.errors import InputError, MissingExtraError, nearest
from dalenius.people.engine.engine import (
    Engine,
    closed_on_error,
    fetch_batches,
    keep,
    load_csv,
    local_engine,
    running,
)
from dalenius.people.files.read_file import (
    CSV,
    DATABASE,
    IN_MEMORY,
    PARQUET,
    checked,
    frame_to_arrow,
    no_sheet,
    only_csv,
    read_held,
    read_sheet,
    settled,
    unknown_ending,
)
from dalenius.people.files.reading import are_several, check_exists, refusing
from dalenius.people.files.sheet import Sheet
from dalenius.people.files.strict_csv import check_names
from dalenius.shown import hides_people

if TYPE_CHECKING:
    from dalenius.people.rows.rows import Rows


@hides_people()
@dataclass(frozen=True)
class OpenedTable:
    """The rows as they are, the engine that holds them, and a few words on where they come from."""

    engine: Engine
    table: Any
    description: str


def open_source(
    source: Any,
    *,
    table: str | None = None,
    memory: str = "2GB",
    text: Sequence[str] = (),
    columns: Sequence[str] = (),
) -> OpenedTable:
    """Open people wherever they are.

    Parameters
    ----------
    source
        A path (CSV, Parquet, Arrow IPC or Feather, xlsx, SPSS, Stata, SAS, DuckDB, SQLite), a database
        address that Ibis speaks, a table of Ibis, a ``pyarrow.Table``, or any frame with the Arrow interface
        (pandas, Polars). The table of a database, or the sheet of a workbook, may follow after ``#``, as in
        ``people.duckdb#patients``. A folder or a pattern stands for several Parquet files, and so does their
        address, as in ``s3://bucket/*.parquet``. A table of Ibis stays where it is, and its connection is
        left open.
    table
        The table of a database, perhaps with its schema as ``schema.table``, or the sheet of a workbook.
    memory
        How much the private DuckDB may use before it spills to disk.
    text
        Columns that a CSV file's reader must keep as text.
    columns
        The names of the columns of a CSV file that has no line of them.

    Examples
    --------
    >>> opened = open_source(pa.table({"age": [32, 47], "ill": ["no", "yes"]}))
    >>> opened.table.columns, opened.description
    (('age', 'ill'), 'a table in memory')
    >>> opened.engine.close()
    """
    source, table = split_table(source, table)
    only_csv(source, columns)
    if is_address(source):
        return _open_address(source, table, memory)
    if isinstance(source, str | os.PathLike):
        return _open_path(Path(source), table, memory, text, columns)
    no_sheet(table)
    if isinstance(source, ibis.Table):
        return _open_expression(source, memory)
    return _open_arrow(frame_to_arrow(source), "a table in memory", memory)


def open_sheet(
    source: Any, *, table: str | None = None, id: str | None = None, columns: Sequence[str] = ()
) -> Sheet:
    """Open people wherever they are, and hold them in memory.

    Parameters
    ----------
    source, table
        As for `open_source`; a sheet is returned as it is.
    id
        The rows of a database have no order: they are put in that of this column, shorter values first, or of
        all columns if it is not given.
    columns
        The names of the columns of a CSV file that has no line of them.

    Examples
    --------
    >>> open_sheet(pa.table({"age": [32, 47]})).numbers("age")
    array([32., 47.])
    """
    source, table = split_table(source, table)
    if not in_database(source):
        if not isinstance(source, str | os.PathLike):
            no_sheet(table)
        return read_sheet(source, table, columns)
    only_csv(source, columns)
    opened = open_source(source, table=table)
    try:
        rows = opened.table
        texts = {name: rows[name].cast("string") for name in rows.columns if rows[name].type().is_uuid()}
        batches = list(fetch_batches(rows.mutate(**texts) if texts else rows))
        held = pa.Table.from_batches(batches, None if batches else rows.schema().to_pyarrow())
        ordered = held if opened.engine.local else _ordered(held, id)
        return checked(Sheet(opened.description, settled(ordered)), opened.description)
    finally:
        opened.engine.close()


def read_rows(
    source: Any, text: Sequence[str] = (), *, table: str | None = None, id: str | None = None
) -> Rows:
    """Read original rows, as people have them: columns of numbers, dates and text.

    Parameters
    ----------
    source, table, id
        As for `open_sheet`.
    text
        Columns of a CSV file that stay text whatever they look like.

    Examples
    --------
    >>> read_rows(pa.table({"age": [32, 47]})).column("age").values
    array([32., 47.])
    """
    from dalenius.people.rows.rows import Rows

    return source if isinstance(source, Rows) else open_sheet(source, table=table, id=id).rows(text)


def is_address(source: Any) -> bool:
    """Whether a source is the address of a database."""
    return isinstance(source, str) and "://" in source


def split_table(source: Any, table: str | None = None) -> tuple[Any, str | None]:
    """Split ``database#table``, unless the table is given or a file has that very name.

    Examples
    --------
    >>> split_table("postgres://host/clinic#patients"), split_table("people.csv")
    (('postgres://host/clinic', 'patients'), ('people.csv', None))
    """
    if table is not None or not isinstance(source, str | os.PathLike):
        return source, table
    place, sign, name = str(source).rpartition("#")
    if not (sign and place and name) or (not is_address(place) and Path(source).exists()):
        return source, None
    return (place if isinstance(source, str) else Path(place)), name


def as_place(text: str | Path) -> str | Path:
    """Take a text for a path, unless it is the address of a database."""
    return text if is_address(text) else Path(text)


def place_name(source: Any) -> str:
    """Say in a few words where people come from; no password.

    Examples
    --------
    >>> place_name(Path("data/edges.csv")), place_name("postgres://anna:word@host/clinic#links")
    ('edges.csv', 'postgres://host/clinic, table links')
    """
    place, table = split_table(source)
    if isinstance(place, Sheet):
        return place.name
    if isinstance(place, ibis.Table):
        return "a table of Ibis"
    if not isinstance(place, str | os.PathLike):
        return IN_MEMORY
    name = place_of(place) if isinstance(place, str) and is_address(place) else Path(place).name
    return name if table is None else f"{name}, table {table}"


def check_place(source: str | Path) -> None:
    """Refuse a path that does not exist; whether a database answers is seen when it is opened."""
    place, _ = split_table(source)
    if not is_address(place) and not are_several(Path(place)):
        check_exists(Path(place))


def in_database(source: Any) -> bool:
    """Whether a source is in a database."""
    if is_address(source) or isinstance(source, ibis.Table):
        return True
    return isinstance(source, str | os.PathLike) and str(source).lower().endswith(DATABASE)


def _ordered(rows: pa.Table, id: str | None) -> pa.Table:
    """Put rows in an order that is their own: databases give them in any."""
    keys: dict[str, Any] = {}
    for j, name in enumerate([id] if id in rows.column_names else rows.column_names):
        column = rows.column(name).cast(pa.string())
        keys |= {f"length{j}": pyarrow.compute.utf8_length(column), f"text{j}": column}
    order = pyarrow.compute.sort_indices(pa.table(keys), [(name, "ascending") for name in keys])
    return rows.take(order)


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


def _open_path(
    path: Path, table: str | None, memory: str, text: Sequence[str], columns: Sequence[str]
) -> OpenedTable:
    if are_several(path):
        return _open_parquet(path, path.name, memory)
    check_exists(path)
    name = path.name.lower()
    if name.endswith(DATABASE):
        with path.open("rb") as file:
            is_sqlite = file.read(15) == b"SQLite format 3"
        if is_sqlite:
            return _open_address(f"sqlite://{path.absolute()}", table, memory)
        return _open_duckdb(path, table, memory)
    if (held := read_held(path, table)) is not None:
        return _open_arrow(held, path.name, memory)
    if not name.endswith(CSV + PARQUET):
        raise unknown_ending(path)
    if name.endswith(PARQUET):
        return _open_parquet(path, path.name, memory)
    engine = local_engine(memory)
    with closed_on_error(engine):
        return OpenedTable(engine, load_csv(engine.backend, path, text, columns), path.name)


def _open_parquet(place: Path | str, called: str, memory: str) -> OpenedTable:
    from dalenius.people.files.several import several_files, view_address, view_files

    engine = local_engine(memory)
    with closed_on_error(engine):
        if isinstance(place, str):
            return OpenedTable(engine, view_address(engine.backend, place), called)
        files = several_files(place) if are_several(place) else [place]
        return OpenedTable(engine, view_files(engine.backend, files), called)


def _open_expression(table: ibis.Table, memory: str) -> OpenedTable:
    """Use a table where it is: only counts leave it, and the session is its owner's."""
    try:
        backend = table.get_backend()
    except ibis.common.exceptions.IbisError:
        rule, fix = "must belong to one connection", "Take it from one, as in connection.table(name)."
        raise InputError("the table of Ibis", rule, "none, or several", fix) from None
    check_names("the table", list(table.columns))
    return OpenedTable(Engine(backend, memory=memory, owned=False), table, f"a table in {backend.name}")


def _open_arrow(rows: pa.Table, description: str, memory: str) -> OpenedTable:
    from dalenius.people.engine.arrow_columns import plain_column

    check_names("the table", rows.column_names)
    for position, name in enumerate(rows.column_names):
        rows = rows.set_column(position, name, plain_column(name, rows.column(position)))
    engine = local_engine(memory)
    with closed_on_error(engine):
        return OpenedTable(engine, keep(engine.backend, "raw", rows), description)


def _open_duckdb(path: Path, table: str | None, memory: str) -> OpenedTable:
    engine = local_engine(memory)
    quoted = str(path).replace("'", "''")
    schema, _, name = (table or "").rpartition(".")
    with closed_on_error(engine):
        with refusing(f"file {path.name!r}", "a whole DuckDB file that nobody else has open"):
            engine.backend.raw_sql(f"ATTACH '{quoted}' AS source (READ_ONLY)")
        rows = _find_table(engine, path.name, name, ("source", schema or "main"))
    return OpenedTable(engine, rows, f"{path.name}, table {table}")


def _open_address(address: str, table: str | None, memory: str) -> OpenedTable:
    if address.lower().endswith(PARQUET):
        no_sheet(table)
        return _open_parquet(address, place_of(address), memory)
    parts = urlsplit(address)
    if parts.scheme == "duckdb":
        path = Path(address.removeprefix("duckdb://"))
        check_exists(path)
        return _open_duckdb(path, table, memory)
    if parts.scheme == "sqlite" and parts.path not in ("", "/"):
        check_exists(Path(parts.path))  # SQLite would make an empty one
    place = place_of(address)
    # a Spark session is one for the whole process, and may be somebody else's
    engine = Engine(_connect(address, parts.scheme, place), memory=memory, owned=parts.scheme != "pyspark")
    schema, _, name = (table or "").rpartition(".")
    with closed_on_error(engine):
        rows = _find_table(engine, place, name, schema or None)
    return OpenedTable(engine, rows, f"{place}, table {table}")


def place_of(address: str) -> str:
    """Return the address of a database without user and password.

    Examples
    --------
    >>> place_of("postgres://anna:word@host/clinic?sslmode=require")
    'postgres://host/clinic'
    """
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.hostname or ''}{parts.path}"


def _connect(address: str, scheme: str, place: str) -> Any:
    try:
        return ibis.connect(address)
    except ImportError as error:
        if scheme.startswith("postgres"):
            raise MissingExtraError("reading PostgreSQL", "psycopg", "postgres") from None
        if scheme == "sqlite":
            raise MissingExtraError("reading SQLite", "pandas", "sqlite") from None
        raise InputError(
            f"address {place!r}",
            "must be of a database whose driver is installed",
            "no driver" if error.name is None else f"no {error.name}",
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
    if not names:
        fix = "Check its name, and what the user may read."
        raise InputError(f"table {name!r}", f"must be in {place}", "no table that the user may read", fix)
    if name not in names:
        raise InputError(f"table {name!r}", f"must be in {place}", "no such table", nearest(name, names))
    with running():
        return engine.backend.table(name, database=database)
