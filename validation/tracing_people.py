"""Independent trials of tracing, many at a time: in each, people, a release and references are drawn anew.

A trial draws the means of a population, one target, and, instead of every other person, how many of them have
each attribute: nothing else of them matters for exact means.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]

BATCH = 4_000_000
"""Values drawn at a time."""


@dataclass
class Draw:
    """Some trials, ``(trials, d)`` each; the target is in the first release and not in the second.

    ``q_in`` holds the target's values and those of n-1 others, ``q_out`` those of n others.
    """

    p: Values
    y: Values
    q_in: Values
    q_out: Values
    n: int

    def releases(self) -> tuple[Values, Values]:
        """Both releases, the one with the target first."""
        return self.q_in, self.q_out


def prior(rng: np.random.Generator, shape: tuple[int, int], name: str | float) -> Values:
    """Means of attributes: uniform up to a number either side, or one of -1/2 and 1/2."""
    if name == "two-point":
        return rng.choice([-0.5, 0.5], shape)
    return rng.uniform(-float(name), float(name), shape)


def person(rng: np.random.Generator, p: Values, alleles: int = 1) -> Values:
    """One record of each population; genotypes of two independent alleles."""
    return (2.0 * rng.binomial(alleles, (1 + p) / 2) - alleles) / alleles


def total(rng: np.random.Generator, p: Values, people: int, alleles: int = 1) -> Values:
    """The sum of the values of so many people."""
    return (2.0 * rng.binomial(alleles * people, (1 + p) / 2) - alleles * people) / alleles


def draw(
    rng: np.random.Generator, trials: int, d: int, n: int, spread: str | float = 0.9, *, alleles: int = 1
) -> Draw:
    """Draw populations, targets and exact releases."""
    return release(rng, prior(rng, (trials, d), spread), n, alleles=alleles)


def release(rng: np.random.Generator, p: Values, n: int, *, alleles: int = 1) -> Draw:
    """Draw targets and exact releases of given populations."""
    y = person(rng, p, alleles)
    inside = (y + total(rng, p, n - 1, alleles)) / n
    return Draw(p, y, inside, total(rng, p, n, alleles) / n, n)


def batches(trials: int, d: int) -> list[int]:
    """Cut trials of d attributes into pieces that memory holds."""
    size = max(1, BATCH // d)
    return [min(size, trials - start) for start in range(0, trials, size)]
