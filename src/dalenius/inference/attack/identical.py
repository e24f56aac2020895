"""People who always agree are one person: their fields and epsilons add up. The fit wants it stated so."""

from __future__ import annotations

from collections.abc import Sized
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from dalenius.errors import InputError
from dalenius.knowledge.correlation.model import CorrelationModel, Floats, Pairs
from dalenius.knowledge.correlation.signs import FrustratedError, fix_signs
from dalenius.people.schema import Ids
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
    """Return the values, or say that they are not one per person."""
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


class Full(NamedTuple):
    """Results for everybody, and for every link that was stated."""

    coupling: Floats
    field: Floats
    agreement: Floats
    prevalence: Floats
    open_links: NDArray[np.bool_]


@hides_people()
@dataclass(frozen=True)
class StatedOfSets:
    """What was stated about sets of identical people, each of them one person.

    Parameters
    ----------
    ids
        The first of each set.
    edges, agreement
        Between two sets, once.
    bias
        Of each set; None if all bits are fair.
    group
        The set of each of the original people.
    link
        The link of each original one; -1 within a set.
    first
        Which of the original links stands for each.
    """

    ids: Ids
    edges: Pairs
    agreement: Floats
    bias: Floats | None
    group: NDArray[np.intp]
    link: NDArray[np.int64]
    first: NDArray[np.intp]

    @property
    def people(self) -> int:
        """How many sets there are."""
        return int(self.ids.size)

    @property
    def prevalence(self) -> Floats:
        """The stated probability of a 1."""
        return np.full(self.people, 0.5) if self.bias is None else self.bias

    def model(self) -> CorrelationModel:
        """Who is linked with whom."""
        return CorrelationModel(
            "id", self.ids, self.edges, np.ones(self.agreement.size), np.zeros(self.people)
        )

    def of_links(self, coupling: Floats) -> Floats:
        """Couplings of the original links: those of the same two sets have theirs once."""
        J = np.where(self.link >= 0, 0.0, np.inf)
        J[self.first] = coupling
        return J

    def spread(
        self,
        coupling: Floats,
        field: Floats,
        agreement: Floats,
        prevalence: Floats,
        open_links: NDArray[np.bool_],
    ) -> Full:
        """Give back what was found to everybody: links of the same two sets have their coupling once."""
        between = self.link >= 0
        J = self.of_links(coupling)
        together = np.ones(self.link.size)
        together[between] = agreement[self.link[between]]
        still_open = np.zeros(self.link.size, np.bool_)
        still_open[between] = open_links[self.link[between]]
        share = np.bincount(self.group)[self.group]
        return Full(J, field[self.group] / share, together, prevalence[self.group], still_open)


def merge_stated(model: CorrelationModel, agreement: Floats, bias: Floats | None) -> StatedOfSets:
    """Make one person of people who always agree; what is stated of them must be the same.

    Raises
    ------
    InputError
        If people who are identical, maybe by way of others, are also stated to agree less than always, or to
        agree with somebody else differently.
    """
    n, certain = len(model), agreement == 1
    if not certain.any():
        every = np.arange(len(model.edges))
        return StatedOfSets(model.ids, model.edges, agreement, bias, np.arange(n), every, every)
    a, b = model.edges[certain].T
    joined = coo_array((np.ones(a.size), (a, b)), shape=(n, n))
    group = connected_components(joined, directed=False)[1].astype(np.intp)
    first_of = np.unique(group, return_index=True)[1]
    ends = np.sort(group[model.edges], axis=1)
    within = ends[:, 0] == ends[:, 1]
    if (within & ~certain).any():
        _contradicts("be 1 between people who are identical by way of others", "less than 1")
    sets = first_of.size
    key = np.where(within, -1, ends[:, 0] * sets + ends[:, 1])
    kept, first, link = np.unique(key, return_index=True, return_inverse=True)
    skip = int(kept.size > 0 and kept[0] == -1)
    first, link = first[skip:], link - skip
    if (agreement[~within] != agreement[first][link[~within]]).any():
        _contradicts("be the same for all who are identical", "two that differ, with the same person")
    return StatedOfSets(
        model.ids[first_of],
        np.stack(np.divmod(kept[skip:], sets), axis=1),
        agreement[first],
        None if bias is None else bias[first_of],
        group,
        link,
        first,
    )


def _contradicts(rule: str, got: str) -> None:
    raise InputError("agreements", f"must {rule}", got, "Correct one of them.")
