"""The best use of a single count, by which nobody can be singled out much better than by luck.

The data are uniform numbers, the count is of those below a limit. Knowing it, the best single number to name
is one below the limit or one above it, whichever is likelier to be there exactly once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import betaln

from dalenius.conditions.predicate import Equals
from dalenius.conditions.text import english
from dalenius.singling_out.attack.counts.counts import Weigh
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
