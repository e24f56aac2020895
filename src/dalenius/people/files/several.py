"""Several Parquet files as one table: a folder of them or a pattern, ``people-*.parquet``; by address too."""

from __future__ import annotations

import glob
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

from dalenius.errors import InputError
from dalenius.people.files.addresses import find, is_there, open_address, reaching, shown, store_of
from dalenius.people.files.reading import refusing
from dalenius.people.files.strict_csv import check_names

ENDINGS = (".parquet", ".pq")


def several_files(path: Path) -> list[Path]:
    """The Parquet files of a folder or a pattern, in the order of their names.

    Raises
    ------
    InputError
        If there is none, or files have other columns than the first.
    """
    found = path.iterdir() if path.is_dir() else path.parent.glob(path.name)
    files = [each for each in sorted(found) if each.is_file() and each.name.lower().endswith(ENDINGS)]
    if not files:
        fix = "Other kinds of files are given one at a time."
        raise InputError(str(path), "must hold Parquet files", "none", fix)
    _check_alike({each.name: each for each in files})
    return files


def view_files(backend: Any, paths: Sequence[Path]) -> Any:
    """Give Parquet files of this machine as a table of DuckDB."""
    from pyarrow import parquet

    first = f"file {paths[0].name!r}"
    with refusing(first, "a whole Parquet file"):
        names = parquet.read_schema(paths[0]).names
    check_names(first, names)
    with refusing(first, "a whole Parquet file"):
        return backend.read_parquet([glob.escape(str(path)) for path in paths])


def view_address(backend: Any, address: str) -> Any:
    """Give Parquet files of a store as a table of DuckDB, which reads what it is asked for and no more.

    Raises
    ------
    InputError
        If there is none, files have other columns than the first, or the store does not let us in.
    """
    one = not set("*?[") & set(address)
    files = [address] if one else find(address, ENDINGS)
    if not files or (one and not is_there(address)):
        raise InputError(shown(address), "must stand for Parquet files", "none", "Check the address.")
    with ExitStack() as stack:
        opened = {name.rpartition("/")[2]: stack.enter_context(open_address(name)) for name in files}
        check_names(f"file {next(iter(opened))!r}", _check_alike(opened))
    with reaching(address):
        backend.con.register_filesystem(store_of(address)[0])
        listed = ", ".join("'" + glob.escape(name).replace("'", "''") + "'" for name in files)
        made = f"CREATE TEMP VIEW stored AS SELECT * FROM read_parquet([{listed}])"  # noqa: S608 - quoted
        backend.con.execute(made)
        return backend.table("stored")


def _check_alike(files: Mapping[str, Path | IO[bytes]]) -> list[str]:
    """Refuse files that would not be one table: engines put columns together by their place."""
    from pyarrow import parquet

    first = None
    for called, file in files.items():
        with refusing(f"file {called!r}", "a whole Parquet file"):
            schema = parquet.read_schema(file).remove_metadata()
        first = schema if first is None else first
        if not schema.equals(first):
            differs = next(
                (name for name in first.names if name not in schema.names),
                next((name for name in schema.names if name not in first.names), None),
            )
            got = "other types or another order" if differs is None else f"one without {differs!r}"
            rule = f"must have the columns of {next(iter(files))!r}, with the same types in the same order"
            raise InputError(f"file {called!r}", rule, got, "Write them alike, or give one file.")
    return [] if first is None else list(first.names)
