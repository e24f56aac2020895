"""Original rows and control rows in one pool, as if nobody knew which is which.

Under luck the people of the data and those of the control are draws from one population, and released rows
that know nothing of either cannot tell them apart: of any people picked from the pool without looking at who
is whose, the number of originals is hypergeometric. Two questions are answered by that: do released rows
point at originals more than at controls (copies, near copies)? And does the control hold originals itself?
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dalenius.conditions.boxes.boxes import Boxes, IndexedRows, rows_inside
from dalenius.errors import InputError
from dalenius.people.rows.rows import Rows, distinct, stacked
from dalenius.people.sealed import SealedRows
from dalenius.people.truth import open_rows

OVERLAP = 1e-4
"""The chance under which luck is no explanation for people who are in both files."""

WEIGHED = 300
"""People pointed at, up to whom it is asked how many others are like them."""

LIKENESS = 0.25
"""What one column that differs leaves of the likeness of two people."""

AT_ONCE = 20_000_000
"""Cells that are compared at once."""

REDRAWN = 20_000
"""How often it is drawn anew who is an original."""

Ints = NDArray[np.int64]


class Pointed(NamedTuple):
    """People of the pool whom some condition matches alone.

    Parameters
    ----------
    original, control
        How many are originals, and how many controls.
    chance
        How likely luck alone would have as many originals among them.
    at_best
        The same if all of them were originals: above it nothing could have been seen.
    """

    original: int
    control: int
    chance: float
    at_best: float


class PooledRows:
    """Original rows followed by control rows."""

    def __init__(self, original: Rows | SealedRows, control: Rows) -> None:
        self.original, self.control = len(original), len(control)
        self.rows = stacked(open_rows(original), control)

    @property
    def others(self) -> Rows:
        """The people of the control."""
        return self.rows.take(np.arange(self.original, self.original + self.control))

    def changed(self, how: Callable[[Rows], Rows | None]) -> PooledRows | None:
        """The same people with their rows changed; ``None`` if that does not change them."""
        rows = how(self.rows)
        if rows is None:
            return None
        own, others = (rows.take(part) for part in np.split(np.arange(len(rows)), [self.original]))
        return PooledRows(own, others)

    def counted(self, people: Ints) -> Pointed:
        """Count some of the pool's people, picked without looking at who is whose."""
        found = int((people < self.original).sum())
        chance, at_best = (self._chance(own, people.size) for own in (found, people.size))
        return Pointed(found, people.size - found, chance, at_best)

    def alone_in(self, boxes: Boxes) -> Ints:
        """The people whom conditions match alone, each once."""
        inside = rows_inside(boxes, self._index, 2)
        people: Ints = np.unique(inside.rows[inside.counts == 1, 0])
        return people

    def pointed_at(self, boxes: Boxes, rng: np.random.Generator) -> Pointed:
        """Count whom conditions match alone in the pool; a person matched by several counts once.

        Luck points at people who are like many others, a copy at anybody. Where few are pointed at, those
        unlike all others therefore weigh more: who is unlike whom is known without knowing who is whose.
        """
        people = self.alone_in(boxes)
        plain = self.counted(people)
        if not 0 < people.size <= WEIGHED:
            return plain
        return plain._replace(chance=self._weighted(people, people < self.original, rng))

    def _weighted(self, people: Ints, mine: NDArray[np.bool_], rng: np.random.Generator) -> float:
        """The chance that originals among these people weigh as much, if each is one by the sizes alone."""
        crowd = np.zeros(people.size)
        step = max(1, AT_ONCE // self._values.size)
        for part in (slice(i, i + step) for i in range(0, people.size, step)):
            unlike = (self._values[:, people[part], None] != self._values[:, None, :]).sum(axis=0)
            crowd[part] = (LIKENESS**unlike).sum(axis=1) - 1
        weight = 1 / np.sqrt(0.1 + crowd)
        drawn = rng.random((REDRAWN, people.size)) < self.original / (self.original + self.control)
        seen = float(weight @ mine) * (1 - 1e-9)
        return float(((drawn @ weight >= seen).sum() + 1) / (REDRAWN + 1))

    @cached_property
    def _index(self) -> IndexedRows:
        return IndexedRows(self.rows)

    @cached_property
    def _values(self) -> NDArray[np.int32]:
        return np.stack([column.codes for column in self.rows.columns])

    def _chance(self, originals: int, people: int) -> float:
        """The chance of at least so many originals among people picked blindly."""
        from scipy.stats import hypergeom

        size = self.original + self.control
        return min(1.0, float(hypergeom.sf(originals - 1, size, self.original, people))) if people else 1.0

    def shared(self) -> tuple[int, float]:
        """How many values are one original's and one control's, and how likely luck would share as many.

        Of the values that exactly two rows of the pool have, two rows picked blindly are one of either kind
        with a chance that only the sizes set. Somebody who is in both files is one of either kind for sure.
        """
        from scipy.special import bdtrc

        found = distinct(self.rows)
        originals = np.bincount(found.which[: self.original], minlength=found.counts.size)
        pairs = found.counts == 2
        split = int((originals[pairs] == 1).sum())
        size = self.original + self.control
        chance = 2 * self.original * self.control / (size * (size - 1))
        return split, float(bdtrc(split - 1, int(pairs.sum()), min(1.0, chance))) if split else 1.0

    def check_apart(self, what: str) -> None:
        """Refuse other people who are the people of the data."""
        split, chance = self.shared()
        if chance < OVERLAP:
            raise InputError(
                what,
                "must be other people than the original rows",
                f"{split:,} rows that are in both, more than chance explains",
                "Leave out of it whoever is in the original.",
            )
