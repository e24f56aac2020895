"""Small plain tables from CSV or Parquet files, for what people hand over besides the data itself.

Queries, answers, truth and lists of people come this way; the data under audit goes through the engine.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError, nearest


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
        import pyarrow.compute as pc

        column = self._column(name)
        if column.null_count:
            raise InputError(
                f"{self.path}: column {name!r}", "must have no empty values", f"{column.null_count}"
            )
        return np.asarray(pc.cast(column, "string").to_numpy(zero_copy_only=False), dtype=np.str_)

    def numbers(self, name: str) -> NDArray[np.float64]:
        """A column as finite numbers; the first line that has none is named."""
        import pyarrow as pa
        import pyarrow.compute as pc

        column = self._column(name)
        try:
            if pa.types.is_string(column.type):
                column = pc.utf8_trim_whitespace(column)
            values = pc.cast(column, "float64").to_numpy(zero_copy_only=False)
        except pa.ArrowInvalid as error:
            raise InputError(
                f"{self.path}: column {name!r}", "must hold numbers", str(error).split("\n")[0]
            ) from None
        bad = np.flatnonzero(~np.isfinite(np.asarray(values, np.float64)))
        if bad.size:
            raise InputError(
                f"{self.path}: column {name!r}",
                "must hold finite numbers",
                f"{bad.size} that are empty, NaN or infinite, first in row {bad[0] + 1}",
            )
        return np.asarray(values, np.float64)

    def _column(self, name: str) -> Any:
        if name not in self._columns:
            raise InputError(
                f"{self.path}", f"must have a column {name!r}", "no such column", nearest(name, self.names)
            )
        return self._columns[name]


def read_plain(path: str | Path) -> PlainTable:
    """Read a CSV or Parquet file whole.

    CSV is read strictly: every row as long as the header, UTF-8, no name twice, at least one row.
    """
    import pyarrow as pa
    from pyarrow import csv, parquet

    path = Path(path)
    check_exists(path)
    try:
        if path.suffix == ".parquet":
            table = parquet.read_table(path)
        else:
            # One thread: with more, Arrow does not know in which row it stopped.
            in_order = csv.ReadOptions(use_threads=False)
            with csv.open_csv(path, read_options=in_order) as opened:
                names = opened.schema.names
            # All as text: an id 007 must not become 7 in one file and stay 007 in another.
            as_text = csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=True, null_values=[""]
            )
            table = csv.read_csv(path, read_options=in_order, convert_options=as_text)
    except (pa.ArrowInvalid, UnicodeDecodeError) as error:
        # Arrow quotes the row that is wrong, that is a person: only its place and lengths are passed on.
        shape = re.search(r"Row #\d+: Expected \d+ columns, got \d+", str(error))
        got = shape[0] if shape else str(error).split(":")[0]
        raise InputError(str(path), "must be a CSV or Parquet table", got) from None
    names = table.column_names
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(str(path), "must name every column once", f"column {twice!r} twice")
    if table.num_rows == 0:
        raise InputError(str(path), "must have at least one row", "none")
    return PlainTable(str(path), {name: table.column(name).combine_chunks() for name in names})


def check_exists(path: Path) -> None:
    """Refuse a path that does not exist, naming the one that was probably meant."""
    if path.is_file():
        return
    beside = [p.name for p in path.parent.iterdir() if p.is_file()] if path.parent.is_dir() else []
    hint = nearest(path.name, beside) if beside else ""
    raise InputError(
        str(path), "must be a file", "no such file", hint if hint.startswith("Did") else "Check the path."
    )
