"""Rows that are sums of rows of another matrix: printed cells, bands and margins of tables."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dalenius.matrices.answers import Vector
from dalenius.matrices.operators import check_size
from dalenius.matrices.tables.rows import TableRows


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
