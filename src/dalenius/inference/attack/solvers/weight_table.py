"""Tables of logarithms of weights, one axis per person: what they say about each."""

from __future__ import annotations

import numpy as np
from scipy.special import logsumexp

from dalenius.knowledge.correlation.model import Floats


def log_odds_of_table(weight: Floats) -> Floats:
    """Return the log-odds of 0 against 1 on every axis of a table of logarithms of weights."""
    result = np.empty(weight.ndim)
    for axis in range(weight.ndim):
        by_bit = logsumexp(np.moveaxis(weight, axis, 0).reshape(2, -1), axis=1)
        result[axis] = by_bit[0] - by_bit[1]
    return result
