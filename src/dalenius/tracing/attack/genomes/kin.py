"""Duplicates and relatives, from genotypes alone.

KING-robust kinship (Manichaikul et al. 2010, equation 11): two people's shared heterozygous sites less twice
their opposite homozygous ones, over the smaller number of heterozygous sites. It needs no allele frequencies,
so it holds for two people of one ancestry whatever the others are; people of different ancestries come
out too low, never too high.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import TooLargeError, UnsupportedError
from dalenius.people.traits.traits import CodedTraits, Traits
from dalenius.progress import Progress, silent

Values = NDArray[np.float64]

DUPLICATE, FIRST, SECOND = 2**-1.5, 2**-2.5, 2**-3.5
"""Least kinship of the same person or an identical twin (1/2), of parents, children and siblings (1/4), of
grandparents, half-siblings, uncles and aunts (1/8): half-way on the scale of powers of two."""

MOST_PAIRS = 100_000_000
"""Pairs of people compared at once: four tables of this size are held."""


class Pair(NamedTuple):
    """Two related people, by position, and their kinship."""

    one: int
    other: int
    kinship: float


def kinship(some: Traits, others: Traits, *, progress: Progress = silent) -> Values:
    """Return the kinship of everyone in one set with everyone in another, ``(some, others)``.

    Sites that either person lacks are left out of that pair.

    Raises
    ------
    UnsupportedError
        If these are not genotypes.
    TooLargeError
        If there are too many pairs.
    """
    if not (isinstance(some, CodedTraits) and isinstance(others, CodedTraits) and some.kind == "genotype"):
        raise UnsupportedError("kinship is about genotypes")
    if some.n * others.n > MOST_PAIRS:
        raise TooLargeError(
            "pairs of people",
            f"must be at most {MOST_PAIRS:,}",
            f"{some.n * others.n:,}",
            "Take fewer targets.",
        )
    shared, opposite, first, second = (np.zeros((some.n, others.n)) for _ in range(4))
    width = max(64, 8_000_000 // (some.n + others.n))
    for (part, a), (_, b) in zip(some.blocks(width), others.blocks(width), strict=True):
        (het, low, high, seen), (other_het, other_low, other_high, other_seen) = map(_indicators, (a, b))
        shared += het @ other_het.T
        opposite += low @ other_high.T + high @ other_low.T
        first += het @ other_seen.T
        second += seen @ other_het.T
        progress(part.stop / some.d, "looking for relatives")
    least = np.maximum(np.minimum(first, second), 1)
    # Equation 11, with h <= k heterozygous sites, is 1/2 - (h + k - 2 shared + 4 opposite) / 4h.
    return np.asarray(0.5 - (first + second - 2 * shared + 4 * opposite) / (4 * least))


def _indicators(values: NDArray[np.floating]) -> tuple[NDArray[np.float32], ...]:
    """Return where a person has one copy, none, two, and any value at all."""
    tables = (values == 0, values == -1, values == 1, ~np.isnan(values))
    return tuple(table.astype(np.float32) for table in tables)


def related(
    some: Traits, others: Traits, *, least: float = SECOND, progress: Progress = silent
) -> list[Pair]:
    """List the pairs of one set and another that are at least so closely related, closest first.

    Given the same set twice, every pair is listed once.
    """
    found = kinship(some, others, progress=progress)
    if some is others:
        found = np.where(np.triu(np.ones(found.shape, np.bool_), 1), found, -np.inf)
    at = np.argwhere(found >= least)
    pairs = [Pair(int(i), int(j), float(found[i, j])) for i, j in at]
    return sorted(pairs, key=lambda pair: -pair.kinship)
