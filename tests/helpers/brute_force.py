"""Beliefs by brute force: every combination of the bits of a few people, to hold solvers against."""

from __future__ import annotations

import numpy as np

from dalenius.inference.attack.identical import merge_identical, one_a_person
from dalenius.inference.attack.solvers.weight_table import log_odds_of_table
from dalenius.knowledge.correlation.model import CorrelationModel, Floats


def log_odds(model: CorrelationModel, field: Floats) -> Floats:
    """Everybody's log-odds of 0 against 1, any signs of couplings allowed."""
    merged = merge_identical(model)
    weight = log_weights(merged.model, merged.field(one_a_person(model, field)))
    return merged.by_person(log_odds_of_table(weight))


def log_weights(model: CorrelationModel, field: Floats) -> Floats:
    """Return ``ln mu`` up to a constant of every combination: one axis per person, 0 first."""
    n = len(model)
    spin = [np.array([1.0, -1.0]).reshape([2 if axis == i else 1 for axis in range(n)]) for i in range(n)]
    weight = np.zeros((2,) * n)
    for i in range(n):
        weight += field[i] * spin[i]
    for (i, j), J in zip(model.edges, model.coupling, strict=True):
        weight += J * (spin[i] * spin[j])
    return weight
