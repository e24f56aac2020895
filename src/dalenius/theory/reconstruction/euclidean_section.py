"""How flat the range of a matrix is: the constant that LP decoding needs, estimated from above.

`a = min over x of ||A x||_1 / (sqrt(m) ||A x||_2)` (Kasiviswanathan, Rudelson and Smith 2013, section 2.2).
Its exact value is hard to compute; every x gives an upper bound. A proven lower bound is
`lp.section_lower_bound`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalenius.errors import InputError
from dalenius.theory import _check

DIRECTIONS = 20
STEPS = 200
STEP = 0.3


def section_upper_estimate(A: ArrayLike, *, rng: np.random.Generator) -> float:
    """Search for the least flat vector in the range of `A`; the truth is at most this.

    Projected subgradient descent of `||v||_1 / sqrt(m)` over unit vectors v of the range, started from the
    projection of every unit coordinate vector and from random directions.

    Parameters
    ----------
    A
        m x n matrix of the linear statistics.
    rng
        Draws the random directions.

    Examples
    --------
    >>> spike = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    >>> round(section_upper_estimate(spike, rng=np.random.default_rng(1)), 6)
    0.57735
    """
    basis = _range(_check.matrix("A", A))
    m, rank = basis.shape
    start = np.concatenate([basis.T, rng.standard_normal((rank, DIRECTIONS))], axis=1)
    start = start[:, np.linalg.norm(start, axis=0) > 1e-12]
    at = start / np.linalg.norm(start, axis=0)
    best = np.inf
    for step in range(1, STEPS + 1):
        vectors = basis @ at
        best = min(best, float(np.abs(vectors).sum(axis=0).min()))
        slope = basis.T @ np.sign(vectors) / np.sqrt(m)
        slope -= at * (slope * at).sum(axis=0)  # along the sphere
        at = at - STEP / np.sqrt(step) * slope
        at /= np.linalg.norm(at, axis=0)
    return min(1.0, best / float(np.sqrt(m)))


def _range(A: NDArray[np.float64]) -> NDArray[np.float64]:
    """An orthonormal basis of the range."""
    left, sizes, _ = np.linalg.svd(A, full_matrices=False)
    tolerance = sizes[0] * max(A.shape) * np.finfo(np.float64).eps
    if sizes[0] == 0:
        raise InputError("A", "must have a non-zero row", "only zeros", "Drop empty statistics.")
    basis: NDArray[np.float64] = left[:, sizes > tolerance]
    return basis
