"""Adaptive counts: halve the crowd until one person is left.

Not in the paper. Whoever may ask for the next count after seeing the last needs no luck: among n people,
some half of any condition is not empty and has at most half of them, so after log2 n counts one person is
left, and every further count is a bit of their record.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dalenius.conditions.predicate import And, Equals, Not, Predicate
from dalenius.conditions.text import english
from dalenius.release.desk.desk import Desk
from dalenius.singling_out.attack.counts.counts import Weigh
from dalenius.singling_out.attack.counts.plans import keyed
from dalenius.singling_out.attack.isolating import Isolating


def bisect(desk: Desk, people: int, halves: Sequence[Predicate]) -> tuple[Predicate, int]:
    """Walk into the smaller non-empty half of each condition; one count per condition.

    Returns
    -------
    tuple
        The conjunction, and how many people meet it.

    Examples
    --------
    >>> class Two:
    ...     def ask(self, predicates):
    ...         return np.array([[1.0] for _ in predicates])
    >>> bisect(Two(), 2, [Equals("sex", "f")])
    (And(parts=(Equals(column='sex', level='f'),)), 1)
    """
    parts: tuple[Predicate, ...] = ()
    left = people
    for half in halves:
        answer = desk.ask([And((*parts, half))])[0, 0]
        if np.isnan(answer):
            break  # hidden: no telling which half is the smaller
        inside = int(np.rint(answer))
        outside = left - inside
        if outside <= 0 or 0 < inside <= outside:
            parts, left = (*parts, half), inside
        else:
            parts, left = (*parts, Not(half)), outside
    return And(parts), left


@dataclass(frozen=True)
class Bisection:
    """Bisect, and claim whoever is left.

    Parameters
    ----------
    people
        How many rows the data have.
    halves
        Draws the conditions: bits of the record, or of a hash of it.
    weigh
        What is known about the population.
    """

    people: int
    halves: Callable[[np.random.Generator], Sequence[Predicate]]
    weigh: Weigh

    def __call__(self, desk: Desk, rng: np.random.Generator) -> tuple[Isolating, ...]:
        """Single somebody out, or return nothing if the last rows are the same to every question."""
        halves = self.halves(rng)
        predicate, left = bisect(desk, self.people, halves)
        if left != 1:
            return ()
        text = english(predicate)
        return (Isolating(predicate, self.weigh(predicate), "bisection", 1.0, None, text),)


@dataclass(frozen=True)
class BitHalves:
    """The bits of uniform numbers, highest first."""

    bits: int

    def __call__(self, rng: np.random.Generator) -> tuple[Predicate, ...]:
        """Return the conditions."""
        return tuple(Equals(f"bit {i}", "true") for i in reversed(range(self.bits)))


@dataclass(frozen=True)
class KeyedHalves:
    """Bits of keyed hashes of these columns, for rows of any kind."""

    columns: tuple[str, ...]
    bits: int
    family: str = "prf64"

    def __call__(self, rng: np.random.Generator) -> tuple[Predicate, ...]:
        """Draw fresh keys."""
        return tuple(keyed(self.columns, Fraction(1, 2), rng, self.family) for _ in range(self.bits))
