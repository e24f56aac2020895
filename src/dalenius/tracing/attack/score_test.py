"""Which test an attack runs, and Homer's statistic, the first of them.

Homer's statistic: is the record nearer to the published means than to those of the population?

``D_j = (|y_j - w_j| - |y_j - q_j|) / 2`` and ``T`` its mean in standard errors (Homer et al. 2008, here
for values from -1 to +1). Approximate: standard normal for an outsider only if ``q`` and ``w`` are
independent estimates of the same means.

Which test an attack runs: weights of the score, how it becomes a p-value, what is taken for granted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]


def distances(y: Values, q: Values, w: Values) -> Values:
    """Return how much nearer each value is to the published mean than to the population's."""
    return (np.abs(y - w) - np.abs(y - q)) / 2


def homer_t(total: Values, squares: Values, seen: Values) -> Values:
    """Return the mean of D in standard errors, from its sum, sum of squares and number of attributes."""
    safe = np.maximum(seen, 2)
    mean = total / safe
    variance = np.maximum(squares / safe - mean**2, 0) * safe / (safe - 1)
    error = np.sqrt(variance / safe)
    return np.where((seen >= 2) & (error > 0), mean / np.where(error > 0, error, 1.0), 0.0)


@dataclass(frozen=True, eq=False)
class ScoreTest:
    """A test of whether a record is independent of published means.

    Parameters
    ----------
    weights
        ``auto``, or one of `~dalenius.tracing.attack.weights.WEIGHTS`.
    calibration
        ``auto``, or one of `~dalenius.tracing.attack.calibrations.calibrations.CALIBRATIONS`, with parameters
        as in ``pooled:tail=chernoff`` or ``flip:tail=bd,blocks=50``.
    preset
        A test by name in place of both, from `~dalenius.tracing.attack.presets.PRESETS`.
    independent
        Whether attributes are said to be independent of each other within the population; read by ``auto``.
    alpha
        A guess of the error of the published means, for the weights ``clip``.
    blocks
        For ``flip``: the block of each attribute, numbered from 0; attributes may depend on each other
        within. `dalenius.tracing.blocks_by_position` and `dalenius.tracing.blocks_by_correlation` make them.
    """

    weights: str = "auto"
    calibration: str = "auto"
    preset: str | None = None
    independent: bool = False
    alpha: float | None = None
    blocks: NDArray[np.intp] | None = None
