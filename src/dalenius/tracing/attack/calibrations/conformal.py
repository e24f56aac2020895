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


def held_out_scores(u: Values, v: Values, centre: Values) -> Values:
    """Return ``<u - centre, v>`` over the values that each row has."""
    return np.asarray(np.nansum((u - centre) * v, axis=1))
