"""Which rows meet a condition, with no more work than needed: many questions that share their first part.

Rows are written for hashing once. Of a conjunction with hashes in it, the later parts are asked only of
the rows that meet the first ones: with a rare part in front, only a handful of rows is hashed again.
"""

from __future__ import annotations

import numpy as np

from dalenius.conditions.predicate import (
    And,
    HashBelow,
    HashBit,
    Leaf,
    Or,
    Predicate,
    fold,
    hashes,
    misplaced,
)
from dalenius.conditions.row_match import match_values
from dalenius.people.rows.columns import Index, Mask
from dalenius.people.rows.keyed_hash import RowHashes
from dalenius.people.rows.rows import Rows

FEW = 16
"""Rows are few when there are so many times fewer than before."""

MEMORY = 1 << 22
"""Numbers that are remembered between two questions: 32 MB."""

ENTRY = 32
"""What a condition takes beside its rows, in numbers."""


class Matcher:
    """The rows that meet conditions, each condition and each first part found once.

    What was found is remembered up to a limit, then dropped altogether; rows written for hashing stay so.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from dalenius.conditions.predicate import Equals, Not
    >>> rows = Rows.of_table(pa.table({"age": [32, 47, 32], "town": ["Bern", "Zug", "Zug"]}))
    >>> matcher = Matcher(rows)
    >>> matcher.which(And((Equals("age", "32"), Not(Equals("town", "Bern")))))
    array([2])
    >>> matcher.count(Equals("town", "Zug"))
    2
    """

    def __init__(self, rows: Rows) -> None:
        self._all = _Asked(rows)
        self._found: dict[Predicate, Index] = {}
        self._among: dict[Predicate, _Asked] = {}
        self._numbers = 0

    @property
    def remembered(self) -> int:
        """How many numbers are remembered: of rows, and their hashes."""
        return self._numbers + sum(asked.hashes.known for asked in (self._all, *self._among.values()))

    def count(self, predicate: Predicate) -> int:
        """Say how many rows meet a condition; rows that are the same count one by one."""
        return self.which(predicate).size

    def which(self, predicate: Predicate) -> Index:
        """Return the numbers of the rows that meet a condition, in order."""
        if self.remembered > MEMORY:
            self._forget()
        return self._which(predicate)

    def _forget(self) -> None:
        self._found.clear()
        self._among.clear()
        self._numbers = 0
        self._all.hashes.forget()

    def _which(self, predicate: Predicate) -> Index:
        if predicate not in self._found:
            self._remember(predicate, self._find(predicate))
        return self._found[predicate]

    def _remember(self, predicate: Predicate, found: Index) -> None:
        self._found[predicate] = found
        self._numbers += found.size + ENTRY

    def _find(self, predicate: Predicate) -> Index:
        match predicate:
            case And((first, second, *rest)) if hashes(predicate):
                return self._narrow(first, (second, *rest))
            case Or(parts) if parts and hashes(predicate):
                return np.unique(np.concatenate([self._which(part) for part in parts]))
        return self._all.meet(predicate)

    def _narrow(self, first: Predicate, rest: tuple[Predicate, ...]) -> Index:
        """Go on among few rows as soon as they are few; to copy many costs more than to hash them."""
        found = self._which(first)
        if found.size * FEW <= len(self._all.rows):
            return found[self._few(first, found).meet(And(rest))] if found.size else found
        longer = And((*first.parts, rest[0]) if isinstance(first, And) else (first, rest[0]))
        if longer not in self._found:
            self._remember(longer, np.intersect1d(found, self._which(rest[0]), assume_unique=True))
        return self._narrow(longer, rest[1:]) if rest[1:] else self._found[longer]

    def _few(self, first: Predicate, found: Index) -> _Asked:
        if first not in self._among:
            self._among[first] = _Asked(self._all.rows.take(found))
        return self._among[first]


class _Asked:
    """Some rows and their hashes, each hash computed once."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.hashes = RowHashes(rows)

    def meet(self, predicate: Predicate) -> Index:
        """Ask every one of them."""
        return np.flatnonzero(fold(predicate, self._leaf, np.ones(len(self.rows), np.bool_)))

    def _leaf(self, part: Leaf) -> Mask:
        if isinstance(part, HashBit):
            raise misplaced(part)
        if isinstance(part, HashBelow):
            return self.hashes.below(part.columns, part.family, part.seed, part.below)
        return match_values(part, self.rows.column(part.column))
