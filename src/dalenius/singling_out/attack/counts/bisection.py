"""The best use of a single count, and counts that halve the crowd until one person is left.

The best use of a single count, by which nobody can be singled out much better than by luck.

The data are uniform numbers, the count is of those below a limit. Knowing it, the best single number to name
is one below the limit or one above it, whichever is likelier to be there exactly once.

Adaptive counts: halve the crowd until one person is left.

Not in the paper. Whoever may ask for the next count after seeing the last needs no luck: among n people,
some half of any condition is not empty and has at most half of them, so after log2 n counts one person is
left, and every further count is a bit of their record.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy.special import betaln

from dalenius.conditions.predicate import And, Equals, Not, Predicate
from dalenius.conditions.text import english
from dalenius.release.desk.desk import Desk
from dalenius.singling_out.attack.counts.counts import Weigh
from dalenius.singling_out.attack.counts.plans import keyed
from dalenius.singling_out.attack.isolating import Isolating
from dalenius.theory.isolation import isolation


@dataclass(frozen=True)
class BestNumber:
    """Name the number that is likeliest to be there exactly once.

    Parameters
    ----------
    n
        Rows of the data.
    size, part
        Numbers are uniform below ``size``; those below ``part`` were counted.
    weigh
        What is known about the population.
    """

    n: int
    size: int
    part: int
    weigh: Weigh

    def __call__(self, counts: Sequence[int], rng: np.random.Generator) -> tuple[Isolating, ...]:
        """Take the counts that the release leaves possible; one if it was published as it is."""
        inside, outside = self.chances(counts)
        number = rng.integers(self.part) if inside > outside else rng.integers(self.part, self.size)
        predicate = Equals("number", str(number))
        best = max(inside, outside)
        return (Isolating(predicate, self.weigh(predicate), "one count", best, None, english(predicate)),)

    def chances(self, counts: Sequence[int]) -> tuple[float, float]:
        """Return the chances of a number below the limit and of one above it.

        Examples
        --------
        >>> attack = BestNumber(100, 10_000, 1, weigh=None)
        >>> [round(chance, 4) for chance in attack.chances([1])]
        [1.0, 0.0098]
        """
        here, there = self.part, self.size - self.part
        likely = np.ones(1) if len(counts) == 1 else np.array([self._chance_of(c) for c in counts])
        likely = likely / likely.sum()
        inside = [isolation(c, 1 / here) if c else 0.0 for c in counts]
        outside = [isolation(self.n - c, 1 / there) if c < self.n else 0.0 for c in counts]
        return float(likely @ inside), float(likely @ outside)

    def _chance_of(self, count: int) -> float:
        share = self.part / self.size
        ways = -math.log1p(self.n) - float(betaln(self.n - count + 1, count + 1))
        return math.exp(ways + count * math.log(share) + (self.n - count) * math.log1p(-share))

    def optimum(self) -> float:
        """Return how often the attack succeeds on average when the count is published as it is.

        Examples
        --------
        >>> round(BestNumber(16, 64, 8, weigh=None).optimum(), 9)
        0.245580841
        """
        return float(sum(self._chance_of(c) * max(self.chances([c])) for c in range(self.n + 1)))


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
