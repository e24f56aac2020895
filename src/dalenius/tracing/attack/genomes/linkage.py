"""What genotypes alone say: relatives among people, and blocks of linked columns.

Duplicates and relatives, from genotypes alone.

KING-robust kinship (Manichaikul et al. 2010, equation 11): two people's shared heterozygous sites less twice
their opposite homozygous ones, over the smaller number of heterozygous sites. It needs no allele frequencies,
so it holds for two people of one ancestry whatever the others are; people of different ancestries come
out too low, never too high.

Blocks of linked columns, for sign flips that need independence between blocks only.

Neighbours on a chromosome are inherited together. From positions, a block is a stretch of a chromosome of a
given length; from the records of references, blocks are cut where the correlation across the cut is least.
Blocks remove linkage, not ancestry: use them within one population.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError, TooLargeError, UnsupportedError
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


Blocks = NDArray[np.intp]

WINDOW = 1_000_000
"""Base pairs in a block: linkage beyond is small outside admixed populations."""


def blocks_by_position(
    chromosome: NDArray[np.str_], position: NDArray[np.int64], *, window: int = WINDOW
) -> Blocks:
    """Number the blocks of columns by stretches of a chromosome.

    Examples
    --------
    >>> chromosome, position = np.array(["1", "1", "1", "2"]), np.array([10, 900, 1_200, 30])
    >>> blocks_by_position(chromosome, position, window=1000)
    array([0, 0, 1, 2])
    """
    if window < 1:
        raise InputError("window", "must be at least 1 base pair", str(window), "Use for example 1000000.")
    if chromosome.shape != position.shape:
        raise InputError("positions", f"must be one per column, {chromosome.size:,}", f"{position.size:,}")
    _, where = np.unique(chromosome, return_inverse=True)
    pairs = np.stack([where, position // window], axis=1)
    _, first, inverse = np.unique(pairs, axis=0, return_index=True, return_inverse=True)
    # Numbered in the order in which the blocks first appear.
    order = np.empty(first.size, np.intp)
    order[np.argsort(first)] = np.arange(first.size)
    return np.asarray(order[inverse.reshape(-1)], np.intp)


def blocks_by_correlation(reference: Traits, *, longest: int = 200, reach: int = 20) -> Blocks:
    """Cut columns, in their order, where neighbours across the cut are least correlated.

    A cut's cost is the sum of squared correlations, beyond chance, between the ``reach`` columns before and
    after it. Every block ends at the cheapest cut among the second half of the longest it may be.

    Parameters
    ----------
    reference
        People of one population; correlations between ancestries would look like linkage.
    longest
        Most columns in a block.
    reach
        How far linkage is looked for.
    """
    if longest < 2 or reach < 1:
        raise InputError("blocks", "need longest >= 2 and reach >= 1", f"{longest} and {reach}")
    cost = _cut_costs(reference, min(reach, reference.d - 1))
    blocks, start, number = np.empty(reference.d, np.intp), 0, 0
    while start < reference.d:
        stop = reference.d
        if stop - start > longest:
            least = start + longest // 2
            stop = least + int(np.argmin(cost[least : start + longest + 1]))
        blocks[start:stop] = number
        start, number = stop, number + 1
    return blocks


def _cut_costs(reference: Traits, reach: int) -> NDArray[np.float64]:
    """Return for each cut (before column j) the squared correlations that it separates."""
    d, m = reference.d, reference.n
    cost = np.zeros(d + 1)
    width = max(4 * reach, 1024)
    for start in range(0, d, width):
        stop = min(start + width + reach, d)
        x = reference.values(slice(start, stop)).astype(np.float64)
        x = np.nan_to_num(x - np.nanmean(np.where(np.isnan(x).all(axis=0), 0.0, x), axis=0))
        x /= np.maximum(np.sqrt((x**2).sum(axis=0)), 1e-12)
        for lag in range(1, min(reach, stop - start - 1) + 1):
            lefts = min(width, stop - start - lag)
            square = np.maximum((x[:, :lefts] * x[:, lag : lag + lefts]).sum(axis=0) ** 2 - 1 / m, 0.0)
            # A pair (j, j + lag) is separated by the cuts j + 1 .. j + lag.
            rise = np.zeros(d + 2)
            rise[start + 1 : start + 1 + lefts] += square
            rise[start + 1 + lag : start + 1 + lag + lefts] -= square
            cost += np.cumsum(rise)[: d + 1]
    return cost
