"""Linear programs of decoders: many that differ in what is minimised, one in the middle, one of misses.

The point in the middle of all that meets some rows comes of interior points that stay inside. No corner is
looked for at the end, which in large programs takes longer than all the rest.

Many linear programs that differ only in what is minimised, each started from the solution before it.

SciPy solves every program from nothing. The HiGHS inside it can keep a model open, and then the last basis is
still feasible and a few steps suffice; that door is not one SciPy promises to keep, so where it is closed
every program is solved from nothing, with the same results.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from dalenius.matrices.answers import Vector
from dalenius.matrices.highs import open_highs, opened
from dalenius.matrices.operators import Operator
from dalenius.reconstruction.attack.program import (
    InfeasibleError,
    Solution,
    Solver,
    UnsolvedError,
    minimise_between,
)
from dalenius.reconstruction.attack.system.system import Whole


def middle(A: sparse.csr_array, low: Vector, high: Vector, least: Whole, most: Whole, steps: int) -> Solution:
    """Some point near the middle of all that meet ``low <= A x <= high``, ``least <= x <= most``.

    After so many steps it is taken as it is, and may miss rows by a little. Its multipliers are not 0 for
    rows that hold an unknown at its end. Where the HiGHS inside SciPy cannot be reached, SciPy goes on to a
    corner, and the multipliers say nothing.

    Raises
    ------
    UnsolvedError
        If the solver has no point, or says that there is none.

    Examples
    --------
    >>> A = sparse.csr_array(np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]))
    >>> ends = np.array([1.0, 1.0]), np.array([1.0, 3.0]), np.array([0, 0, 0]), np.array([2, 2, 1])
    >>> middle(A, *ends, 99).point.round(2).tolist()
    [0.5, 0.5, 1.0]
    """
    nothing = np.zeros(least.size)
    highs = open_highs()
    if highs is None:
        return minimise_between(A, low, high, least, most, nothing, Solver("highs-ipm"))
    solver = opened(highs, A, low, high, least, most)
    for option, value in (("solver", "ipm"), ("run_crossover", "off"), ("presolve", "off")):
        solver.setOptionValue(option, value)
    solver.setOptionValue("ipm_iteration_limit", steps)
    solver.run()
    status, taken = solver.getModelStatus(), max(0, int(solver.getInfo().ipm_iteration_count))
    found = solver.getSolution()
    good = (highs.HighsModelStatus.kOptimal, highs.HighsModelStatus.kIterationLimit)
    if status not in good or not found.value_valid:
        raise UnsolvedError(solver.modelStatusToString(status), taken)
    return Solution(0.0, np.asarray(found.col_value), np.asarray(found.row_dual), taken)


LEAST_MISS = 0.01
"""Mean miss, in scales, below which gaps are relative to it: a sum of almost nothing needs no more digits."""


@dataclass(frozen=True)
class Misses:
    """The program: rows with their intervals and scales, and the box of the unknowns."""

    A: Operator
    low: Vector
    high: Vector
    scale: Vector
    least: Vector
    most: Vector

    def value(self, x: Vector) -> float:
        """The sum of scaled misses at ``x``: no optimum is above it, if ``x`` is in the box."""
        image = self.A.apply(x)
        miss = np.maximum(np.maximum(self.low - image, image - self.high), 0.0)
        return float((miss / self.scale).sum())

    def bound(self, dual: Vector) -> float:
        """What the sum of scaled misses cannot be below, whatever the unknowns: the dual program's value.

        For ``|y| <= 1`` a miss is at least ``y (A x - c) / scale`` for some ``c`` of its interval, so the
        sum is at least the smallest value of ``(A^T (y / scale)) . x`` in the box, less the largest of
        ``(y / scale) . c``.

        Parameters
        ----------
        dual
            One number per row; what is outside of -1 .. 1, or points to an infinite end, is moved inside.
        """
        floor, ceiling = np.isneginf(self.low) - 1.0, 1.0 - np.isposinf(self.high)
        y = np.clip(dual, floor, ceiling) / self.scale
        ends = np.where(y > 0, self.high, np.where(y < 0, self.low, 0.0))
        slope = self.A.apply_transpose(y)
        return float(np.minimum(slope * self.least, slope * self.most).sum() - (y * ends).sum())


@dataclass(frozen=True)
class LeastMisses:
    """A solution with its certificate.

    Parameters
    ----------
    x
        The solution, inside of the box.
    value
        Its sum of scaled misses.
    bound
        What no solution can be below, computed in double precision.
    dual
        The point of the dual program that proves the bound.
    iterations
        How many rounds it took.
    """

    x: Vector
    value: float
    bound: float
    dual: Vector
    iterations: int

    @property
    def gap(self) -> float:
        """How far above the optimum the solution is at the most, relative to the misses."""
        return relative_gap(self.value, self.bound, self.dual.size)


def relative_gap(value: float, bound: float, rows: int) -> float:
    """The distance between a value and a bound, relative to the value or to almost nothing."""
    return (value - bound) / max(value, LEAST_MISS * rows)


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
        return minimise_between(self.A, *ends, cost, Solver("highs-ds", steps))
