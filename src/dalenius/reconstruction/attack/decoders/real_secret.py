"""A secret that is a number, such as an income: sums and linear regressions are linear in it as they are."""

from __future__ import annotations

import numpy as np
from scipy.optimize import lsq_linear

from dalenius.errors import InputError, SolveError
from dalenius.matrices.answers import Vector
from dalenius.matrices.linear_form import LinearForm


def reconstruct_real(form: LinearForm, error: Vector, low: float, high: float) -> Vector:
    """Guess everybody's number by least squares among the possible ones.

    Parameters
    ----------
    form
        Equations that are linear in the secret: those of linear regressions, or of sums. Other models become
        linear only for a secret of two values.
    error
        How wrong each published number may be, as one standard deviation.
    low, high
        What everybody's secret lies between.

    Notes
    -----
    ``||r - s|| <= ||e|| / sigma_min`` as in Kasiviswanathan, Rudelson and Smith (2013), Theorem 2.1: the box
    does not expand distances.

    Examples
    --------
    >>> eye = np.eye(2)
    >>> reconstruct_real(LinearForm(eye, np.array([0.3, 1.2]), eye, eye), np.ones(2), 0.0, 1.0).round(6)
    array([0.3, 1. ])
    """
    if not low < high:
        raise InputError("low", "must be below high", f"{low:g} and {high:g}")
    scale = np.sqrt(np.asarray(form.gain) ** 2 @ error**2)
    scale = np.where(scale > 0, scale, max(float(scale.max()), 1.0) * 1e-6)
    rows = np.asarray(form.rows, np.float64) / scale[:, None]
    solved = lsq_linear(rows, form.target / scale, bounds=(low, high), tol=1e-12)
    if not solved.success:
        raise SolveError(f"box-constrained least squares stopped: {solved.message}")
    return np.asarray(solved.x, np.float64)
