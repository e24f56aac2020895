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

from dalenius.errors import InputError, UnsupportedError
from dalenius.records.roster import Ids

Floats = NDArray[np.float64]
Pairs = NDArray[np.int64]


@dataclass(frozen=True)
class CorrelationModel:
    """A network of people.

    Parameters
    ----------
    id_name, ids
        The people.
    edges
        One row an edge: the positions of its two people.
    coupling
        How strongly they agree, one an edge; negative where they rather differ.
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
            raise InputError("fields", "must be one finite number a person", f"shape {self.field.shape}")
        if np.isnan(self.coupling).any():
            raise InputError("couplings", "must be numbers", "one that is not")
        if self.edges.size and not (self.edges.min() >= 0 and self.edges.max() < n):
            raise InputError("edges", f"must join people 0 to {n - 1}", f"{self.edges.max()}")
        self._refuse_loops()
        self._refuse_repeated()

    def _refuse_loops(self) -> None:
        loops = np.flatnonzero(self.edges[:, 0] == self.edges[:, 1])
        if loops.size:
            who = str(self.ids[self.edges[loops[0], 0]])
            raise InputError("edges", "must join two different people", f"{who!r} with themselves")

    def _refuse_repeated(self) -> None:
        ends = np.sort(self.edges, axis=1)
        key = ends[:, 0] * self.ids.size + ends[:, 1]
        order = np.sort(key)
        twice = order[1:][order[1:] == order[:-1]]
        if twice.size:
            a, b = (str(self.ids[i]) for i in divmod(int(twice[0]), self.ids.size))
            raise InputError(
                "edges", "must be given once", f"{a!r} and {b!r} twice", "Keep the one that holds."
            )

    def __len__(self) -> int:
        return int(self.ids.size)

    @property
    def degrees(self) -> NDArray[np.int64]:
        """How many edges each person has."""
        return np.bincount(self.edges.ravel(), minlength=len(self)).astype(np.int64)

    def matrix(self, values: Floats) -> csr_array:
        """A symmetric sparse matrix with one value an edge."""
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


class FrustratedError(UnsupportedError):
    """A cycle with an odd number of negative couplings: no relabelling makes all of them agree."""


@dataclass(frozen=True)
class Signed:
    """A model whose couplings are all positive, and whose bits had to be relabelled for it."""

    model: CorrelationModel
    flipped: NDArray[np.bool_]


def fix_signs(model: CorrelationModel) -> Signed:
    """Relabel some people's bits so that every coupling is positive.

    Relabelling changes neither differential privacy nor nu. It is possible where every cycle has an even
    number of negative couplings: people are coloured so that exactly the negative edges join two colours.

    Raises
    ------
    FrustratedError
        If some cycle has an odd number of negative couplings; it is named.

    Examples
    --------
    >>> chain = CorrelationModel("id", np.array(["a", "b", "c"]), np.array([[0, 1], [1, 2]]),
    ...                          np.array([-0.4, 0.9]), np.array([0.2, 0.0, 0.0]))
    >>> fixed = fix_signs(chain)
    >>> fixed.flipped, fixed.model.coupling
    (array([False,  True,  True]), array([0.4, 0.9]))
    """
    negative = model.coupling < 0
    if not negative.any():
        return Signed(model, np.zeros(len(model), np.bool_))
    order, parent, tree_sign = _spanning_forest(model)
    colour = np.ones(len(model), np.int8)
    for v in order:
        if parent[v] >= 0:
            colour[v] = colour[parent[v]] * tree_sign[v]
    a, b = model.edges.T
    sign = np.where(negative, -1, 1).astype(np.int8)
    wrong = np.flatnonzero((colour[a] * colour[b] != sign) & (model.coupling != 0))
    if wrong.size:
        raise FrustratedError(_name_cycle(model, parent, int(wrong[0])))
    coupling = model.coupling * colour[a] * colour[b]
    return Signed(replace(model, coupling=coupling, field=model.field * colour), colour < 0)


def _spanning_forest(
    model: CorrelationModel,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int8]]:
    """People in an order where a parent comes first, each one's parent, and the sign of the edge to it."""
    signs = model.matrix(np.where(model.coupling < 0, -1.0, 1.0))
    n = len(model)
    parent, sign = np.full(n, -1, np.int64), np.ones(n, np.int8)
    seen = np.zeros(n, np.bool_)
    order: list[int] = []
    for root in range(n):
        if seen[root]:
            continue
        seen[root] = True
        waiting = [root]
        while waiting:
            v = waiting.pop()
            order.append(v)
            for at in range(signs.indptr[v], signs.indptr[v + 1]):
                w = int(signs.indices[at])
                if not seen[w]:
                    seen[w], parent[w], sign[w] = True, v, int(signs.data[at])
                    waiting.append(w)
    return np.array(order, np.int64), parent, sign


def _name_cycle(model: CorrelationModel, parent: NDArray[np.int64], edge: int) -> str:
    """The cycle that an edge closes in the spanning forest, by name."""

    def ancestors(v: int) -> list[int]:
        path = [v]
        while parent[path[-1]] >= 0:
            path.append(int(parent[path[-1]]))
        return path

    a, b = (ancestors(int(v)) for v in model.edges[edge])
    shared = next(v for v in a if v in set(b))
    cycle = [*a[: a.index(shared) + 1], *reversed(b[: b.index(shared)])]
    names = " - ".join(str(model.ids[v]) for v in [*cycle, cycle[0]])
    return (
        f"couplings: the cycle {names} has an odd number of negative agreements, so no relabelling makes "
        "them all positive and the exact formula does not apply. Use the bounds, or the linear program."
    )
