"""Some whole numbers that meet all rows, by the integer programs of HiGHS, within so many steps.

SciPy stops its solver by nodes or by the clock alone, and one node may take minutes. The HiGHS inside it asks
now and then whether it should go on, always at the same places: it is stopped there, so that every machine
finds the same. Where that door is closed (`repeated`), nodes alone bound it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from dalenius.matrices.answers import Vector
from dalenius.matrices.highs import open_highs, opened
from dalenius.reconstruction.attack.system.system import Whole

NODES = 100
"""Branches of an integer program: where so many do not suffice, many secrets fit, and few are certain."""

BETWEEN = 300
"""Steps of the simplex method between two times that the solver asks, as measured: 150 to 350."""


def whole_point(
    A: sparse.csr_array, low: Vector, high: Vector, least: Whole, most: Whole, steps: int
) -> tuple[Whole | None, int]:
    """Look for whole numbers that meet all rows, about so many steps; returns also the steps it took.

    What is found is to be checked before use: the solver has tolerances.

    Examples
    --------
    >>> A = sparse.csr_array(np.array([[1.0, 1.0]]))
    >>> found, steps = whole_point(A, np.array([4.0]), np.array([4.0]), np.array([0, 0]), np.array([2, 2]), 9)
    >>> found.tolist(), steps
    ([2, 2], 0)
    """
    highs = open_highs()
    if highs is None:
        return _by_nodes(A, low, high, least, most), steps
    solver = opened(highs, A, low, high, least, most, whole=True)
    solver.setOptionValue("mip_max_nodes", NODES)
    left = steps // BETWEEN

    def go_on(kind: Any, message: str, seen: Any, answer: Any, data: Any) -> None:
        nonlocal left
        left -= 1
        answer.user_interrupt = left < 0

    solver.setCallback(go_on, None)
    solver.startCallback(highs.cb.HighsCallbackType.kCallbackMipInterrupt)
    solver.run()
    info = solver.getInfo()
    found = info.primal_solution_status == highs.SolutionStatus.kSolutionStatusFeasible
    point = np.rint(solver.getSolution().col_value).astype(np.int64) if found else None
    return point, max(0, int(info.simplex_iteration_count))


def _by_nodes(A: sparse.csr_array, low: Vector, high: Vector, least: Whole, most: Whole) -> Whole | None:
    from scipy.optimize import Bounds, LinearConstraint, milp

    solved: Any = milp(
        np.zeros(least.size),
        integrality=np.ones(least.size, np.int64),
        bounds=Bounds(least, most),
        constraints=LinearConstraint(A, low, high),
        options={"node_limit": NODES},
    )
    return None if solved.x is None else np.rint(solved.x).astype(np.int64)
