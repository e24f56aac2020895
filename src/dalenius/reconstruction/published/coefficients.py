"""Coefficients as people publish them: a table, a printed summary, or a fitted model in memory."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from dalenius.errors import InputError, UnsupportedError
from dalenius.people.files.reading import decode, read_bytes
from dalenius.people.files.sheet import Sheet
from dalenius.people.opening import open_sheet
from dalenius.statistics.estimates.design import INTERCEPT
from dalenius.statistics.estimates.optimum import NO_PENALTY, Penalty
from dalenius.statistics.printed_number import MOST, everyday, half_units, last_units

COLUMNS = {"estimate": False, "coef": False, "coefficient": False, "odds_ratio": True}
"""The columns that hold the numbers, and whether those are odds ratios."""


LEFT_OUT = "NA"
"""What R prints in place of the coefficient of a term that is a linear combination of others."""

NEWTON = 1e-5
"""At how large a mean score statsmodels stops at the latest."""


@dataclass(frozen=True)
class Fitted:
    """One model as it was published.

    Parameters
    ----------
    name
        What it is called.
    terms
        The names of its coefficients, as printed.
    numbers
        The coefficients.
    within
        How far each may be from what was fitted, as it is printed; None if a solver handed over its
        floating-point numbers.
    texts
        What is printed.
    odds
        Whether the numbers are odds ratios.
    model
        What was fitted, such as ``logistic``; None if the numbers do not say.
    penalty
        What was added to the sum of the losses; None if the numbers do not say.
    converged
        At how large a mean score the program is known to stop, whatever the scale of a term; None if the
        program is not known.
    people
        To how many people it was fitted; None if the numbers do not say.
    """

    name: str
    terms: tuple[str, ...]
    numbers: tuple[float, ...]
    within: tuple[float, ...] | None = None
    texts: tuple[str, ...] = ()
    odds: bool = False
    model: str | None = None
    penalty: Penalty | None = None
    converged: float | None = None
    people: int | None = None


def read_coefficients(path: Path) -> list[Fitted]:
    """Read models from a table ``[model,]term,estimate``, or from a statsmodels summary in a ``.txt`` file.

    Raises
    ------
    InputError
        If a number is missing or not a number, or a column is.
    """
    if path.suffix.lower() == ".txt":
        return [summary(decode(path, read_bytes(path)), path.stem, str(path))]
    table = open_sheet(path)
    found = [name for name in COLUMNS if name in table.names]
    if len(found) != 1:
        raise InputError(
            str(path), "must have one column 'estimate' or 'odds_ratio'", f"{len(found)} of them",
            "Write a table with the columns model,term,estimate.",
        )  # fmt: skip
    return _models(table, found[0])


def _models(table: Sheet, column: str) -> list[Fitted]:
    terms = table.text("term").tolist()
    names = table.text("model").tolist() if "model" in table.names else [Path(table.name).stem] * len(terms)
    texts = table.written(column).tolist()
    models = []
    for name in dict.fromkeys(names):
        at = [j for j, other in enumerate(names) if other == name and texts[j].strip() != LEFT_OUT]
        what = {j: f"{table.name}: {column}, row {j + 1}," for j in at}
        models.append(_printed(name, [terms[j] for j in at], [texts[j] for j in at], [*what.values()]))
    return [replace(fitted, odds=COLUMNS[column]) for fitted in models]


def _printed(name: str, terms: list[str], texts: list[str], what: list[str]) -> Fitted:
    """One model of which every number is known as far as it is printed."""
    numbers = tuple(_number(text, place) for text, place in zip(texts, what, strict=True))
    return Fitted(name, tuple(terms), numbers, half_units(texts), tuple(texts))


def summary(text: str, name: str = "model", source: str = "summary") -> Fitted:
    """Read the coefficients of a summary that statsmodels printed.

    Examples
    --------
    >>> table = '''
    ... ==============================================================================
    ...                  coef    std err          z      P>|z|      [0.025      0.975]
    ... ------------------------------------------------------------------------------
    ... const         -1.2500      0.210     -5.952      0.000      -1.662      -0.838
    ... age         3.21e-05      0.010      0.003      0.997      -0.020       0.020
    ... ==============================================================================
    ... '''
    >>> fitted = summary(table)
    >>> fitted.terms, fitted.numbers, fitted.within
    (('const', 'age'), (-1.25, 3.21e-05), (5e-05, 5e-08))
    """
    if re.search(r"converged:\s+False", text):
        rule = "must be of a fit that converged"
        raise InputError(source, rule, "converged: False", "Its coefficients are no optimum; leave it out.")
    lines = text.splitlines()
    heads = [j for j, line in enumerate(lines) if re.match(r"\s*coef\s+std err\s", line)]
    if len(heads) != 1:
        raise InputError(
            source, "must hold one table with the columns coef and std err", f"{len(heads)}",
            "Save str(result.summary()) of one model, or write a table model,term,estimate.",
        )  # fmt: skip
    width = len(re.sub(r"std err", "stderr", lines[heads[0]]).split())
    terms, texts = [], []
    for line in lines[heads[0] + 2 :]:
        parts = line.rsplit(maxsplit=width)
        if line.startswith(("=", "-")) or len(parts) <= width:
            break
        terms.append(parts[0].strip())
        texts.append(parts[1])
    fitted = _printed(name, terms, texts, [f"{source}: coef, row {j + 1}," for j in range(len(terms))])
    people = re.search(r"No\. Observations:\s+(\d{1,12})\b", text)
    return replace(
        fitted,
        within=last_units(texts),
        model=_model_of(text, source),
        penalty=NO_PENALTY,
        converged=NEWTON,
        people=None if people is None else int(people[1]),
    )


def _model_of(text: str, source: str) -> str | None:
    """What a summary says was fitted: weights, or another link, make other equations of the same table."""
    model = re.search(r"^Model:\s+(\w+)", text, re.MULTILINE)
    if model is None:
        return None
    kind, parts = model[1], [re.search(rf"{part}:\s+(\w+)", text) for part in ("Family", "Link Function")]
    if kind == "GLM":
        kind = " ".join(part[1].lower() for part in parts if part is not None)
    if kind not in _STATSMODELS:
        raise InputError(
            source,
            f"must be of one of {', '.join(_STATSMODELS)}",
            "another model",
            "Leave it out.",
            value=kind,
        )
    return _STATSMODELS[kind]


def _number(text: str, what: str) -> float:
    number = everyday(text)
    if number is None and text.strip().lower() in ("nan", "inf", "-inf"):
        raise InputError(what, "must be finite", text.strip(), "A model without an optimum has none.")
    if number is None:
        raise InputError(
            what, f"must be a number, 0 or between 1e-{MOST} and 1e{MOST}", "another", value=text
        )
    return number


def from_statsmodels(result: Any, name: str = "model") -> Fitted:
    """Take the coefficients of a fitted statsmodels model: OLS, Logit, Probit, Poisson, or such a GLM.

    Raises
    ------
    UnsupportedError
        If it is another model, or was fitted with a penalty that the result does not tell.
    """
    kind = type(result.model).__name__
    if "L1" in type(result).__name__ or "Regular" in type(result).__name__:
        raise UnsupportedError(f"{name}: a regularised statsmodels fit does not say its penalty")
    if kind == "GLM":
        family = result.model.family
        kind = f"{type(family).__name__} {type(family.link).__name__}".lower()
    if kind not in _STATSMODELS:
        raise UnsupportedError(f"{name}: {kind} is not one of {', '.join(_STATSMODELS)}")
    numbers = tuple(float(value) for value in np.asarray(result.params))
    terms, model = tuple(result.model.exog_names), _STATSMODELS[kind]
    return Fitted(name, terms, _finite(numbers, name), model=model, penalty=NO_PENALTY)


_STATSMODELS = {
    "OLS": "linear", "Logit": "logistic", "Probit": "probit", "Poisson": "poisson",
    "gaussian identity": "linear", "binomial logit": "logistic", "binomial probit": "probit",
    "poisson log": "poisson",
}  # fmt: skip


def from_sklearn(estimator: Any, names: Sequence[str] | None = None, name: str = "model") -> Fitted:
    """Take the coefficients of a fitted LinearRegression, Ridge or LogisticRegression, penalty and all.

    Parameters
    ----------
    estimator
        The fitted estimator.
    names
        What its features are called; those it was fitted with if it knows them.

    Raises
    ------
    UnsupportedError
        If it is another estimator, has more than two classes, or penalises its intercept.
    """
    kind = type(estimator).__name__
    if kind not in ("LinearRegression", "Ridge", "LogisticRegression"):
        raise UnsupportedError(f"{name}: {kind} is not LinearRegression, Ridge or LogisticRegression")
    if names is None:
        names = getattr(estimator, "feature_names_in_", None)
    coefficients = np.atleast_2d(np.asarray(estimator.coef_, np.float64))
    if coefficients.shape[0] != 1:
        raise UnsupportedError(f"{name}: {coefficients.shape[0]} outcomes; a secret of two values has one")
    if names is None or len(names) != coefficients.shape[1]:
        raise InputError("names", f"must be one for each of {coefficients.shape[1]} features", f"{names}")
    terms, numbers = tuple(map(str, names)), tuple(coefficients[0].tolist())
    if estimator.fit_intercept:
        terms, numbers = (INTERCEPT, *terms), (float(np.ravel(estimator.intercept_)[0]), *numbers)
    model = "logistic" if kind == "LogisticRegression" else "linear"
    return Fitted(name, terms, _finite(numbers, name), model=model, penalty=_sklearn_penalty(estimator, name))


def _sklearn_penalty(estimator: Any, name: str) -> Penalty:
    if type(estimator).__name__ != "LogisticRegression":
        alpha = float(getattr(estimator, "alpha", 0.0))
        return Penalty("l2", alpha) if alpha else NO_PENALTY
    penalty, ratio = getattr(estimator, "penalty", "l2"), getattr(estimator, "l1_ratio", None)
    if penalty in (None, "none") or np.isinf(estimator.C):
        return NO_PENALTY
    if estimator.solver == "liblinear" and estimator.fit_intercept:
        raise UnsupportedError(f"{name}: liblinear penalises its intercept; fit with another solver")
    if penalty == "l1" or (penalty not in ("l2", "elasticnet") and ratio == 1):
        return Penalty("l1", 1 / float(estimator.C))
    if ratio and penalty != "l2":
        raise UnsupportedError(f"{name}: the elastic net mixes two penalties, which is not supported")
    return Penalty("l2", 1 / float(estimator.C))


def _finite(numbers: tuple[float, ...], name: str) -> tuple[float, ...]:
    if not np.isfinite(numbers).all():
        raise InputError(f"{name}: coefficients", "must be finite", "NaN or infinity")
    return numbers
