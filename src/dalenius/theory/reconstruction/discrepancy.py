"""Partial discrepancy: is reconstruction possible at all under errors of this size?

`D(beta) = min { ||A x||_inf : x in {-1,0,1}^n, more than beta n entries not 0 }`. Dwork, Smith,
Steinke and Ullman (2017), Definition 9, after Muthukrishnan and Nikolov (2012).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalenius.errors import InputError, SolveError
from dalenius.theory import _check

Possibility = Literal["possible", "impossible", "undecided"]

_SLACK = 1e-6
"""Feasibility tolerance of the solver: a proven lower bound must clear it."""

BRANCHED = 3e6
"""Coefficients a second that branching goes through, a branch going through all of them."""


@dataclass(frozen=True, eq=False)
class Discrepancy:
    """What is known about `D(beta)` of one matrix.

    Attributes
    ----------
    beta
        The fraction of people.
    lower, upper
        Proven bounds, equal up to the solver's tolerance when the minimum was found (exactly for
        whole-number matrices). Infinite when no x is allowed.
    minimiser
        An x in {-1,0,1}^n that attains `upper`, or None if there is none.
    """

    beta: float
    lower: float
    upper: float
    minimiser: NDArray[np.int8] | None


@dataclass(frozen=True, eq=False)
class IndistinguishablePair:
    """Two secrets and one release that is accurate for both: proof that attacks fail.

    Attributes
    ----------
    first, second
        0/1 secrets that differ in more than `beta n` people.
    published
        Answers `A (first + second) / 2`.
    error
        Largest error of `published`, in counts, the same for both.
    """

    first: NDArray[np.int8]
    second: NDArray[np.int8]
    published: NDArray[np.float64]
    error: float


def differing_people(n: int, beta: float) -> int:
    """Return the fewest people who are more than `beta n`: `floor(beta n) + 1`.

    Definition 9 of Dwork, Smith, Steinke and Ullman (2017) is strict.

    Examples
    --------
    >>> differing_people(8, 0.25), differing_people(10, 0.3)
    (3, 4)
    """
    if not 0 <= _check.number("beta", beta) < 1:
        raise InputError("beta", "must lie in [0, 1)", repr(beta), "It is a fraction of people.")
    return math.floor(beta * _check.count("n", n) + 1e-12) + 1


def spectral_discrepancy_bound(sigma_min: float, n: int, m: int, beta: float) -> float:
    """Bound `D(beta)` from below by the least singular value.

    Dwork, Smith, Steinke and Ullman (2017), section 2.4.1: `sigma_min sqrt(k / m)`, with the whole
    number `k = floor(beta n) + 1` of differing people in place of the printed `beta n`, which is
    smaller.

    Examples
    --------
    >>> [round(spectral_discrepancy_bound(8**0.5, 8, 8, beta), 6) for beta in (0, 0.5, 0.75)]
    [1.0, 2.236068, 2.645751]
    """
    people = differing_people(n, beta)
    return _check.nonnegative("sigma_min", sigma_min) * math.sqrt(people / _check.count("m", m))


def partial_discrepancy(
    A: ArrayLike, beta: float, *, errors: ArrayLike = 1.0, seconds: float = 60.0
) -> Discrepancy:
    """Compute `D(beta)` by integer programming, or enclose it if that takes too long.

    Dwork, Smith, Steinke and Ullman (2017), Definition 9. With row bounds `errors` the rows are
    measured in units of their own bound: `min max_j |A_j x| / E_j`.

    Parameters
    ----------
    A
        m x n matrix of the linear statistics.
    beta
        Fraction of people, in [0, 1).
    errors
        Unit of each row, one number or one per row; 0 demands `A_j x = 0` exactly.
    seconds
        After how much work to stop and return the bounds found: branches at a fixed rate, not a clock, so
        that every machine finds the same. n = 20, m = 40 takes about a second.

    Raises
    ------
    SolveError
        If the solver stops before it knows anything.

    Examples
    --------
    >>> prefix_sums = np.tril(np.ones((6, 6)))
    >>> found = partial_discrepancy(prefix_sums, 0.5)
    >>> found.lower, found.upper
    (1.0, 1.0)
    """
    matrix = _check.matrix("A", A)
    m, n = matrix.shape
    units = _row_bounds(errors, m)
    people = differing_people(n, beta)
    lower, found = _solve(matrix, units, people, _check.positive("seconds", seconds))
    upper = math.inf if found is None else _height(matrix, units, found)
    lower = max(lower, _spectral(matrix, units, beta))
    if math.isfinite(lower) and np.all(units == 1) and np.all(matrix == np.rint(matrix)):
        lower = float(math.ceil(lower - _SLACK))  # whole numbers only
    return Discrepancy(beta, min(lower, upper), upper, found)


def reconstruction_possibility(found: Discrepancy, error: float = 1.0) -> Possibility:
    """Say whether errors up to `error` leave reconstruction within `beta n` possible.

    Dwork, Smith, Steinke and Ullman (2017), section 2.4.1. Possible: `D(beta) > 2 error`, then every
    secret consistent with the release is within `beta n` people of the truth. Impossible:
    `D(beta) <= 2 error`, then some release is accurate for two secrets more than `beta n` people
    apart, and every attack has more than `beta n / 2` bits wrong on one of them.

    Parameters
    ----------
    found
        Bounds from `partial_discrepancy`.
    error
        Bound on every error, in counts (or in units of the row bounds given there: then 1).

    Returns
    -------
    str
        ``possible``, ``impossible``, or ``undecided`` if the bounds are too far apart.

    Notes
    -----
    The print gives equality to the attacker; prefix sums of four people at error 1/2 leave several
    secrets standing, so equality belongs to the defender. Its closing summary also drops the factor
    2n. "Impossible" is about chosen errors: independent noise of the same size can still be undone.

    Examples
    --------
    >>> found = partial_discrepancy(np.tril(np.ones((4, 4))), 0.5)
    >>> reconstruction_possibility(found, 0.49), reconstruction_possibility(found, 0.5)
    ('possible', 'impossible')
    """
    twice = 2 * _check.nonnegative("error", error)
    if found.upper <= twice * (1 + 1e-12):
        return "impossible"
    exact = found.lower == found.upper
    return "possible" if found.lower > twice + (0 if exact else _SLACK) else "undecided"


def indistinguishable_pair(A: ArrayLike, x: ArrayLike) -> IndistinguishablePair:
    """Turn an x of small `||A x||_inf` into two secrets one release cannot tell apart.

    Dwork, Smith, Steinke and Ullman (2017), section 2.4.1, the converse: the secrets are where x is
    1 and where it is -1; the release is half-way between their answers.

    Examples
    --------
    >>> pair = indistinguishable_pair([[1, 0], [1, 1]], [1, -1])
    >>> pair.first.tolist(), pair.second.tolist(), pair.published.tolist(), pair.error
    ([1, 0], [0, 1], [0.5, 1.0], 0.5)
    """
    matrix, signs = _check.matrix("A", A), _check.vector("x", x)
    if signs.size != matrix.shape[1] or not np.all(np.isin(signs, (-1, 0, 1))):
        fix = "Use the minimiser of partial_discrepancy."
        raise InputError("x", "must hold -1, 0 or 1 for each person", repr(signs.tolist()), fix)
    first, second = (signs == 1).astype(np.int8), (signs == -1).astype(np.int8)
    published: NDArray[np.float64] = matrix @ (first + second) / 2
    return IndistinguishablePair(first, second, published, float(np.abs(matrix @ signs).max() / 2))


def _solve(
    A: NDArray[np.float64], units: NDArray[np.float64], people: int, seconds: float
) -> tuple[float, NDArray[np.int8] | None]:
    """Minimise t over x = u - v: |A_j x| <= t E_j, u + v <= 1, at least `people` non-zeros."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    m, n = A.shape
    one, column = np.eye(n), units[:, None]
    rows = np.block(
        [
            [A, -A, -column],
            [-A, A, -column],
            [one, one, np.zeros((n, 1))],
            [-np.ones((1, 2 * n)), np.zeros((1, 1))],
        ]
    )
    ceilings = np.concatenate([np.zeros(2 * m), np.ones(n), [-people]])
    result = milp(
        np.concatenate([np.zeros(2 * n), [1.0]]),
        integrality=np.concatenate([np.ones(2 * n), [0.0]]),
        bounds=Bounds(np.zeros(2 * n + 1), np.concatenate([np.ones(2 * n), [np.inf]])),
        constraints=LinearConstraint(rows, -np.inf, ceilings),
        options={"node_limit": max(1, int(seconds * BRANCHED / rows.size)), "mip_rel_gap": 0.0},
    )
    if result.status == 2:  # proven infeasible: only rows with bound 0 can do that
        return math.inf, None
    out_of_branches = "Solution limit" in result.message  # SciPy knows no status for it
    if result.status not in (0, 1) and not out_of_branches:
        raise SolveError(f"partial discrepancy: {result.message}")
    bound = result.mip_dual_bound
    lower = float(bound) if bound is not None and math.isfinite(bound) else 0.0
    if result.x is None:
        return lower, None
    return lower, np.rint(result.x[:n] - result.x[n : 2 * n]).astype(np.int8)


def _height(A: NDArray[np.float64], units: NDArray[np.float64], x: NDArray[np.int8]) -> float:
    """Return max_j |A_j x| / E_j, rows with bound 0 being met exactly by construction."""
    sizes = np.abs(A @ x)
    exact = units == 0
    if np.any(sizes[exact] > _SLACK):
        return math.inf
    return float(np.max(sizes[~exact] / units[~exact], initial=0.0))


def _spectral(A: NDArray[np.float64], units: NDArray[np.float64], beta: float) -> float:
    m, n = A.shape
    if m < n or np.any(units == 0):
        return 0.0
    sigma_min = float(np.linalg.svd(A / units[:, None], compute_uv=False)[-1])
    return spectral_discrepancy_bound(sigma_min, n, m, beta)


def _row_bounds(errors: ArrayLike, m: int) -> NDArray[np.float64]:
    values = _check.vector("errors", errors)
    if values.size not in (1, m) or np.any(values < 0):
        got = f"{values.size} numbers, least {float(values.min())}"
        rule = "must be one bound of at least 0, or one per row"
        raise InputError("errors", rule, got, f"Give 1 or {m} numbers.")
    return np.array(np.broadcast_to(values, (m,)))
