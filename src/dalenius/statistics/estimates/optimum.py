"""The exact optimum of a regression: Newton's method, and a search over signs for the L1 penalty."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, optimize

from dalenius.errors import InputError, SolveError, UnsupportedError
from dalenius.matrices.answers import Vector
from dalenius.statistics.estimates.losses import Loss
from dalenius.statistics.estimates.score_equations import independent

Matrix = NDArray[np.float64]

STEPS = 200
EXACT = 1e-11
"""Largest score that is left, relative to the sum of the design's entries."""

FLAT = 1e-7
"""Least curvature, relative to that of the design: below it the data are separated."""


@dataclass(frozen=True)
class Penalty:
    """What is added to the sum of the losses: ``weight |theta|^2 / 2`` (l2) or ``weight |theta|_1`` (l1).

    The intercept is not penalised. scikit-learn's ``C`` is one over the weight; its ridge ``alpha`` is the
    weight. ``unsaid`` can only be read: l2 with some weight from none to this one.
    """

    kind: str = "none"
    weight: float = 0.0

    def __post_init__(self) -> None:
        if self.kind not in ("none", "l2", "l1", "unsaid"):
            raise InputError("penalty", "must be none, l2 or l1", repr(self.kind))
        if not np.isfinite(self.weight) or (self.weight > 0) != (self.kind != "none"):
            raise InputError("penalty", "must have a weight above 0 exactly if it is l1 or l2", f"{self}")

    def weights(self, size: int, *, intercept: bool) -> Vector:
        """The weight of every coefficient."""
        weights = np.full(size, self.weight)
        weights[: int(intercept)] = 0.0
        return weights


NO_PENALTY = Penalty()

UNSAID = Penalty("unsaid", 1.0)
"""No penalty, or what scikit-learn does if it is told nothing: l2 with ``C = 1``."""


def fit(X: Matrix, s: Vector, loss: Loss, penalty: Penalty, *, intercept: bool) -> Vector:
    """Minimise the sum of losses and the penalty.

    A term without penalty that is a linear combination of those before it is left out, as R does: its
    coefficient is 0.

    Raises
    ------
    UnsupportedError
        If there is no finite optimum: the secret is separated by the terms.

    Examples
    --------
    >>> from dalenius.statistics.estimates.losses import Squared
    >>> X = np.array([[1.0, 0], [1, 1], [1, 2], [1, 3], [1, 5]])
    >>> theta = fit(X, np.array([0.0, 0, 1, 0, 1]), Squared(), Penalty(), intercept=True)
    >>> (74 * theta).round(9)
    array([ 1., 13.])
    """
    weights = penalty.weights(X.shape[1], intercept=intercept)
    ridge = weights if penalty.kind == "l2" else np.zeros_like(weights)
    if penalty.kind == "unsaid":
        raise UnsupportedError("a regression cannot be fitted without saying its penalty")
    if penalty.kind == "l1":
        return _sparse(X, s, loss, weights)
    kept = independent(X) | (ridge > 0)
    theta = np.zeros(X.shape[1])
    theta[kept] = newton(X[:, kept], s, loss, ridge[kept])
    return theta


def newton(X: Matrix, s: Vector, loss: Loss, ridge: Vector, pull: Vector | None = None) -> Vector:
    """Minimise by Newton's method with step halving; ``pull`` is a constant part of the gradient."""
    theta = np.zeros(X.shape[1])
    pull = np.zeros_like(theta) if pull is None else pull
    close = EXACT * (1 + np.abs(X).sum(axis=0))

    def cost(at: Vector) -> float:
        return float(loss.value(X @ at, s).sum() + (ridge * at * at).sum() / 2 + pull @ at)

    for _ in range(STEPS):
        eta = X @ theta
        score = X.T @ loss.slope(eta, s) + ridge * theta + pull
        if (np.abs(score) <= close).all():
            break
        # a flat stretch (a clipped residual) has no curvature of its own: a little keeps the step finite
        weight = np.maximum(loss.curvature(eta, s), 1e-10)
        step = linalg.lstsq(X.T @ (X * weight[:, None]) + np.diag(ridge), score)[0]
        theta = _descend(cost, theta, step, score)
    else:
        raise UnsupportedError(NO_OPTIMUM)
    if not (ridge > 0).all():
        refuse_separated(X, loss.curvature(X @ theta, s), ridge)
    return theta


NO_OPTIMUM = (
    "the regression has no finite optimum: the terms separate the secret; leave terms out or penalise"
)


def refuse_separated(X: Matrix, weight: Vector, ridge: Vector) -> None:
    """Refuse coefficients at which the curvature has all but vanished in some direction: no optimum."""
    scale = np.sqrt((X * X).sum(axis=0))
    unit = X / np.where(scale > 0, scale, 1.0)
    whole = np.linalg.eigvalsh(unit.T @ unit)
    bent = np.linalg.eigvalsh(
        unit.T @ (unit * weight[:, None]) + np.diag(ridge / np.maximum(scale, 1e-300) ** 2)
    )
    if bent[0] < FLAT * max(whole[0], 1e-12):
        raise UnsupportedError(NO_OPTIMUM)


def _descend(cost: Callable[[Vector], float], theta: Vector, step: Vector, score: Vector) -> Vector:
    now, length = cost(theta), 1.0
    slope = float(score @ step)
    while cost(theta - length * step) > now - 1e-4 * length * slope + 1e-12 * (1 + abs(now)):
        length /= 2
        if length < 1e-12:
            break
    return np.asarray(theta - length * step, np.float64)


def _sparse(X: Matrix, s: Vector, loss: Loss, weights: Vector) -> Vector:
    """L1: find which coefficients are zero by a bounded search over both signs, then solve for the others."""
    size = X.shape[1]

    def both(parts: Vector) -> tuple[float, Vector]:
        eta = X @ (parts[:size] - parts[size:])
        slope = X.T @ loss.slope(eta, s)
        value = float(loss.value(eta, s).sum() + np.concatenate([weights, weights]) @ parts)
        return value, np.concatenate([slope + weights, weights - slope])

    found = optimize.minimize(
        both,
        np.zeros(2 * size),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, None)] * (2 * size),
        options={"maxiter": 20_000, "maxfun": 50_000, "ftol": 1e-15, "gtol": 1e-9},
    )
    theta = found.x[:size] - found.x[size:]
    slope = X.T @ loss.slope(X @ theta, s)
    active = (np.abs(theta) > 1e-9) | (weights == 0) | (np.abs(slope) > weights * (1 - 1e-9))
    for _ in range(2 * size + 2):
        exact = np.zeros(size)
        sign = np.where(theta != 0, np.sign(theta), -np.sign(slope))
        exact[active] = newton(X[:, active], s, loss, np.zeros(active.sum()), (weights * sign)[active])
        turned = active & (exact * sign < 0) & (weights > 0)
        slope = X.T @ loss.slope(X @ exact, s)
        missed = ~active & (np.abs(slope) > weights * (1 + 1e-9))
        if not turned.any() and not missed.any():
            return exact
        active, theta = (active & ~turned) | missed, np.where(missed, 0.0, exact)
    raise SolveError("the L1-penalised regression was not solved exactly")
