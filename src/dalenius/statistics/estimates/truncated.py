"""Linear fits whose terms nearly depend on each other: what programs do then differs, and what holds for all.

scikit-learn centres the terms and leaves out every direction whose singular value is below a millionth of the
largest (``LinearRegression(tol=1e-6)``); statsmodels keeps directions down to the last digit, and of the
coefficients that fit equally well both take the smallest. Whatever was done, the directions that nobody
leaves out are fitted by least squares: those are read, and the rest says nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from dalenius.matrices.answers import LinearForm, Vector
from dalenius.statistics.estimates.score_equations import ROUNDING

Matrix = NDArray[np.float64]

CUT = 1.1e-6
"""Singular values, as a share of the largest, below which a program may have left a direction out."""


@dataclass(frozen=True)
class Directions:
    """The singular directions of the terms, centred if there is an intercept, that no program leaves out."""

    means: Vector
    left: Matrix
    values: Vector
    right: Matrix
    whole: bool
    """Whether they are all."""


def directions(X: Matrix, *, intercept: bool) -> Directions:
    """Find the directions of a design; its first column is the intercept if there is one.

    Examples
    --------
    >>> X = np.array([[1.0, 0, 0], [1, 1, 1], [1, 2, 2]])
    >>> found = directions(X, intercept=True)
    >>> found.whole, found.values.size
    (False, 1)
    """
    terms = X[:, int(intercept) :]
    means = terms.mean(axis=0) if intercept else np.zeros(terms.shape[1])
    if terms.shape[1] == 0:
        return Directions(means, np.zeros((len(X), 0)), np.zeros(0), np.zeros((0, 0)), whole=True)
    left, values, right = linalg.svd(terms - means, full_matrices=False)
    kept = values > CUT * values[0]
    return Directions(means, left[:, kept], values[kept], right[kept], bool(kept.sum() == terms.shape[1]))


def truncated_form(found: Directions, theta: Vector, drift: Vector, *, intercept: bool) -> LinearForm:
    """The equations of the directions that were fitted, one per coefficient.

    Parameters
    ----------
    found
        What `directions` says of the design.
    theta
        The published coefficients.
    drift
        How far floating point may have moved each of them, see `drift_of`.
    """
    n, first = found.left.shape[0], int(intercept)
    inverse = found.right.T / found.values @ found.left.T
    kept = found.right.T @ found.right
    size = first + found.means.size
    rows, gain = np.zeros((size, n)), np.zeros((size, size))
    rows[first:], gain[first:, first:] = inverse, kept
    if intercept:
        rows[0], gain[0] = 1 / n, np.append(1.0, found.means)
    steep = found.values[0] / found.values[-1] if found.values.size else 1.0
    own = ROUNDING * steep * np.sqrt((rows * rows).sum(axis=1)) * np.sqrt(n)
    reach = np.abs(gain)
    slack = own + reach @ drift + ROUNDING * reach @ np.abs(theta)
    return LinearForm(rows, gain @ theta, gain, reach, slack=slack)
