"""What a regression minimises, one person at a time: a loss of the linear predictor and the secret.

With ``eta = <x, theta>`` the gradient of one person's loss is ``x slope(eta, s)``, and the Hessian
``x x^T curvature(eta, s)`` (Kasiviswanathan, Rudelson and Smith 2013, section 4, where the logistic function
is printed upside down and the logistic curvature without its factor of at most 1/4).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy import special

from dalenius.errors import InputError, nearest
from dalenius.matrices.answers import Vector


class Loss(Protocol):
    """One person's loss; ``s`` is everybody's secret, or one value for all."""

    def value(self, eta: Vector, s: Vector | float) -> Vector:
        """The loss itself."""
        ...

    def slope(self, eta: Vector, s: Vector | float) -> Vector:
        """Its derivative in ``eta``."""
        ...

    def curvature(self, eta: Vector, s: Vector | float) -> Vector:
        """Its second derivative in ``eta``."""
        ...

    def bend(self, eta: Vector, r: Vector) -> tuple[Vector, Vector]:
        """The least and the largest curvature within ``r`` of ``eta``, whatever the secret."""
        ...


@dataclass(frozen=True)
class Squared:
    """Half the squared residual: linear regression."""

    def value(self, eta: Vector, s: Vector | float) -> Vector:
        """Half the square."""
        return np.asarray((s - eta) ** 2 / 2, np.float64)

    def slope(self, eta: Vector, s: Vector | float) -> Vector:
        """The residual, turned around."""
        return np.asarray(eta - s, np.float64)

    def curvature(self, eta: Vector, s: Vector | float) -> Vector:
        """One."""
        return np.ones_like(eta)

    def bend(self, eta: Vector, r: Vector) -> tuple[Vector, Vector]:
        """One."""
        return np.ones_like(eta), np.ones_like(eta)


@dataclass(frozen=True)
class Logistic:
    """Minus the log-likelihood of logistic regression."""

    def value(self, eta: Vector, s: Vector | float) -> Vector:
        """``log(1 + exp(eta)) - s eta``."""
        return np.asarray(np.logaddexp(0.0, eta) - s * eta, np.float64)

    def slope(self, eta: Vector, s: Vector | float) -> Vector:
        """The fitted probability minus the secret."""
        return np.asarray(special.expit(eta) - s, np.float64)

    def curvature(self, eta: Vector, s: Vector | float) -> Vector:
        """The variance of the fitted probability, at most 1/4."""
        return np.asarray(special.expit(eta) * special.expit(-eta), np.float64)

    def bend(self, eta: Vector, r: Vector) -> tuple[Vector, Vector]:
        """The curvature falls on both sides of 0."""
        near, far = np.maximum(np.abs(eta) - r, 0.0), np.abs(eta) + r
        return self.curvature(far, 0.0), self.curvature(near, 0.0)


@dataclass(frozen=True)
class Poisson:
    """Minus the log-likelihood of Poisson regression with a log link."""

    def value(self, eta: Vector, s: Vector | float) -> Vector:
        """``exp(eta) - s eta``."""
        return np.asarray(np.exp(np.minimum(eta, 700.0)) - s * eta, np.float64)

    def slope(self, eta: Vector, s: Vector | float) -> Vector:
        """The fitted mean minus the secret."""
        return np.asarray(np.exp(np.minimum(eta, 700.0)) - s, np.float64)

    def curvature(self, eta: Vector, s: Vector | float) -> Vector:
        """The fitted mean."""
        return np.exp(np.minimum(eta, 700.0))

    def bend(self, eta: Vector, r: Vector) -> tuple[Vector, Vector]:
        """The mean rises; without a limit on ``r`` there is none on it."""
        with np.errstate(over="ignore"):
            return np.exp(eta - r), np.exp(eta + r)


@dataclass(frozen=True)
class Probit:
    """Minus the log-likelihood of probit regression."""

    def value(self, eta: Vector, s: Vector | float) -> Vector:
        """Minus the logarithm of the normal distribution function, on the side of the secret."""
        one, none = special.log_ndtr(eta), special.log_ndtr(-eta)
        return np.asarray(-(s * one + (1 - s) * none), np.float64)

    def slope(self, eta: Vector, s: Vector | float) -> Vector:
        """``phi / (1 - Phi)`` without the secret, ``-phi / Phi`` with it."""
        return np.asarray((1 - s) * _mills(-eta) - s * _mills(eta), np.float64)

    def curvature(self, eta: Vector, s: Vector | float) -> Vector:
        """Between 0 and 1, falling in ``eta`` with the secret and rising without."""
        return np.asarray(s * _bent(eta) + (1 - s) * _bent(-eta), np.float64)

    def bend(self, eta: Vector, r: Vector) -> tuple[Vector, Vector]:
        """Both branches are monotone, so the ends of the segment decide."""
        return np.minimum(_bent(eta + r), _bent(r - eta)), np.maximum(_bent(eta - r), _bent(-eta - r))


@dataclass(frozen=True)
class Huber:
    """Squared up to a residual of ``c``, linear beyond."""

    c: float = 1.345

    def value(self, eta: Vector, s: Vector | float) -> Vector:
        """Huber's function of the residual."""
        return np.asarray(special.huber(self.c, s - eta), np.float64)

    def slope(self, eta: Vector, s: Vector | float) -> Vector:
        """The residual cut off at ``c``, turned around."""
        return np.asarray(-np.clip(s - eta, -self.c, self.c), np.float64)

    def curvature(self, eta: Vector, s: Vector | float) -> Vector:
        """One where the residual is small, else none."""
        return (np.abs(s - eta) <= self.c).astype(np.float64)

    def bend(self, eta: Vector, r: Vector) -> tuple[Vector, Vector]:
        """One as long as neither secret leaves the middle part."""
        farthest = np.maximum(np.abs(eta), np.abs(1 - eta)) + r
        nearest_ = np.minimum(np.abs(eta), np.abs(1 - eta)) - r
        return (farthest <= self.c).astype(np.float64), (nearest_ <= self.c).astype(np.float64)


@dataclass(frozen=True)
class SquaredHinge:
    """The squared hinge of a linear support vector machine; the label is -1 or +1."""

    def value(self, eta: Vector, s: Vector | float) -> Vector:
        """The square of how far the margin is short of 1."""
        return np.asarray(np.maximum(1 - (2 * s - 1) * eta, 0.0) ** 2, np.float64)

    def slope(self, eta: Vector, s: Vector | float) -> Vector:
        """Twice the shortfall, towards the label."""
        label = 2 * s - 1
        return np.asarray(-2 * label * np.maximum(1 - label * eta, 0.0), np.float64)

    def curvature(self, eta: Vector, s: Vector | float) -> Vector:
        """Two inside the margin, else none."""
        return np.where((2 * s - 1) * eta < 1, 2.0, 0.0)

    def bend(self, eta: Vector, r: Vector) -> tuple[Vector, Vector]:
        """Two as long as neither label leaves the margin."""
        return np.where(np.abs(eta) + r < 1, 2.0, 0.0), np.full_like(eta, 2.0)


def _mills(eta: Vector) -> Vector:
    """``phi / Phi``, also far in the tail."""
    return np.asarray(np.exp(-eta * eta / 2 - special.log_ndtr(eta)) / np.sqrt(2 * np.pi), np.float64)


def _bent(eta: Vector) -> Vector:
    """Second derivative of ``-log Phi``: 1 far to the left, 0 far to the right."""
    inside = np.clip(eta, -1e6, 40.0)
    return np.clip(_mills(inside) * (_mills(inside) + inside), 0.0, 1.0)


LOSSES: dict[str, type[Loss]] = {
    "linear": Squared,
    "logistic": Logistic,
    "poisson": Poisson,
    "probit": Probit,
    "huber": Huber,
    "squared-hinge": SquaredHinge,
}


def loss_of(model: str, threshold: float | None = None) -> Loss:
    """Return the loss of a model; ``threshold`` is Huber's.

    Examples
    --------
    >>> loss_of("huber", 1.0)
    Huber(c=1.0)
    """
    if model not in LOSSES:
        raise InputError(f"model {model!r}", "must be a known one", model, nearest(model, LOSSES))
    if threshold is None:
        return LOSSES[model]()
    if model != "huber" or threshold <= 0:
        raise InputError("threshold", "must be above 0, and for huber only", f"{threshold:g} for {model}")
    return Huber(threshold)
