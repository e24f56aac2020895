"""Columns of the files that say who is related to whom: people as numbers, numbers as numbers.

Ids are read as labels, so that a million lines that name a thousand people compare a thousand texts.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.people.files.read_file import Source, read_sheet
from dalenius.people.schema import Ids
from dalenius.shown import hides_people, several

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]

MISSING = -1
"""The code of an empty cell."""


@hides_people()
@dataclass(frozen=True)
class Columns:
    """A file with the columns that its reader knows.

    Parameters
    ----------
    name
        What it was read from.
    table
        What is in it, as an Arrow table.
    notes
        What of it is not used.
    """

    name: str
    table: Any
    notes: tuple[str, ...]

    def __contains__(self, name: str) -> bool:
        return name in self.table.column_names

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def labels(self, *names: str) -> tuple[Ids, tuple[Codes, ...]]:
        """The different texts of some columns in order of appearance, and a code for each cell of each."""
        import pyarrow as pa
        import pyarrow.compute as pc

        columns = [_as_labels(self.table.column(name)) for name in names]
        joined = pa.chunked_array([chunk for column in columns for chunk in column.chunks])
        joined = joined.unify_dictionaries()
        # "b" after a comma and a blank is still b: what differs by blanks alone becomes one again
        trimmed = pc.utf8_trim_whitespace(joined.chunk(0).dictionary).dictionary_encode()
        same = trimmed.indices.to_numpy()
        text = np.asarray(trimmed.dictionary.to_numpy(zero_copy_only=False), np.str_)
        empty = np.flatnonzero(text == "")
        code = np.where(np.isin(same, empty), MISSING, same) if empty.size else same
        filled = [chunk.indices.fill_null(-1).to_numpy(zero_copy_only=False) for chunk in joined.chunks]
        # the place after the last label is the one that a missing cell's -1 finds
        codes = np.r_[code, MISSING].astype(np.int64)[np.concatenate(filled)]
        return text, tuple(np.split(codes, len(names)))

    def people(self, *names: str) -> tuple[Ids, tuple[Codes, ...]]:
        """The people named in some columns, where every cell must name one."""
        text, codes = self.labels(*names)
        for name, column in zip(names, codes, strict=True):
            empty = np.flatnonzero(column == MISSING)
            if empty.size:
                raise InputError(
                    f"{self.name}: column {name!r}",
                    "must name somebody in every line",
                    f"{empty.size:,} empty, first in {line(empty[0])}",
                )
        return text, codes

    def numbers(self, name: str) -> Floats:
        """A column of numbers, NaN where it is empty; NaN everywhere if there is no such column."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if name not in self:
            return np.full(len(self), np.nan)
        column = self.table.column(name)
        if pa.types.is_dictionary(column.type) or pa.types.is_string(column.type):
            text = column.cast(pa.string()).combine_chunks()
            filled = text.is_valid().to_numpy(zero_copy_only=False)
            if not filled.any():
                return np.full(len(self), np.nan)
            known = pc.match_substring_regex(text, r"^\s*[-+]?[0-9.]+([eE][-+]?[0-9]+)?\s*$")
            bad = np.flatnonzero(filled & ~known.fill_null(True).to_numpy(zero_copy_only=False))
            raise InputError(
                f"{self.name}: column {name!r}",
                "must hold numbers",
                f"{bad.size:,} that are none, first in {line(bad[0])}" if bad.size else "some that are none",
                "Write them with a point, as in 0.75.",
            )
        return np.asarray(column.cast(pa.float64()).to_numpy(), np.float64)


def read_columns(source: Source, needed: Sequence[str], known: Sequence[str] = ()) -> Columns:
    """Read a file or frame; a column that is almost one of those known is refused, others are noted.

    Parameters
    ----------
    source
        What `read_sheet` reads.
    needed
        The columns of names, which it must have.
    known
        The columns that it may have.
    """
    sheet = read_sheet(source)
    missing = [name for name in needed if name not in sheet]
    if missing:
        # a header may be a line of people in disguise: it is not repeated
        got = f"{several(len(sheet.names), 'column')}, none of that name"
        fix = f"The first line must name the columns: {','.join(needed)}; or say which they are: --columns."
        raise InputError(sheet.name, f"must have a column {missing[0]!r}", got, fix)
    unused = [name for name in sheet.names if name not in (*needed, *known)]
    for name in unused:
        meant = difflib.get_close_matches(name.strip().lower(), known, n=1)
        if meant and meant[0] not in sheet:
            at = sheet.names.index(name) + 1
            raise InputError(
                f"{sheet.name}: column {at}",
                "must have a name that is read",
                f"one that is almost {meant[0]!r}",
                f"Did you mean {meant[0]!r}?",
                value=repr(name),
            )
    notes = (f"{sheet.name}: not used: {several(len(unused), 'column')}",) if unused else ()
    return Columns(sheet.name, sheet.typed(needed), notes)


def first_lines(codes: Codes, size: int) -> Codes:
    """The row in which each of so many labels is first seen; -1 for one that is not."""
    found = np.full(size, -1, np.int64)
    seen = np.flatnonzero(codes != MISSING)[::-1]
    found[codes[seen]] = seen
    return found


def line(row: int | np.integer[Any]) -> str:
    """The line of a file that holds a row, below a line of names."""
    return f"line {int(row) + 2:,}"


def listed(names: Sequence[str], most: int = 5) -> str:
    """The first few of many, and how many more there are.

    Examples
    --------
    >>> listed(["a", "b", "c"], most=2)
    "'a', 'b' and 1 more"
    """
    shown = ", ".join(repr(str(name)) for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most:,} more"


def _as_labels(column: Any) -> Any:
    import pyarrow as pa

    if pa.types.is_dictionary(column.type) and pa.types.is_string(column.type.value_type):
        return column
    return column.cast(pa.string()).dictionary_encode()
