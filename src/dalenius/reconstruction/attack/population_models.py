"""Ways to learn a secret from public columns; whichever predicts held-out people better is used."""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import cache
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from dalenius.people.schema import MISSING, Column, Kind

Codes = NDArray[np.int32]
Probability = NDArray[np.float64]

_HELD_OUT_PARTS = 3
_MOST_LEVELS = 255  # scikit-learn's boosting takes no categorical column with more
_BOOSTED = 100  # people; trees of fewer have leaves that hold nearly everybody
_WRITTEN_OUT = 100_000  # indicators; with fewer, zeros are quicker than knowing where they are
_MANY = 5_000  # people; held-out loss on a third of as many is precise enough without rotating the parts


def learn(columns: Sequence[Column], codes: Codes, secrets: Codes, *, seed: int) -> Any:
    """Fit the predictor with the smaller log loss on held-out people; ``None`` if guessing frequencies wins.

    Every value in ``secrets`` must occur often enough to be split (see `population`).
    """
    from sklearn import config_context
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.model_selection import StratifiedKFold

    parts = StratifiedKFold(_HELD_OUT_PARTS, shuffle=True, random_state=seed)
    makers = _makers(columns, secrets.size, seed)
    losses = np.zeros(len(makers) + 1)
    values, place = np.unique(secrets, return_inverse=True)
    splits = itertools.islice(parts.split(codes, secrets), 1 if secrets.size > _MANY else None)
    # codes are checked where they come from
    checked = config_context(assume_finite=True, skip_parameter_validation=True)
    with _one_thread(), checked, warnings.catch_warnings():
        # A fit that ran out of iterations is still a predictor; the held-out people judge it.
        warnings.simplefilter("ignore", ConvergenceWarning)
        for train, held in splits:
            shares = np.bincount(place[train], minlength=values.size) / train.size
            losses[-1] += _log_loss(np.tile(shares, (held.size, 1)), place[held])
            for j, make in enumerate(makers):
                model = make().fit(codes[train], secrets[train])
                losses[j] += _log_loss(model.predict_proba(codes[held]), place[held])
        best = int(losses.argmin())
        return None if best == len(makers) else makers[best]().fit(codes, secrets)


def _makers(columns: Sequence[Column], people: int, seed: int) -> list[Callable[[], Any]]:
    """The models worth trying: with levels, with lines where columns have an order, and with trees."""
    makers: list[Callable[[], Any]] = [lambda: _Logistic(columns, lines=False)]
    if any(map(is_ordered, columns)):
        makers.append(lambda: _Logistic(columns, lines=True))
    if people >= _BOOSTED:
        makers.append(lambda: _boosting(columns, seed))
    return makers


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
    """Logistic regression on one indicator per level; with lines, one slope for each column with an order.

    What a pipeline of scikit-learn would do, without its overhead, which small audits feel: everybody is
    a fold of their own there.
    """

    def __init__(self, columns: Sequence[Column], *, lines: bool) -> None:
        from sklearn.linear_model import LogisticRegression

        self.columns, self.encode = columns, _with_lines if lines else _one_hot
        self.model = LogisticRegression(max_iter=300)

    def fit(self, codes: Codes, secrets: Codes) -> _Logistic:
        """Fit the model."""
        self.model.fit(self.encode(self.columns, codes), secrets)
        return self

    def predict_proba(self, codes: Codes) -> Probability:
        """Return the probability of each value, one row per person."""
        return np.asarray(self.model.predict_proba(self.encode(self.columns, codes)), np.float64)


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
