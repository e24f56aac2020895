"""How far one person moves means, and how large the noise in printed ones is.

Every number is in the units of the printed means: fractions and allele frequencies in 0 .. 1, real values as
they are.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dalenius.matrices.answers import Sensitivity
from dalenius.mechanisms.base import Floats, Reading
from dalenius.mechanisms.chain import Mechanism
from dalenius.mechanisms.stages.samples import ColumnSamples, Constant, Population, Source


def sensitivity_of_means(seen: NDArray[np.int64], moved: float | None = None) -> Sensitivity:
    """How far one person moves all printed means together: ``1/n`` each, ``n`` those whose value is known.

    Which values are missing is taken as public: it stays what it is when a record is replaced.

    Parameters
    ----------
    seen
        For every mean, of how many people it is.
    moved
        How many of the means one person can move, if not all: two of the shares of one categorical column.

    Examples
    --------
    >>> sensitivity_of_means(np.array([10, 10, 20])).l1
    0.25
    """
    each = 1 / np.maximum(seen, 1)
    share = 1.0 if moved is None else moved / seen.size
    largest = each if moved is None else np.full_like(each, each.max())
    return Sensitivity(float(largest.sum() * share), float((largest**2).sum() * share))


def noise_sd(chain: Mechanism, published: Floats) -> float | None:
    """Return the standard deviation of what the stages added to each printed mean; None if not known.

    Rounding counts as an error spread evenly over a step. Cutting off and hiding are not counted.
    """
    if any(isinstance(stage, ColumnSamples | Population | Constant) for stage in chain.stages):
        return None
    reading = Reading.of(published)
    for stage in reversed(chain.stages):
        if not isinstance(stage, Source):
            reading = stage.read(reading, counts=False)
    known = np.isfinite(reading.variance).all() and reading.shape != "unknown"
    return float(np.sqrt(reading.variance.mean())) if known else None
