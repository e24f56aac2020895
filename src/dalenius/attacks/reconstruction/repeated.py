"""Many linear programs that differ only in what is minimised, each started from the solution before it.

SciPy solves every program from nothing. The HiGHS inside it can keep a model open, and then the last basis is
still feasible and a few steps suffice; that door is not one SciPy promises to keep, so where it is closed
every program is solved from nothing, with the same results.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from scipy import sparse

from dalenius.attacks.reconstruction.program import InfeasibleError, minimise_between
from dalenius.attacks.reconstruction.system import Whole
from dalenius.errors import SolveError
from dalenius.records.answers import Vector

PRIMAL_SIMPLEX = 4
"""HiGHS's word for the simplex that keeps a feasible basis feasible."""


@cache
def open_highs() -> Any:
    """The HiGHS inside SciPy, or ``None`` in a SciPy that keeps it elsewhere; half a second on first use."""
    try:
        from scipy.optimize._highspy import _core
    except ImportError:
        return None
    return _core


class Repeated:
    """Linear programs over ``low <= A x <= high``, ``least <= x <= most``.

    Examples
    --------
    >>> A = sparse.csr_array(np.array([[1.0, 1.0]]))
    >>> sums = Repeated(A, np.array([1.0]), np.array([3.0]), np.array([0, 0]), np.array([2, 2]))
    >>> [round(sums.minimise(np.array(cost))[0], 6) for cost in ([1.0, 1.0], [-1.0, -1.0])]
    [1.0, -3.0]
    """

    def __init__(self, A: sparse.csr_array, low: Vector, high: Vector, least: Whole, most: Whole) -> None:
        self.A, self.low, self.high, self.least, self.most = A, low, high, least, most
        self._highs = open_highs()
        self._open = None if self._highs is None else self._opened()

    def minimise(self, cost: Vector) -> tuple[float, Vector]:
        """Return the smallest ``cost @ x`` and an ``x`` that attains it.

        Raises
        ------
        InfeasibleError
            If no ``x`` meets the constraints.
        SolveError
            If the solver stopped without an answer.
        """
        value, point, _ = self.solve(cost)
        return value, point

    def solve(self, cost: Vector) -> tuple[float, Vector, Vector]:
        """Return also the multipliers of the rows: positive where the lower end holds the value up."""
        return self._from_nothing(cost) if self._open is None else self._from_before(cost)

    def _opened(self) -> Any:
        model, columns = self._highs.HighsLp(), self.A.tocsc()
        model.num_row_, model.num_col_ = columns.shape
        model.a_matrix_.num_row_, model.a_matrix_.num_col_ = columns.shape
        model.a_matrix_.format_ = self._highs.MatrixFormat.kColwise
        model.a_matrix_.start_, model.a_matrix_.index_ = columns.indptr, columns.indices
        model.a_matrix_.value_ = columns.data
        model.col_cost_ = np.zeros(columns.shape[1])
        model.col_lower_, model.col_upper_ = self.least.astype(np.float64), self.most.astype(np.float64)
        model.row_lower_, model.row_upper_ = self.low, self.high
        solver = self._highs._Highs()
        solver.setOptionValue("output_flag", False)
        solver.setOptionValue("threads", 1)
        solver.setOptionValue("simplex_strategy", PRIMAL_SIMPLEX)
        solver.passModel(model)
        return solver

    def _from_before(self, cost: Vector) -> tuple[float, Vector, Vector]:
        solver: Any = self._open
        columns = np.arange(cost.size, dtype=np.int32)
        solver.changeColsCost(cost.size, columns, cost)
        solver.run()
        status = solver.getModelStatus()
        if status == self._highs.HighsModelStatus.kOptimal:
            found = solver.getSolution()
            point, multipliers = np.asarray(found.col_value), np.asarray(found.row_dual)
            return float(solver.getObjectiveValue()), point, multipliers
        infeasible = status in (
            self._highs.HighsModelStatus.kInfeasible,
            self._highs.HighsModelStatus.kUnboundedOrInfeasible,
        )
        kind = InfeasibleError if infeasible else SolveError
        raise kind(f"the linear program was not solved: {solver.modelStatusToString(status)}")

    def _from_nothing(self, cost: Vector) -> tuple[float, Vector, Vector]:
        return minimise_between(self.A, self.low, self.high, self.least, self.most, cost, "highs-ds")
