"""Regressions that somebody published, to the same view that an audit attacks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from scipy.special import expit

from dalenius.errors import InputError
from dalenius.knowledge.view import Knowledge, View
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.people.files.read_file import Source
from dalenius.people.opening import open_sheet
from dalenius.people.schema import Column, Kind, Role, Roster
from dalenius.reconstruction.published.coefficients import Fitted, read_coefficients
from dalenius.reconstruction.published.counts import LEVELS, read_roster
from dalenius.reconstruction.published.options import PrintedCoefficients
from dalenius.release.release import Block, Release
from dalenius.statistics.estimates.design import (
    INTERCEPT,
    canonical,
    columns_of,
    is_intercept,
    refuse_repeated,
)
from dalenius.statistics.estimates.optimum import NO_PENALTY, UNSAID, Penalty
from dalenius.statistics.estimates.regression import Regression
from dalenius.statistics.printed_number import half_units
from dalenius.statistics.statistic import ESTIMATE

STATED = "stated"
"""The mechanism of numbers whose intervals stand beside them."""

SOLVED = "gaussian:sigma=0.0001"
"""What is assumed of a solver's floating-point numbers, in units of its column: never that they are exact."""

LINEAR = 0.25
"""How far below 0 and above 1 fitted values of a linear model of a yes/no secret usually lie."""

MOSTLY = 0.9
"""Share of the fitted values that are so where the model is linear."""

CONVERGED = 1e-4
"""At how large a mean score scikit-learn takes a fit to be done, by default; statsmodels goes on further."""

_GOODNESS = {"rss": "*rss", "r2": "*r2", "r^2": "*r2", "r-squared": "*r2", "rsquared": "*r2"}
"""How the goodness of fit is written among the terms, and what stands for it there."""


@dataclass(frozen=True)
class Published:
    """How models were fitted, where their numbers do not say.

    Parameters
    ----------
    model
        What was fitted, such as ``logistic``; None if nobody says. Then it is what the numbers say, or
        logistic if no linear model would have them.
    penalty
        What was added to the sum of the losses; None if nobody says. Then a logistic fit had none, or the
        penalty that scikit-learn has by default, and others had none.
    intercept
        Whether a model without an intercept among its terms is refused as incomplete.
    standardise
        Whether all terms were standardised.
    printed
        Decimals or significant digits of the published numbers, or a mechanism; by default as printed.
    tolerance
        How far from zero the solver may have left the mean score of a term, see `Regression`; if not given,
        what is known of the program that printed the numbers, or scikit-learn's default. A linear fit is
        solved in one step and has none.
    """

    model: str | None = None
    penalty: Penalty | None = None
    intercept: bool = True
    standardise: bool = False
    printed: PrintedCoefficients = field(default_factory=PrintedCoefficients)
    tolerance: float | None = None


def read_regressions(
    people: Source, coefficients: Sequence[Path], how: Published, *, id: str, secret: str
) -> View:
    """Read published coefficients as a view.

    Raises
    ------
    InputError
        If a term is not about a public column, an intercept is missing, a term stands twice, or a number
        is not one.
    """
    roster = read_roster(open_sheet(people, id=id), id, secret)
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
    _check(how)
    blocks = tuple(_block(roster, fitted, how) for fitted in fits)
    column = Column(secret, Role.SECRET, Kind.BINARY, LEVELS)
    release = Release(name, column, blocks)
    return View(replace(release, mechanism=release.said), Knowledge(roster))


def assumed(view: View, how: Published) -> tuple[str, ...]:
    """Say which penalty and which tolerance every model is read with, and whether anybody said so."""
    found: dict[str, int] = {}
    for block in view.release.blocks:
        if isinstance(block.statistic, Regression):
            text = _assumed(block.statistic, how)
            found[text] = found.get(text, 0) + 1
    return tuple(
        f"assumed of {models:,} {text.format('model' if models == 1 else 'models')}"
        for text, models in found.items()
    )


def _assumed(statistic: Regression, how: Published) -> str:
    penalty = statistic.penalty
    words = {
        "none": "no penalty",
        "unsaid": f"no penalty or l2 up to C = {1 / (penalty.weight or 1.0):g}",
    }.get(penalty.kind, f"penalty {penalty.kind} with C = {1 / (penalty.weight or 1.0):g}")
    unsaid = "" if how.model is not None else " (nobody said which: --model)"
    solved = f"mean scores of at most {statistic.tolerance:g} left by the solver"
    if statistic.model == "linear":
        return f"linear {{}}{unsaid}: {words}; solved in one step, no tolerance"
    stated = "as stated" if how.tolerance is not None else "not stated: --tolerance"
    return f"{statistic.model} {{}}{unsaid}: {words} ({_by(how)}); {solved} ({stated})"


def _by(how: Published) -> str:
    return "as stated" if how.penalty is not None else "not stated: --penalty"


def _check(how: Published) -> None:
    if how.tolerance is not None and not 0 <= how.tolerance < np.inf:
        raise InputError("--tolerance", "must be at least 0", f"{how.tolerance:g}", "Use for example 1e-4.")


def _block(roster: Roster, fitted: Fitted, how: Published) -> Block:
    """The numbers of one model, and how far each may be from what was fitted."""
    statistic, order = _statistic(roster, fitted, how)
    numbers = np.array([fitted.numbers[j] for j in order])
    said, significant = how.printed.mechanism, how.printed.significant
    within = fitted.within if significant is None else half_units(fitted.texts, significant)
    if said is not None:
        return Block(statistic, ESTIMATE, numbers[:, None], str(parse_mechanism(said)))
    if within is None:
        statistic = replace(statistic, units=_units(statistic, roster))
        return Block(statistic, ESTIMATE, (numbers * statistic.scale)[:, None], SOLVED)
    half = np.array([within[j] for j in order])
    # a number on the edge of its interval is stored in binary, a little inside or outside
    half = half * (1 + 1e-6) + np.spacing(np.abs(numbers))
    return Block(
        statistic, ESTIMATE, numbers[:, None], STATED, (numbers - half)[:, None], (numbers + half)[:, None]
    )


def _statistic(roster: Roster, fitted: Fitted, how: Published) -> tuple[Regression, list[int]]:
    """The statistic behind a model, and where its numbers stand."""
    _refuse_other(roster, fitted, how)
    model = fitted.model or how.model or _by_numbers(fitted, roster)
    terms = [
        _term(name, roster, model, f"model {fitted.name!r}, term {j}")
        for j, name in enumerate(fitted.terms, 1)
    ]
    refuse_repeated(terms, f"model {fitted.name!r}")
    if INTERCEPT not in terms and how.intercept:
        raise InputError(
            f"model {fitted.name!r}",
            "must have its intercept among its terms",
            f"{len(terms):,} other terms",
            f"Add a row {INTERCEPT}, or give --no-intercept if it was fitted without one.",
            value=", ".join(fitted.terms[:5]),
        )
    goodness = [term for term in terms if term in _GOODNESS.values()]
    order = sorted(range(len(terms)), key=lambda j: (terms[j] != INTERCEPT, terms[j] in goodness))
    inner = tuple(terms[j] for j in order if terms[j] != INTERCEPT and terms[j] not in goodness)
    statistic = Regression(
        columns_of(roster.attributes.columns, inner),
        inner,
        model,
        intercept=INTERCEPT in terms,
        penalty=_penalty(fitted, how, model),
        standardise=how.standardise,
        published="odds-ratios" if fitted.odds else "coefficients",
        fit="".join(goodness).removeprefix("*"),
        name=fitted.name,
    )
    if fitted.model is None and how.model is None and model == "logistic" and not fitted.odds:
        _refuse_linear(statistic, fitted, order, roster)
    return replace(statistic, tolerance=_tolerance(statistic, roster, fitted, how)), order


def _refuse_other(roster: Roster, fitted: Fitted, how: Published) -> None:
    """Refuse a model that was fitted to other people, or is another one, as it says itself."""
    if fitted.people not in (None, len(roster)):
        raise InputError(
            f"model {fitted.name!r}",
            f"must be fitted to the {len(roster):,} people on the list",
            f"{fitted.people:,} observations",
            "Give the list of those who entered it: programs leave out people with missing values.",
        )
    if fitted.model is not None and how.model not in (None, fitted.model):
        raise InputError(
            "--model", f"must be what model {fitted.name!r} says it is, {fitted.model}", str(how.model)
        )


def _by_numbers(fitted: Fitted, roster: Roster) -> str:
    """What a fit that names no model was: linear if its goodness is that of one, otherwise logistic."""
    known = {column.name for column in roster.attributes.columns}
    goodness = any(name.lower() in _GOODNESS and name not in known for name in fitted.terms)
    return "linear" if goodness and not fitted.odds else "logistic"


def _refuse_linear(statistic: Regression, fitted: Fitted, order: list[int], roster: Roster) -> None:
    """Ask about coefficients that a linear model may have, or that no logistic one does.

    Fitted values of a model with an intercept add up to the number of people who have the secret, a whole
    number: as they are if it is linear, as probabilities if it is logistic. Those of a linear one are
    mostly shares besides.
    """
    design = statistic.design(roster)
    values = design @ np.array([fitted.numbers[j] for j in order])
    half = np.zeros(len(order)) if fitted.within is None else np.array([fitted.within[j] for j in order])
    slack = float(np.abs(design.sum(axis=0)) @ half) + CONVERGED * len(roster)
    shares = ((values > -LINEAR) & (values < 1 + LINEAR)).mean() >= MOSTLY
    linear, logistic = (abs(x - round(x)) <= slack for x in (values.sum(), expit(values).sum()))
    if shares if not statistic.intercept else linear and (shares or not logistic):
        raise InputError(
            "--model",
            "must say what was fitted",
            f"model {statistic.name!r}, which may well be linear by its numbers",
            "Give --model linear, or --model logistic if it was.",
        )


def _tolerance(statistic: Regression, roster: Roster, fitted: Fitted, how: Published) -> float:
    """How far from zero the scores may have been left, in units of each term.

    A program that goes down the gradient, as scikit-learn does by default, stops when nothing moves any more;
    with terms of very different scales that is long before the smaller ones are done.
    """
    if statistic.model == "linear":
        return 0.0
    if how.tolerance is not None:
        return how.tolerance
    if fitted.converged is not None:
        return fitted.converged
    scale = np.sqrt((statistic.design(roster) ** 2).mean(axis=0))
    return CONVERGED * float(max(1.0, scale.max(initial=0.0)))


def _penalty(fitted: Fitted, how: Published, model: str) -> Penalty:
    """What the fit says itself, else what is said of all, else what can have been."""
    if fitted.model is not None and fitted.penalty is not None:
        return fitted.penalty
    said = how.penalty if how.penalty is not None else fitted.penalty
    return said if said is not None else UNSAID if model == "logistic" else NO_PENALTY


def _term(name: str, roster: Roster, model: str, where: str) -> str:
    """The canonical term of a name in a file; the goodness of a linear fit stands among the terms too."""
    known = {column.name for column in roster.attributes.columns}
    if name.lower() in _GOODNESS and name not in known:
        if model != "linear":
            raise InputError(f"term {name!r}", "must belong to a linear model", model, "Leave it out.")
        return _GOODNESS[name.lower()]
    return INTERCEPT if is_intercept(name) and name not in known else canonical(name, roster, where)


def _units(statistic: Regression, roster: Roster) -> tuple[float, ...]:
    """Bring a solver's numbers to the scale of their columns."""
    if statistic.published == "odds-ratios":
        return ()
    scale = np.sqrt((statistic.design(roster) ** 2).mean(axis=0))
    unit = 10.0 ** np.round(np.log10(np.maximum(scale, 1e-300)))
    return tuple(np.append(unit, np.ones(int(bool(statistic.fit)))).tolist())
