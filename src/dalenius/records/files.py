"""Small plain tables from CSV or Parquet files, for what people hand over besides the data itself.

Queries, answers, truth and lists of people come this way; the data under audit goes through the engine.
"""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError, TooLargeError, nearest_column
from dalenius.records.reading import check_exists, decode, read_bytes, read_parquet, refusing

__all__ = ["PlainTable", "as_text", "check_exists", "read_plain"]

MOST_TEXT = 1 << 31
"""Bytes of a column of names in memory, where every name takes as much room as the longest."""


class PlainTable:
    """Columns by name, all of one length."""

    def __init__(self, path: str, columns: dict[str, Any]) -> None:
        self.path = path
        self._columns = columns

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return list(self._columns)

    def text(self, name: str) -> NDArray[np.str_]:
        """A column as text; a missing value is refused."""
        column = self._column(name)
        if column.null_count:
            raise InputError(
                f"{self.path}: column {name!r}", "must have no empty values", f"{column.null_count}"
            )
        return as_text(f"{self.path}: column {name!r}", column)

    def numbers(self, name: str) -> NDArray[np.float64]:
        """A column as finite numbers; the first row that has none is named."""
        import pyarrow as pa
        import pyarrow.compute as pc

        column = self._column(name)
        where = f"{self.path}: column {name!r}"
        if pa.types.is_string(column.type):
            values = _floats(where, pc.utf8_trim_whitespace(column))
        else:
            with refusing(where, "a column of numbers"):
                values = np.asarray(pc.cast(column, "float64", safe=False).to_numpy(zero_copy_only=False))
        bad = np.flatnonzero(~np.isfinite(values))
        if bad.size:
            raise InputError(
                where,
                "must hold finite numbers",
                f"{bad.size} that are empty, NaN or infinite, first in row {bad[0] + 1}",
            )
        return np.asarray(values, np.float64)

    def _column(self, name: str) -> Any:
        if name not in self._columns:
            raise InputError(
                f"{self.path}",
                f"must have a column {name!r}",
                "no such column",
                nearest_column(name, self.names),
            )
        return self._columns[name]


def as_text(where: str, column: Any) -> NDArray[np.str_]:
    """Turn an Arrow column without missing values into NumPy's text.

    There every value takes as much room as the longest, and NUL at the end of one is lost: two ids could
    become one.
    """
    import pyarrow.compute as pc

    with refusing(where, "text or numbers"):
        column = pc.cast(column, "string")
    if pc.any(pc.match_substring(column, "\0")).as_py():
        raise InputError(where, "must hold text", "a value with the character NUL", "Take it out.")
    longest = pc.max(pc.utf8_length(column)).as_py() or 0
    if 4 * longest * len(column) > MOST_TEXT:
        raise TooLargeError(
            where,
            "must fit into memory with room for the longest value in every row",
            f"{len(column):,} rows, the longest value of {longest:,} characters",
        )
    return np.asarray(column.to_numpy(zero_copy_only=False), dtype=np.str_)


def _floats(where: str, texts: Any) -> NDArray[np.float64]:
    """Read texts as numbers; Arrow would quote the first that is none, and it may be somebody's name."""
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        return np.asarray(pc.cast(texts, "float64").to_numpy(zero_copy_only=False), np.float64)
    except pa.ArrowInvalid:
        row, text = next(
            (j, text) for j, text in enumerate(texts.to_pylist(), start=1) if not _is_number(text)
        )
        raise InputError(
            where, "must hold numbers", f"text in row {row}", "Write them as in 0.75.", value=text
        ) from None


def _is_number(text: str | None) -> bool:
    """Whether Arrow reads a text as a number; an empty one is missing, which is said elsewhere."""
    import pyarrow as pa

    try:
        pa.scalar(text, pa.string()).cast("float64")
    except pa.ArrowInvalid:
        return False
    return True


def read_plain(path: str | Path) -> PlainTable:
    """Read a CSV or Parquet file whole.

    CSV is read strictly: every row as long as the header, UTF-8, no name twice, at least one row.
    """
    path = Path(path)
    table = read_parquet(path) if path.suffix == ".parquet" else _read_csv(path)
    names = table.column_names
    if len(set(names)) < len(names):
        second = next(j for j, name in enumerate(names) if name in names[:j])
        twice = f"column {second + 1} named like column {names.index(names[second]) + 1}"
        raise InputError(str(path), "must name every column once", twice)
    if table.num_rows == 0:
        raise InputError(str(path), "must have at least one row", "none")
    return PlainTable(str(path), {name: table.column(name).combine_chunks() for name in names})


def _read_csv(path: Path) -> Any:
    """Read every column of a CSV file as text: an id 007 must not become 7 in one file and not in another."""
    import pyarrow as pa
    from pyarrow import csv

    raw = read_bytes(path)
    if b"\0" in raw:
        decode(path, raw)
    # One thread: with more, Arrow does not know in which row it stopped.
    in_order = csv.ReadOptions(use_threads=False)
    try:
        with csv.open_csv(io.BytesIO(raw), read_options=in_order) as opened:
            names = opened.schema.names
        as_text = csv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=True, null_values=[""]
        )
        return csv.read_csv(io.BytesIO(raw), read_options=in_order, convert_options=as_text)
    except (pa.ArrowException, UnicodeDecodeError, MemoryError) as error:
        decode(path, raw)
        # Arrow quotes the row that is wrong, that is a person: only its place and lengths are passed on.
        shape = re.search(r"Row #\d+: Expected \d+ columns, got \d+", str(error))
        got = shape[0] if shape else str(error).split(":")[0]
        raise InputError(str(path), "must be a CSV or Parquet table", got) from None
