"""People who are stated to be identical are one person to the fit, and must be stated as such."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from dalenius.errors import InputError
from dalenius.knowledge.correlation.model import CorrelationModel, Floats, Pairs
from dalenius.people.schema import Ids
from dalenius.shown import hides_people


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
        J = np.where(between, 0.0, np.inf)
        J[self.first] = coupling
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
