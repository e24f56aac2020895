"""Regressions that somebody published, to the same view that an audit attacks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from dalenius.audit.published.coefficients import Fitted, read_coefficients
from dalenius.audit.published.counts import LEVELS, read_roster
from dalenius.errors import InputError
from dalenius.knowledge.view import Knowledge, View
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.records.answers import Vector
from dalenius.records.files import read_plain
from dalenius.records.roster import Roster
from dalenius.records.schema import Column, Kind, Role
from dalenius.release.release import Block, Release
from dalenius.statistics.design import (
    INTERCEPT,
    canonical,
    columns_of,
    is_intercept,
    refuse_repeated,
)
from dalenius.statistics.optimum import NO_PENALTY, Penalty
from dalenius.statistics.regression import Regression
from dalenius.statistics.statistic import ESTIMATE

SOLVED = "gaussian:sigma=0.0001"
"""What is assumed of a solver's floating-point numbers, in units of its column: never that they are exact."""

_GOODNESS = {"rss": "*rss", "r2": "*r2", "r^2": "*r2", "r-squared": "*r2", "rsquared": "*r2"}
"""How the goodness of fit is written among the terms, and what stands for it there."""


@dataclass(frozen=True)
class Published:
    """How models were fitted, where their numbers do not say.

    Parameters
    ----------
    model
        What was fitted, such as ``logistic``.
    penalty
        What was added to the sum of the losses.
    intercept
        Whether a model without an intercept among its terms is refused as incomplete.
    standardise
        Whether all terms were standardised.
    digits
        Decimals of the published numbers; as printed if not given.
    noise
        What is said of their error instead, in the grammar of mechanisms.
    """

    model: str = "logistic"
    penalty: Penalty = NO_PENALTY
    intercept: bool = True
    standardise: bool = False
    digits: int | None = None
    noise: str | None = None


def read_regressions(
    people: Path, coefficients: Sequence[Path], how: Published, *, id: str, secret: str
) -> View:
    """Read published coefficients as a view.

    Raises
    ------
    InputError
        If a term is not about a public column, an intercept is missing, a term stands twice, or a number
        is not one.
    """
    roster = read_roster(read_plain(people), id, secret)
    fits = [fitted for path in coefficients for fitted in read_coefficients(path)]
    return regression_view(roster, fits, how, name=coefficients[0].name, secret=secret)


def regression_view(
    roster: Roster,
    fits: Iterable[Fitted],
    how: Published,
    *,
    name: str = "regressions",
    secret: str,
) -> View:
    """Make a view of models that were published about the people of a roster.

    Several models about the same people stand under each other: each gives one equation a coefficient.
    """
    fits = list(fits)
    refuse_repeated([fitted.name for fitted in fits], "models")
    mechanism, digits = _mechanism(fits, how)
    blocks = []
    for fitted in fits:
        statistic, numbers = _statistic(roster, fitted, how, digits)
        blocks.append(Block(statistic, ESTIMATE, numbers[:, None]))
    column = Column(secret, Role.SECRET, Kind.BINARY, LEVELS)
    return View(Release(name, column, tuple(blocks), mechanism), Knowledge(roster))


def _mechanism(fits: list[Fitted], how: Published) -> tuple[str, int | None]:
    """What is assumed about the errors, and to how many decimals all numbers are brought."""
    if how.digits is not None and how.noise is not None:
        raise InputError("--digits", "must not be given with --noise", how.noise, "Give one of the two.")
    if how.noise is not None:
        return str(parse_mechanism(how.noise)), None
    if how.digits is not None:
        return str(parse_mechanism(f"rounding:digits={how.digits}")), None
    printed = [d for fitted in fits for d in fitted.decimals or ()]
    if not printed or max(printed) > 12:
        return SOLVED, None
    digits = max(0, max(printed))
    return f"rounding:digits={digits}", digits


def _statistic(
    roster: Roster, fitted: Fitted, how: Published, digits: int | None
) -> tuple[Regression, Vector]:
    model = fitted.model or how.model
    terms = [_term(name, roster, model) for name in fitted.terms]
    refuse_repeated(terms, f"model {fitted.name!r}")
    if INTERCEPT not in terms and how.intercept:
        raise InputError(
            f"model {fitted.name!r}",
            "must have its intercept among its terms",
            f"only {', '.join(fitted.terms[:5])}",
            f"Add a row {INTERCEPT}, or give --no-intercept if it was fitted without one.",
        )
    goodness = [term for term in terms if term in _GOODNESS.values()]
    order = sorted(range(len(terms)), key=lambda j: (terms[j] != INTERCEPT, terms[j] in goodness))
    inner = tuple(terms[j] for j in order if terms[j] != INTERCEPT and terms[j] not in goodness)
    statistic = Regression(
        columns_of(roster.attributes.columns, inner),
        inner,
        model,
        intercept=INTERCEPT in terms,
        penalty=how.penalty if fitted.model is None else fitted.penalty,
        standardise=how.standardise,
        published="odds-ratios" if fitted.odds else "coefficients",
        fit="".join(goodness).removeprefix("*"),
        name=fitted.name,
    )
    statistic = replace(statistic, units=_units(statistic, roster, fitted, order, digits, how))
    return statistic, np.array([fitted.numbers[j] for j in order]) * statistic.scale


def _term(name: str, roster: Roster, model: str) -> str:
    """The canonical term of a name; the goodness of a linear fit stands among the terms too."""
    known = {column.name for column in roster.attributes.columns}
    if name.lower() in _GOODNESS and name not in known:
        if model != "linear":
            raise InputError(f"term {name!r}", "must belong to a linear model", model, "Leave it out.")
        return _GOODNESS[name.lower()]
    return INTERCEPT if is_intercept(name) and name not in known else canonical(name, roster)


def _units(
    statistic: Regression,
    roster: Roster,
    fitted: Fitted,
    order: list[int],
    digits: int | None,
    how: Published,
) -> tuple[float, ...]:
    """Bring all numbers to one number of decimals, or a solver's numbers to the scale of their columns."""
    if digits is not None and fitted.decimals is not None:
        return tuple(10.0 ** (fitted.decimals[j] - digits) for j in order)
    if how.digits is not None or how.noise is not None or fitted.odds:
        return ()
    scale = np.sqrt((statistic.design(roster) ** 2).mean(axis=0))
    unit = 10.0 ** np.round(np.log10(np.maximum(scale, 1e-300)))
    return tuple(np.append(unit, np.ones(int(bool(statistic.fit)))).tolist())
