"""What follows from exact equations by elimination: sums that their row space determines.

One factorisation says of every sum at once whether a combination of the exact rows is that sum alone, where
linear programs would take two per sum. It is done in floating point; the combination that is found is then
held to a bound that does not depend on rounding, so a wrong pivot costs a finding and never makes one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import lapack, solve_triangular

from dalenius.matrices.answers import Vector
from dalenius.reconstruction.attack.program import proved_minima
from dalenius.reconstruction.attack.system.system import Whole

SIDE_LIMIT = 5_000
"""Unknowns up to which a part is eliminated: a factorisation of a quarter of a minute."""

RATE = 8e9
"""Floating-point operations a second."""

PIVOT = 1e-9
"""Pivots below this share of the largest count as 0."""

DETERMINED = 1e-6
"""Size up to which the other sums in a combination are taken as not there; the bound then decides."""

AT_ONCE = 256
"""Combinations that are bounded at a time."""


def elimination_seconds(rows: int, unknowns: int) -> float:
    """What the test will take."""
    return (2.0 * rows + min(rows, unknowns)) * unknowns**2 / RATE


def determined(
    A: sparse.csr_array, value: Vector, least: Whole, most: Whole
) -> tuple[NDArray[np.intp], Whole]:
    """The unknowns that ``A x = value`` determines among whole numbers in their ends, and their values.

    Examples
    --------
    >>> A = sparse.csr_array(np.array([[1.0, 1, 0, 0], [0, 1, 1, 0], [1, 0, 1, 0], [0, 0, 1, 1]]))
    >>> ends = np.zeros(4, np.int64), np.full(4, 9)
    >>> found, values = determined(A[:3], np.array([3.0, 5.0, 4.0]), *ends)
    >>> found.tolist(), values.tolist()
    ([0, 1, 2], [1, 2, 3])
    """
    dense = A.toarray()
    gram = (dense.T @ dense).T  # symmetric, so the same: in the order that the factorisation wants
    largest = float(gram.diagonal().max(initial=0.0))
    nothing = np.zeros(0, np.intp), np.zeros(0, np.int64)
    if largest == 0:
        return nothing
    factor, order, rank, _ = lapack.dpstrf(gram, tol=PIVOT * largest, lower=0, overwrite_a=1)
    order = order[:] - 1
    pivots = np.triu(factor[:rank, :rank])
    others = solve_triangular(pivots, factor[:rank, rank:], check_finite=False)
    alone = np.flatnonzero(np.abs(others).max(axis=1, initial=0.0) < DETERMINED)
    found, values = [], []
    for start in range(0, alone.size, AT_ONCE):
        some = alone[start : start + AT_ONCE]
        unit = np.zeros((rank, some.size))
        unit[some, np.arange(some.size)] = 1.0
        inner = solve_triangular(pivots, unit, trans="T", check_finite=False)
        y = dense[:, order[:rank]] @ solve_triangular(pivots, inner, check_finite=False)
        cost = np.zeros((dense.shape[1], some.size))
        cost[order[some], np.arange(some.size)] = 1.0
        at_least = np.ceil(proved_minima(A, value, value, least, most, cost, y))
        at_most = np.floor(-proved_minima(A, value, value, least, most, -cost, -y))
        sure = at_least == at_most
        found.append(order[some[sure]])
        values.append(at_least[sure].astype(np.int64))
    if not found:
        return nothing
    return np.concatenate(found).astype(np.intp), np.concatenate(values)
