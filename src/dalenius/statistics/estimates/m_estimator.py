"""Coefficients that minimise any differentiable loss, given by its gradient (Python only, not in a plan)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import optimize

from dalenius.errors import InputError, UnsupportedError
from dalenius.matrices.answers import LinearForm, Vector
from dalenius.people.schema import Column, Roster
from dalenius.statistics.estimates.design import INTERCEPT, columns_of, design, expand, fingerprint
from dalenius.statistics.estimates.optimum import NO_OPTIMUM

Matrix = NDArray[np.float64]
Gradient = Callable[[Vector, Matrix, Vector], Matrix]
"""Takes coefficients, design and everybody's secret; gives one row per person, one column per coefficient."""

STEP = 1e-6
"""Relative step of the numerical derivative of a gradient."""


@dataclass(frozen=True)
class MEstimator:
    """The point at which the gradients of all people add up to zero.

    Parameters
    ----------
    columns
        The public columns that appear.
    terms
        The names of the coefficients besides the intercept.
    gradient
        The gradient of one person's loss, for everybody at once; see `Gradient`.
    intercept
        Whether the design has a column of ones, first.
    ridge
        Weight of a squared penalty ``ridge |theta|^2 / 2``, on all coefficients but the intercept.

    Notes
    -----
    A secret of two values makes any gradient affine in it, so two evaluations, with nobody's and with
    everybody's secret set, give all equations (Kasiviswanathan, Rudelson and Smith 2013, section 4.2). How
    far errors can move them is not known without more about the loss: nothing is certain then.
    """

    columns: tuple[Column, ...]
    terms: tuple[str, ...]
    gradient: Gradient
    intercept: bool = True
    ridge: float = 0.0

    kind = "m-estimator"

    @property
    def rows(self) -> int:
        """How many numbers are published."""
        return len(self.terms) + self.intercept

    def labels(self) -> Iterator[str]:
        """Name every number."""
        yield from (INTERCEPT,) * self.intercept + self.terms

    def fingerprint(self, roster: Roster) -> NDArray[np.int32]:
        """What the terms can tell people apart by."""
        return fingerprint(self._design(roster))

    def compute(self, roster: Roster, secret: Vector) -> Vector:
        """Find the point of zero gradient, from zero coefficients on."""
        X = self._design(roster)

        def total(theta: Vector) -> Vector:
            return np.asarray(self._gradients(theta, X, secret).sum(axis=0) + self._pull(theta), np.float64)

        found = optimize.root(total, np.zeros(self.rows), method="hybr", tol=1e-13)
        if not np.abs(total(found.x)).max() < 1e-6 * (1 + np.abs(X).sum(axis=0).max()):
            raise UnsupportedError(NO_OPTIMUM)
        return np.asarray(found.x, np.float64)

    def linear(self, roster: Roster, answers: Vector) -> LinearForm:
        """The equations ``sum_i l0_i + (l1_i - l0_i) s_i + penalty = 0``."""
        X = self._design(roster)
        without, with_ = self._both(answers, X)
        gain = np.empty((self.rows, self.rows))
        middle = without + with_
        for j in range(self.rows):
            step = STEP * (1 + abs(answers[j]))
            moved = answers + step * (np.arange(self.rows) == j)
            gain[:, j] = (sum(self._both(moved, X)) - middle).sum(axis=0) / (2 * step)
        gain += np.diag(self._pull(np.ones(self.rows)))
        return LinearForm((without - with_).T, without.sum(axis=0) + self._pull(answers), gain, None)

    def to_json(self) -> dict[str, Any]:
        """Refuse: a function is not a plain value."""
        raise UnsupportedError("an m-estimator with a gradient of your own cannot be written to a file")

    def _design(self, roster: Roster) -> Matrix:
        return design(roster, self.terms, intercept=self.intercept)

    def _pull(self, theta: Vector) -> Vector:
        pull = self.ridge * theta
        pull[: int(self.intercept)] = 0.0
        return np.asarray(pull, np.float64)

    def _both(self, theta: Vector, X: Matrix) -> tuple[Matrix, Matrix]:
        people = X.shape[0]
        return self._gradients(theta, X, np.zeros(people)), self._gradients(theta, X, np.ones(people))

    def _gradients(self, theta: Vector, X: Matrix, secret: Vector) -> Matrix:
        value = np.asarray(self.gradient(theta, X, secret), np.float64)
        if value.shape != X.shape:
            raise InputError(
                "gradient", f"must return one row per person and one column per coefficient, {X.shape}",
                f"shape {value.shape}",
            )  # fmt: skip
        if not np.isfinite(value).all():
            people = int((~np.isfinite(value)).any(axis=1).sum())
            raise InputError(
                "gradient", "must return finite numbers", f"NaN or infinity for {people:,} people"
            )
        return value


def m_estimator(
    roster: Roster, words: tuple[str, ...], gradient: Gradient, *, intercept: bool = True, ridge: float = 0.0
) -> MEstimator:
    """Make an estimator of your own loss on columns of a roster.

    Examples
    --------
    >>> from dalenius.people.schema import CodedColumns
    >>> from dalenius.people.schema import Kind, Role
    >>> x = Column("x", Role.PUBLIC, Kind.CATEGORICAL, ("1", "2"))
    >>> roster = Roster("id", np.array(["a", "b"]), CodedColumns((x,), np.array([[0], [1]], np.int32)))
    >>> def squared(theta, X, s):
    ...     return X * (X @ theta - s)[:, None]
    >>> fitted = m_estimator(roster, ("x",), squared, intercept=False)
    >>> fitted.compute(roster, np.array([0.0, 1.0])).round(6)
    array([0.4])
    """
    terms = expand(roster, words)
    return MEstimator(columns_of(roster.attributes.columns, terms), terms, gradient, intercept, ridge)
