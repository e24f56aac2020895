"""Some rows or some people of a matrix that is never written out whole."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dalenius.matrices.operators import Operator, SparseRows, Stacked

Index = NDArray[np.intp]


@runtime_checkable
class HasParts(Protocol):
    """A matrix that can give a part of itself without writing out the rest."""

    def some_rows(self, rows: Index) -> sparse.csr_array:
        """These rows, written out; ``rows`` rise."""
        ...

    def some_people(self, people: Index) -> Operator:
        """The same rows about these people alone."""
        ...


def take_rows(operator: Operator, rows: Index) -> sparse.csr_array:
    """Write out some rows of a matrix; ``rows`` rise.

    Examples
    --------
    >>> matrix = SparseRows(sparse.csr_array(np.eye(3)))
    >>> take_rows(Stacked([matrix, matrix]), np.array([1, 5])).toarray()
    array([[0., 1., 0.],
           [0., 0., 1.]])
    """
    if isinstance(operator, HasParts):
        return operator.some_rows(rows)
    if not isinstance(operator, Stacked):
        return sparse.csr_array(operator.explicit()[rows])
    found, start = [], 0
    for part in operator.parts:
        stop = start + part.shape[0]
        own = rows[(rows >= start) & (rows < stop)]
        if own.size:
            found.append(take_rows(part, own - start))
        start = stop
    empty = sparse.csr_array((0, operator.shape[1]))
    return sparse.csr_array(sparse.vstack([empty, *found], format="csr"))


def take_people(operator: Operator, people: Index) -> Operator:
    """The same matrix about some of its people.

    Examples
    --------
    >>> matrix = SparseRows(sparse.csr_array(np.eye(3)))
    >>> take_people(matrix, np.array([0, 2])).apply(np.array([5.0, 7.0]))
    array([5., 0., 7.])
    """
    if isinstance(operator, HasParts):
        return operator.some_people(people)
    if isinstance(operator, Stacked):
        return Stacked([take_people(part, people) for part in operator.parts])
    return SparseRows(sparse.csr_array(operator.explicit().tocsc()[:, people]))
