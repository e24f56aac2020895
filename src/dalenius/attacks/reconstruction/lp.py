"""LP decoding: the smallest sum of absolute misses (Kasiviswanathan et al. 2013, Theorem 2.2).

A few answers that are arbitrarily wrong do not move the solution. Solved in the dual form, which has one
row an unknown instead of two an answer; HiGHS's interior point is several times faster on it.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from dalenius.attacks.reconstruction.program import minimise
from dalenius.attacks.reconstruction.scale import row_scale
from dalenius.attacks.reconstruction.system import Decoding, LinearSystem
from dalenius.errors import UnsupportedError
from dalenius.progress import Progress, silent
from dalenius.records.answers import Vector

UNKNOWN_LIMIT = 4_000
"""Unknowns above which the solver would need many minutes: it grows like their number to the power 2.7."""


def decode(system: LinearSystem, *, rng: np.random.Generator, progress: Progress = silent) -> Decoding:
    """Minimise the scaled absolute misses over possible secrets; the solution itself is the share."""
    if system.unknowns > UNKNOWN_LIMIT:
        raise UnsupportedError(
            f"LP decoding takes at most {UNKNOWN_LIMIT:,} unknowns, and here are {system.unknowns:,}; "
            "use box or least-squares"
        )
    progress(0.0, "LP decoding")
    solution, _ = solve(system)
    return Decoding(np.clip(solution / system.sizes, 0.0, 1.0), ("shares are not calibrated probabilities",))


def solve(system: LinearSystem, *, box: bool = True) -> tuple[Vector, float]:
    """Solve ``min sum_j w_j dist((A r)_j, [low_j, high_j])``, rows with noise measured from their centre.

    Returns
    -------
    Vector
        The solution.
    float
        The smallest sum of scaled misses.

    Notes
    -----
    The dual: with ``u = a - b``, ``0 <= a, b <= w``, maximise ``low.b - high.a + least.c - most.d`` subject
    to ``A^T u - c + d = 0``, ``c, d >= 0``; the solution is the multiplier of the equality. Without the box
    there is no ``c`` and ``d``.
    """
    weight = 1 / np.where(np.isnan(system.sd), 1.0, row_scale(system))
    noisy = system.sd != 0
    low, high = np.where(noisy, system.centre, system.low), np.where(noisy, system.centre, system.high)
    transpose = sparse.csr_array(system.A.explicit().T)
    eye = sparse.eye_array(system.unknowns, format="csr")
    cost = [high, -low]
    parts = [transpose, -transpose]
    limits: list[tuple[float, float]] = [(0.0, float(w)) for w in weight] * 2
    if box:
        cost += [-system.least.astype(np.float64), system.most.astype(np.float64)]
        parts += [-eye, eye]
        limits += [(0.0, np.inf)] * (2 * system.unknowns)
    solved = minimise(
        np.concatenate(cost),
        A_eq=sparse.hstack(parts, format="csr"),
        b_eq=np.zeros(system.unknowns),
        bounds=limits,
        method="highs-ipm",
    )
    return np.asarray(solved.eqlin.marginals, np.float64), -float(solved.fun)
