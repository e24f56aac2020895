"""``A^T A`` of tables from who agrees with whom: exact whole numbers, and the matrix is never written out.

Two people are in the same cell of a table when they agree on its columns. So the entry of two people counts
the tables on which they agree; over all tables of ``k`` columns that is the binomial of the columns on which
they agree, over ``k`` (for bits: Kasiviswanathan et al. 2013, section 3). A system here has one row a
combination of levels. Where cells with and without the secret are published with independent errors, each
such pair is read as one row of half the variance: the factor 2 that ``A^T A`` of all cells has is in the
weight of the rows, not in ``A``.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.matrices.operators import Operator, Stacked
from dalenius.matrices.tables import TableRows

Matrix = NDArray[np.float64]
Set = tuple[int, ...]

BLOCK = 64
"""People whose agreement with all others is counted at a time: few enough to stay in the cache."""

DENSE_BLOCK = 1 << 22
"""Entries of a matrix without structure that are written out at a time: 32 MB."""


def gram(A: Operator) -> Matrix:
    """``A^T A``; for counts the numbers are whole, and exact below 2^53.

    Examples
    --------
    >>> people = np.array([[0, 0], [0, 1], [1, 1], [1, 1]], np.int32)
    >>> gram(TableRows(people, [2, 2], [(0,), (1,)])).astype(int).tolist()
    [[2, 1, 0, 0], [1, 2, 1, 1], [0, 1, 2, 2], [0, 1, 2, 2]]
    """
    if isinstance(A, Stacked):
        total = gram(A.parts[0])
        for part in A.parts[1:]:
            total += gram(part)
        return total
    return _of_tables(A) if isinstance(A, TableRows) else _of_rows(A)


def counts_agreement(A: Operator) -> bool:
    """Whether `gram` needs no matrix written out: tables, and nothing that is large beside them."""
    if isinstance(A, Stacked):
        return any(isinstance(part, TableRows) for part in A.parts)
    return isinstance(A, TableRows)


def _of_rows(A: Operator) -> Matrix:
    matrix = A.explicit()
    rows, columns = matrix.shape
    total = np.zeros((columns, columns))
    step = max(1, DENSE_BLOCK // max(columns, 1))
    for start in range(0, rows, step):
        block = matrix[start : start + step].toarray()
        total += block.T @ block
    return total


def _of_tables(A: TableRows) -> Matrix:
    people = A.shape[1]
    total = np.zeros((people, people))
    agreement = _Agreement(A.codes, A.levels)
    parts = _put_together([tuple(sorted(columns)) for columns in A.sets])
    for start in range(0, people, BLOCK):
        stop = min(start + BLOCK, people)
        rows = agreement.common(parts, start, stop)
        total[start:stop, start:] = rows
        total[start:, start:stop] = rows.T
    return total


class _Agreement:
    """Who agrees with whom on which columns, for some people and all that come after them.

    Counts of columns are made in single precision, where whole numbers below 2^24 are exact.
    """

    def __init__(self, codes: NDArray[np.int32], levels: NDArray[np.intp]) -> None:
        self.codes = codes
        self.first = np.cumsum(levels) - levels
        column = np.repeat(np.arange(levels.size), levels)
        level = np.arange(column.size) - self.first[column]
        self.unfolded = (codes[:, column] == level).astype(np.float32)
        self.levels = levels

    def common(self, parts: _Tables, start: int, stop: int) -> Matrix:
        """On how many of the tables people agree."""
        total = np.full((stop - start, len(self.codes) - start), parts.everybody, np.float64)
        for family in parts.complete:
            agree = self._columns(family.columns, start, stop)
            if family.ways > 1:
                binomial = [comb(j, family.ways) for j in range(len(family.columns) + 1)]
                agree = np.array(binomial, np.float64)[agree.astype(np.intp)]
            total += family.times * agree
        for column, others in parts.by_first.items():
            same = self.codes[start:stop, column, None] == self.codes[None, start:, column]
            total += same * self.common(others, start, stop)
        return total

    def _columns(self, columns: Set, start: int, stop: int) -> NDArray[Any]:
        """On how many of these columns people agree."""
        places = np.concatenate([self.first[c] + np.arange(self.levels[c]) for c in columns])
        agree: NDArray[Any] = self.unfolded[start:stop, places] @ self.unfolded[start:, places].T
        return agree


@dataclass(frozen=True)
class _Family:
    """All tables of so many of these columns, each published so many times."""

    columns: Set
    ways: int
    times: int


@dataclass(frozen=True)
class _Tables:
    """A list of tables, put together where they can be.

    Parameters
    ----------
    everybody
        How many of them have no column at all.
    complete
        Whole families.
    by_first
        The rest by first column: who agrees on a table agrees on its first column and on the others.
    """

    everybody: int
    complete: list[_Family]
    by_first: dict[int, _Tables]


def _put_together(sets: Sequence[Set]) -> _Tables:
    """Find the families: sets of one size that are all there are of their columns, equally often."""
    by_ways: dict[int, list[Set]] = defaultdict(list)
    for columns in sets:
        by_ways[len(columns)].append(columns)
    everybody = len(by_ways.pop(0, []))
    complete: list[_Family] = []
    rest: dict[int, list[Set]] = defaultdict(list)
    for ways, own in by_ways.items():
        times = Counter(own)
        columns = tuple(sorted({c for one in own for c in one}))
        if len(times) == comb(len(columns), ways) and len(set(times.values())) == 1:
            complete.append(_Family(columns, ways, times[own[0]]))
            continue
        for one in own:
            rest[one[0]].append(one[1:])
    return _Tables(everybody, complete, {first: _put_together(others) for first, others in rest.items()})
