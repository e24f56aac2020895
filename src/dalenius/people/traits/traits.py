"""The attributes of people that are averaged: yes/no answers and genotypes at two bits each, or real numbers.

Inside, every attribute is on the scale of -1 to +1: a bit b is 2b - 1, a genotype of g copies is g - 1, so
that a column's mean is 2f - 1 for a frequency f in both. Fractions exist only in files and in print.

`CodedTraits` may stand on a file far larger than memory. Everything it does reads blocks of columns,
once, from the first to the last.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.matrices.answers import Vector
from dalenius.matrices.fast_products import Real
from dalenius.people.schema import Ids
from dalenius.people.traits import scores
from dalenius.people.traits.packed_files import PackedFiles
from dalenius.people.traits.score_blocks import Tables, add_up, count_all
from dalenius.people.traits.two_bits import CODES, MISSING, VALUES, Codes, Packed, pack

Names = NDArray[np.str_]
Dense = NDArray[np.float32]
Which = NDArray[Any]
"""Positions, or a mask of one truth value each."""

BLOCK_BYTES = 64_000_000
"""About how much memory one dense block takes."""


@dataclass(frozen=True, eq=False, repr=False)
class CodedTraits:
    """Yes/no answers or genotypes of people, packed; in memory or mapped from a file.

    Parameters
    ----------
    id_name
        What the column of names is called.
    ids
        One name per person.
    names
        One name per attribute: ``rs1234``, ``smokes``, ``colour=red``.
    kind
        ``binary`` (never code 1) or ``genotype``.
    packed
        Two bits per value as in `two_bits`, one row per attribute; may hold more people and attributes. In
        memory, or in files, of which only the addresses travel to other processes.
    people
        Which of the packed people these are; not given, the first ones.
    columns
        Which of the packed rows these are; not given, all.
    flip
        Whether an attribute counts the other allele (answer) than the packed row; not given, none does.
    """

    id_name: str
    ids: Ids
    names: Names
    kind: Literal["binary", "genotype"]
    packed: Packed | PackedFiles
    people: NDArray[np.intp] | None = None
    columns: NDArray[np.intp] | None = None
    flip: NDArray[np.bool_] | None = None

    def __post_init__(self) -> None:
        rows = self.packed.shape[0] if self.columns is None else self.columns.size
        if self.names.shape != (rows,):
            raise InputError("names", f"must be one per column, {rows:,}", f"shape {self.names.shape}")
        if self.people is None and self.n > 4 * self.packed.shape[1]:
            raise InputError("ids", f"must be at most {4 * self.packed.shape[1]:,}", f"{self.n:,}")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.n:,} people; {self.d:,} {self.kind} attributes)"

    @property
    def n(self) -> int:
        """How many people."""
        return int(self.ids.size)

    @property
    def d(self) -> int:
        """How many attributes."""
        return int(self.names.size)

    def counts(self) -> NDArray[np.int64]:
        """Count the people with each code: ``(d, 4)``, the columns for -1, 0, +1 and missing."""
        return count_all(self._stored())

    def lookup(self, tables: Real) -> NDArray[np.float64]:
        """Add up, for every person, what tables say about each of the person's values.

        Parameters
        ----------
        tables
            ``(K, d, 4)``: what each code of each attribute adds to the k-th sum. Double precision is exact
            to rounding; single precision is good to six digits and several times faster.

        Returns
        -------
        NDArray
            ``(n, K)``: ``sum over j of tables[k, j, code of person i in j]``.
        """
        if tables.ndim != 3 or tables.shape[1:] != (self.d, 4):
            raise InputError("tables", f"must have shape (K, {self.d}, 4)", f"{tables.shape}")
        return add_up(self._stored(), lambda part: tables[:, part], len(tables))

    def add_up(self, tables: Tables, sums: int) -> NDArray[np.float64]:
        """Do the same with tables that are made when they are needed, for some attributes at a time."""
        return add_up(self._stored(), tables, sums)

    def dot(self, weights: Real) -> NDArray[np.float64]:
        """Multiply every person's values by weights and add up; a missing value adds nothing.

        Parameters
        ----------
        weights
            ``(d,)`` or ``(d, K)``, in double or single precision as in `lookup`.

        Returns
        -------
        NDArray
            ``(n,)`` or ``(n, K)``.
        """
        _check_weights(weights, self.d)
        columns = weights.reshape(self.d, -1).T
        tables = np.zeros((*columns.shape, 4), weights.dtype)
        tables[:, :, 0], tables[:, :, 2] = -columns, columns
        found = self.lookup(tables)
        return found[:, 0] if weights.ndim == 1 else found

    def codes(self, columns: slice | NDArray[np.intp]) -> Codes:
        """Unpack some attributes whole, ``(width, n)``: one row per attribute, codes as in `two_bits`."""
        return scores.decode(self._stored(columns), CODES)

    def values(self, columns: slice | NDArray[np.intp]) -> Dense:
        """Return some attributes as numbers, ``(n, width)``; not a number where missing."""
        return scores.decode(self._stored(columns), VALUES).T

    def blocks(self, width: int | None = None) -> Iterator[tuple[slice, Dense]]:
        """Go through all attributes as numbers, some at a time."""
        for part in column_parts(self.n, self.d, width):
            yield part, self.values(part)

    def take(self, people: Which) -> CodedTraits:
        """Keep these people, in this order; nothing is copied but their names."""
        chosen = positions(people, self.n, "people")
        stored = chosen if self.people is None else self.people[chosen]
        return CodedTraits(
            self.id_name,
            self.ids[chosen],
            self.names,
            self.kind,
            self.packed,
            stored,
            self.columns,
            self.flip,
        )

    def select(self, columns: Which, flip: NDArray[np.bool_] | None = None) -> CodedTraits:
        """Keep these attributes, in this order, counting the other allele where ``flip`` says so."""
        chosen = positions(columns, self.d, "columns")
        turned = None if self.flip is None else self.flip[chosen]
        if flip is not None:
            if flip.shape != chosen.shape:
                raise InputError("flip", f"must be one per column, {chosen.size:,}", f"shape {flip.shape}")
            turned = flip.copy() if turned is None else turned ^ flip
        stored = chosen if self.columns is None else self.columns[chosen]
        return CodedTraits(
            self.id_name, self.ids, self.names[chosen], self.kind, self.packed, self.people, stored, turned
        )

    def _stored(self, columns: slice | NDArray[np.intp] = slice(None)) -> scores.Stored:
        """Where the values of some attributes lie."""
        people = np.arange(self.n) if self.people is None else self.people
        rows = np.arange(self.d)[columns] if self.columns is None else self.columns[columns]
        flip = np.zeros(rows.size, np.bool_) if self.flip is None else self.flip[columns]
        return scores.Stored(self.packed, people, rows, flip)


@dataclass(frozen=True, eq=False, repr=False)
class RealTraits:
    """Real-valued attributes of people, in memory; not a number where missing."""

    id_name: str
    ids: Ids
    names: Names
    table: NDArray[np.float64]
    kind: Literal["real"] = "real"

    def __post_init__(self) -> None:
        if self.table.shape != (self.ids.size, self.names.size):
            raise InputError(
                "table", f"must have shape ({self.ids.size:,}, {self.names.size:,})", f"{self.table.shape}"
            )
        if np.isinf(self.table).any():
            raise InputError("table", "must hold finite numbers", f"{np.isinf(self.table).sum()} infinite")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.n:,} people; {self.d:,} {self.kind} attributes)"

    @property
    def n(self) -> int:
        """How many people."""
        return int(self.ids.size)

    @property
    def d(self) -> int:
        """How many attributes."""
        return int(self.names.size)

    def dot(self, weights: Real) -> NDArray[np.float64]:
        """Multiply every person's values by weights, ``(d,)`` or ``(d, K)``, and add up; missing adds 0."""
        _check_weights(weights, self.d)
        return np.asarray(np.nan_to_num(self.table) @ weights.astype(np.float64))

    def values(self, columns: slice | NDArray[np.intp]) -> NDArray[np.float64]:
        """Return some attributes, ``(n, width)``; not a number where missing."""
        return self.table[:, columns]

    def blocks(self, width: int | None = None) -> Iterator[tuple[slice, NDArray[np.float64]]]:
        """Go through all attributes, some at a time."""
        for part in column_parts(self.n, self.d, width):
            yield part, self.values(part)

    def take(self, people: Which) -> RealTraits:
        """Keep these people, in this order."""
        chosen = positions(people, self.n, "people")
        return RealTraits(self.id_name, self.ids[chosen], self.names, self.table[chosen])

    def select(self, columns: Which, flip: NDArray[np.bool_] | None = None) -> RealTraits:
        """Keep these attributes, in this order, with the sign turned where ``flip`` says so."""
        chosen = positions(columns, self.d, "columns")
        kept = self.table[:, chosen]
        return RealTraits(
            self.id_name, self.ids, self.names[chosen], kept if flip is None else np.where(flip, -kept, kept)
        )


Traits = CodedTraits | RealTraits


def coded_from_values(
    id_name: str, ids: Ids, names: Names, values: NDArray[Any], kind: Literal["binary", "genotype"]
) -> CodedTraits:
    """Pack values that are -1, 0, +1 or not a number (missing), one row per person.

    Examples
    --------
    >>> values = np.array([[1, -1], [0, np.nan]])
    >>> traits = coded_from_values("id", np.array(["a", "b"]), np.array(["rs1", "rs2"]), values, "genotype")
    >>> traits.dot(np.array([1.0, 10.0]))
    array([-9.,  0.])
    """
    values = np.asarray(values, np.float64)
    if values.shape != (ids.size, names.size):
        raise InputError("values", f"must have shape ({ids.size:,}, {names.size:,})", f"{values.shape}")
    missing = np.isnan(values)
    allowed = (-1.0, 1.0) if kind == "binary" else (-1.0, 0.0, 1.0)
    bad = ~(np.isin(values, allowed) | missing)
    if bad.any():
        raise InputError(
            "values",
            f"of kind {kind} must be {', '.join(f'{v:g}' for v in allowed)} or missing",
            f"{bad.sum():,} others, first in column {str(names[bad.any(axis=0)][0])!r}",
        )
    codes = np.where(missing, MISSING, values + 1).astype(np.uint8)
    return CodedTraits(id_name, ids, names, kind, pack(codes.T))


def sums(traits: Traits) -> tuple[Vector, NDArray[np.int64]]:
    """Add up each attribute over the people who have it; and count them.

    Examples
    --------
    >>> values = np.array([[1, -1], [1, np.nan]])
    >>> traits = coded_from_values("id", np.array(["a", "b"]), np.array(["x", "y"]), values, "binary")
    >>> sums(traits)
    (array([ 2., -1.]), array([2, 1]))
    """
    if isinstance(traits, CodedTraits):
        counts = traits.counts()
        return (counts[:, 2] - counts[:, 0]).astype(np.float64), counts[:, :3].sum(axis=1)
    return np.nansum(traits.table, axis=0), np.count_nonzero(~np.isnan(traits.table), axis=0).astype(np.int64)


def positions(which: Which, size: int, name: str) -> NDArray[np.intp]:
    """Turn a mask or positions into checked positions."""
    which = np.asarray(which)
    if which.dtype == np.bool_:
        if which.shape != (size,):
            raise InputError(f"mask of {name}", f"must have {size:,} entries", f"shape {which.shape}")
        return np.flatnonzero(which)
    chosen = which.astype(np.intp)
    if chosen.ndim != 1 or (chosen.size and not 0 <= chosen.min() <= chosen.max() < size):
        raise InputError(f"positions of {name}", f"must lie in 0 .. {size - 1:,}", f"shape {which.shape}")
    return chosen


def column_parts(n: int, d: int, width: int | None) -> Iterator[slice]:
    """Cut columns into blocks of a width, or into as many as memory allows."""
    width = width or max(1, BLOCK_BYTES // (8 * max(n, 1)))
    for start in range(0, d, width):
        yield slice(start, min(start + width, d))


def _check_weights(weights: NDArray[Any], d: int) -> None:
    if weights.ndim not in (1, 2) or weights.shape[0] != d:
        raise InputError("weights", f"must have shape ({d},) or ({d}, K)", f"{weights.shape}")
