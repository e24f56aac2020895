"""Blocks of linked columns, for sign flips that need independence between blocks only.

Neighbours on a chromosome are inherited together. From positions, a block is a stretch of a chromosome of a
given length; from the records of references, blocks are cut where the correlation across the cut is least.
Blocks remove linkage, not ancestry: use them within one population.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.people.traits.traits import Traits

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
        raise InputError("positions", f"must be one a column, {chromosome.size:,}", f"{position.size:,}")
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
