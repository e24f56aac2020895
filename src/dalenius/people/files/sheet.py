"""A table in memory, whatever it was read from: columns as text, as numbers, or as rows of people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError, TooLargeError, nearest_column
from dalenius.people.files.reading import refusing
from dalenius.people.files.written_values import MARKS, Look, WrittenKind, decide, meaning
from dalenius.people.schema import label_number

if TYPE_CHECKING:
    from dalenius.people.rows.rows import Rows

MOST_TEXT = 1 << 31
"""Bytes of a column of names in memory, where every name takes as much room as the longest."""

_NUMBERS = {WrittenKind.WHOLE, WrittenKind.REAL, WrittenKind.COMMA}


class Sheet:
    """Columns by name, all of one length.

    Parameters
    ----------
    name
        What it is called in messages.
    table
        The columns, as an Arrow table.
    delimiter
        Of a CSV file, whose columns are text: what they are is found by looking at them. None for what has
        types of its own.
    """

    def __init__(self, name: str, table: Any, delimiter: str | None = None) -> None:
        self.name = name
        self.table = table
        self._delimiter = delimiter
        self._looks: dict[str, Look] = {}
        self._encoded: dict[str, Any] = {}

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return list(self.table.column_names)

    def renamed(self, names: Sequence[str]) -> Sheet:
        """The same columns under other names, in their order."""
        return Sheet(self.name, self.table.rename_columns(list(names)), self._delimiter)

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def __repr__(self) -> str:
        return f"Sheet({self.name}: {len(self):,} rows, {len(self.names):,} columns)"

    def __contains__(self, name: str) -> bool:
        return name in self.table.column_names

    def kind(self, name: str) -> WrittenKind:
        """What a column of a CSV file is."""
        # without commas between fields, what one column shows of decimal commas holds for all
        beside = [other for other in self.names if other != name] if self._delimiter != "," else []
        return decide([self._looked_at(each) for each in (name, *beside)], self._delimiter or ",")[0]

    def numeric(self, name: str) -> bool:
        """Whether a column holds numbers."""
        from pyarrow import types

        column = self._column(name)
        if self._delimiter is not None:
            return self.kind(name) in _NUMBERS
        kind = column.type.value_type if types.is_dictionary(column.type) else column.type
        return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind))

    def text(self, name: str) -> NDArray[np.str_]:
        """A column as text, as it is written; a missing value is refused."""
        if gaps := self._missing(name, _plain(self._column(name))):
            raise InputError(f"{self.name}: column {name!r}", "must have no empty values", f"{gaps}")
        return self.written(name)

    def written(self, name: str) -> NDArray[np.str_]:
        """A column as it is written, marks of missing values and all; an empty value is refused."""
        where, column = f"{self.name}: column {name!r}", _plain(self._column(name))
        if column.null_count:
            raise InputError(where, "must have no empty values", f"{column.null_count}")
        return as_text(where, column)

    def labels(self, name: str) -> NDArray[np.str_]:
        """A column as text in which one number has one form, whatever it was read from: 3.0 is 3."""
        written = self.text(name)
        if not self.numeric(name):
            return written
        numbers, which = np.unique(self.numbers(name), return_inverse=True)
        return np.array([label_number(float(number)) for number in numbers], np.str_)[which]

    def numbers(self, name: str) -> NDArray[np.float64]:
        """A column as finite numbers; the first row that has none is named."""
        import pyarrow as pa
        import pyarrow.compute as pc

        column = _plain(self._column(name))
        where = f"{self.name}: column {name!r}"
        if pa.types.is_string(column.type):
            values = self._written_numbers(where, name, pc.utf8_trim_whitespace(column))
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

    def _written_numbers(self, where: str, name: str, texts: Any) -> NDArray[np.float64]:
        """Read texts as numbers; Arrow would quote the first that is none, and it may be somebody's name."""
        import pyarrow as pa
        import pyarrow.compute as pc

        try:
            return np.asarray(pc.cast(texts, "float64").to_numpy(zero_copy_only=False), np.float64)
        except pa.ArrowInvalid:
            if self._delimiter is not None and (kind := self.kind(name)) in _NUMBERS:
                means = meaning(texts, kind)  # with marks of missing values, or decimal commas
                return np.asarray(means.cast("float64").to_numpy(zero_copy_only=False), np.float64)
            row, text = next(
                (j, text) for j, text in enumerate(texts.to_pylist(), start=1) if not _is_number(text)
            )
            raise InputError(
                where, "must hold numbers", f"text in row {row}", "Write them as in 0.75.", value=text
            ) from None

    def typed(self, text: Sequence[str] = ()) -> Any:
        """The columns with the types that their values have, as an Arrow table.

        Parameters
        ----------
        text
            Columns of a CSV file that stay text whatever they look like.
        """
        import pyarrow as pa

        for name in text:
            self._column(name)
        if self._delimiter is None:
            return self.table
        return pa.table(
            {name: self._labels(name) if name in text else self._means(name) for name in self.names}
        )

    def _means(self, name: str) -> Any:
        """Replace every label by what it means."""
        import pyarrow as pa

        labels, kind = self._labels(name), self.kind(name)
        means = None if kind is WrittenKind.TEXT else meaning(_levels(labels), kind)
        if means is None:  # it may have the form, yet no such day exists
            return labels
        return pa.chunked_array([means.take(chunk.indices) for chunk in labels.chunks], means.type)

    def _labels(self, name: str) -> Any:
        """A column of text as labels: a value that many rows share is looked at once."""
        if name not in self._encoded:
            self._encoded[name] = _encoded(self.table.column(name))
        return self._encoded[name]

    def _looked_at(self, name: str) -> Look:
        if name not in self._looks:
            self._looks[name] = Look().at(_levels(self._labels(name)))
        return self._looks[name]

    def rows(self, text: Sequence[str] = ()) -> Rows:
        """The rows as people have them; the columns of ``text`` of a CSV file stay text."""
        from dalenius.people.rows.rows import Rows

        return Rows.of_table(self.typed(text))

    def _missing(self, name: str, column: Any) -> int:
        """Count what is missing: in a column of numbers, also what programs write for it."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if self._delimiter is None:
            return int(column.null_count)
        marked = int(pc.sum(pc.is_in(column, pa.array(MARKS, pa.string()))).as_py() or 0)
        return int(column.null_count) + (marked if marked and self.kind(name) is not WrittenKind.TEXT else 0)

    def _column(self, name: str) -> Any:
        if name not in self.table.column_names:
            raise InputError(
                self.name, f"must have a column {name!r}", "no such column", nearest_column(name, self.names)
            )
        return self.table.column(name)


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


def _plain(column: Any) -> Any:
    """One array of values, where the column was labels or pieces."""
    from pyarrow import types

    if types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return column.combine_chunks()


def _encoded(column: Any) -> Any:
    """A column of text as labels, one dictionary for all."""
    import pyarrow as pa

    if column.nbytes < MOST_TEXT:  # several times as fast, as long as one array can hold it
        return pa.chunked_array([column.combine_chunks().dictionary_encode()])
    return column.dictionary_encode().unify_dictionaries()


def _levels(labels: Any) -> Any:
    """The different texts of a column of labels."""
    import pyarrow as pa

    return labels.chunk(0).dictionary if labels.num_chunks else pa.array([], pa.string())


def _is_number(text: str | None) -> bool:
    """Whether Arrow reads a text as a number; an empty one is missing, which is said elsewhere."""
    import pyarrow as pa

    try:
        pa.scalar(text, pa.string()).cast("float64")
    except pa.ArrowInvalid:
        return False
    return True
