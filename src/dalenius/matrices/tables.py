"""All cells of many contingency tables as one matrix that is never written out, and sums of its rows.

With ``U`` the 0/1 matrix of people and levels, the weighted counts of all cells of two-way tables are the
entries of ``U^T diag(x) U``: one matrix product. For three-way tables, the same among the people who have one
level of the first column, one level after the other. The first level of every column is left to subtraction
(total less the other levels): a yes/no column then is one column of ``U`` instead of two, a quarter of the
work. Printed cells, bands and margins of tables are sums of such rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dalenius.matrices.answers import Vector
from dalenius.matrices.operators import check_size
from dalenius.matrices.table_cells import (
    Index,
    Pairs,
    column_weights,
    make_preconditioner,
    number_cells,
)

CHUNK = 8192
"""People whose levels are unfolded at a time."""

PANEL = 192
"""Columns that are multiplied together; what lies below the diagonal panel is not computed."""

LEAST_SEVERAL = 1e-3
"""Mean agreement on several columns at once below which there is nothing to set the rest off against."""

Real = NDArray[Any]
"""Single or double precision, as the solver asks."""


class TableRows:
    """Cells of tables of at most three columns: one row per cell, one column per person.

    Parameters
    ----------
    codes
        For every person the code of their level in each column.
    levels
        How many levels each column has.
    sets
        The columns of each table, as positions; cells run through the levels of the last column first.
    """

    def __init__(
        self, codes: NDArray[np.int32], levels: Sequence[int], sets: Sequence[Sequence[int]]
    ) -> None:
        self._codes, self._levels, self._sets = codes, np.asarray(levels, np.intp), sets
        self._cells = number_cells(self._levels, sets)
        self.shape = (self._cells.first.size, len(codes))
        self._precision: type[Any] = np.float64
        column = np.repeat(np.arange(self._levels.size), self._levels)
        level = np.arange(column.size) - np.repeat(np.cumsum(self._levels) - self._levels, self._levels)
        self._unfolded = np.ones((len(codes), 1 + int((level > 0).sum())), np.bool_)
        for start in range(0, len(codes), CHUNK):
            part = codes[start : start + CHUNK]
            self._unfolded[start : start + CHUNK, 1:] = part[:, column[level > 0]] == level[level > 0]
        self._none = np.zeros(0, np.intp)
        self._slices = list(self._sliced())

    @property
    def entries(self) -> int:
        """How many entries are not zero: everybody is in one cell of each table."""
        return len(self._sets) * self.shape[1]

    @property
    def codes(self) -> NDArray[np.int32]:
        """For every person the code of their level in each column."""
        return self._codes

    @property
    def levels(self) -> NDArray[np.intp]:
        """How many levels each column has."""
        return self._levels

    @property
    def sets(self) -> Sequence[Sequence[int]]:
        """The columns of each table."""
        return self._sets

    @property
    def multiplications(self) -> tuple[int, int]:
        """How many one product takes, among everybody and among parts of the people."""
        work = [0, 0]
        for part in self._slices:
            people = self.shape[1] if part.people is None else part.people.size
            work[part.people is not None] += people * part.pairs.kept.size**2
        return work[0], work[1]

    def single(self) -> TableRows:
        """The same cells with products in single precision, twice as fast; nothing is copied."""
        other = object.__new__(TableRows)
        other.__dict__.update(self.__dict__)
        other._precision = np.float32
        return other

    def apply(self, x: Vector) -> Vector:
        """Multiply by a vector with one entry per person: the weighted count of every cell."""
        out = np.empty(self.shape[0])
        for part in self._slices:
            found = part.pairs.read(self._product(part, x))
            out[part.rows] = found
            if part.rest.size:
                out[part.rest] -= found
        return out

    def apply_transpose(self, r: Vector) -> Vector:
        """Multiply the transpose by a vector with one entry per cell: sum over the cells of each person."""
        out = np.zeros(self.shape[1])
        for part in self._slices:
            weights = r[part.rows]
            if part.rest.size:
                weights = weights - r[part.rest]
            self._add_forms(out, part, part.pairs.fold(weights))
        return out

    def preconditioner(self) -> Callable[[Vector], Vector]:
        """Divide by what tables have in common: directions of single columns, with far larger eigenvalues.

        The inverse of ``I + U W U^T``, with weights as far above 1 as those directions are above the rest.
        """
        codes, levels = self._codes, self._levels
        shares = [np.bincount(codes[:, c], minlength=size) / len(codes) for c, size in enumerate(levels)]
        agreement = np.array([float(share @ share) for share in shares])
        weights, constant, several = column_weights(agreement, self._sets)
        if several < LEAST_SEVERAL * len(self._sets):
            return np.copy
        everybody = max(constant - float(weights @ agreement), 0.0)
        diagonal = np.concatenate([[everybody], np.repeat(weights, levels)])
        pairs = Pairs(np.arange(levels.size), levels, self._none, self._none)
        within = self._product(_Slice(None, self._none, self._none, pairs), np.ones(len(codes)))
        return make_preconditioner(
            self._unfolded, np.triu(within) + np.triu(within, 1).T, pairs.shrink(diagonal / several)
        )

    def explicit(self) -> sparse.csr_array:
        """Write the matrix out as a sparse matrix."""
        check_size(self.entries)
        return self.some_rows(np.arange(self.shape[0]))

    def some_rows(self, rows: Index) -> sparse.csr_array:
        """Write out some cells, table by table; ``rows`` rise."""
        start, which, people = 0, [self._none], [self._none]
        for columns in self._sets:
            stop = start + int(self._levels[list(columns)].prod())
            first, last = np.searchsorted(rows, [start, stop])
            if first < last:
                place = np.full(stop - start, -1, np.intp)
                place[rows[first:last] - start] = np.arange(first, last)
                found = place[self._cell_of(columns)]
                inside = np.flatnonzero(found >= 0)
                which.append(found[inside])
                people.append(inside)
            start = stop
        where = np.concatenate(which), np.concatenate(people)
        return sparse.csr_array((np.ones(where[0].size), where), shape=(rows.size, self.shape[1]))

    def some_people(self, people: Index) -> TableRows:
        """The same cells of some of the people."""
        return TableRows(self._codes[people], self._levels.tolist(), self._sets)

    def _cell_of(self, columns: Sequence[int]) -> Index:
        """The cell of one table that each person is in."""
        cell = np.zeros(self.shape[1], np.intp)
        for c in columns:
            cell = cell * self._levels[c] + self._codes[:, c]
        return cell

    def _sliced(self) -> Iterator[_Slice]:
        """Everybody first; then, for three-way tables, the people of each level but the first."""
        cells, nobody = self._cells, self._none
        whole = np.flatnonzero(cells.level <= 0)
        if whole.size:
            columns = np.arange(self._levels.size)
            pairs = Pairs(columns, self._levels, cells.first[whole], cells.second[whole])
            yield _Slice(None, whole, nobody, pairs)
        for column in np.unique(cells.column[cells.level >= 0]):
            own = cells.column == column
            rest = np.flatnonzero(own & (cells.level == 0))
            first, second = cells.first[rest], cells.second[rest]
            owner = np.repeat(np.arange(self._levels.size), self._levels)
            used = np.unique(owner[np.concatenate([first, second]) - 1])
            pairs = Pairs(used, self._levels, first, second)
            for level in range(1, int(self._levels[column])):
                people = np.flatnonzero(self._codes[:, column] == level)
                yield _Slice(people, np.flatnonzero(own & (cells.level == level)), rest, pairs)

    def _chunks(self, part: _Slice) -> Iterator[tuple[slice | Index, Real]]:
        """People of a slice, some at a time, and their unfolded levels."""
        size = self.shape[1] if part.people is None else part.people.size
        for start in range(0, size, CHUNK):
            some = slice(start, min(start + CHUNK, size))
            who = some if part.people is None else part.people[some]
            levels = self._unfolded[who]
            levels = levels if part.people is None else levels[:, part.pairs.kept]
            yield who, levels.astype(self._precision)

    def _product(self, part: _Slice, x: Vector) -> NDArray[np.float64]:
        """The weighted counts of all pairs of levels among the people of a slice; above the diagonal."""
        size = part.pairs.kept.size
        total = np.zeros((size, size))
        for who, levels in self._chunks(part):
            weighted: Real = levels * x[who].astype(self._precision)[:, None]
            for p in range(0, size, PANEL):
                total[p : p + PANEL, p:] += levels[:, p : p + PANEL].T @ weighted[:, p:]
        return total

    def _add_forms(self, out: Vector, part: _Slice, form: NDArray[np.float64]) -> None:
        """Add for everybody in a slice the quadratic form of their levels; it is zero below the diagonal."""
        rounded: Real = form.astype(self._precision)
        for who, levels in self._chunks(part):
            for p in range(0, len(form), PANEL):
                q = p + PANEL
                out[who] += np.einsum("ij,ij->i", levels[:, :q] @ rounded[:q, p:q], levels[:, p:q])


@dataclass(frozen=True)
class _Slice:
    """Some people (``None``: everybody), the cells counted among them, and those that get what is left.

    ``rest`` are the cells of the first level: everybody's count less those of the other levels.
    """

    people: Index | None
    rows: Index
    rest: Index
    pairs: Pairs


class SummedRows:
    """``S A`` for tables ``A`` that are never written out: each row adds up some cells.

    Parameters
    ----------
    sums
        ``S``: one row per printed cell, a 1 for each cell of the tables that it holds.
    tables
        ``A``; the cells that a row adds up share nobody.

    Examples
    --------
    >>> tables = TableRows(np.array([[0], [1], [2]], np.int32), [3], [(0,)])
    >>> SummedRows(sparse.csr_array([[0.0, 1.0, 1.0]]), tables).explicit().toarray()
    array([[0., 1., 1.]])
    """

    def __init__(self, sums: sparse.csr_array, tables: TableRows) -> None:
        self._sums, self.tables = sums, tables
        self._transpose = sums.T.tocsr()
        self.shape = (int(sums.shape[0]), tables.shape[1])
        self._entries: int | None = None

    @property
    def entries(self) -> int:
        """How many entries are not zero: everybody in each row."""
        if self._entries is None:
            self._entries = round(float(self.apply(np.ones(self.shape[1])).sum()))
        return self._entries

    def single(self) -> SummedRows:
        """The same rows with products in single precision."""
        return SummedRows(self._sums, self.tables.single())

    def apply(self, x: Vector) -> Vector:
        """Multiply by a vector with one entry per person."""
        return np.asarray(self._sums @ self.tables.apply(x))

    def apply_transpose(self, r: Vector) -> Vector:
        """Multiply the transpose by a vector with one entry per row."""
        return self.tables.apply_transpose(np.asarray(self._transpose @ r))

    def explicit(self) -> sparse.csr_array:
        """Write the matrix out as a sparse matrix."""
        check_size(self.entries)
        return self.some_rows(np.arange(self.shape[0]))

    def some_rows(self, rows: NDArray[np.intp]) -> sparse.csr_array:
        """Write out some rows."""
        own = sparse.csr_array(self._sums[rows])
        cells = np.unique(own.indices).astype(np.intp)
        return sparse.csr_array(sparse.csr_array(own[:, cells]) @ self.tables.some_rows(cells))

    def some_people(self, people: NDArray[np.intp]) -> SummedRows:
        """The same rows about some of the people."""
        return SummedRows(self._sums, self.tables.some_people(people))
