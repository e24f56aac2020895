"""Rows that an attack on a class meets besides: duplicates inside it, and rows of other classes.

Rows of a class that are the same in every column: no condition isolates one of two, and a hash keeps both.

With r different rows of which s are there once, a hash of weight q leaves exactly one with chance
``s q (1-q)^(r-1)``, best at ``q = 1/r``. Which rows are the same the release does not say; how often they
are, other people do.

Rows of other classes that meet the cells of a class too, and what they do to an attack on it.

Groups of rows as they come, relaxed partitions and cells recoded one by one publish boxes that overlap. A
hash that keeps one row in k then picks from more than k rows, and a value that is unique in its class may be
somebody else's outside it. The release does not say who stands where boxes overlap; other people do, on
average.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from dalenius.conditions.boxes.conjunctions import RowsInBoxes
from dalenius.singling_out.attack.candidates import Candidates, ClassMembers, Floats, Integers, one_of

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


NOTHING = 1e-9
"""Fewer rows than this are a rounding error."""


class Strangers:
    """How many rows of other classes are expected to meet a condition made from a class.

    Each class spreads its rows evenly over the people known who meet it. Who meets two classes may be a row
    of either, so what lies at a person beyond the share of the own class are the rows of others.
    """

    def __init__(self, sizes: Integers, known: ClassMembers) -> None:
        members = known.members
        self._own = sizes / np.maximum(members.counts, 1)
        self._at = np.bincount(members.rows, np.repeat(self._own, members.counts), len(known.rows))

    def expected(self, inside: RowsInBoxes, of_class: Integers, rows: Integers) -> Floats:
        """Count them, given who meets each condition and how many rows of the class do.

        Those rows are people, too, and no stranger stands where one of them does. None are seen where nobody
        known is.
        """
        total = np.concatenate([[0.0], np.cumsum(self._at[inside.rows])])
        here = total[inside.starts[1:]] - total[inside.starts[:-1]]
        others = here - inside.counts * self._own[of_class]
        free = 1 - rows / np.maximum(inside.counts, 1)
        found = others * np.clip(free, 0.0, 1.0)
        return np.where(found > NOTHING, found, 0.0)


def allow_for(candidates: Candidates, strangers: Floats, own: OwnRows) -> Candidates:
    """Choose the hash for all rows that may meet the conditions, and say how often one is left then.

    Parameters
    ----------
    candidates
        Conditions made as if no other rows met them and no two were the same.
    strangers
        Rows of other classes that meet each of them, on average.
    own
        Rows of the own class that do.

    Examples
    --------
    >>> from dalenius.conditions.boxes.conjunctions import Conjunctions
    >>> boxes = Conjunctions((), (), np.empty((2, 0), np.int32))
    >>> two = np.array([2, 2])
    >>> made = Candidates("hash", np.arange(2), boxes, two, np.array([0.5, 0.5]), "")
    >>> made = allow_for(made, np.array([0.0, 2.0]), OwnRows.all_different(two))
    >>> made.one_in, made.success.round(3)
    (array([2, 4]), array([0.5 , 0.398]))
    """
    rows = candidates.one_in
    if not strangers.any() and bool((own.alone == rows).all()):
        return candidates
    if candidates.rest is not None:  # its own condition keeps one row in so many, strangers too
        return replace(candidates, success=candidates.success * np.exp(-strangers / rows))
    fewer = np.maximum(1, np.floor(own.others + 1 + strangers + NOTHING)).astype(np.int64)
    kept = np.stack([one_left(own, strangers, one_in) for one_in in (fewer, fewer + 1)])
    best = kept.argmax(axis=0)
    success = candidates.success / one_of(rows) * kept[best, np.arange(rows.size)]
    return replace(candidates, one_in=fewer + best, success=success)


def one_left(own: OwnRows, strangers: Floats, one_in: Integers) -> Floats:
    """The chance that a hash keeping one row in so many leaves exactly one of the own rows and of strangers.

    Strangers are so many on average (Poisson): one of the own rows and no stranger, or a stranger and none of
    the own.
    """
    q = 1 / one_in
    alone = own.alone * q * _none_kept(own.others, q)
    return (alone + _none_kept(own.different, q) * strangers * q) * np.exp(-strangers * q)


def _none_kept(rows: Floats, q: Floats) -> Floats:
    """The chance that a hash keeps none of some rows, of which there are this many or one more."""
    whole = np.floor(rows + NOTHING)
    return (1 - q) ** whole * (1 - np.maximum(rows - whole, 0.0) * q)
