"""Which counts to ask: of uniform numbers, of any rows by keyed hashes, of attributes in words."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np

from dalenius.conditions.predicate import And, Between, Equals, HashBelow, Predicate
from dalenius.conditions.row_match import match_values
from dalenius.errors import InputError
from dalenius.people.rows.columns import Mask, NumberColumn, RowColumn
from dalenius.people.rows.keyed_hash import RANGES, threshold
from dalenius.people.rows.rows import Rows
from dalenius.singling_out.attack.counts.counts import CountQuestions

MOST_CASES = 12
"""Conditions asked of one attribute in words; more values are put into ranges of about equal size."""


@dataclass(frozen=True)
class NumberPlan:
    """Theorem 4.6: rows are uniform numbers of m bits, in the columns ``number`` and ``bit 0`` onwards.

    Parameters
    ----------
    bits
        How many bits m a number has.
    below
        The region is all numbers below this one; about ``2^m / n``.
    regions
        How many slices of that size are asked for.
    half
        Join every count with "the last bit is one", which is independent of a region that ends at an even
        number (Remark 4.7).
    noisy
        Whether the counts have noise on them.

    Examples
    --------
    >>> plan = NumberPlan(bits=3, below=2)(np.random.default_rng(1))
    >>> len(plan.questions)
    4
    """

    bits: int
    below: int
    regions: int = 1
    half: bool = False
    noisy: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.below * self.regions <= 2**self.bits:
            raise InputError(
                "regions", f"must fit into the {2**self.bits:,} numbers", f"{self.regions} of {self.below:,}"
            )
        if self.half and self.below % 2:
            raise InputError("end of a region", "must be even to be independent of a bit", str(self.below))

    def __call__(self, rng: np.random.Generator) -> CountQuestions:
        """Return the questions; there is nothing to draw."""
        regions = tuple(
            Between("number", j * self.below, (j + 1) * self.below, "left") for j in range(self.regions)
        )
        ones = tuple((Equals(f"bit {i}", "true"),) for i in range(self.bits))
        return CountQuestions(regions, ones, Equals("bit 0", "true") if self.half else None, self.noisy)


@dataclass(frozen=True)
class KeyedPlan:
    """Appendix B: bits of keyed hashes in place of bits, for rows of any kind and distribution.

    Parameters
    ----------
    columns
        What is hashed: all columns of a row.
    weight
        Weight of a region, about 1/n.
    bits
        How many bits of a fingerprint are asked for in each region.
    regions
        How many regions, each with a key of its own.
    half
        Join every count with a hash that half of all rows meet.
    family
        The kind of hash.
    noisy
        Whether the counts have noise on them.

    Examples
    --------
    >>> plan = KeyedPlan(("age", "town"), Fraction(1, 1000), bits=10, regions=3)(np.random.default_rng(1))
    >>> len(plan.questions)
    33
    """

    columns: tuple[str, ...]
    weight: Fraction
    bits: int
    regions: int = 1
    half: bool = False
    family: str = "prf64"
    noisy: bool = False

    def __call__(self, rng: np.random.Generator) -> CountQuestions:
        """Draw fresh keys."""
        regions = tuple(self._below(self.weight, rng) for _ in range(self.regions))
        ones = tuple((self._below(Fraction(1, 2), rng),) for _ in range(self.bits))
        half = self._below(Fraction(1, 2), rng) if self.half else None
        return CountQuestions(regions, ones, half, self.noisy)

    def _below(self, weight: Fraction, rng: np.random.Generator) -> HashBelow:
        return keyed(self.columns, weight, rng, self.family)


def keyed(
    columns: tuple[str, ...], weight: Fraction, rng: np.random.Generator, family: str = "prf64"
) -> HashBelow:
    """Return a condition of this weight on a hash with a fresh key.

    Examples
    --------
    >>> condition = keyed(("age",), Fraction(1, 2), np.random.default_rng(1))
    >>> condition.below == 2**63, len(condition.seed)
    (True, 32)
    """
    limit = RANGES[family] if weight == 1 else threshold(weight, family)
    return HashBelow(columns, family, rng.bytes(16).hex(), limit)


@dataclass(frozen=True, eq=False)
class WordsPlan:
    """The same attack in words: a region of ordinary attributes, and one count for every attribute value.

    Nothing is hashed: "women born in 1971 in Bern" is a region, and "..., married" a count.

    Parameters
    ----------
    population
        Rows that tell how common values are.
    n
        How many rows the data have; a region is met by about one.
    """

    population: Rows
    n: int

    def __call__(self, rng: np.random.Generator) -> CountQuestions:
        """Choose attributes in random order until about one person in n is left."""
        model = int(rng.integers(len(self.population)))
        order = [self.population.names[j] for j in rng.permutation(len(self.population.names))]
        wanted = len(self.population) / self.n
        left, parts = self.population, list[Predicate]()
        for name in order:
            narrower = _range_of(left.column(name), self.population.column(name).text(model), wanted)
            if narrower is None:
                continue
            part, kept = narrower
            parts.append(part)
            left = left.take(kept)
            if len(left) < 2 * wanted:
                break
        used = {part.column for part in parts if isinstance(part, Equals | Between)}
        rest = [name for name in self.population.names if name not in used or self._is_wide(name)]
        coordinates = tuple(cases for name in rest if (cases := cases_of(self.population.column(name))))
        return CountQuestions((And(tuple(parts)),), coordinates)

    def _is_wide(self, name: str) -> bool:
        return isinstance(self.population.column(name), NumberColumn)


def _range_of(column: RowColumn, value: str, wanted: float) -> tuple[Predicate, Mask] | None:
    """Take the model's value, or its range where the value alone would leave too few people."""
    cases: tuple[Equals | Between, ...] = (Equals(column.name, value), *_ranges_holding(column, value))
    for case in cases:
        kept = match_values(case, column)
        if wanted / 2 <= kept.sum() < len(column):
            return case, kept
    return None


def cases_of(column: RowColumn) -> tuple[Predicate, ...]:
    """Return conditions that exclude each other and cover a column, at most `MOST_CASES`.

    Examples
    --------
    >>> age = NumberColumn("age", np.arange(100.0), "integer")
    >>> cases_of(age)[1]
    Between(column='age', low=9.0, high=17.0, closed='left')
    """
    labels = column.as_text if isinstance(column, NumberColumn) else column
    present = np.unique(labels.codes[labels.codes >= 0])
    if present.size < 2:
        return ()
    if present.size <= MOST_CASES:
        return tuple(Equals(column.name, labels.levels[code]) for code in present)
    if isinstance(column, NumberColumn):
        return _ranges(column)
    common = np.argsort(-np.bincount(labels.codes[labels.codes >= 0]), kind="stable")[:MOST_CASES]
    return tuple(Equals(column.name, labels.levels[code]) for code in common)


def _ranges(column: NumberColumn) -> tuple[Between, ...]:
    known = column.values[~np.isnan(column.values)]
    shares = np.arange(1, MOST_CASES) / MOST_CASES
    cuts = np.unique(np.quantile(known, shares, method="higher"))
    edges = [None, *cuts.tolist(), None]
    return tuple(Between(column.name, low, high) for low, high in pairwise(edges))


def _ranges_holding(column: RowColumn, value: str) -> tuple[Between, ...]:
    if not isinstance(column, NumberColumn):
        return ()
    at = column.number(value)
    return tuple(
        case
        for case in _ranges(column)
        if (case.low is None or case.low <= at) and (case.high is None or at < case.high)
    )
