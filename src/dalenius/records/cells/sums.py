"""Published numbers that add people up with weights: sums, means, shares and medians of a column of numbers.

All of them are rows of whole numbers over records: a mean says how a sum compares with a count, a share how
one count compares with another, and neither needs to know how many people there are. The median of an even
number of people lies halfway between two of them: which two is a choice of its own.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dalenius.errors import InputError
from dalenius.records.cells.cell import NO_LIMIT
from dalenius.records.cells.columns import LevelSet, RecordColumns, Where
from dalenius.records.cells.grid import Codes, Whole

Ends = tuple[Fraction, Fraction]
"""Between which numbers a printed one lies."""

Values = tuple[int | None, ...]
"""The number behind each level of a column; ``None`` where it has none, or no end."""


@dataclass(frozen=True)
class Term:
    """People of a cell, each adding a number: that of their level of ``column``, or the same for all."""

    where: Where
    adds: LevelSet
    column: int | None = None

    def of(self, records: Codes) -> Whole:
        """What each record adds."""
        inside = np.ones(len(records), np.bool_)
        for column, levels in self.where:
            inside &= np.isin(records[:, column], levels)
        numbers = np.array(self.adds, np.int64)
        own: Whole = numbers[0] if self.column is None else numbers[records[:, self.column]]
        return np.where(inside, own, 0)


@dataclass(frozen=True)
class SumCell:
    """What some people add, taken together, is at least ``low`` and at most ``high``; ``said`` names it."""

    terms: tuple[Term, ...]
    low: int
    high: int
    table: str
    said: str

    def adds(self, records: Codes) -> Whole:
        """What each record adds to it."""
        total = np.zeros(len(records), np.int64)
        for term in self.terms:
            total += term.of(records)
        return total


def sum_cell(
    columns: RecordColumns,
    where: Mapping[str, Sequence[str]],
    weights: tuple[str, Sequence[int]],
    ends: tuple[int, int],
    table: str = "table",
) -> SumCell:
    """Make a cell that is a sum over a column: ``weights`` names it and gives a number for each level.

    Raises
    ------
    InputError
        If there is not one whole number for each level, or the ends are no interval.

    Examples
    --------
    >>> columns = RecordColumns.of({"age": ["1", "5", "30"]})
    >>> sum_cell(columns, {}, ("age", [1, 5, 30]), (36, 36)).adds(np.array([[0], [2]]))
    array([ 1, 30])
    """
    at = columns.position(weights[0])
    values = tuple(int(value) for value in weights[1])
    if len(values) != columns.sizes[at] or list(values) != list(weights[1]):
        raise InputError(f"{table}: a sum", "must have one whole number for each level", f"{len(values):,}")
    if ends[0] > ends[1]:
        raise InputError(f"{table}: a sum", "must lie in an interval", f"{ends[0]} to {ends[1]}")
    term = Term(columns.where(where), values, at)
    return SumCell((term,), int(ends[0]), int(ends[1]), table, f"sum of {weights[0]}")


@dataclass(frozen=True)
class LevelNumbers:
    """A column whose levels are whole numbers or bands of them: the least and the most behind each level."""

    at: int
    name: str
    least: Values
    most: Values

    @property
    def single(self) -> bool:
        """Whether every level is one number."""
        return self.least == self.most and None not in self.least

    def inside(self, where: Where) -> LevelSet:
        """The levels that a cell allows."""
        return dict(where).get(self.at, tuple(range(len(self.least))))

    def term(self, where: Where, values: Values, times: int = 1) -> list[Term]:
        """People of a cell who add these numbers; nothing where one of them has no end."""
        if any(values[code] is None for code in self.inside(where)):
            return []
        return [Term(where, tuple(times * (value or 0) for value in values), self.at)]


def total_cells(number: LevelNumbers, where: Where, ends: Ends, table: str) -> list[SumCell]:
    """A sum: what people add at least is not above it, and what they add at most not below.

    Examples
    --------
    >>> ages = LevelNumbers(0, "age", (0, 10), (9, None))
    >>> [(each.terms[0].adds, each.high) for each in total_cells(ages, (), (Fraction(12),) * 2, "t")]
    [((0, 10), 12)]
    """
    said = f"sum of {number.name}"
    low, high = math.ceil(ends[0]), math.floor(ends[1])
    found = [SumCell((term,), -NO_LIMIT, high, table, said) for term in number.term(where, number.least)]
    return found + [SumCell((term,), low, NO_LIMIT, table, said) for term in number.term(where, number.most)]


def mean_cells(number: LevelNumbers, where: Where, ends: Ends, table: str) -> list[SumCell]:
    """A mean: the sum is between so many times the number of people.

    Examples
    --------
    >>> ages = LevelNumbers(0, "age", (1, 5), (1, 5))
    >>> below, above = mean_cells(ages, (), (Fraction(5, 2), Fraction(7, 2)), "t")
    >>> below.adds(np.array([[0], [1]])).tolist(), below.high, above.low
    ([-5, 3], 0, 0)
    """
    found = []
    for end, values, sides in (
        (ends[1], number.least, (-NO_LIMIT, 0)),
        (ends[0], number.most, (0, NO_LIMIT)),
    ):
        people = Term(where, (-end.numerator,))
        for term in number.term(where, values, end.denominator):
            found.append(SumCell((term, people), *sides, table, f"mean {number.name}"))
    return found


def share_cells(where: Where, base: Where, ends: Ends, table: str) -> list[SumCell]:
    """A share of the people of ``base``: between so many times their number.

    Examples
    --------
    >>> half = Fraction(1, 2)
    >>> below, above = share_cells(((0, (0,)),), (), (half, half), "t")
    >>> below.adds(np.array([[0], [1]])).tolist(), below.high
    ([1, -1], 0)
    """
    found = []
    for end, sides in ((ends[1], (-NO_LIMIT, 0)), (ends[0], (0, NO_LIMIT))):
        terms = Term(where, (end.denominator,)), Term(base, (-end.numerator,))
        found.append(SumCell(terms, *sides, table, "share"))
    return found


def median_cells(number: LevelNumbers, where: Where, ends: Ends, table: str) -> list[SumCell]:
    """A median: at most half are surely below it, at most half surely above.

    Of an odd number of people this says all there is, since twice a number below half of them is even.

    Examples
    --------
    >>> ages = LevelNumbers(0, "age", (1, 5, 30), (1, 5, 30))
    >>> below, above = median_cells(ages, (), (Fraction(5), Fraction(5)), "t")
    >>> below.adds(np.array([[0], [1], [2]])).tolist(), below.high
    ([1, -1, -1], 0)
    """
    inside = number.inside(where)
    below = tuple(code for code in inside if (most := number.most[code]) is not None and most < ends[0])
    above = tuple(code for code in inside if (least := number.least[code]) is not None and least > ends[1])
    rest = tuple(part for part in where if part[0] != number.at)
    found = []
    for side in (below, above):
        if side:
            terms = Term(tuple(sorted((*rest, (number.at, side)))), (2,)), Term(where, (-1,))
            found.append(SumCell(terms, -NO_LIMIT, 0, table, f"median {number.name}"))
    return found


@dataclass(frozen=True)
class EvenMedian:
    """The median of ``people``, an even number: half the sum of the two in the middle, ``twice`` it."""

    where: Where
    column: int
    values: LevelSet
    twice: int
    people: int
    table: str

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Which two numbers may be in the middle."""
        there = sorted({self.values[code] for code in dict(self.where).get(self.column, self._codes)})
        return [(a, self.twice - a) for a in there if 2 * a <= self.twice and self.twice - a in there]

    @property
    def _codes(self) -> tuple[int, ...]:
        return tuple(range(len(self.values)))

    def rows(self, records: Codes) -> list[tuple[Whole, Whole, int, int]]:
        """What records add, what choices add, and between which numbers both together are.

        With ``h`` half of the people: one pair is chosen, and up to any number there are fewer than ``h``
        people below the first of the pair, ``h`` from it on, and more from the second on.

        Examples
        --------
        >>> median = EvenMedian((), 0, (1, 2, 3), 4, 2, "t")
        >>> median.pairs
        [(1, 3), (2, 2)]
        >>> [(a.tolist(), b.tolist(), *ends) for a, b, *ends in median.rows(np.array([[0], [1], [2]]))][:3]
        [([0, 0, 0], [1, 1], 1, 1), ([1, 0, 0], [-1, 0], 0, 1099511627776), ([1, 0, 0], [-1, 0], -2, 0)]
        """
        pairs, half = np.array(self.pairs, np.int64).reshape(-1, 2), self.people // 2
        inside = Term(self.where, (1,)).of(records)
        number = np.array(self.values, np.int64)[records[:, self.column]]
        found = [(np.zeros_like(inside), np.ones(len(pairs), np.int64), 1, 1)]
        for value in np.unique(number[inside > 0])[:-1]:
            upto = inside * (number <= value)
            first, second = (pairs <= value).T.astype(np.int64)
            found.append((upto, -half * first - second, 0, NO_LIMIT))
            found.append((upto, -first - half * second, -self.people, half - 1))
        return found
