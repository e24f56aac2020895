"""Many linear programs that differ only in what is minimised, each started from the solution before it.

SciPy solves every program from nothing. The HiGHS inside it can keep a model open, and then the last basis is
still feasible and a few steps suffice; that door is not one SciPy promises to keep, so where it is closed
every program is solved from nothing, with the same results.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from dalenius.matrices.answers import Vector
from dalenius.matrices.highs import open_highs, opened
from dalenius.reconstruction.attack.program import (
    InfeasibleError,
    Solution,
    UnsolvedError,
    minimise_between,
)
from dalenius.reconstruction.attack.system.system import Whole

DUAL_SIMPLEX, PRIMAL_SIMPLEX = 1, 4
"""HiGHS's words for the simplex that keeps multipliers feasible, and for that which keeps the point so."""


class Repeated:
    """Linear programs over ``low <= A x <= high``, ``least <= x <= most``.

    Examples
    --------
    >>> A = sparse.csr_array(np.array([[1.0, 1.0]]))
    >>> sums = Repeated(A, np.array([1.0]), np.array([3.0]), np.array([0, 0]), np.array([2, 2]))
    >>> [round(sums.minimise(np.array(cost))[0], 6) for cost in ([1.0, 1.0], [-1.0, -1.0])]
    [1.0, -3.0]
    """

    def __init__(
        self,
        A: sparse.csr_array,
        low: Vector,
        high: Vector,
        least: Whole,
        most: Whole,
        *,
        moving_ends: bool = False,
    ) -> None:
        self.A, self.low, self.high, self.least, self.most = A, low, high, least, most
        # a basis stays feasible if costs change, and dual feasible if ends do
        self._strategy = DUAL_SIMPLEX if moving_ends else PRIMAL_SIMPLEX
        self._highs = open_highs()
        self._open = None if self._highs is None else self._opened()

    def within(self, least: Whole, most: Whole) -> None:
        """Ask about other ends from now on."""
        self.least, self.most = least, most
        if self._open is not None:
            ends = least.astype(np.float64), most.astype(np.float64)
            self._open.changeColsBounds(least.size, np.arange(least.size, dtype=np.int32), *ends)

    def minimise(self, cost: Vector) -> tuple[float, Vector]:
        """Return the smallest ``cost @ x`` and an ``x`` that attains it.

        Raises
        ------
        InfeasibleError
            If no ``x`` meets the constraints.
        UnsolvedError
            If the solver stopped without an answer.
        """
        found = self.solve(cost)
        return found.value, found.point

    def solve(self, cost: Vector, steps: int | None = None) -> Solution:
        """Return also the multipliers of the rows, and the steps that it took; with ``steps``, no more."""
        return self._from_nothing(cost, steps) if self._open is None else self._from_before(cost, steps)

    def _opened(self) -> Any:
        solver = opened(self._highs, self.A, self.low, self.high, self.least, self.most)
        solver.setOptionValue("simplex_strategy", self._strategy)
        return solver

    def _from_before(self, cost: Vector, steps: int | None) -> Solution:
        solver: Any = self._open
        solver.setOptionValue("simplex_iteration_limit", self._highs.kHighsIInf if steps is None else steps)
        columns = np.arange(cost.size, dtype=np.int32)
        solver.changeColsCost(cost.size, columns, cost)
        solver.run()
        status, taken = solver.getModelStatus(), int(solver.getInfo().simplex_iteration_count)
        if status == self._highs.HighsModelStatus.kOptimal:
            found = solver.getSolution()
            point, multipliers = np.asarray(found.col_value), np.asarray(found.row_dual)
            return Solution(float(solver.getObjectiveValue()), point, multipliers, taken)
        infeasible = status in (
            self._highs.HighsModelStatus.kInfeasible,
            self._highs.HighsModelStatus.kUnboundedOrInfeasible,
        )
        kind = InfeasibleError if infeasible else UnsolvedError
        raise kind(solver.modelStatusToString(status), taken)

    def _from_nothing(self, cost: Vector, steps: int | None) -> Solution:
        ends = self.low, self.high, self.least, self.most
        return minimise_between(self.A, *ends, cost, "highs-ds", steps)
