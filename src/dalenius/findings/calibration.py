"""Whether stated probabilities come true as often as they say."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dalenius.findings.explanation import StatedAndRight

BINS = 15
"""Equal parts of the probabilities in which they are compared with what happened."""

EDGES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
"""Where claims are parted by their probability to be shown: finer where they matter most."""


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


def stated_and_right(stated: NDArray[np.float64], right: NDArray[np.bool_]) -> tuple[StatedAndRight, ...]:
    """Part claims by what was stated, and count which are right; parts without a claim are left out.

    Examples
    --------
    >>> for row in stated_and_right(np.array([0.6, 0.62, 0.97]), np.array([True, False, True])):
    ...     print(round(row.stated, 2), row.claims, row.right)
    0.61 2 1
    0.97 1 1
    """
    part = np.searchsorted(EDGES, stated, side="right")
    return tuple(
        StatedAndRight(
            stated=float(min(stated[inside].mean(), 1.0)),
            claims=int(inside.sum()),
            right=int(right[inside].sum()),
        )
        for inside in (part == j for j in np.unique(part))
    )
