"""Rows of other classes that meet the cells of a class too, and what they do to an attack on it.

Groups of rows as they come, relaxed partitions and cells recoded one by one publish boxes that overlap. A
hash that keeps one row in k then picks from more than k rows, and a value that is unique in its class may be
somebody else's outside it. The release does not say who stands where boxes overlap; other people do, on
average.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dalenius.conditions.boxes.conjunctions import RowsInBoxes
from dalenius.singling_out.attack.candidates import Candidates, ClassMembers, Floats, Integers, one_of
from dalenius.singling_out.attack.rows.duplicates import OwnRows

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
