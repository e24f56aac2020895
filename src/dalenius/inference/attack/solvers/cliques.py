"""Exact beliefs in groups where all are related alike: households, wards, classes, thousands at once.

With one coupling for all pairs of a group, the weight of a combination depends on the others' bits only
through how many are 1 and through their own fields. The sums over "so many are 1" are built up person by
person, so groups far too wide for a junction tree are exact.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from dalenius.inference.attack.identical import one_a_person
from dalenius.knowledge.correlation.model import CorrelationModel, Floats

LARGEST = 500
"""The most people in a group: the work grows with the third power."""

ROOM = 2**21
"""How many numbers a batch of groups may need at once."""


@dataclass(frozen=True)
class Cliques:
    """Groups of people where all pairs of a group are related with the same coupling.

    Parameters
    ----------
    members
        By size, one row of people a group.
    coupling
        By size, one coupling per group.
    people
        How many people there are, all of them in a group.
    """

    members: tuple[NDArray[np.int64], ...]
    coupling: tuple[Floats, ...]
    people: int

    def __len__(self) -> int:
        return self.people


def are_cliques(model: CorrelationModel) -> NDArray[np.bool_]:
    """Say of everybody whether all of their group are related with the same coupling, 3 to 500 people.

    Examples
    --------
    >>> edges = np.array([[0, 1], [1, 2], [2, 0], [3, 4], [4, 5]])
    >>> model = CorrelationModel("id", np.arange(6), edges, np.full(5, 0.3), np.zeros(6))
    >>> are_cliques(model)
    array([ True,  True,  True, False, False, False])
    """
    group = model.components()
    size = np.bincount(group)
    of_link = group[model.edges[:, 0]]
    links = np.bincount(of_link, minlength=size.size)
    least, most = np.full(size.size, np.inf), np.full(size.size, -np.inf)
    np.minimum.at(least, of_link, model.coupling)
    np.maximum.at(most, of_link, model.coupling)
    full = (links == size * (size - 1) // 2) & (size >= 3) & (size <= LARGEST)
    result: NDArray[np.bool_] = (full & (least == most) & np.isfinite(most))[group]
    return result


def gather(model: CorrelationModel) -> Cliques:
    """Collect the groups of a network that is made of cliques alone, by their size."""
    group = model.components()
    size = np.bincount(group)
    coupling = np.empty(size.size)
    coupling[group[model.edges[:, 0]]] = model.coupling
    by_group = np.argsort(group, kind="stable")
    start = np.cumsum(size) - size
    members, strength = [], []
    for m in np.unique(size):
        those = np.flatnonzero(size == m)
        members.append(by_group[start[those][:, None] + np.arange(m)])
        strength.append(coupling[those])
    return Cliques(tuple(members), tuple(strength), len(model))


def log_odds(cliques: Cliques, field: Floats) -> Floats:
    """Return everybody's log-odds of 0 against 1.

    Examples
    --------
    >>> triangle = CorrelationModel("id", np.arange(3), np.array([[0, 1], [1, 2], [2, 0]]), np.full(3, 0.3),
    ...                             np.zeros(3))
    >>> log_odds(gather(triangle), np.array([0.1, 0.1, 0.1])).round(9)
    array([0.34608007, 0.34608007, 0.34608007])
    """
    h, u = one_a_person(cliques, field), np.empty(len(cliques))
    for members, coupling in zip(cliques.members, cliques.coupling, strict=True):
        batch = max(1, ROOM // members.shape[1] ** 2)
        for at in range(0, coupling.size, batch):
            some = members[at : at + batch]
            u[some] = _log_odds(h[some], coupling[at : at + batch])
    return u


def _log_odds(h: Floats, J: Floats) -> Floats:
    """One row per group: ``ln`` of the sum over how many of the others are 1, with the person 0 against 1."""
    m = h.shape[1]
    ways = _by_number_of_ones(h)
    t = m - 1 - 2.0 * np.arange(m)  # the others' spins added up
    J = J[:, None, None]
    among = ways + J * (t**2 - (m - 1)) / 2
    zero, one = logsumexp(among + J * t, axis=2), logsumexp(among - J * t, axis=2)
    result: Floats = 2 * h + zero - one
    return result


def _by_number_of_ones(h: Floats) -> Floats:
    """For every group, person and k: ``ln`` of the sum of ``e^(sum h s)`` over the others, k of them 1."""
    groups, m = h.shape
    ways = np.full((groups, m, m), -np.inf)
    ways[:, :, 0] = 0
    for j in range(m):
        with_j = ways + h[:, j, None, None]
        with_j[:, :, 1:] = np.logaddexp(with_j[:, :, 1:], ways[:, :, :-1] - h[:, j, None, None])
        with_j[:, j] = ways[:, j]  # nobody is among their own others
        ways = with_j
    return ways
