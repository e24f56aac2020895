"""The smallest conditions: one column has some levels, or a hash of columns has a bit."""

from __future__ import annotations

import math
from dataclasses import dataclass

from dalenius.errors import InputError, nearest
from dalenius.records.hashes import BITS
from dalenius.records.schema import Column


@dataclass(frozen=True)
class Equals:
    """The column has this level."""

    column: str
    level: str


@dataclass(frozen=True)
class In:
    """The column has one of these levels."""

    column: str
    levels: tuple[str, ...]


@dataclass(frozen=True)
class Between:
    """The column's number is at least ``low`` and below ``high``; ``None`` leaves that side open."""

    column: str
    low: float | None
    high: float | None


@dataclass(frozen=True)
class HashBit:
    """A bit of the hash of these columns together with a salt is one: half of all records, at random."""

    columns: tuple[str, ...]
    salt: str
    bit: int

    def __post_init__(self) -> None:
        if not self.columns:
            raise InputError("hash", "must be of at least one public column", "none")
        if not 0 <= self.bit < BITS:
            raise InputError("bit of a hash", f"must be from 0 to {BITS - 1}", str(self.bit))


OfColumn = Equals | In | Between
Leaf = OfColumn | HashBit


def matching_codes(leaf: OfColumn, column: Column) -> tuple[int, ...]:
    """Return the codes of a column that a leaf accepts: what the three kinds differ in."""
    if isinstance(leaf, Between):
        return _codes_between(leaf, column)
    wanted = (leaf.level,) if isinstance(leaf, Equals) else leaf.levels
    for level in wanted:
        if level not in column.levels:
            raise InputError(
                f"value {level!r} of column {column.name!r}",
                "must be one of its levels",
                "no such level",
                nearest(level, column.levels),
            )
    return tuple(i for i, level in enumerate(column.levels) if level in wanted)


def _codes_between(leaf: Between, column: Column) -> tuple[int, ...]:
    low = -math.inf if leaf.low is None else leaf.low
    high = math.inf if leaf.high is None else leaf.high
    if column.edges:
        ends = (-math.inf, *column.edges, math.inf)
        for end in (low, high):
            if end not in ends:
                raise InputError(
                    f"limit {end:g} of column {column.name!r}",
                    "must be one of its bin edges",
                    f"{end:g}",
                    f"Edges: {', '.join(f'{e:g}' for e in column.edges)}.",
                )
        bins = len(column.edges) + 1
        return tuple(i for i in range(bins) if low <= ends[i] and ends[i + 1] <= high)
    return tuple(i for i, x in enumerate(_numbers(column)) if low <= x < high)


def _numbers(column: Column) -> list[float]:
    """Read the levels as numbers; a level that is not one (a missing value) lies in no range."""
    numbers = [_number(level) for level in column.levels]
    if all(math.isnan(x) for x in numbers):
        raise InputError(
            f"column {column.name!r}",
            "must be numeric to be compared by size",
            f"levels {', '.join(column.levels[:5])}",
            "Use = or in (...).",
        )
    return numbers


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan
