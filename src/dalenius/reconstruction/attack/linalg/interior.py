"""A point in the middle of all that meets some rows, by interior points that stay inside.

No corner is looked for at the end, which in large programs takes longer than all the rest.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from dalenius.matrices.answers import Vector
from dalenius.matrices.highs import open_highs, opened
from dalenius.reconstruction.attack.program import (
    Solution,
    UnsolvedError,
    minimise_between,
)
from dalenius.reconstruction.attack.system.system import Whole


def middle(A: sparse.csr_array, low: Vector, high: Vector, least: Whole, most: Whole, steps: int) -> Solution:
    """Some point near the middle of all that meet ``low <= A x <= high``, ``least <= x <= most``.

    After so many steps it is taken as it is, and may miss rows by a little. Its multipliers are not 0 for
    rows that hold an unknown at its end. Where the HiGHS inside SciPy cannot be reached, SciPy goes on to a
    corner, and the multipliers say nothing.

    Raises
    ------
    UnsolvedError
        If the solver has no point, or says that there is none.

    Examples
    --------
    >>> A = sparse.csr_array(np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]))
    >>> ends = np.array([1.0, 1.0]), np.array([1.0, 3.0]), np.array([0, 0, 0]), np.array([2, 2, 1])
    >>> middle(A, *ends, 99).point.round(2).tolist()
    [0.5, 0.5, 1.0]
    """
    nothing = np.zeros(least.size)
    highs = open_highs()
    if highs is None:
        return minimise_between(A, low, high, least, most, nothing, "highs-ipm")
    solver = opened(highs, A, low, high, least, most)
    for option, value in (("solver", "ipm"), ("run_crossover", "off"), ("presolve", "off")):
        solver.setOptionValue(option, value)
    solver.setOptionValue("ipm_iteration_limit", steps)
    solver.run()
    status, taken = solver.getModelStatus(), max(0, int(solver.getInfo().ipm_iteration_count))
    found = solver.getSolution()
    good = (highs.HighsModelStatus.kOptimal, highs.HighsModelStatus.kIterationLimit)
    if status not in good or not found.value_valid:
        raise UnsolvedError(solver.modelStatusToString(status), taken)
    return Solution(0.0, np.asarray(found.col_value), np.asarray(found.row_dual), taken)
