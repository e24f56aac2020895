"""Original rows, as people have them: typed columns, not levels. What singling out is about.

Two rows are the same when all of their values are; a missing value is a value of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError, nearest_column
from dalenius.people.rows.arrow_columns import column_of_arrow
from dalenius.people.rows.columns import Index, Mask, NumberColumn, NumberKind, RowColumn, TextColumn
from dalenius.people.rows.numbered import numbered
from dalenius.spread.digest import Input, digest_of

__all__ = ["Distinct", "NumberColumn", "RowColumn", "Rows", "TextColumn", "distinct", "stacked"]


@dataclass(frozen=True, eq=False, repr=False)
class Rows:
    """Columns of one length, each of numbers or of text.

    Examples
    --------
    >>> import pyarrow as pa
    >>> rows = Rows.of_table(pa.table({"age": [32, None, 47], "town": ["Bern", "Zug", None]}))
    >>> len(rows), rows.names, rows.row_text(1)
    (3, ('age', 'town'), 'age (missing), town Zug')
    >>> rows.take(rows.column("age").missing).column("town").codes
    array([1], dtype=int32)
    """

    columns: tuple[RowColumn, ...]

    def __post_init__(self) -> None:
        if not self.columns:
            raise InputError("rows", "must have at least one column", "none")
        for k, column in enumerate(self.columns):
            if column.name in self.names[:k]:
                raise InputError(f"column {column.name!r}", "must be once among the columns", "twice")
            if len(column) != len(self):
                got = f"{len(column)} beside {len(self)}"
                raise InputError(f"column {column.name!r}", "must be as long as the others", got)

    def __len__(self) -> int:
        return len(self.columns[0])

    def __repr__(self) -> str:
        return f"Rows({len(self):,} rows; {', '.join(self.names)})"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(column.name for column in self.columns)

    def column(self, name: str) -> RowColumn:
        """Return the column of that name, or say which was probably meant."""
        for column in self.columns:
            if column.name == name:
                return column
        raise InputError(
            f"column {name!r}",
            "must be one of the columns",
            "no such column",
            nearest_column(name, self.names),
        )

    @property
    def kinds(self) -> dict[str, NumberKind]:
        """What each column of numbers holds."""
        return {column.name: column.kind for column in self.columns if isinstance(column, NumberColumn)}

    def take(self, which: Index | Mask) -> Rows:
        """Keep these rows, by number or by mask."""
        return Rows(tuple(column.take(which) for column in self.columns))

    def select(self, names: Sequence[str]) -> Rows:
        """Keep these columns, in this order."""
        return Rows(tuple(self.column(name) for name in names))

    def digest(self) -> str:
        """Digest values and names of columns: rows in another order are others."""
        return digest_of(*((column.name, *_held(column)) for column in self.columns))

    def row_text(self, i: int) -> str:
        """One row as text: it is a person, so nothing prints it unasked."""
        return ", ".join(f"{column.name} {column.text(i)}" for column in self.columns)

    @staticmethod
    def of_table(table: Any) -> Rows:
        """Take the columns of an Arrow table."""
        return Rows(tuple(map(column_of_arrow, table.column_names, table.columns)))


def _held(column: RowColumn) -> tuple[Input, ...]:
    if isinstance(column, NumberColumn):
        return column.kind, column.values
    return repr(column.levels), column.codes


def stacked(first: Rows, second: Rows) -> Rows:
    """The rows of two tables one after the other, in the columns of the first; labels are labels in both.

    Examples
    --------
    >>> import pyarrow as pa
    >>> one, two = (Rows.of_table(pa.table({"town": towns})) for towns in (["Zug"], ["Bern", "Zug"]))
    >>> stacked(one, two).column("town").codes
    array([0, 1, 0], dtype=int32)
    """
    return Rows(tuple(_stacked(column, second.column(column.name)) for column in first.columns))


def _stacked(first: RowColumn, second: RowColumn) -> RowColumn:
    if isinstance(first, NumberColumn) and isinstance(second, NumberColumn):
        kind = first.kind if first.kind == second.kind else "float"
        return NumberColumn(first.name, np.concatenate([first.values, second.values]), kind)
    one, two = (c if isinstance(c, TextColumn) else c.as_text for c in (first, second))
    levels = tuple(dict.fromkeys((*one.levels, *two.levels)))
    code_of = {level: code for code, level in enumerate(levels)}
    moved = np.array([*(code_of[level] for level in two.levels), -1], np.int32)
    return TextColumn(first.name, np.concatenate([one.codes, moved[two.codes]]), levels)


LARGEST_LABEL = 2**62
"""Labels of several columns together stay below this: they are numbered anew before they pass it."""


class Distinct(NamedTuple):
    """The different rows, in the order in which they first appear."""

    representatives: Index
    """The first row of each."""
    counts: NDArray[np.int64]
    """How many rows are like it."""
    which: Index
    """For every row, which of the different ones it is."""


def distinct(rows: Rows) -> Distinct:
    """Find the rows that are different as a whole, exactly.

    Examples
    --------
    >>> import pyarrow as pa
    >>> people = pa.table({"age": [32, 47, 32, None, None], "ill": ["no", "no", "no", None, None]})
    >>> found = distinct(Rows.of_table(people))
    >>> found.representatives, found.counts, found.which
    (array([0, 1, 3]), array([2, 1, 2]), array([0, 1, 0, 2, 2]))
    """
    which, size = np.zeros(len(rows), np.intp), 1
    for column in rows.columns:
        further, more = column.codes.astype(np.intp) + 1, _levels(column) + 1
        if size * more >= LARGEST_LABEL:
            which, size = _numbered(which)
            if size == len(rows):
                break
        which, size = which * more + further, size * more
    which, size = _numbered(which)
    representatives = np.empty(size, np.intp)
    representatives[which[::-1]] = np.arange(len(rows))[::-1]
    return Distinct(representatives, np.bincount(which, minlength=size), which)


def _levels(column: RowColumn) -> int:
    return len(column.levels) if isinstance(column, TextColumn) else column.different.size


def _numbered(labels: Index) -> tuple[Index, int]:
    different, which = numbered(labels)
    return which.astype(np.intp), different.size
