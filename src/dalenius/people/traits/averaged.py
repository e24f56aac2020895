"""Attributes of people from the columns of a table: how each column is averaged.

A column of two values becomes one yes/no attribute, a column of words one for each of its values, a column of
numbers its average.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.people.files.sheet import Sheet
from dalenius.people.schema import label_number
from dalenius.people.traits.traits import RealTraits, Traits, coded_from_values

MOST_LEVELS = 1000
"""A column of words with more values is rather a name."""

MOST_MEASURED = 1e100
"""Larger numbers are no measurements: their squares are beyond what a machine holds."""

ROW = "row"
"""What people are named by without a column of ids."""


@dataclass(frozen=True)
class Averaged:
    """How one column is averaged: ``levels`` are its values, none for a column of numbers."""

    column: str
    levels: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes it becomes: of two values the second is counted."""
        if len(self.levels) <= 2:
            return (f"{self.column}={self.levels[1]}" if self.levels else self.column,)
        return tuple(f"{self.column}={level}" for level in self.levels)


def find_averaged(tables: Sequence[Sheet], columns: Sequence[str]) -> tuple[Averaged, ...]:
    """Say how each column is averaged, by the values that people have in any of the tables.

    Raises
    ------
    InputError
        For a column that is the same for everybody, that names people, or is numbers while others are not.
    """
    found = tuple(_averaged(tables, name) for name in columns)
    if not found:
        raise InputError("means", "must be of at least one column", "none")
    numbers = [each.column for each in found if not each.levels]
    if numbers and len(numbers) < len(found):
        words = next(each.column for each in found if each.levels)
        raise InputError(
            "means",
            "must be all of numbers or all of yes/no answers and categories",
            f"{numbers[0]!r} beside {words!r}",
            "Make two releases of them.",
        )
    return found


def moved_by_one(averaged: Sequence[Averaged]) -> int:
    """How many of the means one person can move: a bit, or two of the shares of a category."""
    return sum(min(len(each.names), 2) for each in averaged)


def traits_of(table: Sheet, averaged: Sequence[Averaged], id: str | None) -> Traits:
    """Return the attributes of the people of a table; a value that is not listed has none of the levels."""
    first = averaged[0].column
    size = (table.text if averaged[0].levels else table.numbers)(first).size
    ids = np.arange(size).astype(np.str_) if id is None else table.text(id)
    if np.unique(ids).size < ids.size:
        raise InputError(
            f"column {id!r}",
            "must name every person once",
            f"{ids.size - np.unique(ids).size} repeated names",
        )
    names = np.array([name for each in averaged for name in each.names])
    if not averaged[0].levels:
        values = np.stack([_measured(table, each.column) for each in averaged], axis=1)
        return RealTraits(id or ROW, ids, names, values)
    columns = [_indicators(table, each) for each in averaged]
    return coded_from_values(id or ROW, ids, names, np.concatenate(columns, axis=1), "binary")


def _measured(table: Sheet, column: str) -> NDArray[np.float64]:
    values = table.numbers(column)
    far = np.flatnonzero(np.abs(values) > MOST_MEASURED)
    if far.size:
        raise InputError(
            f"{table.name}: column {column!r}",
            f"must hold numbers between -{MOST_MEASURED:g} and {MOST_MEASURED:g}",
            f"{far.size} beyond, first in row {far[0] + 1}",
            "Leave those people out, or state the column in a larger unit.",
        )
    return values


def is_constant(tables: Sequence[Sheet], name: str) -> bool:
    """Whether a column is the same for everybody in all tables."""
    return _values(tables, name).size < 2


def _values(tables: Sequence[Sheet], name: str) -> NDArray[Any]:
    """The different values of a column of the first table, there and wherever else it stands."""
    here = [tables[0], *(table for table in tables[1:] if name in table)]
    numeric = _numeric(tables, name)
    return np.unique(np.concatenate([(t.numbers if numeric else t.text)(name) for t in here]))


def _numeric(tables: Sequence[Sheet], name: str) -> bool:
    """Whether a column holds numbers wherever it stands."""
    return all(table.numeric(name) for table in tables if name in table)


def _averaged(tables: Sequence[Sheet], name: str) -> Averaged:
    values = _values(tables, name)
    if values.size < 2:
        raise InputError(
            f"column {name!r}", "must have more than one value", "the same for everybody", "Leave it out."
        )
    if _numeric(tables, name):
        return Averaged(name, () if values.size > 2 else tuple(label_number(float(v)) for v in values))
    own = tables[0].text(name).size
    if own > 2 and np.unique(tables[0].text(name)).size == own:
        raise InputError(
            f"column {name!r}",
            "must have a value that two people share, or be a number",
            f"{own:,} people, all different",
            "If it says who is who, name it as the column of ids; otherwise leave it out.",
        )
    if values.size > MOST_LEVELS:
        raise InputError(
            f"column {name!r}",
            f"must have at most {MOST_LEVELS:,} values",
            f"{values.size:,}",
            "Leave it out.",
        )
    return Averaged(name, tuple(str(value) for value in values))


def _indicators(table: Sheet, averaged: Averaged) -> NDArray[np.float64]:
    """Who has which of the counted levels; a number may be written in another form than its level."""
    counted = averaged.levels[1:] if len(averaged.levels) == 2 else averaged.levels
    values = table.text(averaged.column)
    if table.numeric(averaged.column) and not np.isin(values, averaged.levels).all():
        values, counted = table.labels(averaged.column), tuple(map(_one_form, counted))
    return np.where(values[:, None] == np.array(counted), 1.0, -1.0)


def _one_form(level: str) -> str:
    try:
        return label_number(float(level))
    except ValueError:
        return level
