"""The smallest conditions: one column has some values, or a hash of columns has a bit or is small."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dalenius.conditions.hashes import BITS
from dalenius.errors import SHOW_LEVELS, InputError, nearest
from dalenius.people.rows.columns import number
from dalenius.people.rows.keyed_hash import check_family
from dalenius.people.schema import Column

Closed = Literal["left", "right", "both", "neither"]


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
    """The column's number is between two limits; ``None`` leaves that side open.

    ``closed`` says which limits belong to the range: ``"left"`` is at least ``low`` and below ``high``.
    """

    column: str
    low: float | None
    high: float | None
    closed: Closed = "left"

    def __post_init__(self) -> None:
        if self.closed not in ("left", "right", "both", "neither"):
            raise InputError("closed", "must be left, right, both or neither", repr(self.closed))
        for limit in (self.low, self.high):
            if limit is not None and math.isnan(limit):
                raise InputError(f"limit of column {self.column!r}", "must be a number", "NaN")

    def holds(self, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Say which numbers lie between the limits; NaN never does."""
        inside = ~np.isnan(values)
        if self.low is not None:
            inside &= values >= self.low if self.with_low else values > self.low
        if self.high is not None:
            inside &= values <= self.high if self.with_high else values < self.high
        return inside

    @property
    def with_low(self) -> bool:
        """Whether ``low`` itself belongs to the range."""
        return self.closed in ("left", "both")

    @property
    def with_high(self) -> bool:
        """Whether ``high`` itself belongs to the range."""
        return self.closed in ("right", "both")


@dataclass(frozen=True)
class Like:
    """The column's text has this form: ``*`` stands for any one character.

    With ``longer``, more may follow: ``Like("zip", "47", longer=True)`` is all that starts with 47.
    """

    column: str
    mask: str
    longer: bool = False

    @property
    def pattern(self) -> re.Pattern[str]:
        """The same as a regular expression for `re.Pattern.fullmatch`."""
        ones = "".join("." if character == "*" else re.escape(character) for character in self.mask)
        return re.compile(ones + ".*" * self.longer, re.DOTALL)


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


@dataclass(frozen=True)
class HashBelow:
    """The keyed hash of these columns of an original row is below a number.

    Parameters
    ----------
    columns
        What is hashed, in this order.
    family
        The kind of hash: one of `dalenius.people.rows.keyed_hash.RANGES`.
    seed
        The key as text; drawn anew for every attack, never from the data.
    below
        The number; divided by the family's range it is the weight of the condition.
    """

    columns: tuple[str, ...]
    family: str
    seed: str
    below: int

    def __post_init__(self) -> None:
        if not self.columns:
            raise InputError("hash", "must be of at least one column", "none")
        size = check_family(self.family, self.seed)
        if not 0 <= self.below <= size:
            raise InputError(f"limit of a {self.family} hash", f"must be 0 to {size}", str(self.below))


OfColumn = Equals | In | Between | Like
Leaf = OfColumn | HashBit | HashBelow


def matching_codes(leaf: OfColumn, column: Column) -> tuple[int, ...]:
    """Return the codes of a column that a leaf accepts: what the kinds differ in."""
    if isinstance(leaf, Between):
        return _codes_between(leaf, column)
    if isinstance(leaf, Like):
        return tuple(i for i, level in enumerate(column.levels) if leaf.pattern.fullmatch(level))
    wanted = (leaf.level,) if isinstance(leaf, Equals) else leaf.levels
    for level in wanted:
        if level not in column.levels:
            raise InputError(
                f"value {level!r} of column {column.name!r}",
                "must be one of its levels",
                "no such level",
                SHOW_LEVELS,
                hint=nearest(level, column.levels),
            )
    return tuple(i for i, level in enumerate(column.levels) if level in wanted)


def _codes_between(leaf: Between, column: Column) -> tuple[int, ...]:
    if column.edges:
        _check_bins_fit(leaf)
        low = -math.inf if leaf.low is None else leaf.low
        high = math.inf if leaf.high is None else leaf.high
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
    return tuple(np.flatnonzero(leaf.holds(np.array(_numbers(column)))).tolist())


def _check_bins_fit(leaf: Between) -> None:
    """A bin holds its left end and not its right one, so a range of bins does too."""
    if (leaf.low is not None and not leaf.with_low) or (leaf.high is not None and leaf.with_high):
        raise InputError(
            f"range of column {leaf.column!r}",
            "must hold its lower limit and not its upper one, as the bins of the column do",
            f"closed={leaf.closed!r}",
        )


def _numbers(column: Column) -> list[float]:
    """Read the levels as numbers; a level that is not one (a missing value) lies in no range."""
    numbers = [number(level) for level in column.levels]
    if all(math.isnan(x) for x in numbers):
        raise InputError(
            f"column {column.name!r}",
            "must be numeric to be compared by size",
            "levels that are no numbers",
            "Use = or in (...).",
            value=", ".join(column.levels[:5]),
        )
    return numbers
