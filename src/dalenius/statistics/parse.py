"""From the words of a plan to statistics, and the words of releases of means."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dalenius.errors import InputError, nearest
from dalenius.grammar import Options, parse_options
from dalenius.people.schema import Roster
from dalenius.registry import Registry
from dalenius.statistics.statistic import Statistic

_REGRESSION = ("terms", "intercept", "standardise")

_KEYS: dict[str, tuple[str, ...]] = {
    "tables": ("k", "attributes"),
    "histogram": ("column",),
    "random-subsets": ("m",),
    "hadamard": (),
    "queries": ("path",),
    "boolean": ("function", "table", "k", "attributes"),
    "classifier-score": ("score", "trees", "depth", "seed", "path"),
    "linear-regression": (*_REGRESSION, "ridge", "fit"),
    "logistic-regression": (*_REGRESSION, "penalty", "C", "publish"),
    "m-estimator": (*_REGRESSION, "loss", "ridge", "threshold"),
    "secret-regressor": ("outcome", "terms", "model", "intercept"),
}
"""The options of every kind."""

_ASK = Registry[Callable[[Options, Roster, np.random.Generator], Statistic]](
    __package__,
    {
        "tables": "tables:ask_tables",
        "histogram": "tables:ask_histogram",
        "random-subsets": "counts.subsets:ask_random_subsets",
        "hadamard": "counts.subsets:ask_hadamard",
        "queries": "counts.queries:ask_queries",
        "boolean": "counts.boolean_counts:ask_boolean",
        "classifier-score": "classifiers.predictions:ask_scores",
        "linear-regression": "estimates.regression_options:ask_regression",
        "logistic-regression": "estimates.regression_options:ask_regression",
        "m-estimator": "estimates.regression_options:ask_regression",
        "secret-regressor": "estimates.regression_options:ask_regression",
    },
)
"""What makes a statistic of its options."""

_CHECK = Registry[Callable[[Options], object]](
    __package__,
    {
        "boolean": "counts.boolean:function_of",
        "classifier-score": "classifiers.score_forms:form_of",
        "linear-regression": "estimates.regression_options:check_regression",
        "logistic-regression": "estimates.regression_options:check_regression",
        "m-estimator": "estimates.regression_options:check_regression",
        "secret-regressor": "estimates.regression_options:check_regression",
    },
)
"""What refuses options that are wrong whoever the people are, besides unknown ones and sizes."""

_OTHER_CLASSES = ("bins", "classes", "level", "levels")
"""What somebody writes who wants another table by a column in other classes."""

_SIZES = (("k", 0), ("m", 1))


def ask(text: str, roster: Roster, *, rng: np.random.Generator) -> Statistic:
    """Read one statistic in the grammar ``name:key=value``.

    Parameters
    ----------
    text
        ``tables:k=2[,attributes=a+b+c]``: the secret with every ``k`` of the public columns;
        ``histogram[:column=a]``: the secret alone, or with one column;
        ``random-subsets:m=400``; ``hadamard``; ``queries:path=queries.csv``;
        ``boolean:function=majority,k=2[,attributes=a+b+c]`` or ``boolean:table=0110,k=1``: a function of
        every ``k`` public columns of two levels and the secret;
        ``classifier-score[:score=error-rate,trees=200,depth=3,seed=1]``: of random trees, or of the rules in
        ``path=predictions.csv``;
        ``linear-regression:terms=age+sex[,ridge=1][,intercept=no][,fit=r2]``,
        ``logistic-regression:terms=age+sex[,penalty=l1|l2,C=1][,publish=odds-ratios]``,
        ``m-estimator:loss=poisson,terms=age+sex``: coefficients of the secret on public columns;
        ``secret-regressor:outcome=income,terms=age``: with the secret as one more term.
    roster
        The people and their public columns.
    rng
        Draws random subsets.

    Examples
    --------
    >>> roster = Roster.of_names("id", np.array(["a", "b"]))
    >>> ask("random-subsets:m=7", roster, rng=np.random.default_rng(1)).rows
    7
    """
    options = check(text)
    return _ASK[options.name](options, roster, rng)


def check(text: str) -> Options:
    """Refuse what cannot be a statistic whoever the people are: what a plan can be told before data is read.

    Examples
    --------
    >>> check("tables:k=2").name
    'tables'
    """
    options = parse_options(text)
    if options.name not in _KEYS:
        raise InputError(
            f"statistic {options.name!r}", "must be a known kind", text, nearest(options.name, _KEYS)
        )
    if options.name in ("tables", "histogram") and (other := {*_OTHER_CLASSES} & {*options.values}):
        raise InputError(
            f"{options.name}: option {min(other)!r}",
            "must be one it knows",
            text,
            "For other classes or a coarser level of a column here read it again under another name: see "
            "again, bins and letters of [schema].",
        )
    options.only(*_KEYS[options.name])
    for key, least in _SIZES:
        if key in _KEYS[options.name]:
            options.whole(key, least=least)
    if options.name in _CHECK:
        _CHECK[options.name](options)
    return options


MEANS, FREQUENCIES = "means", "frequencies"


KEYS: dict[str, tuple[str, ...]] = {MEANS: ("columns",), FREQUENCIES: ("variants",)}


def is_means(text: str) -> bool:
    """Whether a statistic is one of means, by its name.

    Examples
    --------
    >>> is_means("means:columns=age+sex"), is_means("tables:k=2")
    (True, False)
    """
    return text.partition(":")[0].strip() in KEYS


def check_means(text: str) -> Options:
    """Refuse what cannot be ``means[:columns=a+b]`` or ``frequencies[:variants=500]``, whoever they are."""
    options = parse_options(text)
    if options.name not in KEYS:
        raise InputError(
            f"statistic {options.name!r}", "must be a known kind", text, nearest(options.name, KEYS)
        )
    options.only(*KEYS[options.name])
    if "variants" in options.values:
        options.whole("variants", least=1)
    return options
