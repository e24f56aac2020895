"""What LP decoding recovers, and how flat the range of a matrix must be for it.

How flat the range of a matrix is: the constant that LP decoding needs, estimated from above.

`a = min over x of ||A x||_1 / (sqrt(m) ||A x||_2)` (Kasiviswanathan, Rudelson and Smith 2013, section 2.2).
Its exact value is hard to compute; every x gives an upper bound. A proven lower bound is
`lp.section_lower_bound`.

LP decoding: minimise `||A r - y||_1`, which shrugs off a fraction of wild answers.

Letters: `a` the Euclidean-section constant of `A`, `||A x||_1 >= a sqrt(m) ||A x||_2` for all x; `g`
the fraction of answers that are arbitrarily wrong; `error` the bound on all other errors, in counts.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalenius.errors import InputError, SolveError
from dalenius.theory import _check
from dalenius.theory.reconstruction.rounding import rounding_wrong_bound

DIRECTIONS = 20


STEPS = 200


STEP = 0.3


def section_upper_estimate(A: ArrayLike, *, rng: np.random.Generator) -> float:
    """Search for the least flat vector in the range of `A`; the truth is at most this.

    Projected subgradient descent of `||v||_1 / sqrt(m)` over unit vectors v of the range, started from the
    projection of every unit coordinate vector and from random directions.

    Parameters
    ----------
    A
        m x n matrix of the linear statistics.
    rng
        Draws the random directions.

    Examples
    --------
    >>> spike = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    >>> round(section_upper_estimate(spike, rng=np.random.default_rng(1)), 6)
    0.57735
    """
    basis = _range(_check.matrix("A", A))
    m, rank = basis.shape
    start = np.concatenate([basis.T, rng.standard_normal((rank, DIRECTIONS))], axis=1)
    start = start[:, np.linalg.norm(start, axis=0) > 1e-12]
    at = start / np.linalg.norm(start, axis=0)
    best = np.inf
    for step in range(1, STEPS + 1):
        vectors = basis @ at
        best = min(best, float(np.abs(vectors).sum(axis=0).min()))
        slope = basis.T @ np.sign(vectors) / np.sqrt(m)
        slope -= at * (slope * at).sum(axis=0)  # along the sphere
        at = at - STEP / np.sqrt(step) * slope
        at /= np.linalg.norm(at, axis=0)
    return min(1.0, best / float(np.sqrt(m)))


def _range(A: NDArray[np.float64]) -> NDArray[np.float64]:
    """An orthonormal basis of the range."""
    left, sizes, _ = np.linalg.svd(A, full_matrices=False)
    tolerance = sizes[0] * max(A.shape) * np.finfo(np.float64).eps
    if sizes[0] == 0:
        raise InputError("A", "must have a non-zero row", "only zeros", "Drop empty statistics.")
    basis: NDArray[np.float64] = left[:, sizes > tolerance]
    return basis


def lp_gross_fraction_limit(section: float) -> float:
    """Return the fraction of wild answers below which LP decoding is safe: `a^2 / 4`.

    Kasiviswanathan, Rudelson and Smith (2013), Theorem 2.2, leaves this `gamma(alpha)` unspecified.
    Strict: at this very fraction nothing is promised.

    Parameters
    ----------
    section
        Euclidean-section constant `a` of the query matrix, above 0 and at most 1.

    Examples
    --------
    >>> lp_gross_fraction_limit(0.5)
    0.0625
    """
    return _section(section) ** 2 / 4


def lp_wrong_bound(
    m: int, error: float, sigma_min: float, section: float, gross_fraction: float = 0.0
) -> float:
    """Bound the number of wrong bits of LP decoding.

    Kasiviswanathan, Rudelson and Smith (2013), Theorem 2.2, with explicit constants:
    `16 m error^2 / (sigma_min^2 (a - 2 sqrt g)^2)` for `g < a^2/4`.

    Parameters
    ----------
    m
        Answers.
    error
        Largest error, in counts, of the answers that are not wild.
    sigma_min
        Least singular value of `A`, above 0.
    section
        Euclidean-section constant `a`, or a lower bound such as `section_lower_bound`.
    gross_fraction
        Fraction `g` of wild answers.

    Returns
    -------
    float
        Upper bound of the number of wrong bits; 0 when `error` is 0.

    Notes
    -----
    The print gives `O(error sqrt(m n) / sigma_min)`, true and weaker. Restricting to the box [0, 1]^n
    keeps the guarantee. The theorems that use it say "at most" a 1 - gamma fraction is small; "at
    least" is meant.

    Examples
    --------
    >>> lp_wrong_bound(320, 0.0, 4.0, 0.56, 0.05)
    0.0
    >>> round(lp_wrong_bound(320, 0.1, 4.0, 0.56), 3)
    10.204
    """
    g = _check.closed_unit("gross_fraction", gross_fraction)
    limit = lp_gross_fraction_limit(section)
    if g >= limit:
        rule = f"must be below section^2 / 4 = {limit:.6g}"
        raise InputError("gross_fraction", rule, repr(g), "The theorem says nothing beyond.")
    slack = _check.positive("sigma_min", sigma_min) * (section - 2 * math.sqrt(g))
    distance = 2 * _check.nonnegative("error", error) * math.sqrt(_check.count("m", m)) / slack
    return rounding_wrong_bound(distance**2)


def tau1(A: ArrayLike) -> float:
    """Return `tau1 = max_x ||A x||_inf / ||A x||_1`, by one linear program per row.

    How much of the total one answer can carry. In neither paper; a certificate for LP decoding that
    needs no Euclidean-section constant, see `gross_errors_tolerated`.

    Raises
    ------
    SolveError
        If a linear program stops without an optimum.

    Examples
    --------
    >>> round(tau1([[1, 0], [0, 1], [1, 1]]), 10)
    0.5
    """
    values = _check.matrix("A", A)
    rows = np.flatnonzero(np.any(values != 0, axis=1))
    if rows.size == 0:
        raise InputError("A", "must have a non-zero row", "only zeros", "Drop empty statistics.")
    return max(1 / _least_total(values, int(row)) for row in rows)


def _least_total(A: NDArray[np.float64], row: int) -> float:
    """Minimise `||A x||_1` over the x with `(A x)_row = 1`.

    Solved in the dual, a third of the time: the largest t with `A^T y = t A_row` for some `|y_j| <= 1`.
    """
    from scipy.optimize import linprog

    m, n = A.shape
    result = linprog(
        np.append(np.zeros(m), -1.0),
        A_eq=np.column_stack([A.T, -A[row]]),
        b_eq=np.zeros(n),
        bounds=[(-1.0, 1.0)] * m + [(None, None)],
        method="highs-ds",
    )
    if result.status != 0 or result.fun is None:
        raise SolveError(f"tau1: the linear program of row {row} failed: {result.message}")
    return -float(result.fun)


def gross_errors_tolerated(tau: float) -> int:
    """Return how many wild answers LP decoding provably survives: the largest t < 1/(2 tau1).

    In neither paper: with `t` wild answers anywhere and the others exact, the truth is the only
    optimum if the columns of `A` are independent.

    Parameters
    ----------
    tau
        The `tau1` of the query matrix.

    Examples
    --------
    >>> gross_errors_tolerated(2 / 7), gross_errors_tolerated(0.5)
    (1, 0)
    """
    half = 1 / (2 * _check.positive("tau", tau))
    nearest = round(half)
    return nearest - 1 if math.isclose(half, nearest, rel_tol=1e-9) else math.floor(half)


def lp_wrong_bound_from_tau1(m: int, error: float, sigma_min: float, tau: float, gross: int) -> float:
    """Bound the number of wrong bits of LP decoding by the `tau1` certificate.

    Optimality gives `||A(r - s)||_1 <= 2 m error / (1 - 2 t tau1)`; the Euclidean norm is no larger
    than the 1-norm, so at most `4 (2 m error / (sigma_min (1 - 2 t tau1)))^2` bits are wrong.

    Parameters
    ----------
    m, error, sigma_min
        As in `lp_wrong_bound`.
    tau
        The `tau1` of the query matrix.
    gross
        Number `t` of wild answers, at most `gross_errors_tolerated(tau)`.

    Examples
    --------
    >>> round(lp_wrong_bound_from_tau1(10, 0.01, 1.5, 2 / 7, 1), 6)
    0.38716
    """
    limit = gross_errors_tolerated(tau)
    if _check.count("gross", gross, at_least=0) > limit:
        raise InputError("gross", f"must be at most {limit}", repr(gross), "Not certified beyond.")
    total = 2 * _check.count("m", m) * _check.nonnegative("error", error) / (1 - 2 * gross * tau)
    return rounding_wrong_bound((total / _check.positive("sigma_min", sigma_min)) ** 2)


def section_lower_bound(m: int, tau: float) -> float:
    """Return a proven lower bound of the Euclidean-section constant: `1 / sqrt(m tau1)`.

    In neither paper: `||v||_2^2 <= ||v||_inf ||v||_1 <= tau1 ||v||_1^2` for every v in the range.

    Examples
    --------
    >>> round(section_lower_bound(10, 2 / 7), 6)
    0.591608
    """
    return min(1.0, 1 / math.sqrt(_check.count("m", m) * _check.positive("tau", tau)))


def _section(section: float) -> float:
    value = _check.positive("section", section)
    if value > 1:
        raise InputError("section", "must be at most 1", repr(value), "Divide by sqrt(m).")
    return value
