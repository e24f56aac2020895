"""The one call to the linear programming solver: a failed solve is an error, never a guess."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from dalenius.errors import SolveError
from dalenius.matrices.answers import Vector
from dalenius.reconstruction.attack.system.system import Whole

INFEASIBLE = 2
"""SciPy's status of a program that nothing can meet."""


class UnsolvedError(SolveError):
    """The solver stopped without an optimum, after so many steps."""

    def __init__(self, why: str, steps: int) -> None:
        super().__init__(f"the linear program was not solved: {why}")
        self.steps = steps


class InfeasibleError(UnsolvedError):
    """Nothing meets the constraints: an answer about them, not a failure of the solver."""


class Solution(NamedTuple):
    """Where a linear program is smallest.

    ``multipliers``, one number per row: positive where its lower end holds the value up, negative where its
    upper end does. ``steps`` are those that the solver took: the same on every machine, unlike its seconds.
    """

    value: float
    point: Vector
    multipliers: Vector
    steps: int


def minimise(cost: Any, *, method: str, **constraints: Any) -> Any:
    """Solve a linear program with HiGHS and return its result.

    Parameters
    ----------
    cost
        What to minimise.
    method
        ``highs-ds`` (simplex) or ``highs-ipm`` (interior point).
    constraints
        ``A_ub``, ``b_ub``, ``A_eq``, ``b_eq`` (sparse matrices allowed) and ``bounds``, as SciPy takes them.

    Examples
    --------
    >>> float(minimise([1.0], method="highs-ds", bounds=[(2.0, 3.0)]).fun)
    2.0
    """
    from scipy.optimize import linprog

    solve: Any = linprog  # SciPy's type stubs do not know that HiGHS takes sparse matrices
    result = solve(cost, method=method, **constraints)
    if result.status != 0:
        kind = InfeasibleError if result.status == INFEASIBLE else UnsolvedError
        raise kind(result.message, int(result.nit or 0))
    return result


def minimise_between(
    A: sparse.csr_array,
    low: Vector,
    high: Vector,
    least: Whole,
    most: Whole,
    cost: Vector,
    method: str,
    steps: int | None = None,
) -> Solution:
    """Solve for the smallest ``cost @ x`` over ``low <= A x <= high``, ``least <= x <= most``.

    ``steps`` is how many the solver may take; without it, as many as it wants.

    Examples
    --------
    >>> A = sparse.csr_array(np.array([[1.0, 1.0]]))
    >>> ends = np.array([1.0]), np.array([3.0]), np.array([0, 0]), np.array([2, 2])
    >>> solved = minimise_between(A, *ends, np.array([1.0, 1.0]), "highs-ds")
    >>> solved.value, solved.multipliers.tolist()
    (1.0, [1.0])
    """
    above, below = np.isfinite(high), np.isfinite(low)
    solved = minimise(
        cost,
        A_ub=sparse.vstack([A[above], -A[below]], format="csr"),
        b_ub=np.concatenate([high[above], -low[below]]),
        bounds=np.stack([least, most], axis=1),
        method=method,
        options={} if steps is None else {"maxiter": steps},
    )
    sides = np.asarray(solved.ineqlin.marginals, np.float64)
    multipliers = np.zeros(low.size)
    multipliers[above] += sides[: int(above.sum())]
    multipliers[below] -= sides[int(above.sum()) :]
    return Solution(float(solved.fun), np.asarray(solved.x, np.float64), multipliers, int(solved.nit))
