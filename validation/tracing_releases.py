"""What is released in simulated tracing: exact means of a trial, put through a mechanism of the package.

Means lie in -1 .. 1 here, and in 0 .. 1 where mechanisms work on them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from dalenius.mechanisms.base import Stage
from dalenius.mechanisms.distortions import Clip, ExtremeFlip, Grid, Sign
from dalenius.mechanisms.stages.noise import Gaussian
from dalenius.mechanisms.stages.samples import ColumnSamples

Values = NDArray[np.float64]
Publish = Callable[[np.random.Generator, Values, Values], Values]
"""From randomness, the exact means and the population's means to what is published."""

NO_COUNTS = np.zeros(0, np.int64)


def printed(*stages: Stage) -> Publish:
    """Put means through stages that look at nothing else."""

    def publish(rng: np.random.Generator, q: Values, p: Values) -> Values:
        fractions = (1 + q) / 2
        for stage in stages:
            fractions = stage.protect(fractions, NO_COUNTS, rng=rng)
        return 2 * fractions - 1

    return publish


def column_samples(n: int, size: int) -> Publish:
    """Average every column of n people over some of its own."""

    def publish(rng: np.random.Generator, q: Values, p: Values) -> Values:
        plus = np.rint(n * (1 + q.ravel()) / 2).astype(np.int64)
        drawn = ColumnSamples(size).thin(np.stack([n - plus, plus], axis=1), rng=rng)
        return (2.0 * drawn[:, 1] / size - 1).reshape(q.shape)

    return publish


MECHANISMS: dict[str, Publish] = {
    "exact": lambda rng, q, p: q,
    "round": printed(Grid(0.25)),
    "noise": printed(Gaussian(0.15), Clip()),
    "sign": printed(Sign()),
    "half sign": printed(Sign(0.5)),
    "column samples": column_samples(20, 5),
    "population": lambda rng, q, p: p,
    "extreme flip": printed(ExtremeFlip(0.77)),
    "constant": lambda rng, q, p: np.zeros_like(q),
}
