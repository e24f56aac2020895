"""Regressions in the words of a plan: ``logistic-regression:terms=age+sex,C=1``."""

from __future__ import annotations

import numpy as np

from dalenius.errors import InputError
from dalenius.grammar import Options
from dalenius.people.schema import Roster
from dalenius.statistics.estimates.losses import LOSSES
from dalenius.statistics.estimates.optimum import NO_PENALTY, Penalty
from dalenius.statistics.estimates.regression import PUBLISHED, Regression, regression
from dalenius.statistics.estimates.secret_regressor import MODELS, SecretRegressor, secret_regressor


def check_regression(options: Options) -> None:
    """Refuse what is wrong whoever the people are."""
    if not options.words("terms"):
        options.text("terms")
    _yes(options, "intercept", "yes")
    if options.name == "secret-regressor":
        options.text("outcome")
        options.choice("model", MODELS, "linear")
        return
    _yes(options, "standardise", "no")
    _model(options)
    _penalty(options)


def ask_regression(
    options: Options, roster: Roster, rng: np.random.Generator
) -> Regression | SecretRegressor:
    """Make the regression that options describe."""
    words, intercept = options.words("terms"), _yes(options, "intercept", "yes")
    if options.name == "secret-regressor":
        model = options.choice("model", MODELS, "linear")
        return secret_regressor(roster, options.text("outcome"), words, model, intercept=intercept)
    model, threshold = _model(options)
    return regression(
        roster,
        words,
        model,
        intercept=intercept,
        standardise=_yes(options, "standardise", "no"),
        threshold=threshold,
        penalty=_penalty(options),
        published=options.choice("publish", PUBLISHED, PUBLISHED[0]),
        fit=options.choice("fit", ("", "rss", "r2"), ""),
    )


def _yes(options: Options, key: str, default: str) -> bool:
    return options.choice(key, ("yes", "no"), default) == "yes"


def _model(options: Options) -> tuple[str, float | None]:
    if options.name != "m-estimator":
        return options.name.removesuffix("-regression"), None
    model = options.choice("loss", LOSSES, "")
    threshold = options.number("threshold", above=0) if "threshold" in options.values else None
    if threshold is not None and model != "huber":
        raise InputError("m-estimator: threshold", "must be given for loss=huber only", str(options))
    return model, threshold


def _penalty(options: Options) -> Penalty:
    if options.name != "logistic-regression":
        ridge = options.number("ridge", 0.0, least=0)
        return Penalty("l2", ridge) if ridge else NO_PENALTY
    kind = options.choice("penalty", ("none", "l2", "l1"), "l2" if "C" in options.values else "none")
    if kind == "none" and "C" in options.values:
        raise InputError("logistic-regression: C", "must come with a penalty", str(options), "Leave it out.")
    return Penalty(kind, 1 / options.number("C", 1.0, above=0)) if kind != "none" else NO_PENALTY
