"""One number for everybody: what is usual, moved by what the tables say (linear Bayes).

Amounts start independent, with the mean and spread that are usual for people like these. The rows then move
them as they would move Gaussian amounts: each by its share of the spread in the rows that hold it. The number
that is guessed without the release is a median, below the mean where amounts are skewed; the same share below
it stays as long as the release says little, and goes as the spread goes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from dalenius.amounts.attack.system import AmountSystem
from dalenius.knowledge.amounts import AmountPrior

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
    """Everybody's number, and how far it is expected to be off."""

    value: Floats
    sd: Floats


def estimate(system: AmountSystem, prior: AmountPrior) -> Estimates:
    """Move what is usual by what the rows say, as long as they are few enough to be taken together."""
    rows = np.flatnonzero(np.isfinite(system.low) & np.isfinite(system.high))
    if not rows.size or rows.size > ROWS:
        return Estimates(prior.median.copy(), prior.sd.copy())
    of = system.classes.of
    variance = np.maximum(prior.sd**2, 1e-300)
    total, mean = np.bincount(of, variance), np.bincount(of, prior.mean)
    A = system.A[rows]
    low, high = system.low[rows], system.high[rows]
    spread = (high - low) ** 2 / 12
    noise = np.where(system.sd[rows] > 0, system.sd[rows] ** 2, spread)
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
    after = prior.mean + share * moved[of]
    left = np.maximum(variance - share**2 * gone[of], 0.0)
    skew = np.where(prior.mean > 0, prior.median / np.where(prior.mean > 0, prior.mean, 1.0), 1.0)
    value = after * np.clip(skew, 1e-6, 1e6) ** (left / variance)
    return Estimates(value, np.sqrt(left))
