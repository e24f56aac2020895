"""Rows as an anonymiser publishes them: cells of text, and which columns are as they were."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.people.rows.columns import Index, TextColumn
from dalenius.people.rows.rows import Rows

Codes = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class AnonymisedRows:
    """A release of rows.

    Parameters
    ----------
    rows
        All columns as text, in the order of the original ones.
    quasi
        The columns that were recoded.
    mechanism
        What was done, as it can be read back.
    """

    rows: Rows
    quasi: tuple[str, ...]
    mechanism: str

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def verbatim(self) -> tuple[str, ...]:
        """The columns that are released as they were."""
        return tuple(name for name in self.rows.names if name not in self.quasi)

    def take(self, which: Index) -> AnonymisedRows:
        """Put these rows in this order."""
        return AnonymisedRows(self.rows.take(which), self.quasi, self.mechanism)

    def write(self, path: str | Path) -> None:
        """Write a CSV file, a missing value as nothing."""
        import pyarrow as pa
        from pyarrow import csv

        columns = {}
        for column in self.rows.columns:
            assert isinstance(column, TextColumn)  # noqa: S101 (made so by `replace_cells`)
            codes = pa.array(column.codes, mask=column.missing)
            cells = pa.DictionaryArray.from_arrays(codes, pa.array(column.levels, pa.string()))
            columns[column.name] = cells.cast(pa.string())
        csv.write_csv(pa.table(columns), str(path))


def replace_cells(rows: Rows, cells: Sequence[TextColumn], mechanism: str) -> AnonymisedRows:
    """Put recoded columns in the place of the originals; all others become text as they are."""
    new = {column.name: column for column in cells}
    columns = (
        new.get(column.name) or (column if isinstance(column, TextColumn) else column.as_text)
        for column in rows.columns
    )
    return AnonymisedRows(Rows(tuple(columns)), tuple(new), mechanism)


def labelled(name: str, texts: Sequence[str]) -> TextColumn:
    """Make a column of cells; nothing is a missing value."""
    code_of: dict[str, int] = {}
    codes = [code_of.setdefault(text, len(code_of)) if text else -1 for text in texts]
    return TextColumn(name, np.array(codes, np.int32), tuple(code_of))


def text_column(name: str, keys: Codes, write: Callable[[int], str]) -> TextColumn:
    """Make a column of cells from keys, writing every different key once; two may read the same."""
    different, which = np.unique(keys, return_inverse=True)
    return labelled(name, [write(key) for key in different.tolist()]).take(which)


def check_quasi(rows: Rows, quasi: Sequence[str]) -> None:
    """Refuse an empty, repeated or unknown quasi-identifier."""
    if not quasi:
        raise InputError("quasi-identifiers", "must name at least one column", "none")
    for name in quasi:
        rows.column(name)
        if list(quasi).count(name) > 1:
            raise InputError(f"quasi-identifier {name!r}", "must be named once", "twice")
