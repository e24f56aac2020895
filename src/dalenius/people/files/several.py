"""Several Parquet files as one table: a folder of them, or a pattern such as ``people-*.parquet``."""

from __future__ import annotations

from pathlib import Path

from dalenius.errors import InputError
from dalenius.people.files.reading import refusing

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
    _check_alike(files)
    return files


def _check_alike(files: list[Path]) -> None:
    """Refuse files that would not be one table: engines put columns together by their place."""
    from pyarrow import parquet

    first = None
    for path in files:
        with refusing(f"file {path.name!r}", "a whole Parquet file"):
            schema = parquet.read_schema(path).remove_metadata()
        first = schema if first is None else first
        if not schema.equals(first):
            differs = next(
                (name for name in first.names if name not in schema.names),
                next((name for name in schema.names if name not in first.names), None),
            )
            got = "other types or another order" if differs is None else f"one without {differs!r}"
            rule = f"must have the columns of {files[0].name!r}, with the same types in the same order"
            raise InputError(f"file {path.name!r}", rule, got, "Write them alike, or give one file.")
