"""The true records, read as counts of the records that tables speak of; nobody else opens them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from dalenius.errors import InputError
from dalenius.people.files.reading import check_exists, read_text, split_rows
from dalenius.people.schema import Column, Kind, Role
from dalenius.printed.labels import levels_of, number_of
from dalenius.records.cells.columns import RecordColumns
from dalenius.statistics.printed_cell import read_interval

TrueRecords = Counter[tuple[int, ...]]
"""How many people have each record, by the numbers of its levels."""


def read_true_records(path: Path, columns: RecordColumns) -> TrueRecords:
    """Read a row for each person, with a column for each of the tables' columns; others are ignored.

    Raises
    ------
    InputError
        If a column is missing, or a value is no level of the tables.
    """
    check_exists(path)
    rows = [row for row in split_rows(path, read_text(path), ",") if any(row)]
    header = [name.strip() for name in rows[0]] if rows else []
    lost = [name for name in columns.names if name not in header]
    if lost:
        raise InputError(str(path), "must have every column of the tables", f"no column {lost[0]!r}")
    at = [header.index(name) for name in columns.names]
    known: list[dict[str, int]] = [{} for _ in at]
    found: TrueRecords = Counter()
    for line, row in enumerate(rows[1:], start=2):
        record = []
        for column, (place, seen) in enumerate(zip(at, known, strict=True)):
            value = row[place].strip() if place < len(row) else ""
            if value not in seen:
                seen[value] = _level(columns, column, value, f"{path}, line {line}")
            record.append(seen[value])
        found[tuple(record)] += 1
    return found


def _level(columns: RecordColumns, column: int, value: str, where: str) -> int:
    """The level of a value: its label, or the band of numbers that it lies in."""
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
    raise InputError(
        f"{where}, column {columns.names[column]!r}", "must be a level of the tables", "another", value=value
    )
