"""What each score of a published rule says about the secret: one linear equation a score.

A rule gives each person a value from public columns: a prediction 0 or 1, a probability, or any number. Its
score on the data is published. Letters: `h` the value of a person, `s` the secret, `n` people, `K` of them
with the secret.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalenius.errors import InputError
from dalenius.grammar import Options
from dalenius.matrices.answers import Vector


@dataclass(frozen=True)
class Given:
    """What is at hand for one score.

    Parameters
    ----------
    values
        The rule's value of each person.
    answer
        The published score.
    positives
        The published number of people with the secret, if it is.
    mean
        The published mean of the same values among people with the secret, if it is.
    """

    values: Vector
    answer: float
    positives: float | None = None
    mean: float | None = None

    @property
    def n(self) -> int:
        """How many people there are."""
        return int(self.values.size)

    @property
    def share(self) -> float:
        """How many people have the secret, or half of all where nobody says: a scale, not a claim."""
        return self.n / 2 if self.positives is None else self.positives


@dataclass(frozen=True)
class ScoreEquation:
    """One equation ``row @ s = target``, and how errors move it.

    ``gain`` and ``reach`` are about the score itself, the other pairs about the published number of people
    with the secret and the published mean; see `LinearForm`.
    """

    row: Vector
    target: float
    gain: float
    reach: float
    whole: bool = False
    by_positives: tuple[float, float] = (0.0, 0.0)
    by_mean: tuple[float, float] = (0.0, 0.0)


def midranks(values: Vector) -> Vector:
    """Return the rank of each value from 1 up, equal values sharing the mean of their ranks.

    Examples
    --------
    >>> midranks(np.array([0.9, 0.8, 0.8, 0.4])).tolist()
    [4.0, 2.5, 2.5, 1.0]
    """
    _, at, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2)[at], np.float64)


def _positives(g: Given) -> ScoreEquation:
    return ScoreEquation(np.ones(g.n), g.answer, 1.0, 1.0, whole=True)


def _error_rate(g: Given) -> ScoreEquation:
    return ScoreEquation(1 - 2 * g.values, g.n * g.answer - g.values.sum(), g.n, g.n, whole=True)


def _accuracy(g: Given) -> ScoreEquation:
    return ScoreEquation(2 * g.values - 1, g.n * g.answer - (g.n - g.values.sum()), g.n, g.n, whole=True)


def _precision(g: Given) -> ScoreEquation:
    said = float(g.values.sum())
    return ScoreEquation(g.values, g.answer * said, said, said, whole=True)


def _true_positives(g: Given) -> ScoreEquation:
    return ScoreEquation(g.values, g.answer, 1.0, 1.0, whole=True)


def _recall(g: Given) -> ScoreEquation:
    return ScoreEquation(g.values - g.answer, 0.0, g.share, g.n)


def _false_positive_rate(g: Given) -> ScoreEquation:
    without = g.n / 2 if g.positives is None else g.n - g.positives
    return ScoreEquation(g.values - g.answer, float((g.values - g.answer).sum()), -without, g.n)


def _log_loss(g: Given) -> ScoreEquation:
    row = np.log1p(-g.values) - np.log(g.values)
    return ScoreEquation(row, g.n * g.answer + float(np.log1p(-g.values).sum()), g.n, g.n)


def _brier(g: Given) -> ScoreEquation:
    return ScoreEquation(1 - 2 * g.values, g.n * g.answer - float((g.values**2).sum()), g.n, g.n)


def _auc(g: Given) -> ScoreEquation:
    if g.positives is None:
        raise _needs("auc", "positives")
    pairs = g.positives * (g.n - g.positives)
    slope = g.answer * (g.n - 2 * g.positives) + g.positives + 0.5
    target = g.answer * pairs + g.positives * (g.positives + 1) / 2
    # as a function of K the right side has a slope of at most n + 1/2, whatever the score
    return ScoreEquation(midranks(g.values), target, pairs, pairs, by_positives=(slope, g.n + 0.5))


def _mean(g: Given) -> ScoreEquation:
    return ScoreEquation(g.values - g.answer, 0.0, g.share, g.n)


def _sd(g: Given) -> ScoreEquation:
    """With errors ``dv`` of the SD and ``dm`` of the mean the sum is ``K (2 SD dv + dv^2 + dm^2)``."""
    if g.mean is None:
        raise _needs("sd", "mean")
    low, high = float(g.values.min()), float(g.values.max())
    # the true SD is at most half the range, and the true mean is inside it
    reach = g.n * (g.answer + (high - low) / 2)
    by_mean = (0.0, g.n * max(abs(high - g.mean), abs(g.mean - low)))
    row = (g.values - g.mean) ** 2 - g.answer**2
    # a yes/no value that half of them have is one SD from its mean in everybody: nothing but rounding is left
    row[np.abs(row) < 1e-12 * max(high - low, g.answer) ** 2] = 0.0
    return ScoreEquation(row, 0.0, 2 * g.answer * g.share, reach, by_mean=by_mean)


def _needs(kind: str, other: str) -> InputError:
    return InputError(
        f"score {kind!r}",
        f"must come with {other!r}",
        "none",
        f"Give the published {other} too: without it the score is not linear in the secret.",
    )


FORMS: dict[str, Callable[[Given], ScoreEquation]] = {
    "error-rate": _error_rate,
    "accuracy": _accuracy,
    "precision": _precision,
    "true-positives": _true_positives,
    "recall": _recall,
    "fpr": _false_positive_rate,
    "log-loss": _log_loss,
    "brier": _brier,
    "auc": _auc,
    "mean": _mean,
    "sd": _sd,
    "positives": _positives,
}
"""The equation of each kind of score (Kasiviswanathan et al. 2013, section 3, for the error rate)."""

RATES = ("error-rate", "accuracy", "precision", "recall", "fpr", "brier", "auc")
"""Scores that lie between 0 and 1."""

LABELS = ("error-rate", "accuracy", "precision", "true-positives", "recall", "fpr")
"""Scores of a rule that says 0 or 1."""

PROBABILITIES = ("log-loss", "brier")
"""Scores of a rule that gives a probability."""


def moved(kind: str, values: Vector, within: Vector) -> float:
    """How far the equation of a score may be off where each value is known only up to ``within``.

    The largest derivative of what each person adds to the equation, whatever the secret, times how far the
    value may be off, all added up; of ranks, how many others each person may have changed places with.

    Examples
    --------
    >>> moved("error-rate", np.array([0.0, 0.5]), np.array([0.0, 0.5]))
    0.5
    """
    low, high = values - within, values + within
    if kind == "auc":
        unsure = (low[:, None] <= high) & (low <= high[:, None]) & (within[:, None] + within > 0)
        return float(unsure.sum() - np.diagonal(unsure).sum())
    steep = np.ones_like(values)
    if kind == "brier":
        steep = 2 * np.maximum(np.abs(high), np.abs(1 - low))
    if kind == "log-loss":
        steep = np.maximum(1 / low, 1 / (1 - high))
    if kind == "sd":  # the mean and all values lie between these
        steep = np.full_like(values, 2 * float(high.max() - low.min()))
    return 0.0 if kind == "positives" else float(steep @ within)


def compute(kind: str, values: Vector, secret: Vector) -> float:
    """Compute a score on the data; not a number where it is not defined.

    Examples
    --------
    >>> h, s = np.array([1.0, 1, 0, 1, 0, 0]), np.array([1.0, 0, 1, 1, 0, 0])
    >>> [round(compute(kind, h, s), 4) for kind in ("error-rate", "precision", "recall", "fpr")]
    [0.3333, 0.6667, 0.6667, 0.3333]
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(_TRUE[kind](values, secret))


def _auc_of(values: Vector, secret: Vector) -> float:
    positives = secret.sum()
    ranks = midranks(values) @ secret - positives * (positives + 1) / 2
    return float(np.divide(ranks, positives * (secret.size - positives)))


def _sd_of(values: Vector, secret: Vector) -> float:
    mean = values @ secret / secret.sum()
    return float(np.sqrt((values - mean) ** 2 @ secret / secret.sum()))


_TRUE: dict[str, Callable[[Vector, Vector], Any]] = {
    "error-rate": lambda h, s: np.mean(h != s),
    "accuracy": lambda h, s: np.mean(h == s),
    "precision": lambda h, s: h @ s / h.sum(),
    "true-positives": lambda h, s: h @ s,
    "recall": lambda h, s: h @ s / s.sum(),
    "fpr": lambda h, s: h @ (1 - s) / (1 - s).sum(),
    "log-loss": lambda p, s: -np.mean(np.where(s == 1, np.log(p), np.log1p(-p))),
    "brier": lambda p, s: np.mean((p - s) ** 2),
    "auc": _auc_of,
    "mean": lambda x, s: x @ s / s.sum(),
    "sd": _sd_of,
    "positives": lambda x, s: s.sum(),
}


def form_of(options: Options) -> str:
    """Read which score ``classifier-score[:score=error-rate]`` is."""
    return options.choice("score", FORMS, "error-rate")
