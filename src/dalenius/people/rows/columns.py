"""Columns of original rows: numbers, dates and text as people have them, missing values included."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.people.rows.cells import Cells, number_cells, text_cells
from dalenius.people.rows.numbered import numbered_rising
from dalenius.people.schema import MISSING

NumberKind = Literal["integer", "float", "date", "bool"]
Index = NDArray[np.intp]
Mask = NDArray[np.bool_]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

LARGEST_WHOLE = 2**53
"""Whole numbers up to here are exact in double precision."""


class Labels:
    """The levels of a column and what follows from them, once for all columns that share them."""

    def __init__(self, levels: tuple[str, ...]) -> None:
        self.levels = levels

    @cached_property
    def code_of(self) -> dict[str, int]:
        """The code of every level."""
        return {level: code for code, level in enumerate(self.levels)}

    @cached_property
    def numbers(self) -> NDArray[np.float64]:
        """The levels read as numbers, and NaN for the missing value at the end: indexed by code, also -1."""
        return np.array([*(number(level) for level in self.levels), math.nan])

    @cached_property
    def cells(self) -> Cells:
        """Every level as bytes, by code; the last is the missing one."""
        return text_cells(self.levels)


@dataclass(frozen=True, eq=False, repr=False)
class TextColumn:
    """A column of labels; ``codes[i]`` indexes ``levels``, -1 is missing.

    Levels are distinct; some may be nobody's.
    """

    name: str
    codes: NDArray[np.int32]
    levels: tuple[str, ...]
    known: Labels | None = field(default=None, repr=False, kw_only=True)
    """The labels of another column with the same levels, which were checked there."""

    def __post_init__(self) -> None:
        if self.known is None and len(self.labels.code_of) < len(self.levels):
            raise InputError(f"levels of column {self.name!r}", "must be distinct", "one of them twice")
        if self.codes.size and not -1 <= self.codes.min() <= self.codes.max() < len(self.levels):
            got = f"{self.codes.min()} to {self.codes.max()}"
            raise InputError(f"codes of column {self.name!r}", f"must be -1 to {len(self.levels) - 1}", got)

    def __len__(self) -> int:
        return self.codes.size

    def __repr__(self) -> str:
        return f"TextColumn({self.name!r}, {len(self):,} values of {len(self.levels):,} levels)"

    @cached_property
    def labels(self) -> Labels:
        """What follows from the levels."""
        return Labels(self.levels) if self.known is None else self.known

    @property
    def cells(self) -> Cells:
        """Every level as bytes, by code; the last is the missing one."""
        return self.labels.cells

    @property
    def missing(self) -> Mask:
        """Whose value is missing."""
        return self.codes < 0

    def take(self, which: Index | Mask) -> TextColumn:
        """Keep these rows; the levels stay."""
        return TextColumn(self.name, self.codes[which], self.levels, known=self.labels)

    def text(self, i: int) -> str:
        """One value as text."""
        return self.levels[self.codes[i]] if self.codes[i] >= 0 else MISSING


@dataclass(frozen=True, eq=False, repr=False)
class NumberColumn:
    """A column of numbers, NaN where missing.

    Dates are microseconds since 1970 in UTC: exact for every midnight, and for every microsecond until 2255.
    """

    name: str
    values: NDArray[np.float64]
    kind: NumberKind

    def __len__(self) -> int:
        return self.values.size

    def __repr__(self) -> str:
        return f"NumberColumn({self.name!r}, {len(self):,} values, {self.kind})"

    @property
    def different(self) -> NDArray[np.float64]:
        """The different numbers, rising."""
        return self._coded[0]

    @property
    def codes(self) -> NDArray[np.int32]:
        """For every row, which of the different numbers it has; -1 is missing."""
        return self._coded[1]

    @cached_property
    def _coded(self) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        numbers, codes = numbered_rising(self.values + 0.0)  # -0.0 is 0.0
        known = numbers[~np.isnan(numbers)]
        return known, np.where(codes < known.size, codes, np.int32(-1))

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """How many rows have each of the different numbers."""
        return np.bincount(self.codes[self.codes >= 0], minlength=self.different.size)

    @cached_property
    def rising(self) -> NDArray[np.float64]:
        """Everybody's number, sorted; without those that are missing or infinite."""
        finite = np.isfinite(self.different)
        return np.repeat(self.different[finite], self.counts[finite])

    @cached_property
    def as_text(self) -> TextColumn:
        """The same column as labels, every different number written once."""
        levels = tuple(number_text(value, self.kind) for value in self.different.tolist())
        return TextColumn(self.name, self.codes, levels)

    @cached_property
    def cells(self) -> Cells:
        """Every different number as bytes, by code; the last is the missing one."""
        return number_cells(self.different, self.kind)

    @property
    def missing(self) -> Mask:
        """Whose value is missing."""
        return np.isnan(self.values)

    def take(self, which: Index | Mask) -> NumberColumn:
        """Keep these rows."""
        return NumberColumn(self.name, self.values[which], self.kind)

    def text(self, i: int) -> str:
        """One value as text."""
        return MISSING if math.isnan(self.values[i]) else number_text(float(self.values[i]), self.kind)

    def number(self, level: str) -> float:
        """Read a label as a value of this column; NaN if it cannot be one."""
        return read_number(level, self.kind)


RowColumn = NumberColumn | TextColumn


def number(text: str) -> float:
    """Read a number; NaN if the text is not one."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def read_number(level: str, kind: NumberKind) -> float:
    """Read a label as a value of a column of that kind; NaN if it cannot be one.

    Examples
    --------
    >>> read_number("30.0", "integer"), read_number("True", "bool"), read_number("1970-01-02", "date")
    (30.0, 1.0, 86400000000.0)
    """
    if kind == "date":
        return _date(level)
    if kind == "bool" and level.lower() in ("true", "false"):
        return float(level.lower() == "true")
    return number(level)


def number_text(value: float, kind: NumberKind) -> str:
    """Write a number of a column of that kind.

    Examples
    --------
    >>> number_text(30.0, "integer"), number_text(30.0, "float"), number_text(1.0, "bool")
    ('30', '30.0', 'true')
    >>> number_text(0.0, "date"), number_text(1.5e6, "date")
    ('1970-01-01', '1970-01-01T00:00:01.500000')
    """
    if kind == "integer":
        return str(int(value))
    if kind == "bool":
        return "true" if value else "false"
    if kind == "float":
        return repr(value)
    moment = np.datetime64(int(value), "us")
    day = moment.astype("datetime64[D]")
    return str(day) if day == moment else str(moment)


def _date(text: str) -> float:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return math.nan
    in_utc = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (in_utc - _EPOCH) / _MICROSECOND
