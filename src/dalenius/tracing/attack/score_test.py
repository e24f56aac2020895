"""Which test an attack runs: weights of the score, how it becomes a p-value, what is taken for granted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


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
