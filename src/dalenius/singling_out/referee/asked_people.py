"""People of the original and others, drawn to be asked about: what an attack may know of them, and no more.

An attack gets the columns that it may know, of originals and of controls alike, and says something about each
of them. Two halves of the same people are handed out in different orders: which rows of them belong together
is the truth. What was said is held against the truth here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dalenius.findings.tally import Comparison, Interval, Tally, compare, count, difference_apart
from dalenius.people.rows.columns import RowColumn
from dalenius.people.rows.rows import Rows
from dalenius.people.sealed import SealedRows
from dalenius.people.truth import open_rows
from dalenius.singling_out.attack.secret_guess import right

MOST_PEOPLE = 10_000
"""People of either file who are asked about; of more, so many are drawn."""

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Success:
    """How often an attack is right about originals and about others, and the difference."""

    original: Tally
    control: Tally
    advantage: Interval


def success_of(original: Mask, control: Mask, confidence: float) -> Success:
    """Compare two groups of different people; their sizes move the width of the interval alone."""
    own, others = count(original), count(control)
    return Success(own, others, difference_apart(own, others, confidence))


class AskedPeople:
    """Some originals and some others, under seal."""

    def __init__(
        self, original: SealedRows, control: Rows, rng: np.random.Generator, most: int = MOST_PEOPLE
    ) -> None:
        lots = rng.spawn(2)  # whoever the others are, the same originals are drawn
        self._people = [
            _drawn(rows, lot, most) for rows, lot in zip((open_rows(original), control), lots, strict=True)
        ]
        self._orders = [lot.permutation(len(rows)) for rows, lot in zip(self._people, lots, strict=True)]

    def __repr__(self) -> str:
        return f"AskedPeople({len(self._people[0]):,} originals, {len(self._people[1]):,} others)"

    def known(self, names: tuple[str, ...]) -> tuple[Rows, Rows]:
        """What is known of originals and of others."""
        first, second = (rows.select(names) for rows in self._people)
        return first, second

    def other_half(self, names: tuple[str, ...]) -> tuple[Rows, Rows]:
        """Other columns of the same people, in an order of their own."""
        first, second = (
            rows.select(names).take(order) for rows, order in zip(self._people, self._orders, strict=True)
        )
        return first, second

    def linked(self, halves: tuple[Ints, Ints], others: tuple[Ints, Ints]) -> tuple[Mask, Mask, Mask]:
        """Whose halves have a released row in common: originals, others, and wrong pairs of originals.

        Parameters
        ----------
        halves, others
            For originals and for others the rows nearest by what is known, and by the other half.
        """
        found = []
        for (one, other), order in zip((halves, others), self._orders, strict=True):
            back = np.empty_like(other)
            back[order] = other
            found.append((one, back))
        wrong = (found[0][0], np.roll(found[0][1], 1, axis=0))
        own, control, luck = (_in_common(one, other) for one, other in (*found, wrong))
        return own, control, luck

    def guessed(self, secret: str, guesses: tuple[RowColumn, RowColumn], within: float) -> tuple[Mask, Mask]:
        """Whose secret is guessed right, of originals and of others whose secret is known at all."""
        own, control = (
            right(truth, guess, within)[~truth.missing]
            for truth, guess in zip(self._secrets(secret), guesses, strict=True)
        )
        return own, control

    def beside(self, secret: str, attack: RowColumn, without: RowColumn, within: float) -> Comparison:
        """Compare two guesses about the same originals."""
        truth = self._secrets(secret)[0]
        mine, other = (right(truth, guess, within)[~truth.missing] for guess in (attack, without))
        return compare(mine, other)

    def _secrets(self, name: str) -> list[RowColumn]:
        return [rows.column(name) for rows in self._people]

    @cached_property
    def as_many(self) -> tuple[Rows, Rows]:
        """As many originals as others, to be measured by the referee."""
        size = min(map(len, self._people))
        first, second = (rows.take(np.arange(size)) for rows in self._people)
        return first, second


def _drawn(rows: Rows, rng: np.random.Generator, most: int) -> Rows:
    return rows.take(rng.permutation(len(rows))[:most])


def _in_common(one: Ints, other: Ints) -> Mask:
    shared: Mask = (one[:, :, None] == other[:, None, :]).any(axis=(1, 2))
    return shared
