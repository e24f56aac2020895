"""Which few answers contradict each other, when all of them together do.

Every row may miss its interval at a price; the multipliers of the cheapest misses name rows that cannot hold
together (Farkas). Then a deletion filter: a row without which the others still conflict is dropped.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dalenius.errors import SolveError
from dalenius.reconstruction.attack.program import InfeasibleError, minimise
from dalenius.reconstruction.attack.system.system import LinearSystem

ENTRY_LIMIT = 2_000_000
"""Matrix entries above which no conflict is searched for."""

ROW_LIMIT = 60
"""Rows with multipliers above which the filter would take too long."""

SHOWN = 6


def name_conflict(system: LinearSystem, where: str) -> str:
    """Add to ``where`` a small set of answers that cannot hold together, if one is found."""
    rows = find_conflict(system)
    if rows is None:
        return where
    shown = "; ".join(describe(system, int(row)) for row in rows[:SHOWN])
    more = f"; and {rows.size - SHOWN} more" if rows.size > SHOWN else ""
    which = "this one cannot hold" if rows.size == 1 else f"these {rows.size} cannot all hold"
    return f"{where}; {which}: {shown}{more}"


def describe(system: LinearSystem, row: int) -> str:
    """Name a row and its interval."""
    low, high = system.low[row], system.high[row]
    interval = f"{low:g}" if low == high else f"{low:g} to {high:g}"
    return f"{system.label(row)!r} ({interval})"


def find_conflict(system: LinearSystem) -> NDArray[np.intp] | None:
    """Rows of which none can be left out without losing the contradiction; ``None`` if there is none.

    Only fractional secrets are looked at: a contradiction that needs whole numbers is not found.
    """
    if system.A.entries > ENTRY_LIMIT:
        return None
    matrix = sparse.csr_array(system.A.explicit())
    rows = _priced(system, matrix)
    if rows.size == 0 or rows.size > ROW_LIMIT or _possible(system, matrix, rows):
        return None
    for row in rows.copy():
        fewer = rows[rows != row]
        if not _possible(system, matrix, fewer):
            rows = fewer
    return rows


def _priced(system: LinearSystem, matrix: sparse.csr_array) -> NDArray[np.intp]:
    """Rows with a multiplier where the sum of all misses is smallest."""
    upper, lower = np.flatnonzero(np.isfinite(system.high)), np.flatnonzero(np.isfinite(system.low))
    both = sparse.vstack([matrix[upper], -matrix[lower]], format="csr")
    sides = np.concatenate([system.high[upper], -system.low[lower]])
    misses = sparse.hstack([both, -sparse.eye_array(sides.size)], format="csr")
    cost = np.concatenate([np.zeros(system.unknowns), np.ones(sides.size)])
    limits = [*zip(system.least, system.most, strict=True), *[(0, np.inf)] * sides.size]
    try:
        solved = minimise(cost, A_ub=misses, b_ub=sides, bounds=limits, method="highs-ds")
    except SolveError:
        return np.zeros(0, np.intp)
    used = np.abs(solved.ineqlin.marginals) > 1e-9
    return np.unique(np.concatenate([upper, lower])[used])


def _possible(system: LinearSystem, matrix: sparse.csr_array, rows: NDArray[np.intp]) -> bool:
    if rows.size == 0:
        return True
    part = matrix[rows]
    finite = np.isfinite(system.high[rows]), np.isfinite(system.low[rows])
    both = sparse.vstack([part[finite[0]], -part[finite[1]]], format="csr")
    sides = np.concatenate([system.high[rows][finite[0]], -system.low[rows][finite[1]]])
    limits = np.stack([system.least, system.most], axis=1)
    try:
        minimise(np.zeros(system.unknowns), A_ub=both, b_ub=sides, bounds=limits, method="highs-ds")
    except InfeasibleError:
        return False
    return True
