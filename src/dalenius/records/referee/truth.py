"""The true records, read as levels of the tables; nobody else opens them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from dalenius.errors import InputError
from dalenius.records.cells.columns import RecordColumns
from dalenius.records.cells.grid import Codes
from dalenius.records.published.people_file import OTHER, read_people
from dalenius.shown import hides_people

TrueRecords = Counter[tuple[int, ...]]
"""How many people have each record, by the numbers of its levels."""


@hides_people()
@dataclass(frozen=True)
class TruePeople:
    """A row of levels for each person, over all columns of the tables; who they are, where that is known."""

    records: Codes
    ids: tuple[str, ...] | None = None

    @cached_property
    def counts(self) -> TrueRecords:
        """How many people have each record."""
        return Counter(map(tuple, self.records.tolist()))


def read_true_records(path: Path, columns: RecordColumns, id_column: str | None = None) -> TruePeople:
    """Read a row for each person, with a column for each of the tables' columns; others are ignored.

    Raises
    ------
    InputError
        If a column is missing, or a value is no level of the tables.
    """
    found = read_people(path, columns, range(len(columns.names)), id_column=id_column)
    wrong = np.argwhere(found.records == OTHER)
    if len(wrong):
        line, column = wrong[0]
        raise InputError(
            f"{path}, line {line + 2}, column {columns.names[column]!r}",
            "must be a level of the tables",
            "another",
        )
    return TruePeople(found.records, found.ids)
