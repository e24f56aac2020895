"""Groups of k rows: intervals of neighbours, or stars where the rows of a group differ.

Both are the textbook examples of Cohen and Nissim, section 6: k-anonymous, and easily attacked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dalenius.errors import InputError
from dalenius.grammar import Options
from dalenius.mechanisms.anonymise.released import (
    AnonymisedRows,
    Codes,
    check_quasi,
    replace_cells,
    text_column,
)
from dalenius.people.rows.columns import NumberColumn, TextColumn, number_text
from dalenius.people.rows.rows import Rows


@dataclass(frozen=True)
class Buckets:
    """Sort by one column of numbers; every k neighbours publish the interval of their values.

    The last bucket takes those who are left over. Equal values may fall into two buckets.
    """

    k: int

    @staticmethod
    def parse(options: Options) -> Buckets:
        """Read ``buckets:k=5``."""
        return Buckets(options.only("k").whole("k", least=2))

    def __str__(self) -> str:
        return f"buckets:k={self.k}"

    def recode(self, rows: Rows, quasi: Sequence[str]) -> AnonymisedRows:
        """Recode the quasi-identifier, row by row in the same order."""
        check_quasi(rows, quasi)
        column = rows.column(quasi[0])
        if len(quasi) > 1 or not isinstance(column, NumberColumn):
            got = f"{len(quasi)} columns" if len(quasi) > 1 else "text"
            raise InputError("buckets", "must be of one column of numbers", got, "Use mondrian for several.")
        if column.missing.any():
            got = f"{column.missing.sum()} missing"
            raise InputError(f"column {column.name!r}", "must have every value for buckets", got)
        order = np.argsort(column.values, kind="stable")
        bucket = np.empty(len(rows), np.int64)
        bucket[order] = _groups(len(rows), self.k)
        ends = np.append(np.flatnonzero(np.diff(bucket[order])), len(rows) - 1)
        low, high = column.values[order[np.append(0, ends[:-1] + 1)]], column.values[order[ends]]

        def write(i: int) -> str:
            first, last = (number_text(float(x[i]), column.kind) for x in (low, high))
            return first if first == last else f"[{first}, {last}]"

        return replace_cells(rows, [text_column(column.name, bucket, write)], str(self))


@dataclass(frozen=True)
class BitSuppression:
    """Group k rows as they come; a column in which a group differs is a star in all of its rows."""

    k: int

    @staticmethod
    def parse(options: Options) -> BitSuppression:
        """Read ``bit-suppression:k=5``."""
        return BitSuppression(options.only("k").whole("k", least=2))

    def __str__(self) -> str:
        return f"bit-suppression:k={self.k}"

    def recode(self, rows: Rows, quasi: Sequence[str]) -> AnonymisedRows:
        """Recode the quasi-identifiers, row by row in the same order."""
        check_quasi(rows, quasi)
        group = _groups(len(rows), self.k)
        starts = np.append(0, np.flatnonzero(np.diff(group)) + 1)
        cells = []
        for name in quasi:
            column = rows.column(name)
            text = column if isinstance(column, TextColumn) else column.as_text
            least, most = (ends.reduceat(text.codes, starts) for ends in (np.minimum, np.maximum))
            star = len(text.levels) if "*" not in text.levels else text.levels.index("*")
            levels = text.levels if "*" in text.levels else (*text.levels, "*")
            codes = np.where((least == most)[group], text.codes, star).astype(np.int32)
            cells.append(TextColumn(name, codes, levels))
        return replace_cells(rows, cells, str(self))


def _groups(rows: int, k: int) -> Codes:
    """Number groups of k in the order of the rows; those left over join the last."""
    if rows < k:
        raise InputError("k", f"must be at most the {rows:,} rows", str(k))
    return np.minimum(np.arange(rows) // k, rows // k - 1)
