"""The HiGHS inside SciPy: a door that SciPy does not promise to keep, to programs that stay open.

SciPy solves every program from nothing. HiGHS can keep a model open, so that what changes little is solved in
a few steps. Whoever comes through here has a way of its own for a SciPy in which the door is closed.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dalenius.matrices.answers import Vector

DEPENDENT_EQUATIONS = 1 << 10
"""HiGHS's word for the one rule before a program that ends by the clock, so that it is left out."""


@cache
def open_highs() -> Any:
    """The HiGHS inside SciPy, or ``None`` in a SciPy that keeps it elsewhere; half a second on first use."""
    try:
        from scipy.optimize._highspy import _core
    except ImportError:
        return None
    return _core


def opened(
    highs: Any,
    A: sparse.csr_array,
    low: Vector,
    high: Vector,
    least: NDArray[np.int64] | Vector,
    most: NDArray[np.int64] | Vector,
    *,
    whole: bool = False,
) -> Any:
    """A HiGHS with a model over ``low <= A x <= high``, ``least <= x <= most``; in whole numbers if asked."""
    model, columns = highs.HighsLp(), A.tocsc()
    model.num_row_, model.num_col_ = columns.shape
    model.a_matrix_.num_row_, model.a_matrix_.num_col_ = columns.shape
    model.a_matrix_.format_ = highs.MatrixFormat.kColwise
    model.a_matrix_.start_, model.a_matrix_.index_ = columns.indptr, columns.indices
    model.a_matrix_.value_ = columns.data
    model.col_cost_ = np.zeros(columns.shape[1])
    model.col_lower_, model.col_upper_ = least.astype(np.float64), most.astype(np.float64)
    model.row_lower_, model.row_upper_ = low, high
    if whole:
        model.integrality_ = [highs.HighsVarType.kInteger] * columns.shape[1]
    solver = highs._Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)
    solver.setOptionValue("presolve_rule_off", DEPENDENT_EQUATIONS)
    solver.passModel(model)
    return solver
