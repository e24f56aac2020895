"""Rows of a class that are the same in every column: no condition isolates one of two, and a hash keeps both.

With r different rows of which s are there once, a hash of weight q leaves exactly one with chance
``s q (1-q)^(r-1)``, best at ``q = 1/r``. Which rows are the same the release does not say; how often they
are, other people do.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dalenius.conditions.boxes.conjunctions import RowsInBoxes
from dalenius.singling_out.attack.candidates import Candidates, ClassMembers, Floats, Integers

Counted = Integers | Floats

TINY = 1e-300


class OwnRows(NamedTuple):
    """Rows of the own class that meet each condition, on average."""

    alone: Floats
    """Rows unlike all others."""
    others: Floats
    """Different rows beside one of those."""
    different: Floats
    """Different rows."""

    @staticmethod
    def all_different(rows: Integers) -> OwnRows:
        """So many rows for sure, no two the same."""
        exact = rows.astype(np.float64)
        return OwnRows(exact, exact - 1, exact)


class Twins:
    """How many rows of a class are expected to be different, and how many alone."""

    def __init__(self, known: ClassMembers, columns: tuple[str, ...]) -> None:
        self._value = known.people.alike if known.columns == columns else None

    def expected(self, candidates: Candidates, inside: RowsInBoxes) -> OwnRows:
        """Draw as many rows as the class has, without replacement, from the people who meet the condition.

        All rows are taken as different where nobody known is like another, or fewer are known than are drawn.
        """
        plain = OwnRows.all_different(candidates.one_in)
        drawn = candidates.one_in > 1
        if self._value is None or candidates.rest is not None or not drawn.any():
            return plain
        box = np.repeat(np.arange(len(candidates)), inside.counts)
        size = int(self._value.max()) + 1
        pairs, times = np.unique(box * size + self._value[inside.rows], return_counts=True)
        of = pairs // size
        k, people = candidates.one_in[of], inside.counts[of]

        def total(values: Floats) -> Floats:
            return np.asarray(np.bincount(of, values, len(candidates)), np.float64)

        once = times * k / people * _none_of(people - 1, times - 1, k - 1)
        alone = total(once)
        # who is alone has a value of this many people; nobody else who is drawn has it
        like = total(once * times) / np.maximum(alone, TINY)
        left = (inside.counts - like)[of]
        others = total(1 - _none_of(left, times, k - 1)) - (
            1 - _none_of(inside.counts - like, like, candidates.one_in - 1)
        )
        different = total(1 - _none_of(people, times, k))
        known = drawn & (inside.counts >= candidates.one_in)
        found = (alone, np.maximum(others, 0.0), different)
        return OwnRows(*(np.where(known, own, sure) for own, sure in zip(found, plain, strict=True)))


def _none_of(people: Counted, marked: Counted, drawn: Counted) -> Floats:
    """The chance that a draw without replacement holds none of the marked: ``C(N-m, k) / C(N, k)``."""
    from scipy.special import gammaln

    rest = people - marked - drawn
    numbers = (people - marked, rest, people, people - drawn)
    unmarked, neither, all_, undrawn = (gammaln(np.maximum(number, 0) + 1) for number in numbers)
    return np.where(rest >= 0, np.exp(np.minimum(unmarked - neither - all_ + undrawn, 0.0)), 0.0)
