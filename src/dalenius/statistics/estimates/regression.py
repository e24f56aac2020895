"""Coefficients of a regression of the secret on public columns (Kasiviswanathan et al. 2013, section 4)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError, UnsupportedError
from dalenius.matrices.answers import LinearForm, Vector
from dalenius.people.schema import Column, Roster
from dalenius.statistics.estimates.design import INTERCEPT, columns_of, design, expand, fingerprint
from dalenius.statistics.estimates.goodness_of_fit import goodness, total_of
from dalenius.statistics.estimates.losses import Loss, loss_of
from dalenius.statistics.estimates.optimum import EXACT, NO_PENALTY, Penalty, fit, refuse_separated
from dalenius.statistics.estimates.score_equations import Inexact, drift_of, independent, score_form
from dalenius.statistics.estimates.truncated import directions, truncated_form

PUBLISHED = ("coefficients", "odds-ratios")
KINDS = {"linear": "linear-regression", "logistic": "logistic-regression"}
GOODNESS = {"rss": "RSS", "r2": "R^2"}


LOOSE = 1.0
"""How wrong anybody's linear predictor may be for its curvature to say whether the secret is separated."""


@dataclass(frozen=True)
class Regression:
    """A regression whose outcome is the secret, 0 or 1.

    Parameters
    ----------
    columns
        The public columns that appear.
    terms
        The names of the coefficients besides the intercept, as `design` reads them.
    model
        ``linear``, ``logistic``, ``poisson``, ``probit``, ``huber`` or ``squared-hinge``.
    intercept
        Whether there is one; it is then published first.
    penalty
        What was added to the sum of the losses.
    threshold
        Huber's.
    standardise
        Whether the terms were standardised, by their means and standard deviations over these people.
    published
        ``coefficients``, or ``odds-ratios``: their exponentials.
    fit
        ``rss`` or ``r2`` if that is published after the coefficients of a linear fit without penalty.
    tolerance
        How far from zero the solver may have left the mean score of a term, in units of the term where those
        are above 1; 0 for one that goes on to the last digit.
    units
        What each published coefficient is multiplied by, so that all have the same number of decimals.
    name
        What the model is called, for messages.
    """

    columns: tuple[Column, ...]
    terms: tuple[str, ...]
    model: str = "logistic"
    intercept: bool = True
    penalty: Penalty = NO_PENALTY
    threshold: float | None = None
    standardise: bool = False
    published: str = "coefficients"
    fit: str = ""
    tolerance: float = 0.0
    units: tuple[float, ...] = ()
    name: str = ""

    def __post_init__(self) -> None:
        loss_of(self.model, self.threshold)
        if self.published not in PUBLISHED:
            raise InputError("published", f"must be one of {', '.join(PUBLISHED)}", repr(self.published))
        plain = self.model == "linear" and self.penalty.kind == "none" and self.published == "coefficients"
        if self.fit and (self.fit not in GOODNESS or not plain):
            raise InputError("fit", "must be rss or r2 of a linear fit without penalty", repr(self.fit))
        if self.units and len(self.units) != self.rows:
            raise InputError("units", f"must be one for each of {self.rows} numbers", str(len(self.units)))

    @property
    def kind(self) -> str:
        """The word for it in a plan."""
        return KINDS.get(self.model, "m-estimator")

    @property
    def rows(self) -> int:
        """How many numbers are published."""
        return len(self.terms) + self.intercept + bool(self.fit)

    @property
    def loss(self) -> Loss:
        """What is minimised."""
        return loss_of(self.model, self.threshold)

    def labels(self) -> Iterator[str]:
        """Name every number, such as ``model 3: age``."""
        names = (INTERCEPT,) * self.intercept + self.terms
        for term in (*names, *((GOODNESS[self.fit],) if self.fit else ())):
            yield f"{self.name}: {term}" if self.name else term

    def design(self, roster: Roster) -> NDArray[np.float64]:
        """The design matrix of these people."""
        return design(roster, self.terms, intercept=self.intercept, standardise=self.standardise)

    def fingerprint(self, roster: Roster) -> NDArray[np.int32]:
        """What the terms can tell people apart by."""
        return fingerprint(self.design(roster))

    def compute(self, roster: Roster, secret: Vector) -> Vector:
        """Fit the model, to the last digit."""
        X = self.design(roster)
        theta = fit(X, secret, self.loss, self.penalty, intercept=self.intercept)
        answers = np.exp(theta) if self.published == "odds-ratios" else theta
        if self.fit:
            answers = np.append(answers, goodness(X, secret, theta, self.fit, intercept=self.intercept))
        return answers * self.scale

    @property
    def scale(self) -> Vector:
        """What each number is multiplied by before it is published."""
        return np.array(self.units or np.ones(self.rows), np.float64)

    def linear(self, roster: Roster, answers: Vector) -> LinearForm:
        """The score equations, when nothing is known about the errors of the answers."""
        return self.linear_within(roster, answers, np.full(answers.size, np.inf))

    def linear_within(self, roster: Roster, answers: Vector, size: Vector) -> LinearForm:
        """The score equations, when the answers are wrong by at most ``size``.

        Raises
        ------
        UnsupportedError
            If the answers cannot be an optimum: the secret was separated by the terms.
        """
        X = self.design(roster)
        theta, within, slope, reach = self._read(answers, size)
        split = X.shape[1]
        weights = self.penalty.weights(split, intercept=self.intercept)
        # a penalty of any weight up to one is half of it, give or take the other half
        ridge = weights * {"l2": 1.0, "unsaid": 0.5}.get(self.penalty.kind, 0.0)
        half = np.zeros(split)
        if self.penalty.kind == "unsaid":
            half = ridge * (np.abs(theta[:split]) + np.where(np.isfinite(within), within, 0.0)[:split])
        self._refuse_separated(X, theta[:split], ridge, within[:split])
        drift = drift_of(X) if self.model == "linear" else np.zeros(split)
        found = directions(X, intercept=self.intercept) if self._plain else None
        if found is None or found.whole:
            form = score_form(
                X,
                theta[:split],
                self.loss,
                ridge=ridge,
                lasso=weights * (self.penalty.kind == "l1"),
                inexact=Inexact(within[:split], self._unsolved(X) + half, drift),
            )
        else:
            form = truncated_form(found, theta[:split], drift, intercept=self.intercept)
        if self.fit:
            form = self._with_total(form, X, theta, within, drift)
        bound = None if form.reach is None else _scaled(form.reach, reach)
        return LinearForm(form.rows, form.target, np.asarray(form.gain) * slope, bound, slack=form.slack)

    def _read(self, answers: Vector, size: Vector) -> tuple[Vector, Vector, Vector, Vector]:
        """Coefficients, how wrong they may be, their derivative by the answers, and the steepest slope."""
        answers, size = answers / self.scale, size / self.scale
        if self.published == "coefficients":
            return answers, size, 1 / self.scale, 1 / self.scale
        if (answers <= 0).any():
            raise InputError("odds ratio", "must be above 0", f"{answers.min():g}", "Give more decimals.")
        with np.errstate(divide="ignore", invalid="ignore"):
            within = np.where(size < answers, -np.log1p(-np.minimum(size / answers, 1.0)), np.inf)
            steepest = np.where(size > 0, within / size, 1 / answers)
        return np.log(answers), within, 1 / answers / self.scale, steepest / self.scale

    def _unsolved(self, X: NDArray[np.float64]) -> Vector:
        """How far from zero the solver may have left every score."""
        scale = np.maximum(1.0, np.sqrt((X * X).mean(axis=0)))
        return np.asarray(self.tolerance * len(X) * scale + EXACT * (1 + np.abs(X).sum(axis=0)), np.float64)

    @property
    def _plain(self) -> bool:
        """Whether it is solved in one step, by least squares."""
        return self.model == "linear" and self.penalty.kind == "none"

    def _refuse_separated(self, X: NDArray[np.float64], theta: Vector, ridge: Vector, size: Vector) -> None:
        if self.model in ("linear", "huber") or self.penalty.kind == "l1" or (ridge > 0).all():
            return
        if np.isfinite(size).all() and (np.abs(X) @ size).max() > LOOSE:
            return  # printed with too few digits to know anybody's predictor, let alone that it is extreme
        eta = X @ theta
        weight = (self.loss.curvature(eta, 0.0) + self.loss.curvature(eta, 1.0)) / 2
        try:
            told = independent(X) | (ridge > 0)
            refuse_separated(X[:, told], weight, ridge[told])
        except UnsupportedError as error:
            raise UnsupportedError(f"{self.name or self.kind}: {error}") from None

    def _with_total(
        self, form: LinearForm, X: NDArray[np.float64], theta: Vector, size: Vector, drift: Vector
    ) -> LinearForm:
        """Add the equation about everybody that the goodness of fit gives."""
        total = total_of(X, theta, size, self.fit, intercept=self.intercept)
        gain = np.vstack([_widened(np.asarray(form.gain)), total.gain])
        reach = None if form.reach is None else np.vstack([_widened(np.asarray(form.reach)), total.reach])
        rows = np.vstack([np.asarray(form.rows, np.float64), np.ones(X.shape[0])])
        moved = float(np.maximum(total.reach, np.abs(total.gain))[:-1] @ drift)
        slack = np.append(np.zeros(X.shape[1]) if form.slack is None else form.slack, moved)
        return LinearForm(rows, np.append(form.target, total.value), gain, reach, slack=slack)

    def to_json(self) -> dict[str, Any]:
        """Return the statistic as plain values."""
        return {
            "kind": self.kind,
            "model": self.model,
            "terms": list(self.terms),
            "intercept": self.intercept,
            "penalty": self.penalty.kind,
            "weight": self.penalty.weight,
            "threshold": self.threshold,
            "standardise": self.standardise,
            "published": self.published,
            "fit": self.fit,
            "tolerance": self.tolerance,
            "units": list(self.units),
            "name": self.name,
        }

    @staticmethod
    def from_json(value: dict[str, Any], columns: tuple[Column, ...]) -> Regression:
        """Read the statistic back; ``columns`` are those of the release, of which it keeps its own."""
        said = dict(value)
        del said["kind"]
        terms, units = tuple(said.pop("terms")), tuple(said.pop("units"))
        penalty = Penalty(said.pop("penalty"), said.pop("weight"))
        return Regression(columns_of(columns, terms), terms, penalty=penalty, units=units, **said)


def regression(roster: Roster, words: tuple[str, ...], model: str = "logistic", **options: Any) -> Regression:
    """Make a regression of the secret on columns of a roster; ``options`` are those of `Regression`.

    Examples
    --------
    >>> from dalenius.people.schema import CodedColumns
    >>> from dalenius.people.schema import Kind, Role
    >>> town = Column("town", Role.PUBLIC, Kind.CATEGORICAL, ("a", "b", "c"))
    >>> roster = Roster("id", np.array(["x", "y"]), CodedColumns((town,), np.array([[0], [2]], np.int32)))
    >>> list(regression(roster, ("town",)).labels())
    ['Intercept', 'town[T.b]', 'town[T.c]']
    """
    terms = expand(roster, words)
    return Regression(columns_of(roster.attributes.columns, terms), terms, model, **options)


def _widened(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.pad(matrix, ((0, 0), (0, 1)))


def _scaled(reach: Any, slopes: Vector) -> NDArray[np.float64]:
    """Multiply columns; nothing times anything stays nothing."""
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(np.asarray(reach) * slopes, nan=0.0, posinf=np.inf)
