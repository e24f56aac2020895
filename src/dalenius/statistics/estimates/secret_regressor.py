"""A regression in which the secret is one of the terms and the outcome is public: income by age and illness.

Beyond Kasiviswanathan, Rudelson and Smith (2013), who treat the secret as the outcome only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.matrices.answers import LinearForm, Vector
from dalenius.people.schema import Column, Roster
from dalenius.statistics.estimates.design import INTERCEPT, columns_of, design, expand, fingerprint, numbers
from dalenius.statistics.estimates.losses import loss_of
from dalenius.statistics.estimates.optimum import NO_PENALTY, fit
from dalenius.statistics.estimates.score_equations import independent

MODELS = ("linear", "logistic")


@dataclass(frozen=True)
class SecretRegressor:
    """Coefficients of a public outcome on public terms and, last, on the secret.

    Parameters
    ----------
    columns
        The public columns that appear.
    outcome
        The public column that is explained; for ``logistic`` it holds 0 and 1.
    terms
        The names of the other coefficients, without the intercept.
    model
        ``linear`` or ``logistic``.
    intercept
        Whether there is one; it is then published first.
    name
        What the model is called, for messages.
    """

    columns: tuple[Column, ...]
    outcome: str
    terms: tuple[str, ...]
    model: str = "linear"
    intercept: bool = True
    name: str = ""

    kind = "secret-regressor"

    def __post_init__(self) -> None:
        if self.model not in MODELS:
            raise InputError("model", f"must be one of {', '.join(MODELS)}", repr(self.model))

    @property
    def rows(self) -> int:
        """How many numbers are published."""
        return len(self.terms) + self.intercept + 1

    def labels(self) -> Iterator[str]:
        """Name every number; the last is the coefficient of the secret."""
        for term in ((INTERCEPT,) * self.intercept + self.terms) + ("secret",):
            yield f"{self.name}: {term}" if self.name else term

    def fingerprint(self, roster: Roster) -> NDArray[np.int32]:
        """What terms and outcome can tell people apart by."""
        X, y = self._public(roster)
        return fingerprint(np.column_stack([X, y]))

    def compute(self, roster: Roster, secret: Vector) -> Vector:
        """Fit the model with the secret as its last column."""
        X, y = self._public(roster)
        full = np.column_stack([X, secret])
        if not independent(full).all():
            raise InputError(
                "terms", "must not be linear combinations of each other", "some that are", "Leave one out."
            )
        return fit(full, y, loss_of(self.model), NO_PENALTY, intercept=self.intercept)

    def linear(self, roster: Roster, answers: Vector) -> LinearForm:
        """The score equations, when nothing is known about the errors of the answers."""
        return self.linear_within(roster, answers, np.full(answers.size, np.inf))

    def linear_within(self, roster: Roster, answers: Vector, size: Vector) -> LinearForm:
        """The score equations of all terms, and of the secret itself.

        ``X^T (mean1 - mean0) s = X^T (y - mean0)`` and ``sum_i (y_i - mean1_i) s_i = 0``, with the fitted
        means of everybody without and with the secret.
        """
        X, y = self._public(roster)
        loss = loss_of(self.model)
        without = X @ answers[:-1]
        zero, one = loss.slope(without, 0.0), loss.slope(without + answers[-1], 0.0)
        rows = np.vstack([X.T * (one - zero), y - one])
        target = np.append(X.T @ (y - zero), 0.0)
        wrong = np.abs(X) @ size[:-1] + size[-1] if np.isfinite(size).all() else np.full(y.size, np.inf)
        high = np.maximum(loss.bend(without, wrong)[1], loss.bend(without + answers[-1], wrong)[1])
        # half of the people are taken to have the secret: only the scale of the errors hangs on it
        middle = (loss.curvature(without, 0.0) + loss.curvature(without + answers[-1], 0.0)) / 2
        full = np.column_stack([X, np.ones(y.size)])
        return LinearForm(rows, target, _moved(full, middle, 0.5), np.abs(_moved(np.abs(full), high, 1.0)))

    def _public(self, roster: Roster) -> tuple[NDArray[np.float64], Vector]:
        y = numbers(roster, self.outcome)
        if y is None or not np.isfinite(y).all():
            raise InputError(
                f"outcome {self.outcome!r}", "must be a public column of finite numbers", "something else"
            )
        if self.model == "logistic" and not np.isin(y, (0.0, 1.0)).all():
            raise InputError(f"outcome {self.outcome!r}", "must hold only 0 and 1", "other numbers")
        return design(roster, self.terms, intercept=self.intercept), y

    def to_json(self) -> dict[str, Any]:
        """Return the statistic as plain values."""
        return {
            "kind": self.kind,
            "outcome": self.outcome,
            "terms": list(self.terms),
            "model": self.model,
            "intercept": self.intercept,
            "name": self.name,
        }

    @staticmethod
    def from_json(value: dict[str, Any], columns: tuple[Column, ...]) -> SecretRegressor:
        """Read the statistic back."""
        said = dict(value)
        del said["kind"]
        terms = tuple(said.pop("terms"))
        return SecretRegressor(columns_of(columns, (*terms, said["outcome"])), terms=terms, **said)


def secret_regressor(
    roster: Roster, outcome: str, words: tuple[str, ...], model: str = "linear", *, intercept: bool = True
) -> SecretRegressor:
    """Make a regression of a public column on others and on the secret."""
    terms = expand(roster, words)
    columns = columns_of(roster.attributes.columns, (*terms, outcome))
    roster.attributes.position(outcome)
    return SecretRegressor(columns, outcome, terms, model, intercept)


def _moved(full: NDArray[np.float64], weight: Vector, share: float) -> NDArray[np.float64]:
    """How errors of the coefficients move the equations, if ``share`` of the people have the secret.

    The last column of ``full`` is that of the secret.
    """
    X = full[:, :-1]
    terms = -(X.T * weight) @ np.column_stack([X, share * full[:, -1]])
    own = share * weight @ full
    return np.vstack([terms, own])
