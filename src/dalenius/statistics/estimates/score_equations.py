"""Published coefficients as equations about the secret: the score of a regression is zero at its optimum.

For every term ``sum_i x_i slope(eta_i, s_i) + penalty = 0``, and a secret of two values makes each slope
affine in it (Kasiviswanathan, Rudelson and Smith 2013, section 4; with intercept and penalty, which the paper
leaves out). An error ``d`` of the coefficients moves the equations by ``H d``, with ``H`` the Hessian
somewhere between the published and the true coefficients.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from dalenius.matrices.answers import LinearForm, Vector
from dalenius.statistics.estimates.losses import Loss

Matrix = NDArray[np.float64]

STRAIGHT = 0.5
"""How far anybody's linear predictor may be wrong for the Hessian at the published numbers to describe it."""

ILL = 1e10
"""Condition number above which a factor of the Hessian is not inverted."""

DEPENDENT = 1e-9
"""What is left of a term, of length 1, that is a linear combination of the terms before it."""

ROUNDING = 64 * float(np.finfo(np.float64).eps)
"""What a floating-point product or factorisation may lose, relative to the sizes that go into it.

The error of well-written routines is a small multiple of the precision."""


@dataclass(frozen=True)
class Hessian:
    """What is known about ``X^T W X + diag(ridge)`` between the published and the true coefficients.

    Parameters
    ----------
    X
        The design.
    weight
        The curvature of each person's loss that stands for all of them.
    low, high
        What the true curvature lies between; ``high`` is infinite where there is no limit.
    ridge
        The second derivative of the penalty.
    """

    X: Matrix
    weight: Vector
    low: Vector
    high: Vector
    ridge: Vector

    def gain(self, mixing: Mixing) -> Matrix:
        """How an error of each coefficient moves the mixed equations, to first order."""
        return np.asarray(mixing.rows * self.weight @ self.X + mixing.matrix * self.ridge, np.float64)

    def reach(self, mixing: Mixing) -> Matrix | None:
        """How far an error of each coefficient moves the mixed equations at the most."""
        if not np.isfinite(self.high).all():
            return None
        if mixing.raw:
            return np.asarray(np.abs(self.X).T * self.high @ np.abs(self.X) + np.diag(self.ridge), np.float64)
        spread = np.maximum(self.high - self.weight, self.weight - self.low)
        rest = np.abs(mixing.rows) * spread @ np.abs(self.X)
        return np.asarray(np.abs(self.gain(mixing)) + rest, np.float64)


def hessian(X: Matrix, eta: Vector, loss: Loss, ridge: Vector, size: Vector) -> Hessian:
    """Bound the Hessian between coefficients that are known up to ``size``.

    While every predictor is nearly right, the curvature at the published numbers stands for the rest; when
    it is not, the largest one does: it is what errors of that size were measured to behave like.
    """
    known = np.isfinite(size).all()
    wrong = np.abs(X) @ size if known else np.full(eta.size, np.inf)
    low, high = loss.bend(eta, wrong)
    here = (loss.curvature(eta, 0.0) + loss.curvature(eta, 1.0)) / 2
    weight = here if wrong.max() < STRAIGHT or not np.isfinite(high).all() else high
    return Hessian(X, weight, low, high, ridge)


@dataclass(frozen=True)
class Mixing:
    """What the equations are multiplied by.

    Parameters
    ----------
    matrix
        By the inverse Hessian, or by nothing.
    rows
        ``matrix @ X^T``, computed without the loss of digits that this product would have.
    unsure
        How far each entry of ``rows`` may be off through floating point, up to a factor `ROUNDING`.
    raw
        Whether nothing was multiplied.
    """

    matrix: Matrix
    rows: Matrix
    unsure: Matrix
    raw: bool


@dataclass(frozen=True)
class Inexact:
    """How far published coefficients may be from the minimum of the loss.

    Parameters
    ----------
    size
        How far each true coefficient may be from the published one; infinite where nothing is known.
    unsolved
        How far from zero the publisher's solver may have left each score; not at all if not given.
    drift
        How far floating point may have moved each of the publisher's coefficients besides.
    """

    size: Vector
    unsolved: Vector | None = None
    drift: Vector | None = None


def score_form(
    X: Matrix,
    theta: Vector,
    loss: Loss,
    *,
    ridge: Vector,
    lasso: Vector,
    inexact: Inexact,
) -> LinearForm:
    """Turn coefficients into equations about the secret, one per coefficient.

    Parameters
    ----------
    X
        The design, one row per person.
    theta
        The coefficients as they were published.
    loss
        What was minimised.
    ridge, lasso
        Weight of the squared and of the absolute penalty, by coefficient.
    inexact
        How far the coefficients may be from the minimum.

    Notes
    -----
    Where possible the equations are multiplied by the inverse Hessian. Their errors are then those of
    the published coefficients themselves, which are independent of each other; in the raw equations a term
    on a large scale drowns all others. A coefficient that an absolute penalty has put to zero says only that
    its score is within the penalty, so its equation stays apart; so does that of a term that is a linear
    combination of others, which says nothing that those do not.
    """
    size, unsolved, drift = inexact.size, inexact.unsolved, inexact.drift
    eta = X @ theta
    without, with_ = loss.slope(eta, 0.0), loss.slope(eta, 1.0)
    shrunk = (lasso > 0) & (np.abs(theta) <= np.where(np.isfinite(size), size, 0.0))
    pull = ridge * theta + np.where(shrunk, 0.0, lasso * np.sign(theta))
    slack = np.where(shrunk, lasso, 0.0) + (0.0 if unsolved is None else unsolved)
    bent = hessian(X, eta, loss, ridge, size)
    known = bool(np.isfinite(size).all())
    mixing = _mix(bent, ~shrunk) if known else _plain(X)
    # with errors of any size the sign of a coefficient is not sure, and so neither is its penalty
    reach = bent.reach(mixing) if known or not lasso.any() else None
    gap = without - with_
    wide = np.abs(mixing.matrix) @ slack + _lost(mixing, X, theta, without, gap, pull)
    if drift is not None and reach is not None:
        wide = wide + reach @ drift
    return LinearForm(
        mixing.rows * gap,
        mixing.rows @ without + mixing.matrix @ pull,
        bent.gain(mixing),
        reach,
        slack=wide,
    )


def _lost(mixing: Mixing, X: Matrix, theta: Vector, without: Vector, gap: Vector, pull: Vector) -> Vector:
    """How far floating point may put each equation off here."""
    rows = mixing.unsure @ (np.abs(without) + np.abs(gap))
    predictors = np.abs(mixing.rows) @ (np.abs(X) @ np.abs(theta))
    return np.asarray(ROUNDING * (rows + predictors + np.abs(mixing.matrix) @ np.abs(pull)), np.float64)


def _plain(X: Matrix) -> Mixing:
    return Mixing(np.eye(X.shape[1]), X.T, np.abs(X.T), raw=True)


def _mix(bent: Hessian, kept: NDArray[np.bool_]) -> Mixing:
    """Invert the part of a Hessian that belongs to independent terms of ``kept``; the rest stays as it is."""
    kept = kept & independent(bent.X)
    if not kept.any() or not np.isfinite(bent.weight).all():
        return _plain(bent.X)
    X = bent.X[:, kept]
    tall = np.vstack([X * np.sqrt(bent.weight)[:, None], np.diag(np.sqrt(bent.ridge[kept]))])
    scale = np.sqrt((tall * tall).sum(axis=0))
    if not (np.isfinite(scale).all() and (scale > 0).all()):
        return _plain(bent.X)
    root = linalg.qr(tall / scale, mode="r")[0][: kept.sum()]
    if np.linalg.cond(root) > ILL:
        return _plain(bent.X)
    back = linalg.solve_triangular(root, np.eye(kept.sum()))
    half = linalg.solve_triangular(root, (X / scale).T, trans="T")
    inner = back @ half
    matrix, rows, unsure = np.eye(kept.size), bent.X.T.copy(), np.abs(bent.X.T)
    matrix[np.ix_(kept, kept)] = back @ back.T / np.outer(scale, scale)
    rows[kept] = inner / scale[:, None]
    lost = np.abs(back) @ np.abs(root)
    unsure[kept] = (lost @ np.abs(inner) + np.abs(back) @ (lost.T @ np.abs(half))) / scale[:, None]
    return Mixing(matrix, rows, unsure, raw=False)


def independent(X: Matrix) -> NDArray[np.bool_]:
    """Which columns are no linear combination of those before them.

    Examples
    --------
    >>> independent(np.array([[1.0, 1, 0, 2], [1, 0, 1, 3], [1, 1, 0, 5]])).tolist()
    [True, True, False, True]
    """
    found, basis = np.zeros(X.shape[1], np.bool_), np.zeros((X.shape[0], 0))
    length = np.sqrt((X * X).sum(axis=0))
    for j in range(X.shape[1]):
        if length[j] == 0:
            continue
        rest = X[:, j] / length[j]
        for _ in range(2):  # once more, for the digits that the first projection lost
            rest = rest - basis @ (basis.T @ rest)
        left = float(np.sqrt(rest @ rest))
        if left > DEPENDENT:
            found[j], basis = True, np.column_stack([basis, rest / left])
    return found


def drift_of(X: Matrix) -> Vector:
    """How far floating point may move the coefficients of a linear fit to a secret of 0 and 1.

    By the first-order perturbation bound of least squares, which also holds for a product with the
    pseudo-inverse: the precision times the condition number, times the norm of the coefficient's row of the
    pseudo-inverse, times the norm of the outcome. Terms are taken as they are, neither centred nor scaled:
    what a program does first can only help.
    """
    _, values, right = linalg.svd(X, full_matrices=False)
    large = values > DEPENDENT * 1e-3 * values.max(initial=0.0)
    if not large.any():
        return np.full(X.shape[1], np.inf)
    inverse = right[large].T / values[large]
    row = np.sqrt((inverse * inverse).sum(axis=1))
    return np.asarray(ROUNDING * values[0] / values[large].min() * row * np.sqrt(len(X)), np.float64)
