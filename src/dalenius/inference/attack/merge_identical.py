"""People who always agree are one person to every solver: their fields and their epsilons add up."""

from __future__ import annotations

from collections.abc import Sized
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.knowledge.correlation.model import CorrelationModel, Floats
from dalenius.knowledge.correlation.signs import FrustratedError, fix_signs
from dalenius.shown import hides_people


@hides_people()
@dataclass(frozen=True)
class Merged:
    """A network without identical people, and without links that say nothing.

    Parameters
    ----------
    model
        One person for each set of identical ones, with finite couplings other than 0.
    group
        Whom each of the original people became.
    sign
        -1 for people who always differ from the first of their set.
    """

    model: CorrelationModel
    group: NDArray[np.intp]
    sign: Floats

    @property
    def alone(self) -> bool:
        """Whether nobody is identical to anybody."""
        return len(self.model) == self.group.size

    def field(self, field: Floats) -> Floats:
        """Add up fields: ``h_i s_i`` is ``h_i c_i S`` where ``s_i = c_i S``."""
        return field if self.alone else _added(field * self.sign, self.group)

    def epsilon(self, epsilon: Floats) -> Floats:
        """Add up epsilons: a mechanism sees one bit through all the people who have it."""
        return epsilon if self.alone else _added(epsilon, self.group)

    def by_person(self, log_odds: Floats) -> Floats:
        """Give everybody the log-odds of their set."""
        return log_odds if self.alone else log_odds[self.group] * self.sign


def merge_identical(model: CorrelationModel) -> Merged:
    """Make one person of people who always agree, or always differ, and drop couplings of 0.

    Raises
    ------
    InputError
        If some people must both agree and differ.

    Examples
    --------
    >>> model = CorrelationModel("id", np.array(["a", "b", "c"]), np.array([[0, 1], [1, 2], [2, 0]]),
    ...                          np.array([np.inf, 0.5, 0.25]), np.array([0.1, 0.2, 0.0]))
    >>> merged = merge_identical(model)
    >>> merged.group, merged.model.coupling, merged.model.field.round(3)
    (array([0, 0, 1]), array([0.75]), array([0.3, 0. ]))
    """
    endless = np.isinf(model.coupling)
    if not endless.any():
        real = model.coupling != 0
        kept = model if real.all() else replace(model, edges=model.edges[real], coupling=model.coupling[real])
        return Merged(kept, np.arange(len(model)), np.ones(len(model)))
    same = replace(model, edges=model.edges[endless], coupling=model.coupling[endless])
    group = same.components().astype(np.intp)
    first = np.unique(group, return_index=True)[1]
    flipped = _flipped(same)
    sign = np.where(flipped == flipped[first][group], 1.0, -1.0)
    edges, coupling = _links_between(model, ~endless, group, sign)
    field = _added(model.field * sign, group)
    merged = replace(model, ids=model.ids[first], edges=edges, coupling=coupling, field=field)
    return Merged(merged, group, sign)


def one_a_person(people: Sized, values: Floats) -> Floats:
    """Return the values, or say that they are not one a person."""
    if values.shape != (len(people),):
        raise InputError("one number per person", f"must be {len(people):,}", f"shape {values.shape}")
    return values


def _flipped(same: CorrelationModel) -> NDArray[np.bool_]:
    try:
        return fix_signs(same).flipped
    except FrustratedError:
        got = "people who must always agree and always differ"
        fix = "Change one of the certain agreements on that cycle."
        raise InputError("certain agreements", "must not contradict each other", got, fix) from None


def _links_between(
    model: CorrelationModel, kept: NDArray[np.bool_], group: NDArray[np.intp], sign: Floats
) -> tuple[NDArray[np.int64], Floats]:
    """The links between sets: couplings of the same two sets add up; inside a set they say nothing."""
    a, b = model.edges[kept].T
    J = model.coupling[kept] * sign[a] * sign[b]
    ends = np.sort(np.stack([group[a], group[b]], axis=1), axis=1).astype(np.int64)
    between = ends[:, 0] != ends[:, 1]
    n = np.int64(group.max() + 1)
    key, which = np.unique(ends[between, 0] * n + ends[between, 1], return_inverse=True)
    total = _added(J[between], which)
    real = total != 0
    return np.stack(np.divmod(key[real], n), axis=1), total[real]


def _added(values: Floats, group: NDArray[np.intp]) -> Floats:
    return np.bincount(group, values).astype(np.float64)
