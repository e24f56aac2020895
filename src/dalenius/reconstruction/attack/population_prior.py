"""The best guess of a secret without the release: what people like you usually have.

It is learnt from public columns, in the way that predicts held-out people best. Learning it is no leak: it
happens whether or not a person is in the data. So it is what an attack must beat, and the prior it may start
from.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from dalenius.errors import InputError
from dalenius.knowledge.view import Reference
from dalenius.people.schema import MISSING, CodedColumns, Column, Kind

Codes = NDArray[np.int32]
Probability = NDArray[np.float64]

_HELD_OUT_PARTS = 3
_MOST_LEVELS = 255  # scikit-learn's boosting takes no categorical column with more
_BOOSTED = 100  # people; trees of fewer have leaves that hold nearly everybody
_WRITTEN_OUT = 100_000  # indicators; with fewer, zeros are quicker than knowing where they are
_NARROW = 100  # coefficients; with more, each of Newton's steps factorises too much
_NEWTON_STEPS = 30  # a handful are enough where the steps settle at all
_SETTLED = 1e-9  # slope per person at which they have
_MANY = 5_000  # people; held-out loss on a third of as many is precise enough without rotating the parts


def learn(columns: Sequence[Column], codes: Codes, secrets: Codes, *, seed: int) -> Any:
    """Fit the predictor with the smaller log loss on held-out people; ``None`` if guessing frequencies wins.

    Every value in ``secrets`` must occur often enough to be split (see `population`).
    """
    from sklearn import config_context
    from sklearn.exceptions import ConvergenceWarning

    ways = _ways(columns, secrets.size, seed)
    seen = [way.encode(codes) for way in ways]
    losses = np.zeros(len(ways) + 1)
    values, place = np.unique(secrets, return_inverse=True)
    parts = deal_alike(place, _HELD_OUT_PARTS, seed)
    # codes are checked where they come from
    checked = config_context(assume_finite=True, skip_parameter_validation=True)
    with _one_thread(), checked, warnings.catch_warnings():
        # A fit that ran out of iterations is still a predictor; the held-out people judge it.
        warnings.simplefilter("ignore", ConvergenceWarning)
        for part in range(1 if secrets.size > _MANY else _HELD_OUT_PARTS):
            train, held = np.flatnonzero(parts != part), np.flatnonzero(parts == part)
            shares = np.bincount(place[train], minlength=values.size) / train.size
            losses[-1] += _log_loss(np.tile(shares, (held.size, 1)), place[held])
            for j, (way, design) in enumerate(zip(ways, seen, strict=True)):
                model = way.make().fit(_rows(design, train), secrets[train])
                losses[j] += _log_loss(model.predict_proba(_rows(design, held)), place[held])
        best = int(losses.argmin())
        return None if best == len(ways) else _Learnt(ways[best], ways[best].make().fit(seen[best], secrets))


def deal_alike(place: NDArray[np.intp], parts: int, seed: int) -> NDArray[np.int64]:
    """Deal people into parts in which every value is as frequent as in all of them.

    The parts of scikit-learn's `StratifiedKFold`, which takes longer to look at its arguments than a small
    model to be fitted.

    Examples
    --------
    >>> deal_alike(np.array([0, 0, 0, 1, 1, 1]), 3, seed=1)
    array([0, 2, 1, 1, 2, 0])
    """
    _, first, value = np.unique(place, return_index=True, return_inverse=True)
    value = first.argsort().argsort()[value]  # values by who has them first
    ordered = np.sort(value)
    have = np.stack([np.bincount(ordered[k::parts], minlength=first.size) for k in range(parts)])
    shuffle = np.random.RandomState(seed).shuffle
    dealt = np.empty(place.size, np.int64)
    for k in range(first.size):
        of_value = np.arange(parts).repeat(have[:, k])
        shuffle(of_value)
        dealt[value == k] = of_value
    return dealt


@dataclass(frozen=True)
class _Way:
    """A model worth trying, and how it wants to see codes."""

    encode: Callable[[Codes], Any]
    make: Callable[[], Any]


@dataclass(frozen=True)
class _Learnt:
    """A fitted model, about the codes of anybody."""

    way: _Way
    model: Any

    def predict_proba(self, codes: Codes) -> Probability:
        """Return the probability of each value, one row per person."""
        return np.asarray(self.model.predict_proba(self.way.encode(codes)), np.float64)


def _ways(columns: Sequence[Column], people: int, seed: int) -> list[_Way]:
    """The models worth trying: with levels, with lines where columns have an order, and with trees."""
    ways = [_Way(partial(_one_hot, columns), _Logistic)]
    if any(map(is_ordered, columns)):
        ways.append(_Way(partial(_with_lines, columns), _Logistic))
    if people >= _BOOSTED:
        ways.append(_Way(lambda codes: codes, lambda: _boosting(columns, seed)))
    return ways


@cache
def is_ordered(column: Column) -> bool:
    """Whether the levels of a column are bins or numbers, from small to large; missing may stand last.

    Examples
    --------
    >>> from dalenius.people.schema import Role
    >>> rooms = Column("rooms", Role.PUBLIC, Kind.CATEGORICAL, ("1", "2", "3.5", "(missing)"))
    >>> is_ordered(rooms), is_ordered(Column("sex", Role.PUBLIC, Kind.CATEGORICAL, ("f", "m", "x")))
    (True, False)
    """
    levels = [level for level in column.levels if level != MISSING]
    numbers = np.array([number_of(level) for level in levels])
    return len(levels) > 2 and (column.kind is Kind.NUMERIC or bool((np.diff(numbers) > 0).all()))


def number_of(level: str) -> float:
    """Return the number that a level is, or not a number.

    Examples
    --------
    >>> number_of("3.5"), number_of("north")
    (3.5, nan)
    """
    try:
        number = float(level)
    except ValueError:
        return float("nan")
    return number if np.isfinite(number) else float("nan")


def predict(model: Any, codes: Codes) -> Probability:
    """Return the probability of each value the model was fitted on, one row per person."""
    with _one_thread():
        return np.asarray(model.predict_proba(codes), np.float64)


class _Logistic:
    """Logistic regression on encoded codes.

    What scikit-learn would do, without its overhead, which small audits feel: everybody is a fold of their
    own there. Two values by few columns are fitted here, by Newton's steps.
    """

    def fit(self, design: Any, secrets: Codes) -> _Logistic:
        """Fit the model."""
        values = np.unique(secrets)
        self.weights = None
        if isinstance(design, np.ndarray) and design.shape[1] <= _NARROW and values.size == 2:
            self.weights = newton_logistic(design, secrets == values[1])
        if self.weights is None:
            from sklearn.linear_model import LogisticRegression

            self.model = LogisticRegression(max_iter=300).fit(design, secrets)
        return self

    def predict_proba(self, design: Any) -> Probability:
        """Return the probability of each value, one row per person."""
        if self.weights is None:
            return np.asarray(self.model.predict_proba(design), np.float64)
        second = expit(design @ self.weights[:-1] + self.weights[-1])
        return np.stack([1 - second, second], axis=1)


def newton_logistic(design: Probability, second: NDArray[np.bool_]) -> Probability | None:
    """Coefficients of a logistic regression with a penalty of half their squares, and its intercept last.

    The model of scikit-learn's `LogisticRegression`, to more digits and some ten times quicker where people
    are few; ``None`` if it does not settle.

    Examples
    --------
    >>> newton_logistic(np.array([[0.0], [1.0], [0.0], [1.0]]), np.array([0, 1, 0, 1]) > 0).round(4)
    array([ 0.8021, -0.4011])
    """
    people, width = design.shape
    with_one = np.hstack([design, np.ones((people, 1))])
    penalty = np.append(np.ones(width), 0.0)
    weights = np.zeros(width + 1)
    for _ in range(_NEWTON_STEPS):
        chance = expit(with_one @ weights)
        slope = with_one.T @ (chance - second) + penalty * weights
        if np.abs(slope).max() <= _SETTLED * people:
            return weights
        curve = (with_one * (chance * (1 - chance))[:, None]).T @ with_one + np.diag(penalty)
        try:
            weights = weights - np.linalg.solve(curve, slope)
        except np.linalg.LinAlgError:  # a step so far that every chance is 0 or 1
            return None
    return None


def _one_hot(columns: Sequence[Column], codes: Codes) -> Any:
    """One indicator a level; scikit-learn's encoder does the same column by column, too slow for hundreds."""
    from scipy.sparse import csr_array

    starts = np.cumsum([0, *(len(column.levels) for column in columns)])
    people, width = codes.shape
    shape = (people, int(starts[-1]))
    if math.prod(shape) <= _WRITTEN_OUT:
        dense = np.zeros(shape)
        dense[np.arange(people)[:, None], codes + starts[:-1]] = 1.0
        return dense
    ends = np.arange(people + 1) * width
    return csr_array((np.ones(codes.size), (codes + starts[:-1]).ravel(), ends), shape=shape)


def _rows(design: Any, rows: NDArray[np.intp]) -> Any:
    """Some people of a design; written out if they alone would have been."""
    some = design[rows]
    few = math.prod(some.shape) <= _WRITTEN_OUT
    return some.toarray() if few and not isinstance(some, np.ndarray) else some


def _with_lines(columns: Sequence[Column], codes: Codes) -> Any:
    """Columns with an order as their place from -1 to 1, missing in the middle; one-hot for the others."""
    from scipy.sparse import csr_array, hstack

    ordered = np.array([is_ordered(column) for column in columns])
    known = np.array([len(column.levels) - (MISSING in column.levels) for column in columns])[ordered]
    place = 2 * codes[:, ordered] / (known - 1) - 1
    place[codes[:, ordered] >= known] = 0.0
    rest = [column for column, line in zip(columns, ordered, strict=True) if not line]
    others = _one_hot(rest, codes[:, ~ordered])
    if isinstance(others, np.ndarray):
        return np.hstack([others, place])
    return hstack([others, csr_array(place)], format="csr")


def _boosting(columns: Sequence[Column], seed: int) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    unordered = [
        c.kind is Kind.CATEGORICAL and not is_ordered(c) and len(c.levels) <= _MOST_LEVELS for c in columns
    ]
    return HistGradientBoostingClassifier(
        max_iter=150,
        max_leaf_nodes=15,
        early_stopping=True,
        n_iter_no_change=5,
        validation_fraction=0.15,
        categorical_features=unordered,
        random_state=seed,
    )


def _log_loss(probability: Probability, place: NDArray[np.intp]) -> float:
    likely = probability[np.arange(place.size), place]
    return float(-np.log(np.clip(likely, 1e-6, None)).mean())


def _one_thread() -> AbstractContextManager[Any]:
    """Fits of this size gain nothing from threads, and lose much where other work has the cores."""
    return cast(AbstractContextManager[Any], _threads().limit(limits=1))


@cache
def _threads() -> Any:
    """What can start threads, once scikit-learn is loaded: looking for it takes as long as a small fit."""
    import sklearn.ensemble  # noqa: F401 (loads everything that starts threads in a fit)
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


FEWEST_PEOPLE = 10
"""From fewer people nothing is learnt but the plain frequencies of the secret."""

FEW_PEOPLE = 100

FEWEST_OF_A_VALUE, FEWEST_AMONG_FEW = 10, 3
"""A value of the secret seen on fewer people is not modelled: everybody gets its frequency. Among few people
a column that explains a value must be seen even where a handful have it; held-out people judge if it does.
"""

MOST_PEOPLE = 200_000
"""More reference people than this are thinned out at random: the fit no longer improves, only slows."""

CLIP = 1e-3
"""No probability is nearer to 0 or 1: a model is never sure, and a prior of 0 could not be overturned."""


def predict_population(
    reference: Reference, people: CodedColumns, levels: tuple[str, ...], *, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return the probability of each value of the secret for every person, learnt from other people.

    Logistic regression (on levels, and on a line for columns with an order) and gradient-boosted trees are
    compared by their log loss on held-out reference people, with the plain frequencies beside them; the best
    is used.

    Parameters
    ----------
    reference
        The other people: their public columns and secrets.
    people
        Public columns of the people to predict, the same columns as the reference.
    levels
        The values of the secret.
    rng
        Splits and thins the reference people.

    Raises
    ------
    InputError
        If the reference has other columns or levels than ``people``, or codes outside ``levels``.

    Notes
    -----
    Clipped to ``CLIP .. 1 - CLIP`` and scaled to sum to 1. Frequencies count one extra person who is
    spread evenly over the values, so that an empty reference gives equal chances.

    Examples
    --------
    >>> nobody = CodedColumns((), np.zeros((9, 0), np.int32))
    >>> other = Reference(nobody, np.array([0, 0, 0, 0, 0, 0, 1, 1, 1], np.int32))
    >>> me = CodedColumns((), np.zeros((1, 0), np.int32))
    >>> predict_population(other, me, ("no", "yes"), rng=np.random.default_rng(1))
    array([[0.65, 0.35]])
    """
    _check(reference, people, levels)
    reference = _thin(reference, rng)
    seen = np.bincount(reference.secrets, minlength=len(levels))
    shares = (seen + 1 / len(levels)) / (seen.sum() + 1)
    result = np.tile(shares, (len(people), 1))
    modelled = seen >= (FEWEST_AMONG_FEW if seen.sum() < FEW_PEOPLE else FEWEST_OF_A_VALUE)
    enough = reference.secrets.size >= FEWEST_PEOPLE and modelled.sum() >= 2
    if enough and people.columns and len(people):
        model = _learn(reference, modelled, rng)
        if model is not None:
            result[:, modelled] = predict(model, people.codes) * shares[modelled].sum()
    clipped: NDArray[np.float64] = np.clip(result, CLIP, 1 - CLIP)
    clipped /= clipped.sum(axis=1, keepdims=True)
    return clipped


def _thin(reference: Reference, rng: np.random.Generator) -> Reference:
    if reference.secrets.size <= MOST_PEOPLE:
        return reference
    rows = np.sort(rng.choice(reference.secrets.size, MOST_PEOPLE, replace=False))
    return _take(reference, rows)


def _learn(reference: Reference, modelled: NDArray[np.bool_], rng: np.random.Generator) -> Any:
    known = _take(reference, np.flatnonzero(modelled[reference.secrets]))
    seed = int(rng.integers(2**31))
    return learn(known.attributes.columns, known.attributes.codes, known.secrets, seed=seed)


def _take(reference: Reference, rows: NDArray[np.intp]) -> Reference:
    attributes = reference.attributes
    return Reference(CodedColumns(attributes.columns, attributes.codes[rows]), reference.secrets[rows])


def _check(reference: Reference, people: CodedColumns, levels: tuple[str, ...]) -> None:
    here = [(c.name, c.levels) for c in people.columns]
    there = [(c.name, c.levels) for c in reference.attributes.columns]
    if here != there:
        raise InputError(
            "reference",
            "must have the public columns of the people under attack, with the same levels",
            ", ".join(name for name, _ in there) or "no columns",
            "Read both with the same schema.",
        )
    secrets = reference.secrets
    if secrets.size and not 0 <= secrets.min() <= secrets.max() < len(levels):
        raise InputError(
            "reference secrets",
            f"must be codes from 0 to {len(levels) - 1}",
            f"codes from {secrets.min()} to {secrets.max()}",
        )
