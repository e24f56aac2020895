"""A column as ranks, and conditions on it as ranges of ranks, with a list where a range has gaps."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import takewhile

import numpy as np
from numpy.typing import NDArray

from dalenius.conditions.leaves import Between, Equals, In, Like, OfColumn
from dalenius.conditions.row_match import match_values
from dalenius.people.rows.columns import NumberColumn, RowColumn, TextColumn
from dalenius.people.schema import MISSING

Leaves = tuple[OfColumn | None, ...]
"""Conditions on one column; ``None`` is none: everything, also a missing value."""

REMEMBERED = 1 << 20
"""Conditions whose ranges are remembered; with more, all are dropped and found again."""


class Axis:
    """A column as ranks of its different values, the missing value last."""

    def __init__(self, column: RowColumn) -> None:
        if isinstance(column, TextColumn):
            by_text = sorted(range(len(column.levels)), key=column.levels.__getitem__)
            rank = np.empty(len(by_text) + 1, np.int32)
            rank[by_text] = np.arange(len(by_text))
            rank[-1] = len(by_text)  # where the code -1 of a missing value points
            self.ranks = rank[column.codes]
            self.levels = [column.levels[i] for i in by_text]
            self.rank_of = {level: i for i, level in enumerate(self.levels)}
            codes = np.array(by_text, np.int32).reshape(-1)
            self.values: RowColumn = TextColumn(column.name, codes, column.levels, known=column.labels)
            self.known = len(by_text)
        else:
            self.numbers = column.different
            self.known = self.numbers.size
            self.ranks = np.where(column.codes < 0, np.int32(self.known), column.codes)
            self.values = NumberColumn(column.name, self.numbers, column.kind)
        self.size = self.known + 1
        self._ranges: dict[int, tuple[Leaves, NDArray[np.int64], NDArray[np.int64]]] = {}
        self._remembered = 0

    def ranges(self, leaves: Leaves) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """For each condition its least and largest rank and where its list is, and all lists; found once.

        The same tuple of many thousands comes again and again; it is kept beside what was found
        so that its identity stays its own.
        """
        if id(leaves) not in self._ranges:
            if self._remembered > REMEMBERED:
                self._ranges.clear()
                self._remembered = 0
            self._remembered += len(leaves)
            found = np.zeros((len(leaves), 4), np.int64)
            between = [i for i, leaf in enumerate(leaves) if isinstance(leaf, Between) and self.numeric]
            if between:
                found[between, :2] = self._between([leaves[i] for i in between])
            lists: list[NDArray[np.int64]] = []
            used = 0
            for i in sorted(set(range(len(leaves))) - set(between)):
                low, high, listed = self._accepted(leaves[i])
                found[i, :2] = low, high
                if listed is not None:
                    found[i, 2:] = used, used + listed.size
                    lists.append(listed)
                    used += listed.size
            self._ranges[id(leaves)] = leaves, found, np.concatenate([np.empty(0, np.int64), *lists])
        return self._ranges[id(leaves)][1:]

    @property
    def numeric(self) -> bool:
        """Whether ranks are those of numbers."""
        return isinstance(self.values, NumberColumn)

    def _between(self, leaves: Sequence[OfColumn | None]) -> NDArray[np.int64]:
        """Ranges of numbers as ranges of ranks, all at once."""
        ends = [
            (
                -np.inf if leaf.low is None else leaf.low,
                np.inf if leaf.high is None else leaf.high,
                leaf.with_low or leaf.low is None,
                leaf.with_high or leaf.high is None,
            )
            for leaf in leaves
            if isinstance(leaf, Between)
        ]
        low, high, with_low, with_high = np.array(ends, np.float64).reshape(-1, 4).T
        place = np.searchsorted
        first = np.where(with_low, place(self.numbers, low, "left"), place(self.numbers, low, "right"))
        last = np.where(with_high, place(self.numbers, high, "right"), place(self.numbers, high, "left"))
        return np.column_stack([first, last - 1])

    def _accepted(self, leaf: OfColumn | None) -> tuple[int, int, NDArray[np.int64] | None]:
        """The least and the largest rank that a condition accepts, and all of them if there are gaps."""
        if leaf is None:
            return 0, self.known, None
        ranks = self._accepted_ranks(leaf)
        if ranks.size == 0:
            return 1, 0, None
        low, high = int(ranks[0]), int(ranks[-1])
        return low, high, None if high - low + 1 == ranks.size else ranks

    def _accepted_ranks(self, leaf: OfColumn) -> NDArray[np.int64]:
        if isinstance(leaf, Equals | In):
            levels = (leaf.level,) if isinstance(leaf, Equals) else leaf.levels
            ranks = {self._rank(level) for level in levels} - {-1}
            return np.array(sorted(ranks), np.int64)
        if isinstance(leaf, Like) and isinstance(self.values, TextColumn):
            return self._like(leaf)
        return np.flatnonzero(match_values(leaf, self.values))

    def _rank(self, level: str) -> int:
        """The rank of one value, -1 if nobody has it."""
        if level == MISSING:
            return self.known
        if isinstance(self.values, TextColumn):
            return self.rank_of.get(level, -1)
        value = self.values.number(level)
        at = int(np.searchsorted(self.numbers, value))
        return at if at < self.known and self.numbers[at] == value else -1

    def _like(self, leaf: Like) -> NDArray[np.int64]:
        """Only what starts with the same characters has to be looked at."""
        fixed = leaf.mask.partition("*")[0]
        at = bisect_left(self.levels, fixed)
        same = takewhile(lambda i: self.levels[i].startswith(fixed), range(at, self.known))
        return np.array([i for i in same if leaf.pattern.fullmatch(self.levels[i])], np.int64)
