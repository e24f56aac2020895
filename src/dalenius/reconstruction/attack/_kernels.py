"""Compiled loops of the reconstruction attacks; each is plain enough to be read."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dalenius.accelerate import kernel

Whole = NDArray[np.int64]


Index = NDArray[np.int32]


Vector = NDArray[np.float64]


@kernel
def tighten(
    start: Index, member: Index, low: Whole, high: Whole, least: Whole, most: Whole, rounds: int
) -> int:
    """Tighten ``least`` and ``most`` in place, row by row, until nothing changes.

    Returns the first row that cannot be met, or -1.
    """
    for _ in range(rounds):
        changed = False
        for j in range(low.size):
            sum_least = np.int64(0)
            sum_most = np.int64(0)
            for q in range(start[j], start[j + 1]):
                sum_least += least[member[q]]
                sum_most += most[member[q]]
            if sum_least > high[j] or sum_most < low[j]:
                return j
            if sum_most <= high[j] and sum_least >= low[j]:
                continue
            for q in range(start[j], start[j + 1]):
                i = member[q]
                at_most = high[j] - (sum_least - least[i])
                at_least = low[j] - (sum_most - most[i])
                if at_most < most[i]:
                    sum_most -= most[i] - at_most
                    most[i] = at_most
                    changed = True
                if at_least > least[i]:
                    sum_least += at_least - least[i]
                    least[i] = at_least
                    changed = True
        if not changed:
            return -1
    return -1


@kernel
def enumerate_sums(
    matrix: Vector,
    centre: Vector,
    low: Vector,
    high: Vector,
    precision: Vector,
    least: Whole,
    most: Whole,
    weight: Vector,
    mean: Vector,
    some: Whole,
) -> tuple[float, int]:
    """Walk through every vector of sums, last unknown fastest, and weigh it by how well it fits.

    Parameters
    ----------
    weight
        ``weight[i, x]``: logarithm of the prior of unknown ``i`` being ``x`` above its least.
    mean
        Gets the weighted sum of every unknown, relative to the best fit met so far.
    some
        ``some[r]`` gets the first vectors that fit, one per row.

    Returns the total weight and the number of vectors that fit.
    """
    m, n = matrix.shape
    x = least.copy()
    row = np.zeros(m)
    for i in range(n):
        for j in range(m):
            row[j] += matrix[j, i] * x[i]
    best = -np.inf
    total = 0.0
    fits = 0
    while True:
        fit = 0.0
        for j in range(m):
            if row[j] < low[j] - 1e-9 or row[j] > high[j] + 1e-9:
                fit = -np.inf
                break
            miss = row[j] - centre[j]
            fit -= 0.5 * precision[j] * miss * miss
        if fit > -np.inf:
            if fits < some.shape[0]:
                for i in range(n):
                    some[fits, i] = x[i]
            fits += 1
            for i in range(n):
                fit += weight[i, x[i] - least[i]]
            if fit > best:
                scale = np.exp(best - fit)
                total *= scale
                for i in range(n):
                    mean[i] *= scale
                best = fit
            share = np.exp(fit - best)
            total += share
            for i in range(n):
                mean[i] += share * x[i]
        i = n - 1
        while i >= 0 and x[i] == most[i]:
            for j in range(m):
                row[j] -= matrix[j, i] * (most[i] - least[i])
            x[i] = least[i]
            i -= 1
        if i < 0:
            return total, fits
        x[i] += 1
        for j in range(m):
            row[j] += matrix[j, i]
