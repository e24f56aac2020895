"""Who is related to whom, and how strongly they agree: the attacker's prior about people's bits.

``mu(x) ~ exp(sum_edges J s_i s_j + sum_i h_i s_i)`` with spins ``s = 1 - 2 x``: a coupling
``J = atanh(2p - 1)`` makes two people alone agree with probability ``p``; a field ``h`` is half the log-odds
of 0 against 1. An infinite coupling means that two people always agree.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

from dalenius.errors import InputError
from dalenius.people.schema import Ids
from dalenius.shown import hides_people

Floats = NDArray[np.float64]
Pairs = NDArray[np.int64]


@hides_people()
@dataclass(frozen=True)
class CorrelationModel:
    """A network of people.

    Parameters
    ----------
    id_name, ids
        The people.
    edges
        One row per edge: the positions of its two people.
    coupling
        How strongly they agree, one per edge; negative where they rather differ.
    field
        Half the log-odds of 0 against 1 of a person without the others.
    card
        What the model rests on, in words: printed beside every number made from it.

    Raises
    ------
    InputError
        If an edge joins a person with themselves, is given twice, or names nobody; if a number is not one.

    Examples
    --------
    >>> model = CorrelationModel("id", np.array(["a", "b"]), np.array([[0, 1]]), np.array([0.5]), np.zeros(2))
    >>> len(model), model.degrees
    (2, array([1, 1]))
    """

    id_name: str
    ids: Ids
    edges: Pairs
    coupling: Floats
    field: Floats
    card: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        n = self.ids.size
        if self.edges.shape != (self.coupling.size, 2):
            raise InputError("edges", "must be two people and one coupling each", f"shape {self.edges.shape}")
        if self.field.shape != (n,) or not np.isfinite(self.field).all():
            raise InputError("fields", "must be one finite number per person", f"shape {self.field.shape}")
        if np.isnan(self.coupling).any():
            raise InputError("couplings", "must be numbers", "one that is not")
        if self.edges.size and not (self.edges.min() >= 0 and self.edges.max() < n):
            raise InputError("edges", f"must join people 0 to {n - 1}", f"{self.edges.max()}")
        self._refuse_loops()
        self._refuse_repeated()

    def _refuse_loops(self) -> None:
        loops = np.flatnonzero(self.edges[:, 0] == self.edges[:, 1])
        if loops.size:
            raise InputError(
                "edges", "must join two different people", f"one with themselves, edge {loops[0]}"
            )

    def _refuse_repeated(self) -> None:
        ends = np.sort(self.edges, axis=1)
        key = ends[:, 0] * self.ids.size + ends[:, 1]
        order = np.sort(key)
        twice = order[1:][order[1:] == order[:-1]]
        if twice.size:
            at = np.flatnonzero(key == twice[0])
            got = f"edges {at[0]} and {at[1]} of the same two"
            raise InputError("edges", "must be given once", got, "Keep the one that holds.")

    def __len__(self) -> int:
        return int(self.ids.size)

    @property
    def degrees(self) -> NDArray[np.int64]:
        """How many edges each person has."""
        return np.bincount(self.edges.ravel(), minlength=len(self)).astype(np.int64)

    def matrix(self, values: Floats) -> csr_array:
        """A symmetric sparse matrix with one value per edge."""
        (a, b), n = self.edges.T, len(self)
        both = (np.r_[a, b], np.r_[b, a])
        return coo_array((np.r_[values, values], both), shape=(n, n)).tocsr()

    def components(self) -> NDArray[np.int32]:
        """The number of each person's connected group."""
        labels: NDArray[np.int32] = connected_components(self.matrix(np.ones(len(self.edges))), False)[1]
        return labels

    def take(self, people: NDArray[np.intp]) -> CorrelationModel:
        """Keep these people and the edges among them."""
        place = np.full(len(self), -1, np.int64)
        place[people] = np.arange(people.size)
        ends = place[self.edges]
        kept = (ends >= 0).all(axis=1)
        return replace(
            self,
            ids=self.ids[people],
            edges=ends[kept],
            coupling=self.coupling[kept],
            field=self.field[people],
        )
