"""How large the errors are when the publisher does not say, and what that makes of a real-valued solution."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, logit

from dalenius.matrices.answers import Vector
from dalenius.reconstruction.attack.system.system import EDGE, LEAST_SD, LinearSystem

MAD_TO_SD = 1.4826
"""Median absolute deviation of a Gaussian, turned into a standard deviation."""

LITTLE, NEVER_SURE = 0.25, 0.01
"""Share of everybody that is seen below which a linear rule is taken at its word, but never as sure."""


def row_scale(system: LinearSystem, residual: Vector | None = None) -> Vector:
    """One standard deviation a row, at least `least_scale`; estimated where nothing was announced.

    Parameters
    ----------
    system
        The equations.
    residual
        ``centre - A r`` of some first solution, from which unknown noise is estimated; its median, not
        its mean square, so that a few wild answers do not hide the rest.
    """
    unknown = np.isnan(system.sd)
    guess = LEAST_SD
    if unknown.any() and residual is not None:
        freedom = max(1.0 - system.unknowns / residual.size, 0.1)
        guess = MAD_TO_SD * float(np.median(np.abs(residual[unknown]))) / freedom**0.5
    spread = np.where(np.isfinite(system.spread), system.spread, guess)
    return np.maximum(np.where(unknown, guess, spread), least_scale(system))


def least_scale(system: LinearSystem) -> Vector:
    """``LEAST_SD`` in the units of each row: counts have coefficients 1, other equations have their own."""
    if system.counting.all():
        return np.full(system.centre.size, LEAST_SD)
    matrix = system.A.explicit()
    entries = np.maximum(np.diff(matrix.indptr), 1)
    size = np.sqrt(matrix.power(2).sum(axis=1) / entries)
    # a row of zeros says nothing at any scale, but must have one
    return np.asarray(LEAST_SD * np.where(size > 0, size, 1.0), np.float64)


def shares(solution: Vector, variance: Vector, system: LinearSystem) -> Vector:
    """Turn a real-valued solution into probabilities.

    For one person with a Gaussian error of this variance ``logit P = logit p + (r - 1/2) / variance``; for a
    group the solution is read as the share of the sum.
    """
    single = logistic_share(solution, variance, system.prior)
    group = np.clip(solution / system.sizes, EDGE, 1 - EDGE)
    return np.where(system.sizes == 1, single, group)


def shares_from_outside(solution: Vector, system: LinearSystem) -> Vector:
    """Turn a solution whose variance is not known into probabilities, by what it looks like.

    With fewer equations than people the solution nearest to the prior is ``p + R (s - p)`` with ``R`` a
    projection: everybody is seen to the share ``R_ii`` only, through the secrets of all others, of variance
    ``v R_ii (1 - R_ii)`` with ``v = p (1 - p)``. The mean of ``(r - p)^2 / v`` estimates the mean share.
    Divided by it the solution reads everybody once, with variance ``v (1 - R) / R``. A solution that has at
    least the prior's variance is seen whole, through noise; one with little of it is mostly what is usual for
    people like them, and the linear rule's value is the probability itself.

    Examples
    --------
    >>> from scipy import sparse
    >>> from dalenius.matrices.operators import SparseRows
    >>> one = np.ones(2, np.int64)
    >>> y = np.array([0.6])
    >>> both = SparseRows(sparse.csr_array([[1.0, 1.0]]))
    >>> system = LinearSystem(both, y, y, y, y * 0, "none", one, one * 0, one, np.array([0.3, 0.3]),
    ...                       np.array([True]))
    >>> shares_from_outside(np.array([0.3, 0.3]), system).round(3)  # nothing was learnt: the prior
    array([0.3, 0.3])
    """
    prior = np.clip(system.prior, EDGE, 1 - EDGE)
    apart = (solution / system.sizes - prior) ** 2 * system.sizes
    seen = float(np.mean(apart) / np.mean(prior * (1 - prior)))
    if seen >= 1:
        return shares(solution, np.full(system.unknowns, rounding_variance(solution, system)), system)
    group = np.clip(solution / system.sizes, EDGE, 1 - EDGE)
    if seen < LITTLE:
        return np.where(system.sizes == 1, np.clip(solution, NEVER_SURE, 1 - NEVER_SURE), group)
    # the odds of a reading (r - p) / R of variance v (1 - R) / R, written so that R may be 0
    odds = logit(prior) + (solution - prior - seen * (0.5 - prior)) / (prior * (1 - prior) * (1 - seen))
    return np.where(system.sizes == 1, np.asarray(expit(odds), np.float64), group)


def logistic_share(solution: Vector, variance: Vector, prior: Vector) -> Vector:
    """The probability of 1 given a noisy reading of a 0/1 value.

    Examples
    --------
    >>> float(logistic_share(np.array([0.5]), np.array([0.1]), np.array([0.5]))[0])
    0.5
    """
    odds = logit(np.clip(prior, EDGE, 1 - EDGE)) + (solution - 0.5) / np.maximum(variance, EDGE)
    return np.asarray(expit(odds), np.float64)


def rounding_variance(solution: Vector, system: LinearSystem) -> float:
    """How far a solution lies from whole numbers, as a variance: what its errors look like from outside.

    Used only where the variance cannot be computed; it is too small once errors pass one half.
    """
    off = solution - np.clip(np.round(solution), system.least, system.most)
    return max(float(np.mean(off * off)), 1e-4)
