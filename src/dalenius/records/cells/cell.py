"""One published cell: whom it counts, and between which whole numbers the true count lies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dalenius.errors import InputError
from dalenius.records.cells.columns import RecordColumns, Where

NO_LIMIT = 1 << 40
"""The high end of a cell that has none: more people than there are."""


@dataclass(frozen=True)
class PublishedCell:
    """People with these levels number at least ``low`` and at most ``high``."""

    where: Where
    low: int
    high: int
    table: str


def cell(
    columns: RecordColumns, where: Mapping[str, Sequence[str]], low: int, high: int, table: str = "table"
) -> PublishedCell:
    """Make a cell that counts people.

    Raises
    ------
    InputError
        If its numbers are no interval of counts.

    Examples
    --------
    >>> columns = RecordColumns.of({"sex": ["f", "m"]})
    >>> cell(columns, {"sex": ["f"]}, 3, 3).where
    ((0, (0,)),)
    """
    if not low <= high or high < 0:
        raise InputError(f"{table}: a cell", "must allow some whole number, 0 or more", f"{low} to {high}")
    return PublishedCell(columns.where(where), max(int(low), 0), min(int(high), NO_LIMIT), table)
