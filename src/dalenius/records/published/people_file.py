"""Files with a row for each person, read as levels of the tables: true, other or named people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dalenius.errors import InputError, nearest
from dalenius.people.files.reading import check_exists, read_text, split_rows
from dalenius.people.schema import Column, Kind, Role
from dalenius.printed.dimensions import levels_of, number_of
from dalenius.records.cells.columns import RecordColumns
from dalenius.records.cells.grid import Codes
from dalenius.shown import hides_people
from dalenius.statistics.printed_cell import read_interval

OTHER = -1
"""The code of a value that is no level of the tables."""


@hides_people()
@dataclass(frozen=True)
class PeopleFile:
    """People of a file.

    Parameters
    ----------
    columns
        Which of the tables' columns were read.
    records
        A row for each person, over those columns; `OTHER` where a value is no level of the tables.
    ids
        Who they are, where the file has such a column and it was asked for.
    """

    columns: tuple[int, ...]
    records: Codes
    ids: tuple[str, ...] | None = None


def header_of(path: Path) -> list[str]:
    """The names of the columns of a file.

    Raises
    ------
    InputError
        If there is no such file, or nobody in it.
    """
    return _rows(path)[0]


def read_people(
    path: Path, columns: RecordColumns, wanted: Sequence[int], *, id_column: str | None = None
) -> PeopleFile:
    """Read some of the tables' columns, and perhaps who people are.

    Raises
    ------
    InputError
        If a column is missing.
    """
    rows = _rows(path)
    header = rows[0]
    for name in [*(columns.names[at] for at in wanted), *filter(None, [id_column])]:
        if name not in header:
            fix = nearest(name, header)
            raise InputError(str(path), f"must have the column {name!r}", "others", hint=fix)
    places = [header.index(columns.names[at]) for at in wanted]
    known: list[dict[str, int]] = [{} for _ in wanted]
    found = np.empty((len(rows) - 1, len(places)), np.int32)
    for line, row in enumerate(rows[1:]):
        for column, (place, seen) in enumerate(zip(places, known, strict=True)):
            value = row[place].strip() if place < len(row) else ""
            if value not in seen:
                seen[value] = level_of(columns, wanted[column], value)
            found[line, column] = seen[value]
    ids = None
    if id_column is not None:
        at = header.index(id_column)
        ids = tuple(row[at].strip() if at < len(row) else "" for row in rows[1:])
    return PeopleFile(tuple(wanted), found, ids)


def _rows(path: Path) -> list[list[str]]:
    check_exists(path)
    rows = [row for row in split_rows(path, read_text(path), ",") if any(row)]
    if len(rows) < 2:
        raise InputError(str(path), "must have a header and a row for each person", "no person")
    return [[name.strip() for name in rows[0]], *rows[1:]]


def level_of(columns: RecordColumns, column: int, value: str) -> int:
    """The level of a value: its label, or the band of numbers that it lies in; `OTHER` if there is none."""
    levels = columns.levels[column]
    own = Column(columns.names[column], Role.PUBLIC, Kind.CATEGORICAL, levels)
    same = levels_of(own, value)
    if same is not None and len(same) == 1:
        return levels.index(same[0])
    number = number_of(value)
    for code, label in enumerate(levels):
        band = read_interval(label)
        if number is not None and band is not None and band[0] <= number < band[1] + 1:
            return code
    return OTHER
