"""Probabilities whose expected counts lie inside all intervals of a release, nearest to given ones.

A release without noise says of every count between which ends it lies, and nothing else. Of all
probabilities that agree with that the nearest, by relative entropy (Csiszar 1975), assume least on top of
where they start from: everybody's odds are multiplied by one factor for each row that they are in, and only
rows that stand at an end of their interval have one. Propagation reads an interval as noise about its middle
instead, and where intervals all but decide the secrets that loses most of what they say. Linear programs use
the intervals too, but take any one of the solutions, and know no prior.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dalenius.matrices.answers import Vector
from dalenius.reconstruction.attack.system.system import EDGE, LinearSystem

Table = NDArray[np.float64]

STEPS = 300
"""Steps towards the factors: three times as many moved one guess in a hundred."""

MEMORY = 20
"""Steps of the solver that tell it of the curvature."""

LARGEST = 30.0
"""Logarithm of a row's factor at the most; intervals that contradict each other would ask for any."""

DOUBT = 0.004
"""Share of the prior in what is stated, as for chains."""


def applies(systems: Sequence[LinearSystem]) -> bool:
    """Whether all that the rows say is an interval of a count."""
    return all(s.sharp and s.counting.all() and s.usual is None for s in systems)


class Intervals:
    """The rows about all that is open of the values of a secret.

    Parameters
    ----------
    systems
        One a value, about the same unknowns. Tables have a row for each of them.
    """

    def __init__(self, systems: Sequence[LinearSystem]) -> None:
        self.systems = systems
        self.open = np.stack([system.least < system.most for system in systems])
        self.known = np.where(self.open, 0, np.stack([system.least for system in systems]))
        left = systems[0].sizes - self.known.sum(axis=0)
        self.left = np.where(self.open.any(axis=0), left, 0).astype(np.float64)
        reduced = [system.free()[0] for system in systems if (system.least < system.most).any()]
        rows = sparse.block_diag([system.A.explicit() for system in reduced], format="csr")
        self.rows, self.columns = sparse.csr_array(rows), sparse.csr_array(rows.T)
        most = self.rows @ np.concatenate([system.sizes for system in reduced]).astype(np.float64)
        self.low = np.clip(np.concatenate([system.low for system in reduced]), 0.0, most)
        self.high = np.clip(np.concatenate([system.high for system in reduced]), 0.0, most)
        self.prior = np.stack([system.prior for system in systems])

    def nearest(self, start: Table) -> Table:
        """The probabilities nearest to ``start`` among those with all expected counts in their intervals."""
        from scipy.optimize import Bounds, minimize

        log_start = np.where(self.open, np.log(np.clip(start, EDGE, 1.0)), -np.inf)
        m = self.low.size

        def dual(factors: Vector) -> tuple[float, Vector]:
            """What Lagrange's multipliers of both ends of every row are worth, to be minimised."""
            up, down = factors[:m], factors[m:]
            share, log_total = self._shares(log_start, up - down)
            counts = self.rows @ (share * self.left)[self.open]
            worth = float(self.left @ log_total - up @ self.low + down @ self.high)
            return worth, np.concatenate([counts - self.low, self.high - counts])

        found = minimize(
            dual,
            np.zeros(2 * m),
            jac=True,
            method="L-BFGS-B",
            bounds=Bounds(0.0, LARGEST),
            options={"maxiter": STEPS, "maxfun": 2 * STEPS, "maxcor": MEMORY},
        )
        return self._shares(log_start, found.x[:m] - found.x[m:])[0]

    def _shares(self, log_start: Table, factor: Vector) -> tuple[Table, Vector]:
        """Shares of what is left, and the logarithms of what they were divided by."""
        tilted = log_start.copy()
        tilted[self.open] += self.columns @ factor
        top = tilted.max(axis=0)
        top = np.where(np.isfinite(top), top, 0.0)
        weight = np.exp(tilted - top)
        total = np.maximum(weight.sum(axis=0), 1e-300)
        return weight / total, top + np.log(total)

    def centred(self, share: Table) -> list[LinearSystem]:
        """The systems with rows about where these probabilities expect the counts, not mid-interval."""
        sums = np.where(self.open, share * self.left, self.known)
        return [
            replace(system, centre=np.clip(system.A.apply(sums[v]), system.low, system.high))
            for v, system in enumerate(self.systems)
        ]

    def table(self, found: Sequence[Vector]) -> Table:
        """What is `stated` as a table."""
        whole = np.zeros(self.open.shape)
        whole[self.open] = np.concatenate(found)
        return whole

    def stated(self, share: Table) -> list[Vector]:
        """The share of every open unknown of each system that has any."""
        share = (1 - DOUBT) * share + DOUBT * self.prior
        return [
            (np.clip(share[v] * self.left, s.least, s.most) / s.sizes)[self.open[v]]
            for v, s in enumerate(self.systems)
            if self.open[v].any()
        ]
