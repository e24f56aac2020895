"""Ranks among references: for any dependence between attributes, if target and references are exchangeable.

*Held-out*: some references make the weights, the others are ranked. *Full*: target and references form one
pool, everybody is scored against the mean of all others, so the score treats all alike. The smallest
p-value is one over the number ranked plus one. Scoring references against a mean that contains them, and
the target against one that does not contain it, looks the same and is wrong: at a nominal 5% it accuses
most of the innocent.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dalenius.tracing.attack.weights import WEIGHTS, Facts, inside

Values = NDArray[np.float64]

MOST_DECORRELATED = 2000
"""Columns of real values up to which their covariance is used."""

TIE = 1e-12
"""Scores within this share of the largest one are ties, and count against the target."""


def rank(scores: Values, references: Values) -> Values:
    """Return ``(1 + references that reach the score) / (1 + references)``.

    Examples
    --------
    >>> rank(np.array([2.0, 0.5]), np.array([0.0, 1.0, 2.0]))
    array([0.5 , 0.75])
    """
    order = np.sort(references)
    slack = TIE * max(float(np.abs(order).max()), float(np.abs(scores).max()))
    reached = order.size - np.searchsorted(order, scores - slack, side="left")
    return (1 + reached) / (1 + order.size)


def full_terms(u: Values, q: Values, total: Values, people: Values, weights: str, facts: Facts) -> Values:
    """Return what each value adds to a score against the mean of all others.

    Parameters
    ----------
    u
        Values of one person, or a table of possible values.
    q
        The published means.
    total, people
        Each column's sum over the *others*, and how many of them have a value.
    weights, facts
        As everywhere; ``opt`` and ``llr`` use the smoothed mean throughout, and ``llr`` its constant, which
        here differs from person to person.
    """
    # a table also lists values that nobody in the column has: those are never looked up
    usable = people > 0
    if weights in {"opt", "llr"}:
        usable = usable & (np.abs(total) <= people)
    smooth = np.where(usable, total, 0.0) / (people + 2)
    centre = np.divide(total, people, out=np.zeros_like(smooth), where=usable)
    if weights == "llr":
        bound = inside(q, facts)
        constant = np.log((1 - bound**2) / (1 - smooth**2)) / 2
        terms = facts.alleles * (u * (np.arctanh(bound) - np.arctanh(smooth)) + constant)
    elif weights == "opt":
        terms = (u - smooth) * WEIGHTS["opt"](q, smooth, smooth, facts)
    else:
        terms = (u - centre) * WEIGHTS[weights](q, centre, smooth, facts)
    return np.where(usable, terms, 0.0)


def full_scores(y: Values, z: Values, q: Values, weights: str, facts: Facts) -> Values:
    """Score the target (first) and every reference against the mean of all others.

    Missing values are not numbers; they add nothing, and are in nobody's mean.
    """
    pool = np.vstack([y, z])
    seen = ~np.isnan(pool)
    values = np.where(seen, pool, 0.0)
    total, people = values.sum(axis=0) - values, seen.sum(axis=0) - seen
    terms = full_terms(values, q, total, people.astype(np.float64), weights, facts)
    return np.asarray(np.where(seen, terms, 0.0).sum(axis=1))


def common_scale(pool: Values, noise: float) -> Values:
    """Return by what columns of real values are divided, so that none counts more for its unit.

    The square is the variance among everybody in the pool, whoever of them is the target, plus that of the
    noise for one person: with it differences to the centre are the best linear weights. A column in which
    nobody differs says nothing, and is divided by one.
    """
    seen = ~np.isnan(pool)
    people = np.maximum(seen.sum(axis=0), 1)
    mean = np.where(seen, pool, 0.0).sum(axis=0) / people
    square = (np.where(seen, pool - mean, 0.0) ** 2).sum(axis=0) / people + noise
    return np.asarray(np.sqrt(np.where(square > 0, square, 1.0)))


def decorrelated(apart: Values, people: Values, noise: float) -> Values:
    """Return the best linear weights for real values: differences over the covariance and the noise.

    Columns that say the same would drown all others. The covariance is that of the people who centre the
    weights, drawn towards none between columns: by the part that columns are of columns and people together.
    With very many columns each is taken alone. A missing value counts as its column's mean.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> same = rng.normal(size=(500, 1)) + 0.01 * rng.normal(size=(500, 9))
    >>> weights = decorrelated(np.ones(10), np.hstack([same, rng.normal(size=(500, 1))]), 0.0)
    >>> bool(weights[-1] > 2 * np.abs(weights[:-1]).max())
    True
    """
    scale = common_scale(people, noise)
    d = scale.size
    if d > MOST_DECORRELATED:
        return np.asarray(apart / scale**2)
    seen = ~np.isnan(people)
    mean = np.where(seen, people, 0.0).sum(axis=0) / np.maximum(seen.sum(axis=0), 1)
    unit = np.where(seen, people - mean, 0.0) / scale
    shrunk = d / (d + len(people))
    together = (1 - shrunk) * (unit.T @ unit) / len(people)
    together[np.diag_indices(d)] = 1.0
    return np.asarray(np.linalg.solve(together, apart / scale) / scale)


def held_out_scores(u: Values, v: Values, centre: Values) -> Values:
    """Return ``<u - centre, v>`` over the values that each row has."""
    return np.asarray(np.nansum((u - centre) * v, axis=1))
