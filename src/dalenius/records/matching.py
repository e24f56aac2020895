"""Which rows meet a condition, with no more work than needed: many questions that share their first part.

Rows are written for hashing once. Of a conjunction with hashes in it, the later parts are asked only of
the rows that meet the first ones: with a rare part in front, only a handful of rows is hashed again.
"""

from __future__ import annotations

import numpy as np

from dalenius.records.predicate import And, HashBelow, HashBit, Leaf, Or, Predicate, fold, hashes, misplaced
from dalenius.records.row_columns import Index, Mask
from dalenius.records.row_hash import RowHashes
from dalenius.records.row_match import match_values
from dalenius.records.rows import Rows

FEW = 16
"""Rows are few when there are so many times fewer than before."""


class Matcher:
    """The rows that meet conditions, each condition and each first part found once.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from dalenius.records.predicate import Equals, Not
    >>> rows = Rows.of_table(pa.table({"age": [32, 47, 32], "town": ["Bern", "Zug", "Zug"]}))
    >>> matcher = Matcher(rows)
    >>> matcher.which(And((Equals("age", "32"), Not(Equals("town", "Bern")))))
    array([2])
    >>> matcher.count(Equals("town", "Zug"))
    2
    """

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._hashes = RowHashes(rows)
        self._found: dict[Predicate, Index] = {}
        self._inner: dict[Predicate, Matcher] = {}

    def count(self, predicate: Predicate) -> int:
        """Say how many rows meet a condition; rows that are the same count one by one."""
        return self.which(predicate).size

    def which(self, predicate: Predicate) -> Index:
        """Return the numbers of the rows that meet a condition, in order."""
        if predicate not in self._found:
            self._found[predicate] = self._find(predicate)
        return self._found[predicate]

    def forget(self) -> None:
        """Drop what was found, for a matcher that lives long; rows that are written for hashing stay so."""
        self._found.clear()
        self._inner.clear()
        self._hashes.forget()

    def _find(self, predicate: Predicate) -> Index:
        match predicate:
            case And((first, second, *rest)) if hashes(predicate):
                return self._narrow(first, (second, *rest))
            case Or(parts) if parts and hashes(predicate):
                return np.unique(np.concatenate([self.which(part) for part in parts]))
        return self._evaluate(predicate)

    def _narrow(self, first: Predicate, rest: tuple[Predicate, ...]) -> Index:
        """Go on among few rows as soon as they are few; to copy many costs more than to hash them."""
        found = self.which(first)
        if found.size * FEW <= len(self._rows):
            return found[self._among(first)._evaluate(And(rest))] if found.size else found
        longer = And((*first.parts, rest[0]) if isinstance(first, And) else (first, rest[0]))
        if longer not in self._found:
            self._found[longer] = np.intersect1d(found, self.which(rest[0]), assume_unique=True)
        return self._narrow(longer, rest[1:]) if rest[1:] else self._found[longer]

    def _among(self, first: Predicate) -> Matcher:
        if first not in self._inner:
            self._inner[first] = Matcher(self._rows.take(self.which(first)))
        return self._inner[first]

    def _evaluate(self, predicate: Predicate) -> Index:
        return np.flatnonzero(fold(predicate, self._leaf, np.ones(len(self._rows), np.bool_)))

    def _leaf(self, part: Leaf) -> Mask:
        if isinstance(part, HashBit):
            raise misplaced(part)
        if isinstance(part, HashBelow):
            return self._hashes.below(part.columns, part.family, part.seed, part.below)
        return match_values(part, self._rows.column(part.column))
