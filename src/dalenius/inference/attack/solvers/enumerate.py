"""Exact beliefs by brute force: every combination of the bits of a few people."""

from __future__ import annotations

import numpy as np
from scipy.special import logsumexp

from dalenius.errors import TooLargeError
from dalenius.inference.attack.merge_identical import merge_identical, one_a_person
from dalenius.knowledge.correlation.model import CorrelationModel, Floats

MOST_PEOPLE = 20
"""A table of a million combinations."""


def log_odds(model: CorrelationModel, field: Floats) -> Floats:
    """Return everybody's log-odds of 0 against 1, any signs of couplings allowed.

    Raises
    ------
    TooLargeError
        If there are more than 20 people that are not identical to somebody.

    Examples
    --------
    >>> triangle = CorrelationModel("id", np.array(["a", "b", "c"]), np.array([[0, 1], [1, 2], [2, 0]]),
    ...                             np.array([0.5, 0.5, -0.5]), np.zeros(3))
    >>> log_odds(triangle, np.array([0.2, 0.2, 0.2])).round(9)
    array([0.4       , 0.62098873, 0.4       ])
    """
    merged = merge_identical(model)
    if len(merged.model) > MOST_PEOPLE:
        raise TooLargeError(
            "people", f"must be at most {MOST_PEOPLE} to enumerate", f"{len(merged.model):,}",
            "Use a junction tree, or the bounds.",
        )  # fmt: skip
    weight = log_weights(merged.model, merged.field(one_a_person(model, field)))
    return merged.by_person(log_odds_of_table(weight))


def log_weights(model: CorrelationModel, field: Floats) -> Floats:
    """Return ``ln mu`` up to a constant of every combination: one axis a person, 0 first."""
    n = len(model)
    spin = [np.array([1.0, -1.0]).reshape([2 if axis == i else 1 for axis in range(n)]) for i in range(n)]
    weight = np.zeros((2,) * n)
    for i in range(n):
        weight += field[i] * spin[i]
    for (i, j), J in zip(model.edges, model.coupling, strict=True):
        weight += J * (spin[i] * spin[j])
    return weight


def log_odds_of_table(weight: Floats) -> Floats:
    """Return the log-odds of 0 against 1 on every axis of a table of logarithms of weights."""
    result = np.empty(weight.ndim)
    for axis in range(weight.ndim):
        by_bit = logsumexp(np.moveaxis(weight, axis, 0).reshape(2, -1), axis=1)
        result[axis] = by_bit[0] - by_bit[1]
    return result
