"""The fast Walsh-Hadamard transform: multiplication by the Sylvester matrix in N log N additions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def transform_plain(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Multiply by the Sylvester matrix with numpy alone: the readable twin of ``transform``.

    Examples
    --------
    >>> transform_plain(np.array([1.0, 0.0, 1.0, 1.0]))
    array([ 3.,  1., -1.,  1.])
    """
    x = x.copy()
    h = 1
    while h < x.size:
        pairs = x.reshape(-1, 2, h)
        upper, lower = pairs[:, 0].copy(), pairs[:, 1].copy()
        pairs[:, 0], pairs[:, 1] = upper + lower, upper - lower
        h *= 2
    return x


def transform(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Multiply by the Sylvester matrix."""
    return transform_plain(x)
