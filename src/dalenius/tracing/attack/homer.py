"""Homer's statistic: is the record nearer to the published means than to those of the population?

``D_j = (|y_j - w_j| - |y_j - q_j|) / 2`` and ``T`` its mean in standard errors (Homer et al. 2008, here
for values from -1 to +1). Approximate: standard normal for an outsider only if ``q`` and ``w`` are
independent estimates of the same means.
"""

from __future__ import annotations

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
