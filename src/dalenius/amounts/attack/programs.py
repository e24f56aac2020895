"""The least and the largest sum of a class, by linear programs whose answers are proved again.

What a solver says is not taken as proof: from its multipliers a bound is computed that holds for every point
of the rows, whatever the solver's tolerances did, and gives way by what floating-point sums can be off. One
model stays open, and each program starts from the solution before it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linprog

from dalenius.errors import InputError, SolveError
from dalenius.matrices.highs import open_highs, opened

Floats = NDArray[np.float64]

FLOATING = 1e-11
"""By which part of what is added up a proof may be off."""

LARGEST = 1e6
"""Numbers up to which a solver is asked about them as they are: its tolerances are absolute."""


class Programs:
    """Rows ``low <= A x <= high`` about unknowns ``least <= x <= most``, asked again and again.

    Examples
    --------
    >>> A = sparse.csr_array(np.array([[1.0, 1.0]]))
    >>> sums = Programs(A, np.array([10.0]), np.array([12.0]), np.zeros(2), np.array([8.0, np.inf]))
    >>> [round(sums.least_of(1, sign)[0], 6) for sign in (1, -1)]
    [2.0, -12.0]
    """

    def __init__(self, A: sparse.csr_array, low: Floats, high: Floats, least: Floats, most: Floats) -> None:
        self.A, self.low, self.high, self.least, self.most = A, low, high, least, most
        ends = np.concatenate([low, high])
        self.scale = max(1.0, float(np.abs(ends[np.isfinite(ends)]).max(initial=0.0)) / LARGEST)
        self._highs = open_highs()
        scaled = [each / self.scale for each in (low, high, least, most)]
        self._open: Any = None if self._highs is None else opened(self._highs, A, *scaled)

    def least_of(
        self, which: int, sign: int, at: int | None = None, ends: tuple[float, float] = (-np.inf, np.inf)
    ) -> tuple[float, Floats]:
        """A proved lower end of ``sign * x[which]`` and the point where the solver found it.

        ``at`` is an unknown of which more is known here: that it lies between ``ends``.

        Raises
        ------
        InputError
            If no point meets all rows.
        SolveError
            If the solver gave up.
        """
        cost = np.zeros(self.least.size)
        cost[which] = sign
        least, most = self.least, self.most
        if at is not None:
            least, most = least.copy(), most.copy()
            least[at], most[at] = max(least[at], ends[0]), min(most[at], ends[1])
        solve = self._from_nothing if self._open is None else self._from_before
        found = solve(cost, least, most)
        if found is None:
            return -np.inf, np.full(self.least.size, np.nan)
        point, multipliers = found
        return self._proved(cost, multipliers, least, most), point * self.scale

    def _from_before(self, cost: Floats, least: Floats, most: Floats) -> tuple[Floats, Floats] | None:
        solver, words = self._open, self._highs.HighsModelStatus
        columns = np.arange(cost.size, dtype=np.int32)
        solver.changeColsCost(cost.size, columns, cost)
        solver.changeColsBounds(cost.size, columns, least / self.scale, most / self.scale)
        solver.run()
        status = solver.getModelStatus()
        if status in (words.kInfeasible, words.kUnboundedOrInfeasible):  # perhaps by a tolerance: once more
            return self._from_nothing(cost, least, most)
        if status == words.kOptimal:
            found = solver.getSolution()
            return np.asarray(found.col_value), np.asarray(found.row_dual)
        if status == words.kUnbounded:
            return None
        raise SolveError("linear program", "must be solved", solver.modelStatusToString(status))

    def _from_nothing(self, cost: Floats, least: Floats, most: Floats) -> tuple[Floats, Floats] | None:
        above, below = np.isfinite(self.high), np.isfinite(self.low)
        stacked = sparse.vstack([self.A[above], -self.A[below]], format="csr")
        ends = np.concatenate([self.high[above], -self.low[below]]) / self.scale
        box = np.stack([least, most], axis=1) / self.scale
        found: Any = linprog(cost, stacked, ends, bounds=[(a, b) for a, b in box], method="highs")
        if found.status == 3:
            return None
        if found.status == 2:
            raise _contradiction()
        if found.status != 0:
            raise SolveError("linear program", "must be solved", str(found.message))
        multipliers, marginals = np.zeros(self.low.size), np.asarray(found.ineqlin.marginals)
        multipliers[above] += marginals[: int(above.sum())]
        multipliers[below] -= marginals[int(above.sum()) :]
        return np.asarray(found.x), multipliers

    def _proved(self, cost: Floats, y: Floats, least: Floats, most: Floats) -> float:
        """Weak duality: what the rows give at these multipliers, and the least that the box leaves."""
        y = np.where((y > 0) & np.isfinite(self.low) | (y < 0) & np.isfinite(self.high), y, 0.0)
        ends = np.where(y > 0, self.low, np.where(y < 0, self.high, 0.0))
        left = cost - self.A.T @ y
        size = np.abs(cost) + abs(self.A).T @ np.abs(y)
        bounded = np.isfinite(most)
        left = np.where(bounded & (np.abs(left) <= FLOATING * size), 0.0, left)
        at = np.where(left > 0, least, most)
        with np.errstate(invalid="ignore"):
            inside = np.where(left == 0, 0.0, left * at)
        # what was taken for 0 may be this far from it, at the end of the box that is furthest
        far = np.maximum(np.abs(least), np.where(bounded, np.abs(most), 0.0))
        slack = FLOATING * (np.abs(y) @ np.abs(ends) + size @ far)
        return float(y @ ends + inside.sum() - slack)


def _contradiction() -> InputError:
    return InputError(
        "tables",
        "must not contradict each other",
        "numbers that no amounts fit",
        "Say how they were rounded, or between which ends amounts lie.",
    )
