"""Which columns are looked at together: every one, then two, three and four, the most telling first.

What was seen of fewer columns chooses among more, so every choice that might have been made is paid for, not
only those that were.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

WIDEST = 4
"""Columns that are looked at together at most."""

PARENTS = 4000
"""Wider choices that are listed, about, before the most telling are taken."""

Choice = tuple[int, ...]


def possible(names: Sequence[str], width: int) -> int:
    """How many choices of so many different columns there are, if some columns are there in several forms.

    Examples
    --------
    >>> possible(["age", "age", "sex", "town"], 2)
    5
    """
    ways = [1] + [0] * width
    for name in dict.fromkeys(names):
        forms = sum(other == name for other in names)
        for size in range(width, 0, -1):
            ways[size] += forms * ways[size - 1]
    return ways[width]


def wider(seen: Mapping[Choice, float], names: Sequence[str], most: int) -> list[Choice]:
    """The choices of one column more that promise most, by what all of their pairs (or columns) told.

    Parameters
    ----------
    seen
        What every choice told so far.
    names
        The columns; a choice has each name once.
    most
        How many are wanted.

    Examples
    --------
    >>> wider({(0,): 3.0, (1,): 1.0, (2,): 2.0}, ["age", "age", "sex"], 5)
    [(0, 2), (1, 2)]
    """
    width = max(map(len, seen), default=0)
    parents = sorted((one for one in seen if len(one) == width), key=lambda one: (-seen[one], one))
    parents = parents[: max(1, PARENTS // max(len(names), 1))]
    listed = {
        tuple(sorted((*one, j)))
        for one in parents
        for j in range(len(names))
        if all(names[i] != names[j] for i in one)
    }
    size = min(width, 2)
    promise = {one: sum(max(0.0, seen.get(part, 0.0)) for part in combinations(one, size)) for one in listed}
    return sorted(sorted(promise, key=lambda one: (-promise[one], one))[:most])
