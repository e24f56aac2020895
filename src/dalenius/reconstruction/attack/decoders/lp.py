"""LP decoding: the smallest sum of absolute misses (Kasiviswanathan et al. 2013, Theorem 2.2).

A few answers that are arbitrarily wrong do not move the solution. Solved in the dual form, which has one
row per unknown instead of two per answer; HiGHS's interior point is several times faster on it.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from dalenius.matrices.answers import Vector
from dalenius.progress import Progress, silent
from dalenius.reconstruction.attack.cost import LP_PRODUCTS, LP_SHARP, PROGRAM, Cost
from dalenius.reconstruction.attack.linalg.admm import ITERATIONS, least_misses
from dalenius.reconstruction.attack.linalg.programs import Misses
from dalenius.reconstruction.attack.matrix_cost import (
    bulk,
    independent,
    product_seconds,
    scratch,
    written_out,
)
from dalenius.reconstruction.attack.program import minimise
from dalenius.reconstruction.attack.system.noise_scale import row_scale
from dalenius.reconstruction.attack.system.system import Decoding, LinearSystem

EXACT_LIMIT = 60
"""Unknowns up to which the linear program is solved exactly."""

MOST_PRODUCTS = 36 * ITERATIONS
"""Products with the matrix where rounds ran out."""


def decode(system: LinearSystem, *, rng: np.random.Generator, progress: Progress = silent) -> Decoding:
    """Minimise the scaled absolute misses over possible secrets; the solution itself is the share.

    Small programs are solved to the last digit, larger ones to a certified gap: the time of an exact
    solution grows like the number of unknowns to the power 2.7.
    """
    progress(0.0, "LP decoding")
    if system.unknowns <= EXACT_LIMIT:
        solution, _ = solve(system)
        how = "smallest sum of misses found exactly"
    else:
        found = least_misses(program_of(system), system.start, rng=rng, progress=progress)
        solution = found.x
        how = f"sum of misses certified within {found.gap:.1e} of the smallest"
    share = np.clip(solution / system.sizes, 0.0, 1.0)
    return Decoding(share, ("shares are not calibrated probabilities", how))


def program_of(system: LinearSystem) -> Misses:
    """Rows with noise are measured from their centre, the others from their interval."""
    noisy = system.sd != 0
    return Misses(
        system.A,
        np.where(noisy, system.centre, system.low),
        np.where(noisy, system.centre, system.high),
        np.where(np.isnan(system.sd), 1.0, row_scale(system)),
        system.least.astype(np.float64),
        system.most.astype(np.float64),
    )


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
    program = program_of(system)
    weight, low, high = 1 / program.scale, program.low, program.high
    transpose = sparse.csr_array(system.A.explicit().T)
    eye = sparse.eye_array(system.unknowns, format="csr")
    cost = [high, -low]
    parts = [transpose, -transpose]
    limits: list[tuple[float, float]] = [(0.0, float(w)) for w in weight] * 2
    if box:
        cost += [-program.least, program.most]
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


def cost(system: LinearSystem) -> Cost:
    """Say what it will take."""
    m, n = system.A.shape
    if n <= EXACT_LIMIT:
        return Cost(20.0 * system.A.entries / PROGRAM, 4 * written_out(system.A) + 500.0 * m)
    products: float = LP_SHARP
    if not system.sharp:
        few = independent(system.A) <= n
        products = MOST_PRODUCTS if few else min(MOST_PRODUCTS, LP_PRODUCTS * bulk(system.A))
    return Cost(products * product_seconds(system.A), 200.0 * (m + n) + scratch(system.A), products)
