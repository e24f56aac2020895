"""From the words of a plan to statistics: ``tables:k=3``, ``histogram:column=age``, ``hadamard``."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dalenius.errors import InputError, nearest
from dalenius.grammar import Options, parse_options
from dalenius.people.roster import Roster
from dalenius.random import stream
from dalenius.statistics.classifiers.predictions import scores_of_file, scores_of_random_trees
from dalenius.statistics.classifiers.score_forms import FORMS
from dalenius.statistics.counts.boolean import BooleanFunction, function_of_table, named_function
from dalenius.statistics.counts.boolean_counts import counts_of, refuse_other_than_bits
from dalenius.statistics.counts.queries import read_queries
from dalenius.statistics.counts.subsets import HadamardQueries, random_subsets
from dalenius.statistics.counts.tables import Tables, tables_of
from dalenius.statistics.estimates.regression_options import KEYS as REGRESSION_KEYS
from dalenius.statistics.estimates.regression_options import ask_regression, check_regression
from dalenius.statistics.statistic import Statistic

MOST_TREES = 100_000
MOST_DEPTH = 30
"""Of random trees: a deeper one has a leaf for every person of a country."""


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
    return _KINDS[options.name](options, roster, rng)


def check(text: str) -> Options:
    """Refuse what cannot be a statistic whoever the people are: what a plan can be told before data is read.

    Examples
    --------
    >>> check("tables:k=2").name
    'tables'
    """
    options = parse_options(text)
    if options.name not in _KINDS:
        raise InputError(
            f"statistic {options.name!r}", "must be a known kind", text, nearest(options.name, _KINDS)
        )
    options.only(*_KEYS[options.name])
    for key, least in (("k", 0), ("m", 1)):
        if key in _KEYS[options.name]:
            options.whole(key, least=least)
    if options.name == "boolean":
        _function(options)
    if options.name == "classifier-score":
        options.choice("score", FORMS, "error-rate")
    if options.name in REGRESSION_KEYS:
        check_regression(options)
    return options


def _tables(options: Options, roster: Roster, rng: np.random.Generator) -> Statistic:
    columns = roster.attributes
    if names := options.words("attributes"):
        columns = columns.select(names)
    return tables_of(columns.columns, options.whole("k", least=0))


def _histogram(options: Options, roster: Roster, rng: np.random.Generator) -> Statistic:
    names = options.words("column")
    return Tables(roster.attributes.select(names).columns, (names,))


def _random_subsets(options: Options, roster: Roster, rng: np.random.Generator) -> Statistic:
    return random_subsets(roster.ids, options.whole("m", least=1), rng=rng)


def _hadamard(options: Options, roster: Roster, rng: np.random.Generator) -> Statistic:
    return HadamardQueries(roster.ids)


def _queries(options: Options, roster: Roster, rng: np.random.Generator) -> Statistic:
    return read_queries(options.text("path"), roster)


def _function(options: Options) -> BooleanFunction:
    if ("function" in options.values) == ("table" in options.values):
        raise InputError(
            "boolean:",
            "must have either function or table",
            str(options),
            "Write function=and, or table=0001.",
        )
    k = options.whole("k", least=0)
    if "table" in options.values:
        return function_of_table(options.text("table"), k)
    return named_function(options.text("function"), k)


def _boolean(options: Options, roster: Roster, rng: np.random.Generator) -> Statistic:
    function, columns = _function(options), roster.attributes.columns
    if names := options.words("attributes"):
        return counts_of(roster.attributes.select(names).columns, function)
    bits = [column for column in columns if len(column.levels) == 2]
    if len(bits) < function.k:
        refuse_other_than_bits(columns)
    return counts_of(bits, function)


def _classifier_score(options: Options, roster: Roster, rng: np.random.Generator) -> Statistic:
    kind = options.choice("score", FORMS, "error-rate")
    if "path" in options.values:
        return scores_of_file(options.text("path"), kind, roster)
    if "seed" in options.values:
        rng = stream(options.whole("seed", least=0), "trees")
    trees = options.whole("trees", 200, least=1, most=MOST_TREES)
    depth = options.whole("depth", 3, least=1, most=MOST_DEPTH)
    return scores_of_random_trees(roster, kind, trees, depth, rng=rng)


_KEYS: dict[str, tuple[str, ...]] = REGRESSION_KEYS | {
    "tables": ("k", "attributes"),
    "histogram": ("column",),
    "random-subsets": ("m",),
    "hadamard": (),
    "queries": ("path",),
    "boolean": ("function", "table", "k", "attributes"),
    "classifier-score": ("score", "trees", "depth", "seed", "path"),
}

_KINDS: dict[str, Callable[[Options, Roster, np.random.Generator], Statistic]] = {
    **dict.fromkeys(REGRESSION_KEYS, ask_regression),
    "tables": _tables,
    "histogram": _histogram,
    "random-subsets": _random_subsets,
    "hadamard": _hadamard,
    "queries": _queries,
    "boolean": _boolean,
    "classifier-score": _classifier_score,
}
