"""One published cell: whom it counts, and between which whole numbers the true count lies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dalenius.errors import InputError
from dalenius.records.cells.columns import LevelSet, RecordColumns, Where

NO_LIMIT = 1 << 40
"""The high end of a cell that has none: more people than there are."""


@dataclass(frozen=True)
class Weights:
    """What each person adds to a cell that is a sum: a whole number for each level of one column."""

    column: int
    values: LevelSet


@dataclass(frozen=True)
class PublishedCell:
    """People with these levels number, or add up to, at least ``low`` and at most ``high``.

    ``weights`` makes it a sum, such as that of ages; without them it counts people.
    """

    where: Where
    low: int
    high: int
    table: str
    weights: Weights | None = None


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


def weighted_cell(
    columns: RecordColumns,
    where: Mapping[str, Sequence[str]],
    weights: tuple[str, Sequence[int]],
    ends: tuple[int, int],
    table: str = "table",
) -> PublishedCell:
    """Make a cell that is a sum over a column: ``weights`` names it and gives a number for each level.

    Raises
    ------
    InputError
        If there is not one whole number for each level, or the ends are no interval.

    Examples
    --------
    >>> columns = RecordColumns.of({"age": ["1", "5", "30"]})
    >>> weighted_cell(columns, {}, ("age", [1, 5, 30]), (36, 36)).weights
    Weights(column=0, values=(1, 5, 30))
    """
    at = columns.position(weights[0])
    values = tuple(int(value) for value in weights[1])
    if len(values) != columns.sizes[at] or list(values) != list(weights[1]):
        raise InputError(f"{table}: a sum", "must have one whole number for each level", f"{len(values):,}")
    if ends[0] > ends[1]:
        raise InputError(f"{table}: a sum", "must lie in an interval", f"{ends[0]} to {ends[1]}")
    return PublishedCell(columns.where(where), int(ends[0]), int(ends[1]), table, Weights(at, values))


def median_cells(
    columns: RecordColumns,
    where: Mapping[str, Sequence[str]],
    ranked: str,
    median: int,
    people: int,
    table: str = "table",
) -> tuple[PublishedCell, PublishedCell]:
    """Read the median of an odd number of people: at most half are below it, at most half above.

    ``ranked`` is a column whose levels are in order, ``median`` the number of a level.

    Raises
    ------
    InputError
        If the number of people is even: their median may lie between two of them.

    Examples
    --------
    >>> columns = RecordColumns.of({"age": ["1", "5", "30"]})
    >>> [(each.where, each.high) for each in median_cells(columns, {}, "age", 1, 7)]
    [(((0, (0,)),), 3), (((0, (2,)),), 3)]
    """
    if people % 2 == 0:
        raise InputError(
            f"{table}: a median", "must be of an odd number of people", f"{people:,}", "Leave it out."
        )
    levels = columns.levels[columns.position(ranked)]
    half = (people - 1) // 2
    sides = (levels[:median], levels[median + 1 :])
    below, above = (
        PublishedCell((), 0, NO_LIMIT, table)
        if not side
        else cell(columns, {**where, ranked: side}, 0, half, table)
        for side in sides
    )
    return below, above
