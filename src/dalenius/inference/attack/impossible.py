"""Why no people can agree as stated: the shortest proof there is.

On a circle of people the number of neighbours who differ is even. So for any odd number of links F of a
circle ``sum_F differ - sum_others differ <= |F| - 1`` (the cycle inequalities of the cut polytope, Barahona
and Mahjoub 1986); a bias is how often somebody differs from a person who is always 0. Where no circle
contradicts what was stated, larger sets may.
"""

from __future__ import annotations

from typing import NoReturn

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra

from dalenius.errors import InputError
from dalenius.inference.attack.fit.cliques import least_agreement
from dalenius.knowledge.correlation.files.columns import listed
from dalenius.knowledge.correlation.model import Floats, Pairs
from dalenius.people.schema import Ids
from dalenius.shown import several

LARGEST = 2000
"""The most people among whom a circle is looked for."""

_FIX = "Correct an agreement; it is the probability that two people have the same value."


def refuse(edges: Pairs, agreement: Floats, bias: Floats | None, ids: Ids) -> NoReturn:
    """Refuse agreements of which the likelihood has shown that no people can have them, and say why.

    Parameters
    ----------
    edges, agreement, bias
        A block of people, by their places.
    ids
        Who they are: named only if that is asked for.
    """
    rule = "must be such that people can have them"
    circle = _circle(edges, agreement, bias)
    if circle is not None:
        people, got = circle
        raise InputError("agreements", rule, got, _FIX, value=listed(ids[people].tolist()))
    size = ids.size
    least, pairs = least_agreement(size)
    whole = len(edges) == pairs and np.unique(agreement).size == 1
    if whole and agreement[0] < least / pairs:
        got = (
            f"{agreement[0]:g} for all pairs of {size:,} people; with two values at least {least:,} of the "
            f"{pairs:,} pairs agree, which is {least / pairs:.4g}"
        )
    else:
        got = (
            f"{several(len(edges), 'agreement')} of {size:,} people that contradict each other: some "
            "weighted sum of them is larger than for any combination of values"
        )
    raise InputError("agreements", rule, got, _FIX, value=listed(ids.tolist()))


def _circle(edges: Pairs, agreement: Floats, bias: Floats | None) -> tuple[list[int], str] | None:
    """The circle that contradicts most, as the people on it and in words; None if none does.

    Everybody is there twice. Staying on a side costs how often two differ, changing sides how often they
    agree; a way to one's own other side of length below 1 is a circle that breaks its inequality.
    """
    n = int(edges.max()) + 1
    a, b, differ = edges[:, 0], edges[:, 1], 1 - agreement
    if bias is not None:  # the person who is always 0
        a, b, differ = np.r_[a, np.arange(n)], np.r_[b, np.full(n, n)], np.r_[differ, bias]
        n += 1
    if n > LARGEST:
        return None
    start, end = np.r_[a, a + n, a, a + n], np.r_[b, b + n, b + n, b]
    cost = np.maximum(np.r_[differ, differ, 1 - differ, 1 - differ], 1e-300)
    ways = coo_array((cost, (start, end)), shape=(2 * n, 2 * n))
    length, before = dijkstra(ways, directed=False, indices=np.arange(n), return_predecessors=True)
    own = length[np.arange(n), np.arange(n) + n]
    root = int(own.argmin())
    if own[root] >= 1:
        return None
    way = [root + n]
    while way[-1] != root:
        way.append(int(before[root, way[-1]]))
    return _in_words([v % n for v in way], [v // n for v in way], edges, agreement, bias, float(own[root]))


def _in_words(
    way: list[int], side: list[int], edges: Pairs, agreement: Floats, bias: Floats | None, length: float
) -> tuple[list[int], str]:
    """Whatever the values are, one of the events on the way happens: a change of sides, or a difference."""
    known = {frozenset(pair): float(p) for pair, p in zip(edges.tolist(), agreement, strict=True)}
    nobody = -1 if bias is None else bias.size
    said = []
    for u, v, s, t in zip(way[:-1], way[1:], side[:-1], side[1:], strict=True):
        if nobody not in (u, v):
            p = known[frozenset((u, v))]
            said.append(f"{1 - p:.6g} (to differ)" if s == t else f"{p:.6g} (to agree)")
    people = sorted({v for v in way if v != nobody})
    numbers = ", ".join(said[:6]) + (f", {len(said) - 6} more" if len(said) > 6 else "")
    circle = f"a circle of {several(len(people), 'person', 'people')}"
    if nobody in way:
        circle, numbers = several(len(people), "person", "people"), f"{numbers} and two biases"
    return people, (
        f"some that contradict each other: whatever the values of {circle}, one of several things holds, but "
        f"their probabilities {numbers} add up to {length:.6g}, not to 1 or more"
    )
