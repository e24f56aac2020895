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

from dalenius.records.answers import Vector
from dalenius.records.linear_form import LinearForm
from dalenius.statistics.losses import Loss

Matrix = NDArray[np.float64]

STRAIGHT = 0.5
"""How far anybody's linear predictor may be wrong for the Hessian at the published numbers to describe it."""

ILL = 1e12
"""Condition number above which a Hessian is not inverted."""


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

    @property
    def matrix(self) -> Matrix:
        """The matrix itself."""
        return np.asarray(self.X.T @ (self.X * self.weight[:, None]) + np.diag(self.ridge), np.float64)

    def reach(self, mixed: Matrix | None) -> Matrix | None:
        """How far an error of each coefficient moves the score, or ``mixed @ score``, at the most."""
        if not np.isfinite(self.high).all():
            return None
        if mixed is None:
            return np.asarray(np.abs(self.X).T * self.high @ np.abs(self.X) + np.diag(self.ridge), np.float64)
        spread = np.maximum(self.high - self.weight, self.weight - self.low)
        rest = np.abs(mixed @ self.X.T) * spread @ np.abs(self.X)
        return np.asarray(np.abs(mixed @ self.matrix) + rest, np.float64)


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


def score_form(
    X: Matrix, theta: Vector, loss: Loss, *, ridge: Vector, lasso: Vector, size: Vector
) -> LinearForm:
    """Turn coefficients into equations about the secret, one a coefficient.

    Parameters
    ----------
    X
        The design, one row a person.
    theta
        The coefficients, up to ``size``.
    loss
        What was minimised.
    ridge, lasso
        Weight of the squared and of the absolute penalty, by coefficient.
    size
        How far each true coefficient may be from ``theta``; infinite where nothing is known.

    Notes
    -----
    Where possible the equations are multiplied by the inverse Hessian. Their errors are then those of
    the published coefficients themselves, which are independent of each other; in the raw equations a term
    on a large scale drowns all others. A coefficient that an absolute penalty has put to zero says only that
    its score is within the penalty, so its equation stays apart.
    """
    eta = X @ theta
    without, with_ = loss.slope(eta, 0.0), loss.slope(eta, 1.0)
    rows = X.T * (without - with_)
    shrunk = (lasso > 0) & (np.abs(theta) <= np.where(np.isfinite(size), size, 0.0))
    target = X.T @ without + ridge * theta + np.where(shrunk, 0.0, lasso * np.sign(theta))
    slack = np.where(shrunk, lasso, 0.0)
    bent = hessian(X, eta, loss, ridge, size)
    known = bool(np.isfinite(size).all())
    unmixed = _unmix(bent.matrix, ~shrunk) if known else None
    # with errors of any size the sign of a coefficient is not sure, and so neither is its penalty
    reach = bent.reach(unmixed) if known or not lasso.any() else None
    mixed = np.eye(theta.size) if unmixed is None else unmixed
    return LinearForm(
        mixed @ rows,
        mixed @ target,
        mixed @ bent.matrix,
        reach,
        slack=np.abs(mixed) @ slack if shrunk.any() else None,
    )


def _unmix(matrix: Matrix, kept: NDArray[np.bool_]) -> Matrix | None:
    """The inverse of the part of a Hessian that belongs to ``kept``, and ones for the rest."""
    inner = matrix[np.ix_(kept, kept)]
    scale = 1 / np.sqrt(np.maximum(inner.diagonal(), 1e-300))
    unit = inner * scale[:, None] * scale[None, :]
    if inner.size == 0 or not np.isfinite(unit).all() or np.linalg.cond(unit) > ILL:
        return None
    mixed = np.eye(kept.size)
    mixed[np.ix_(kept, kept)] = np.linalg.inv(unit) * scale[:, None] * scale[None, :]
    return mixed
