"""What somebody's secret is, from what else is known of them: by released rows, and without any.

With a release: the value of the nearest released row, or what the five nearest agree on. Without it: the best
of three predictors that have seen other people alone, chosen by how often each is right about people whom it
has not seen: by parts, or, of a forest, by the trees that did not see them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.people.rows.columns import NumberColumn, RowColumn, TextColumn
from dalenius.people.rows.rows import Rows
from dalenius.singling_out.attack.nearest import Ints, nearest, on_scale

FOLDS = 3
MOST_LEARNT = 5000
"""Other people whom a predictor learns from; of more, so many are drawn."""

FEW_VALUES = 50
"""Different numbers up to which each is guessed as a label is."""

TREES = 40

Guess = Callable[[Rows], RowColumn]
"""From what is known of people to their secrets."""


def agreed(rows: Ints, secret: RowColumn) -> RowColumn:
    """The value that most of some people's nearest rows have, or the one in the middle if it is a number.

    Examples
    --------
    >>> towns = TextColumn("town", np.array([0, 1, 1], np.int32), ("Bern", "Zug"))
    >>> agreed(np.array([[0, 1, 2]]), towns).text(0)
    'Zug'
    """
    everybody = np.arange(len(rows))
    if isinstance(secret, NumberColumn):
        chosen = np.argsort(secret.values[rows], axis=1, kind="stable")[:, (rows.shape[1] - 1) // 2]
    else:
        codes = secret.codes[rows]
        chosen = np.argmax((codes[:, :, None] == codes[:, None, :]).sum(axis=2), axis=1)
    return secret.take(rows[everybody, chosen])


def right(truth: RowColumn, guess: RowColumn, within: float) -> NDArray[np.bool_]:
    """Who is guessed right: the same label, or a number at most so far away; what is missing is not right."""
    if isinstance(truth, NumberColumn) and isinstance(guess, NumberColumn):
        close: NDArray[np.bool_] = np.abs(truth.values - guess.values) <= within  # NaN is near to nothing
        return close
    own, other = (c if isinstance(c, TextColumn) else c.as_text for c in (truth, guess))
    code_of = own.labels.code_of
    moved = np.array([*(code_of.get(level, -2) for level in other.levels), -2], np.int32)
    same: NDArray[np.bool_] = own.codes == moved[other.codes]
    return same


@dataclass(frozen=True)
class Predictor:
    """What other people tell about a secret.

    Parameters
    ----------
    name
        The kind that was right most often about people whom it had not seen.
    guess
        Learnt from all of them, for anybody else.
    about_others
        Who of them is guessed right, each by what was learnt from others than them.
    """

    name: str
    guess: Guess
    about_others: NDArray[np.bool_]


def learn(others: Rows, secret: str, within: float, rng: np.random.Generator) -> Predictor:
    """Learn to predict a secret from other people, and choose the best way by cross-fitting.

    Parameters
    ----------
    others
        People whose secret is known, none of whom is asked about.
    secret
        The column to predict; all others are known.
    within
        How near a number counts as right.
    rng
        Parts people, and grows trees.
    """
    if len(others) > MOST_LEARNT:
        others = others.take(np.sort(rng.permutation(len(others))[:MOST_LEARNT]))
    others = others.take(~others.column(secret).missing)
    if not len(others):
        raise InputError(f"control: column {secret!r}", "must be known of somebody", "only missing values")
    truth = others.column(secret)
    several = len(others) >= 2 * FOLDS and len(others.names) > 1
    ways = {"the most usual value": _usual} | ({"the nearest of other people": _nearest} if several else {})
    seed = int(rng.integers(2**31))
    fold = rng.permutation(len(others)) % FOLDS
    scores = {}
    for name, way in ways.items():
        hits = np.zeros(len(others), np.bool_)
        for part in np.unique(fold):
            here = fold == part
            learnt = way(others.take(~here), secret, within, seed) if (~here).any() else None
            if learnt is not None:
                hits[here] = right(truth.take(here), learnt(others.take(here)), within)
        scores[name] = hits
    best = max(scores, key=lambda name: float(scores[name].mean()))
    if several:
        trees, unseen = _forest(others, secret, seed)
        hits = right(truth, unseen, within)
        if hits.mean() > scores[best].mean():
            return Predictor("a forest", trees, hits)
    return Predictor(best, ways[best](others, secret, within, seed), scores[best])


def _known(rows: Rows, secret: str) -> Rows:
    return rows.select([name for name in rows.names if name != secret])


def _usual(others: Rows, secret: str, within: float, seed: int) -> Guess:
    """Everybody has the value that most people have, or have nearly."""
    column = others.column(secret)
    if isinstance(column, NumberColumn):
        rising = np.sort(column.values)
        ends = np.searchsorted(rising, rising + 2 * within, "right")
        first = int(np.argmax(ends - np.arange(rising.size)))
        # any number of the window meets all of it from the middle; the first alone if they are one value
        value = (rising[first] + rising[ends[first] - 1]) / 2
        return lambda people: NumberColumn(secret, np.full(len(people), value), column.kind)
    most = int(np.argmax(np.bincount(column.codes)))
    return lambda people: column.take(np.full(len(people), np.flatnonzero(column.codes == most)[0]))


def _nearest(others: Rows, secret: str, within: float, seed: int) -> Guess:
    """The five nearest of other people, as an attacker takes the five nearest released rows."""
    column, known = others.column(secret), _known(others, secret)

    def guess(people: Rows) -> RowColumn:
        rng = np.random.default_rng(seed)
        return agreed(nearest(people.select(known.names), known, 5, rng).rows, column)

    return guess


def _forest(others: Rows, secret: str, seed: int) -> tuple[Guess, RowColumn]:
    """Trees on places in the order of a column, and on the numbers of labels.

    Each tree is grown from people drawn with replacement; what those that did not see somebody say of them is
    told beside the guess: it costs nothing more.
    """
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    column, known = others.column(secret), _known(others, secret)
    how: dict[str, Any] = {"n_estimators": TREES, "min_samples_leaf": 2, "random_state": seed, "n_jobs": 1}
    features = on_scale(known, known)
    with warnings.catch_warnings(), np.errstate(invalid="ignore", divide="ignore"):
        warnings.simplefilter("ignore", UserWarning)  # who is in every tree: nothing is said of them
        if isinstance(column, NumberColumn) and column.different.size > FEW_VALUES:
            line = RandomForestRegressor(max_features="sqrt", oob_score=True, **how)
            line.fit(features, column.values)
            kind, unseen = column.kind, np.where(line.oob_prediction_ == 0.0, np.nan, line.oob_prediction_)
            return (
                lambda people: NumberColumn(
                    secret, line.predict(on_scale(people.select(known.names), known)), kind
                ),
                NumberColumn(secret, unseen, kind),
            )
        trees = RandomForestClassifier(oob_score=True, **how).fit(features, column.codes)
    first = {int(code): i for i, code in reversed([*enumerate(column.codes.tolist())])}

    def of_codes(codes: Any) -> RowColumn:
        return column.take(np.array([first[int(code)] for code in codes], np.intp))

    def guess(people: Rows) -> RowColumn:
        return of_codes(trees.predict(on_scale(people.select(known.names), known)))

    shares = np.nan_to_num(trees.oob_decision_function_, nan=0.0)
    return guess, of_codes(trees.classes_[shares.argmax(axis=1)])
