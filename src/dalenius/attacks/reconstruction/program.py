"""The one call to the linear programming solver: a failed solve is an error, never a guess."""

from __future__ import annotations

from typing import Any

from dalenius.errors import SolveError

INFEASIBLE = 2
"""SciPy's status of a program that nothing can meet."""


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
