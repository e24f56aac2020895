"""Sums over a tree whose shape depends on the number of terms alone: the same bits whoever adds up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")

FAN = 8
"""Neighbours that are added from left to right before their sum meets the next ones."""


class SumOfTree(Generic[T]):
    """A sum of terms that arrive in order, of which a few are held at a time.

    Examples
    --------
    >>> total = SumOfTree(lambda a, b: f"({a}{b})")
    >>> for letter in "abcdefghij":
    ...     total.take(letter)
    >>> total.whole()
    '((((((((ab)c)d)e)f)g)h)(ij))'
    """

    def __init__(self, add: Callable[[T, T], T]) -> None:
        self.add = add
        self._sums: list[T | None] = []
        self._taken: list[int] = []

    def take(self, term: T, *, of_neighbours: bool = False) -> None:
        """Add the next term, or the sum of the next `FAN` terms; all terms come in the same way."""
        self._put(1 if of_neighbours else 0, term)

    def _put(self, level: int, term: T) -> None:
        while len(self._sums) <= level:
            self._sums.append(None)
            self._taken.append(0)
        there = self._sums[level]
        self._sums[level] = term if there is None else self.add(there, term)
        self._taken[level] += 1
        if self._taken[level] == FAN:
            full, self._sums[level], self._taken[level] = self._sums[level], None, 0
            assert full is not None  # noqa: S101
            self._put(level + 1, full)

    def whole(self) -> T:
        """The sum of all that came, which must be something."""
        rest: T | None = None
        for there in self._sums:  # what came last is on the lowest level, and is added to what came before
            if there is not None:
                rest = there if rest is None else self.add(there, rest)
        assert rest is not None  # noqa: S101
        return rest
