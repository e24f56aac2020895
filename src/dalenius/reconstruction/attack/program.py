"""The one call to the solver of linear programs, where a failure is an error and never a guess; and bounds.

A bound that holds in spite of rounding: what multipliers of a linear program prove.

A solver works with tolerances, so its optimum proves nothing by itself. Its multipliers do. For any numbers
``y`` and any ``x`` between its ends, ``c x = y (A x) + (c - A' y) x``, and both terms are at least what their
intervals allow (Neumaier and Shcherbina 2004). Here that sum is taken in floating point, and all that its
additions can have lost is subtracted. Secrets are whole numbers, so a bound that is off by a thousandth
still tells 0 from 1.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
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


class Solver(NamedTuple):
    """How a linear program is solved: by ``highs-ds`` (simplex) or ``highs-ipm`` (interior point).

    ``steps`` is how many it may take; without it, as many as it wants.
    """

    method: str
    steps: int | None = None


def minimise_between(
    A: sparse.csr_array,
    low: Vector,
    high: Vector,
    least: Whole,
    most: Whole,
    cost: Vector,
    solver: Solver,
) -> Solution:
    """Solve for the smallest ``cost @ x`` over ``low <= A x <= high``, ``least <= x <= most``.

    Examples
    --------
    >>> A = sparse.csr_array(np.array([[1.0, 1.0]]))
    >>> ends = np.array([1.0]), np.array([3.0]), np.array([0, 0]), np.array([2, 2])
    >>> solved = minimise_between(A, *ends, np.array([1.0, 1.0]), Solver("highs-ds"))
    >>> solved.value, solved.multipliers.tolist()
    (1.0, [1.0])
    """
    above, below = np.isfinite(high), np.isfinite(low)
    solved = minimise(
        cost,
        A_ub=sparse.vstack([A[above], -A[below]], format="csr"),
        b_ub=np.concatenate([high[above], -low[below]]),
        bounds=np.stack([least, most], axis=1),
        method=solver.method,
        options={} if solver.steps is None else {"maxiter": solver.steps},
    )
    sides = np.asarray(solved.ineqlin.marginals, np.float64)
    multipliers = np.zeros(low.size)
    multipliers[above] += sides[: int(above.sum())]
    multipliers[below] -= sides[int(above.sum()) :]
    return Solution(float(solved.fun), np.asarray(solved.x, np.float64), multipliers, int(solved.nit))


UNIT = 2.0**-53
"""Relative error of one operation in double precision."""

MARGIN = 1e-9
"""Part by which a quotient may be too small."""


def proved_minimum(
    A: sparse.csr_array,
    low: Vector,
    high: Vector,
    least: Whole,
    most: Whole,
    cost: Vector,
    multipliers: Vector,
) -> float:
    """A number that ``cost @ x`` never falls below where ``low <= A x <= high`` and ``least <= x <= most``.

    Whatever the multipliers are, the bound holds; it is good where they are near those of the minimum.

    Examples
    --------
    >>> A = sparse.csr_array(np.array([[1.0, 1.0]]))
    >>> ends = np.array([1.0]), np.array([3.0]), np.array([0, 0]), np.array([2, 2])
    >>> round(proved_minimum(A, *ends, np.array([1.0, 1.0]), np.array([1.0])), 9)
    1.0
    >>> round(proved_minimum(A, *ends, np.array([1.0, 1.0]), np.array([0.3])), 9)  # worse, and still true
    0.3
    """
    y = _usable(multipliers[:, None], low, high)
    return float(_proved(A, low, high, least, most, cost[:, None], y)[0])


def proved_minima(
    A: sparse.csr_array,
    low: Vector,
    high: Vector,
    least: Whole,
    most: Whole,
    cost: NDArray[np.float64],
    multipliers: NDArray[np.float64],
) -> Vector:
    """The same for many costs, one per column, with a column of multipliers each."""
    return _proved(A, low, high, least, most, cost, _usable(multipliers, low, high))


def proved_ends(
    A: sparse.csr_array, low: Vector, high: Vector, least: Whole, most: Whole, multipliers: Vector
) -> tuple[Whole, Whole]:
    """What multipliers prove about every unknown at once: ends that no whole numbers that fit go beyond.

    For any ``y`` and any ``x`` that fits, ``0 = y (A x) - (A' y) x``. The term of every row and unknown is at
    least what its interval allows. With all but one of them there, what is left up to 0 is all by which that
    one can be away from the end that its sign pulls it to: so a solver's reduced costs fix unknowns. Nothing
    fits where a least is above its most.

    Examples
    --------
    >>> A = sparse.csr_array(np.array([[1.0, 1.0, 0.0], [1.0, 0.0, 1.0]]))
    >>> ends = np.array([0.0, 2.0]), np.array([1.0, 3.0]), np.array([0, 0, 0]), np.array([1, 1, 1])
    >>> least, most = proved_ends(A, *ends, np.array([0.0, 1.0]))
    >>> least.tolist(), most.tolist()  # two of two
    ([1, 0, 1], [1, 1, 1])
    """
    y = _usable(multipliers[:, None], low, high)
    nothing = np.zeros((least.size, 1))
    room = -float(_proved(A, low, high, least, most, nothing, y)[0])
    pull = -(A.T @ y[:, 0])
    # a pull is believed without what its own additions can have lost
    sure = np.abs(pull) - 2 * (A.shape[0] + 4) * UNIT * (abs(A).T @ np.abs(y[:, 0]))
    width = (most - least).astype(np.float64)
    away = np.divide(room * (1 + MARGIN), sure, out=width.copy(), where=sure > 0)
    steps = np.floor(np.clip(away, -1.0, width)).astype(np.int64)
    return np.where(pull < 0, most - steps, least), np.where(pull > 0, least + steps, most)


def _usable(multipliers: NDArray[np.float64], low: Vector, high: Vector) -> NDArray[np.float64]:
    """Multipliers without those that would use an end that is not there."""
    y = np.where(np.isfinite(multipliers), multipliers, 0.0)
    missing = ((y > 0) & ~np.isfinite(low)[:, None]) | ((y < 0) & ~np.isfinite(high)[:, None])
    return np.where(missing, 0.0, y)


def _proved(
    A: sparse.csr_array,
    low: Vector,
    high: Vector,
    least: Whole,
    most: Whole,
    cost: NDArray[np.float64],
    y: NDArray[np.float64],
) -> Vector:
    transpose = sparse.csr_array(A.T)
    end = np.where(y > 0, np.where(np.isfinite(low), low, 0.0)[:, None], 0.0)
    end = np.where(y < 0, np.where(np.isfinite(high), high, 0.0)[:, None], end)
    by_rows = y * end
    rest = cost - transpose @ y
    bottom, top = least.astype(np.float64)[:, None], most.astype(np.float64)[:, None]
    by_unknowns = np.where(rest > 0, rest * bottom, rest * top)
    bound = by_rows.sum(axis=0) + by_unknowns.sum(axis=0)
    # no term passes through more additions than there are rows and unknowns
    additions = sum(A.shape) + 4
    far = np.maximum(np.abs(bottom), np.abs(top))
    size = np.abs(by_rows).sum(axis=0) + ((np.abs(cost) + abs(transpose) @ np.abs(y)) * far).sum(axis=0)
    lost: Vector = 2 * additions * UNIT * size
    return np.asarray(bound - lost, np.float64)
