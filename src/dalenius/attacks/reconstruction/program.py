"""The one call to the linear programming solver: a failed solve is an error, never a guess."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from dalenius.attacks.reconstruction.system import Whole
from dalenius.errors import SolveError
from dalenius.records.answers import Vector

INFEASIBLE = 2
"""SciPy's status of a program that nothing can meet."""


NODES = 100
"""Branches of an integer program: where so many do not suffice, many secrets fit, and few are certain."""


class InfeasibleError(SolveError):
    """Nothing meets the constraints: an answer about them, not a failure of the solver."""


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
        kind = InfeasibleError if result.status == INFEASIBLE else SolveError
        raise kind(f"the linear program was not solved: {result.message}")
    return result


def minimise_between(
    A: sparse.csr_array,
    low: Vector,
    high: Vector,
    least: Whole,
    most: Whole,
    cost: Vector,
    method: str,
    seconds: float = np.inf,
) -> tuple[float, Vector, Vector]:
    """Solve for the smallest ``cost @ x`` over ``low <= A x <= high``, ``least <= x <= most``.

    Returns the value, a point that attains it, and a multiplier a row: positive where its lower end holds the
    value up, negative where its upper end does.

    Examples
    --------
    >>> A = sparse.csr_array(np.array([[1.0, 1.0]]))
    >>> ends = np.array([1.0]), np.array([3.0]), np.array([0, 0]), np.array([2, 2])
    >>> value, _, multipliers = minimise_between(A, *ends, np.array([1.0, 1.0]), "highs-ds")
    >>> value, multipliers.tolist()
    (1.0, [1.0])
    """
    above, below = np.isfinite(high), np.isfinite(low)
    solved = minimise(
        cost,
        A_ub=sparse.vstack([A[above], -A[below]], format="csr"),
        b_ub=np.concatenate([high[above], -low[below]]),
        bounds=np.stack([least, most], axis=1),
        method=method,
        options={"time_limit": seconds},
    )
    sides = np.asarray(solved.ineqlin.marginals, np.float64)
    multipliers = np.zeros(low.size)
    multipliers[above] += sides[: int(above.sum())]
    multipliers[below] -= sides[int(above.sum()) :]
    return float(solved.fun), np.asarray(solved.x, np.float64), multipliers


def whole_point(
    A: sparse.csr_array, low: Vector, high: Vector, least: Whole, most: Whole, seconds: float
) -> Whole | None:
    """Look for whole numbers that meet all rows, for so many seconds; to be checked before use.

    Examples
    --------
    >>> A = sparse.csr_array(np.array([[1.0, 1.0]]))
    >>> whole_point(A, np.array([4.0]), np.array([4.0]), np.array([0, 0]), np.array([2, 2]), 1.0).tolist()
    [2, 2]
    """
    from scipy.optimize import Bounds, LinearConstraint, milp

    solved: Any = milp(
        np.zeros(least.size),
        integrality=np.ones(least.size, np.int64),
        bounds=Bounds(least, most),
        constraints=LinearConstraint(A, low, high),
        options={"time_limit": seconds, "node_limit": NODES},
    )
    return None if solved.x is None else np.rint(solved.x).astype(np.int64)
