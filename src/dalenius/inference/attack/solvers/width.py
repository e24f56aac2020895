"""Which groups no order of elimination makes narrow, shown without looking for one.

Joining linked people into one never widens a network, and one of width k among v people has at most
``k v - k (k + 1)/2`` links (it lies in a k-tree). So wherever people joined again and again are linked more
than that, every order is wider than k. Random links are found out in a few rounds over arrays, whereas an
order is looked for person by person; links that stay among neighbours in a plane never are.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

Labels = NDArray[np.int64]
Whole = NDArray[np.integer[Any]]


def dense_minors(edges: Whole, group: Whole, limit: int) -> NDArray[np.bool_]:
    """Say of every connected group whether a minor shows that all orders are wider than the limit.

    Parameters
    ----------
    edges
        The links, both ends as places.
    group
        The group of each person.

    Examples
    --------
    >>> complete = np.stack(np.triu_indices(6, 1), axis=1)
    >>> dense_minors(complete, np.zeros(6, np.intp), 4), dense_minors(complete, np.zeros(6, np.intp), 5)
    (array([ True]), array([False]))
    """
    rng = np.random.default_rng(1)  # the same answer every time
    low, high = _once(edges[:, 0], edges[:, 1])
    dense = np.zeros(int(group.max(initial=-1)) + 1, np.bool_)
    while low.size:
        people = np.bincount(group, minlength=dense.size)
        links = np.bincount(group[low], minlength=dense.size)
        dense |= (links > limit * people - limit * (limit + 1) // 2) & (people > limit)
        open_ = (links > 0) & ~dense
        kept = open_[group[low]]
        low, high = low[kept], high[kept]
        joined = _joined(low, high, group.size, rng)
        low, high = _once(joined[low], joined[high])
        representative = np.empty(int(joined.max()) + 1, group.dtype)
        representative[joined] = group
        group = representative
    return dense


def _joined(low: Labels, high: Labels, people: int, rng: np.random.Generator) -> Labels:
    """Join people with whom they are linked, so that few links are lost.

    Whoever has one or two links goes with the less linked of these. Of the others a random half ask the least
    linked they know, who takes one of them: a few to whom all go would soon be linked with everybody, twice.
    """
    degree = np.bincount(low, minlength=people) + np.bincount(high, minlength=people)
    least = np.full(people, np.iinfo(np.int64).max)
    np.minimum.at(least, low, degree[high] * people + high)
    np.minimum.at(least, high, degree[low] * people + low)
    mate = least % people
    asking = np.flatnonzero((degree > 2) & (rng.random(people) < 0.5))
    taken = np.full(people, -1)
    taken[mate[asking]] = asking
    joining = np.concatenate([np.flatnonzero((degree > 0) & (degree <= 2)), taken[taken >= 0]])
    links = coo_array((np.ones(joining.size, np.bool_), (joining, mate[joining])), shape=(people, people))
    joined: Labels = connected_components(links, directed=False)[1].astype(np.int64)
    return joined


def _once(a: Whole, b: Whole) -> tuple[Labels, Labels]:
    """Every link once, and none of somebody with themselves."""
    low, high = np.minimum(a, b).astype(np.int64), np.maximum(a, b).astype(np.int64)
    between = low < high
    wide = int(high.max(initial=0)) + 1
    links = np.sort(low[between] * wide + high[between])
    links = links[np.diff(links, prepend=-1) > 0]  # np.unique hashes, which takes ten times longer here
    return links // wide, links % wide
