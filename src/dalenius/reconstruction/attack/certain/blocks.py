"""The parts of a matrix that share no row and no column."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components


def blocks(matrix: sparse.csr_array) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp], sparse.csr_array]]:
    """The parts of a matrix that share no row and no column: their rows, their columns, and their entries.

    Examples
    --------
    >>> for rows, columns, part in blocks(sparse.csr_array(np.array([[0.0, 2.0], [1.0, 0.0]]))):
    ...     print(rows, columns, part.toarray())
    [0] [1] [[2.]]
    [1] [0] [[1.]]
    """
    of_row, of_column = _components(matrix)
    by_row, by_column = np.argsort(of_row, kind="stable"), np.argsort(of_column, kind="stable")
    # with its parts one after another, each is a slice of the arrays: cutting a matrix is slow
    ordered = sparse.csr_array(sparse.csc_array(matrix[by_row])[:, by_column])
    ordered.sort_indices()
    labels = np.arange(max(of_row.max(initial=-1), of_column.max(initial=-1)) + 2)
    row_ends = np.searchsorted(of_row[by_row], labels).tolist()
    column_ends = np.searchsorted(of_column[by_column], labels).tolist()
    data, indices, indptr = ordered.data, ordered.indices, ordered.indptr
    for label in labels[:-1].tolist():
        first, last = row_ends[label], row_ends[label + 1]
        left, right = column_ends[label], column_ends[label + 1]
        start, stop = indptr[first], indptr[last]
        entries = data[start:stop], indices[start:stop] - left, indptr[first : last + 1] - start
        part = sparse.csr_array(entries, shape=(last - first, right - left))
        yield by_row[first:last], by_column[left:right], part


def _components(matrix: sparse.csr_array) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The component of each row and of each column."""
    rows, columns = matrix.shape
    found = matrix.tocoo()
    size = rows + columns
    graph = sparse.coo_array((np.ones(found.nnz), (found.row, found.col + rows)), shape=(size, size))
    labels = connected_components(graph, directed=False)[1]
    return labels[:rows], labels[rows:]
