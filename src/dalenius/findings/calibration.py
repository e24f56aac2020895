"""Whether stated probabilities come true as often as they say."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

BINS = 15
"""Equal parts of the probabilities in which they are compared with what happened."""


def calibration_error(stated: NDArray[np.float64], happened: NDArray[np.bool_]) -> float:
    """Expected calibration error: how far stated probabilities are from how often it happens.

    Fifteen equal bins of the stated probability; the gap between mean probability and frequency in each,
    averaged over claims (Guo, Pleiss, Sun and Weinberger 2017, equation 3).

    Examples
    --------
    >>> round(calibration_error(np.array([0.9, 0.9, 0.9, 0.9]), np.array([True, True, False, False])), 10)
    0.4
    """
    bin_of = np.minimum((stated * BINS).astype(np.intp), BINS - 1)
    excess = np.bincount(bin_of, weights=stated - happened, minlength=BINS)
    return float(np.abs(excess).sum() / stated.size)
