"""Relabelling of bits, so that everybody rather agrees with their relatives than differs from them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import breadth_first_order, connected_components

from dalenius.errors import UnsupportedError
from dalenius.knowledge.correlation.model import CorrelationModel

NAMED = 12
"""People of a cycle who are named; of a longer one the first and the last."""


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
        If some cycle has an odd number of negative couplings; see `contradiction`.

    Examples
    --------
    >>> chain = CorrelationModel("id", np.array(["a", "b", "c"]), np.array([[0, 1], [1, 2]]),
    ...                          np.array([-0.4, 0.9]), np.array([0.2, 0.0, 0.0]))
    >>> fixed = fix_signs(chain)
    >>> fixed.flipped, fixed.model.coupling
    (array([False,  True,  True]), array([0.4, 0.9]))
    """
    n = len(model)
    if not (model.coupling < 0).any():
        return Signed(model, np.zeros(n, np.bool_))
    twofold = _both_ways(model)
    group = connected_components(twofold, directed=False)[1]
    as_is, turned = group[:n], group[n:]
    torn = np.flatnonzero(as_is == turned)
    if torn.size:
        raise FrustratedError(
            "couplings: a cycle has an odd number of negative "
            "agreements, so no relabelling makes them all positive and the exact formula does not apply. Use "
            "the bounds, or the linear program."
        )
    # the two readings of a component are two groups; one of them is chosen for all of its people alike
    flipped = as_is > turned
    colour = np.where(flipped, -1.0, 1.0)
    return Signed(replace(model, coupling=np.abs(model.coupling), field=model.field * colour), flipped)


def frustrated(model: CorrelationModel) -> NDArray[np.bool_]:
    """Say of everybody whether a cycle of their group has an odd number of negative couplings.

    Examples
    --------
    >>> model = CorrelationModel("id", np.arange(4), np.array([[0, 1], [1, 2], [2, 0]]),
    ...                          np.array([0.5, 0.5, -0.5]), np.zeros(4))
    >>> frustrated(model)
    array([ True,  True,  True, False])
    """
    n = len(model)
    if not (model.coupling < 0).any():
        return np.zeros(n, np.bool_)
    group = connected_components(_both_ways(model), directed=False)[1]
    torn: NDArray[np.bool_] = group[:n] == group[n:]
    return torn


def contradiction(model: CorrelationModel) -> str:
    """Name a cycle with an odd number of negative couplings; nothing if there is none.

    Examples
    --------
    >>> model = CorrelationModel("id", np.array(["a", "b", "c"]), np.array([[0, 1], [1, 2], [2, 0]]),
    ...                          np.array([0.5, 0.5, -0.5]), np.zeros(3))
    >>> contradiction(model)
    'a - c - b - a'
    """
    torn = np.flatnonzero(frustrated(model))
    return _name_cycle(model, _both_ways(model), int(torn[0])) if torn.size else ""


def _both_ways(model: CorrelationModel) -> csr_array:
    """Every person twice, as they are and relabelled (n later), joined where the bits then rather agree.

    A cycle with an odd number of negative couplings leads from a person to their own relabelling: bits can
    be relabelled as wanted if no component holds somebody twice.
    """
    n, real = len(model), model.coupling != 0
    (a, b), turn = model.edges[real].T, np.where(model.coupling[real] < 0, n, 0)
    start, end = np.r_[a, a + n], np.r_[b + turn, b + n - turn]
    return coo_array((np.ones(start.size), (start, end)), shape=(2 * n, 2 * n)).tocsr()


def _name_cycle(model: CorrelationModel, twofold: csr_array, person: int) -> str:
    """A cycle with an odd number of negative couplings, by name: on a way to one's own relabelling.

    A shortest way visits nobody twice in the same reading, so between two visits of one person lies an odd
    closed walk; the shortest such piece is a cycle.
    """
    n = len(model)
    before = breadth_first_order(twofold, person, directed=False)[1]
    way = [person + n]
    while way[-1] != person:
        way.append(int(before[way[-1]]))
    people = [v % n for v in way]
    seen: dict[int, int] = {}
    pieces = []
    for at, v in enumerate(people):
        if v in seen:
            pieces.append((at - seen[v], seen[v]))
        seen[v] = at
    length, first = min(pieces)
    names = [str(model.ids[v]) for v in people[first : first + length + 1]]
    if length > NAMED:
        names[NAMED - 2 : -2] = [f"({length - NAMED + 1:,} more)"]
    return " - ".join(names)
