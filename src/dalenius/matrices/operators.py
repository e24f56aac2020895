"""The matrices of counting queries, one row per query and one column per person, never written out whole."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dalenius.errors import TooLargeError
from dalenius.matrices.answers import Vector

EXPLICIT_LIMIT = 200_000_000
"""Non-zero entries above which a matrix is not written out (12 bytes each)."""


class Operator(Protocol):
    """A matrix that is applied, not stored."""

    @property
    def shape(self) -> tuple[int, int]:
        """Queries and people."""
        ...

    @property
    def entries(self) -> int:
        """How many entries are not zero, without writing them out."""
        ...

    def apply(self, x: Vector) -> Vector:
        """Multiply by a vector with one entry per person."""
        ...

    def apply_transpose(self, r: Vector) -> Vector:
        """Multiply the transpose by a vector with one entry per query."""
        ...

    def explicit(self) -> sparse.csr_array:
        """Write the matrix out, for the decoders that need its entries."""
        ...


@runtime_checkable
class HasSingle(Protocol):
    """A matrix with a faster form of itself."""

    def single(self) -> Operator:
        """The same matrix with products in single precision."""
        ...


class BitRows:
    """Subsets as packed bits: row ``j`` has a 1 for each person that query ``j`` counts.

    Parameters
    ----------
    packed
        ``np.packbits`` of the 0/1 matrix along the people, one row per query.
    people
        How many people, since the last byte may be padded.
    """

    def __init__(self, packed: NDArray[np.uint8], people: int) -> None:
        self.packed = packed
        self.shape = (int(packed.shape[0]), people)

    @staticmethod
    def from_dense(rows: NDArray[np.bool_]) -> BitRows:
        """Pack a 0/1 matrix."""
        return BitRows(np.packbits(rows, axis=1), rows.shape[1])

    @property
    def entries(self) -> int:
        """How many bits are set."""
        return int(np.bitwise_count(self.packed).sum(dtype=np.int64))

    def rows(self, start: int, stop: int) -> NDArray[np.uint8]:
        """Unpack some rows."""
        return np.unpackbits(self.packed[start:stop], axis=1, count=self.shape[1])

    def apply(self, x: Vector) -> Vector:
        """Multiply by a vector with one entry per person."""
        from dalenius.matrices import fast_products

        return fast_products.multiply(self.packed, np.asarray(x, np.float64))

    def apply_transpose(self, r: Vector) -> Vector:
        """Multiply the transpose by a vector with one entry per query."""
        from dalenius.matrices import fast_products

        return fast_products.multiply_transpose(self.packed, np.asarray(r, np.float64), self.shape[1])

    def single(self) -> Operator:
        """The same matrix for solvers that multiply many times."""
        return SingleBitRows(self)

    def explicit(self) -> sparse.csr_array:
        """Write the matrix out as a sparse matrix."""
        check_size(self.entries)
        return sparse.csr_array(self.rows(0, self.shape[0]).astype(np.float64))


class SingleBitRows:
    """The same subsets for solvers that multiply many times: single precision, and a packed transpose kept.

    Twice the memory of the packed bits, and several times faster; good to six digits.
    """

    def __init__(self, rows: BitRows) -> None:
        self._rows = rows
        self.shape = rows.shape
        self._transpose: NDArray[np.uint8] | None = None

    @property
    def entries(self) -> int:
        """How many bits are set."""
        return self._rows.entries

    def apply(self, x: Vector) -> Vector:
        """Multiply by a vector with one entry per person."""
        from dalenius.matrices import fast_products

        return fast_products.multiply(self._rows.packed, x.astype(np.float32))

    def apply_transpose(self, r: Vector) -> Vector:
        """Multiply the transpose by a vector with one entry per query."""
        from dalenius.matrices import fast_products

        if self._transpose is None:
            self._transpose = fast_products.transpose(self._rows.packed, self.shape[1])
        return fast_products.multiply(self._transpose, r.astype(np.float32))

    def explicit(self) -> sparse.csr_array:
        """Write the matrix out as a sparse matrix."""
        return self._rows.explicit()


class SparseRows:
    """A sparse matrix, for cells of tables and whatever else is mostly zeros."""

    def __init__(self, matrix: sparse.csr_array) -> None:
        self.matrix = matrix
        self.shape = (int(matrix.shape[0]), int(matrix.shape[1]))
        self._transpose = matrix.T.tocsr()

    @property
    def entries(self) -> int:
        """How many entries are stored."""
        return int(self.matrix.nnz)

    def apply(self, x: Vector) -> Vector:
        """Multiply by a vector with one entry per person."""
        return np.asarray(self.matrix @ x)

    def apply_transpose(self, r: Vector) -> Vector:
        """Multiply the transpose by a vector with one entry per query."""
        return np.asarray(self._transpose @ r)

    def explicit(self) -> sparse.csr_array:
        """Return the matrix itself."""
        return self.matrix


class HadamardRows:
    """The 2N - 1 counting queries behind the Hadamard attack (Dwork et al. 2017, Theorem 7).

    With H the Sylvester matrix of size N, the smallest power of two not below the number of people: rows
    0 .. N-1 count the people where H is +1, rows N .. 2N-2 those where row 1 .. N-1 of H is -1.
    """

    def __init__(self, people: int) -> None:
        self.size = 1 << max(0, (people - 1).bit_length())
        self.shape = (2 * self.size - 1, people)

    @property
    def entries(self) -> int:
        """Everybody is in one query of each pair."""
        return self.size * self.shape[1]

    def apply(self, x: Vector) -> Vector:
        """Multiply by a vector with one entry per person: one fast transform."""
        from dalenius.matrices.fast_products import transform

        padded = np.zeros(self.size)
        padded[: x.size] = x
        signed = transform(padded)
        total = x.sum()
        return np.concatenate([(total + signed) / 2, (total - signed[1:]) / 2])

    def apply_transpose(self, r: Vector) -> Vector:
        """Multiply the transpose by a vector with one entry per query."""
        from dalenius.matrices.fast_products import transform

        signed = r[: self.size].copy()
        signed[1:] -= r[self.size :]
        weighted: Vector = (r.sum() + transform(signed)) / 2
        return weighted[: self.shape[1]]

    def explicit(self) -> sparse.csr_array:
        """Write the matrix out; half of its entries are ones."""
        people = self.shape[1]
        check_size(self.entries)
        parity = np.bitwise_count(np.arange(self.size)[:, None] & np.arange(people)[None, :]) & 1
        return sparse.csr_array(np.vstack([parity == 0, parity[1:] == 1]).astype(np.float64))


class Stacked:
    """Several operators about the same people, one under the other."""

    def __init__(self, parts: list[Operator]) -> None:
        self.parts = parts
        self.shape = (sum(p.shape[0] for p in parts), parts[0].shape[1])

    @property
    def entries(self) -> int:
        """Those of all parts."""
        return sum(part.entries for part in self.parts)

    def apply(self, x: Vector) -> Vector:
        """Multiply by a vector with one entry per person."""
        return np.concatenate([part.apply(x) for part in self.parts])

    def apply_transpose(self, r: Vector) -> Vector:
        """Multiply the transpose by a vector with one entry per query."""
        total = np.zeros(self.shape[1])
        start = 0
        for part in self.parts:
            stop = start + part.shape[0]
            total += part.apply_transpose(r[start:stop])
            start = stop
        return total

    def single(self) -> Operator:
        """The same parts, each in single precision where it has that."""
        return Stacked([single(part) for part in self.parts])

    def explicit(self) -> sparse.csr_array:
        """Write the matrices out under each other."""
        return sparse.csr_array(sparse.vstack([part.explicit() for part in self.parts], format="csr"))


def single(operator: Operator) -> Operator:
    """The same matrix in single precision wherever that is faster: for solvers that check themselves."""
    return operator.single() if isinstance(operator, HasSingle) else operator


def check_size(entries: int) -> None:
    """Refuse to write out a matrix with more than so many entries that are not zero."""
    if entries > EXPLICIT_LIMIT:
        raise TooLargeError(
            "matrix of the queries",
            f"must have at most {EXPLICIT_LIMIT:,} entries to be written out",
            f"{entries:,} entries ({entries * 12 / 1e9:.1f} GB)",
            "Use the decoder least-squares, which needs no matrix, or ask fewer queries.",
        )


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
