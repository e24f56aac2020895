"""Everybody's mean and spread: what is usual, moved by what sums and means say (linear Bayes).

Amounts start independent, with the mean and spread that are usual for people like these. The rows then move
them as they would move Gaussian amounts: each by its share of the spread in the rows that hold it. Where the
standard deviation of a group is printed beside its sum, that is the spread of everybody in it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from dalenius.amounts.attack.system import AmountSystem
from dalenius.knowledge.amounts import AmountPrior
from dalenius.release.amounts import SPREADS, AmountRelease

Floats = NDArray[np.float64]

ROWS = 3_000
"""Rows up to which amounts are moved by all of them together, in a matrix that is dense in the end."""

UNUSUAL = 3.0
"""Standard deviations beyond which a row is held to be off because of one amount, not of all a little:
amounts have long tails, and who is usual must not be moved by one who is not."""

TINY = 1e-9
"""Part of a row's own spread that it keeps: two rows may say the same."""


@dataclass(frozen=True)
class Estimates:
    """Everybody's mean, and how far they are expected to be off."""

    mean: Floats
    sd: Floats


def estimate(system: AmountSystem, prior: AmountPrior) -> Estimates:
    """Move what is usual by what the rows say, as long as they are few enough to be taken together."""
    rows = np.flatnonzero(system.added)
    if not rows.size or rows.size > ROWS:
        return Estimates(prior.mean.copy(), prior.sd.copy())
    of, weights = system.classes.of, system.weights
    weight = weights.usual
    if np.isnan(weight).any():
        return Estimates(prior.mean.copy(), prior.sd.copy())
    variance = np.maximum((weight * prior.sd) ** 2, 1e-300)  # of what everybody counts for
    total, mean = np.bincount(of, variance), np.bincount(of, weight * prior.mean)
    A = system.A[rows]
    low, high = system.low[rows], system.high[rows]
    spread = (high - low) ** 2 / 12
    noise = np.where(system.sd[rows] > 0, system.sd[rows] ** 2, spread)
    noise += A @ np.bincount(of, (weights.high - weights.low) ** 2 / 12 * prior.mean**2)
    covariance = (A * total) @ A.T
    matrix = covariance.toarray()
    matrix[np.diag_indices_from(matrix)] += noise + TINY * covariance.diagonal() + 1e-300
    factor = linalg.cho_factor(matrix)
    reach = UNUSUAL * np.sqrt(matrix.diagonal())
    off = np.clip((low + high) / 2 - A @ mean, -reach, reach)
    moved = total * (A.T @ linalg.cho_solve(factor, off))
    held = (A * total).toarray()  # covariance of rows and classes
    gone = np.einsum("rc,rc->c", held, linalg.cho_solve(factor, held))
    share = variance / total[of]
    after = prior.mean + share * moved[of] / weight
    left = np.maximum(variance - share**2 * gone[of], 0.0)
    return Estimates(after, np.sqrt(left) / weight)


def spread_by_squares(found: Estimates, release: AmountRelease) -> Floats:
    """Everybody's spread where it is printed beside a sum, of several groups in the smallest; nan elsewhere.

    Amounts whose sum and squares are known lie on a sphere: one of them has the density
    (1 - t^2)^((n - 4) / 2), nearly normal with the variance below, where t is 1 for the furthest possible.
    Noise on what is printed is weighed against how far the spread of so many people is off from the usual.
    """
    sd, size = np.full(found.sd.size, np.nan), np.full(found.sd.size, np.inf)
    summed = {one.group for one in release.said if one.statistic in ("sum", "mean") and not one.weighted}
    for one in release.said:
        n, members = release.groups[one.group].size, release.groups[one.group].members
        if one.statistic not in SPREADS or one.group not in summed or n < 2:
            continue
        middle = max((one.low + one.high) / 2, 0.0)
        left = found.sd[members] ** 2
        variance, noise = middle, np.full(n, one.sd)
        if one.statistic == "sd":  # noise may have taken a deviation to nothing: that of its square is larger
            variance, noise = middle**2, 2 * np.maximum(middle, found.sd[members]) * one.sd
        own = 2 * left / np.sqrt(n)  # how far the variance of n amounts with long tails is off, roughly
        weight = own**2 / np.maximum(own**2 + noise**2, 1e-300)
        printed = variance * (n - 1) ** 2 / (n * max(n - 4, 1))
        smaller = size[members] > n
        sd[members[smaller]] = np.sqrt(weight * printed + (1 - weight) * left)[smaller]
        size[members[smaller]] = n
    return sd
