"""Least squares among possible secrets: every sum between its least and its most.

The solution is a projection onto a convex set that holds the truth, and projections do not expand, so the
guarantee of plain least squares (Kasiviswanathan et al. 2013, Theorem 2.1) carries over; knowing that
secrets are not below 0 or above 1 makes it better in practice, and defined with fewer answers than people.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from dalenius.matrices.answers import Vector
from dalenius.matrices.operators import Operator, single
from dalenius.progress import Progress, silent
from dalenius.reconstruction.attack.cost import BOX_STEPS, Cost
from dalenius.reconstruction.attack.matrix_cost import independent, product_seconds, scratch
from dalenius.reconstruction.attack.system.noise_scale import row_scale
from dalenius.reconstruction.attack.system.system import Decoding, LinearSystem

ITERATIONS, POWER_STEPS = 3_000, 40
TOLERANCE = 1e-6
PULL = 1e-5
"""Weight of the prior, so small that it only decides between solutions that fit alike."""


def decode(system: LinearSystem, *, rng: np.random.Generator, progress: Progress = silent) -> Decoding:
    """Solve by box-constrained least squares; the solution itself is the share.

    The share is not a calibrated probability: it says which side of one half the solution is on, and how far.
    """
    scale = row_scale(system)
    if np.isnan(system.sd).any():
        first = solve(system, np.ones_like(scale), rng=rng, progress=progress)
        scale = row_scale(system, system.centre - system.A.apply(first))
    solution = solve(system, scale, rng=rng, progress=progress)
    return Decoding(np.clip(solution / system.sizes, 0.0, 1.0), ("shares are not calibrated probabilities",))


def solve(
    system: LinearSystem, scale: Vector, *, rng: np.random.Generator, progress: Progress = silent
) -> Vector:
    """Accelerated projected gradient with restarts (Nesterov's method, restarted when the value rises)."""
    least, most = system.least.astype(np.float64), system.most.astype(np.float64)
    weight = 1 / scale**2
    A = single(system.A)
    step = 1 / (largest_eigenvalue(A, weight, rng=rng) + PULL)
    x = z = system.start
    momentum, worst = 1.0, np.inf
    for it in range(ITERATIONS):
        miss = A.apply(z) - system.centre
        slope = A.apply_transpose(weight * miss) + PULL * (z - system.start)
        moved = np.clip(z - step * slope, least, most)
        change = float(np.abs(moved - x).max())
        # gradient restart (O'Donoghue and Candes 2015): momentum that points uphill is dropped
        if slope @ (moved - x) > 0:
            momentum = 1.0
        following = (1 + np.sqrt(1 + 4 * momentum * momentum)) / 2
        z = moved + (momentum - 1) / following * (moved - x)
        x, momentum, worst = moved, following, min(worst, change)
        if change < TOLERANCE:
            break
        if it % 50 == 0:
            progress(it / ITERATIONS, "box-constrained least squares")
    return x


def largest_eigenvalue(A: Operator, weight: Vector, *, rng: np.random.Generator) -> float:
    """Largest eigenvalue of ``A^T W A``, from above: power iteration and a little more."""
    v = rng.random(A.shape[1]) + 0.1
    value = 0.0
    for _ in range(POWER_STEPS):
        v /= np.linalg.norm(v)
        v = A.apply_transpose(weight * A.apply(v))
        value = float(np.linalg.norm(v))
        if not value:  # no row, or rows of nobody
            break
    return value * 1.05


def cost(system: LinearSystem) -> Cost:
    """Say what it will take."""
    m, n = system.A.shape
    equations = independent(system.A)
    steps: float = ITERATIONS
    if equations > n:
        steps = min(steps, BOX_STEPS * sqrt(n) / (1 - sqrt(n / equations)))
    products = (2 * steps + 2 * POWER_STEPS) * (2 if np.isnan(system.sd).any() else 1)
    return Cost(products * product_seconds(system.A), 64.0 * (m + n) + scratch(system.A), products)
