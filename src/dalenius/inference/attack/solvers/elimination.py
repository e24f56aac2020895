"""In which order to sum people out: greedily those first whose relatives need the fewest new links.

Summing a person out joins all of their remaining relatives in one table. The largest number of relatives
that meet this way is the width of the order; the work is two to its power. Finding the best order is hard,
`min_fill` is the usual good one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Set
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

import numpy as np
from numpy.typing import NDArray

from dalenius.inference.attack.solvers.width import dense_minors
from dalenius.knowledge.correlation.model import CorrelationModel

CORE = 2000
"""The largest rest of a group whose width is still found out once it is known to be too large."""


@dataclass(frozen=True)
class Elimination:
    """How to sum out one connected group of people.

    Parameters
    ----------
    people
        Who they are.
    order
        The same in the order of their elimination; empty if that was given up.
    together
        Whom of the later ones each meets; if the tables took too much memory, of those who were out by then.
    width
        The most people anybody meets; where it passes the limit, of an order that was only looked for
        quickly, or the least that is known (`exact` is then False).
    exact
        Whether `width` is the width of an order, not a lower bound of it.
    proven
        Whether every order is known to have at least this width.
    """

    people: list[int]
    order: list[int]
    together: list[list[int]]
    width: int
    exact: bool = True
    proven: bool = False


def eliminations(model: CorrelationModel, limit: int, most: float = math.inf) -> Iterator[Elimination]:
    """Eliminate every connected group of a network; give up on a group when its width passes the limit.

    Where a large group has no order that is narrow enough, none is looked for. A search also ends when the
    tables of those who are out take more than so many bytes.
    """
    links = model.matrix(np.ones(len(model.edges)))
    start, ends = links.indptr, links.indices
    group = model.components()
    by_group = np.argsort(group, kind="stable").tolist()
    sizes = np.bincount(group)
    hopeless = (sizes > CORE) & (dense_minors(model.edges, group, limit) if (sizes > CORE).any() else False)
    stop = 0
    for size, wide in zip(sizes.tolist(), hopeless.tolist(), strict=True):
        members = by_group[stop : stop + size]
        stop += size
        if wide:
            yield Elimination(members, [], [], limit + 1, exact=False, proven=True)
            continue
        yield min_fill({v: set(ends[start[v] : start[v + 1]].tolist()) for v in members}, limit, most=most)


def min_fill(
    near: dict[int, set[int]],
    limit: int,
    cut: list[int] | None = None,
    spared: Set[int] = frozenset(),
    most: float = math.inf,
) -> Elimination:
    """Eliminate people, each time one whose relatives lack the fewest links; ``near`` is used up.

    How many links are lacking is kept up to date link by link, so that a step costs what it changes. Where
    somebody would meet more people than the limit, the search ends; or, if a list ``cut`` is given, the
    busiest person there is left out and put on it, if possible none of those to be spared. Where tables take
    more bytes than ``most``, the search ends as well.

    Examples
    --------
    >>> square = {0: {1, 3}, 1: {0, 2}, 2: {1, 3}, 3: {2, 0}}
    >>> min_fill(square, 22)
    Elimination(people=[0, 1, 2, 3], order=[0, 1, 2, 3], together=[[1, 3], [2, 3], [3], []], width=2,
                exact=True, proven=False)
    """
    lacking = {v: _lacking(near, v) for v in near}
    waiting = [(lacking[v], len(near[v]), v) for v in near]
    heapify(waiting)
    order: list[int] = []
    together: list[list[int]] = []
    size = 0
    while waiting:
        fill, degree, v = heappop(waiting)
        if v not in near or fill != lacking[v] or degree != len(near[v]):
            continue  # a later entry says how it stands now
        if degree <= limit:
            touched = _join(near, lacking, v)
            order.append(v)
            together.append(sorted(near[v]))
            size += table_bytes(degree)
            if size > most:
                return Elimination(list(lacking), [], together, max(map(len, together)), exact=False)
            touched |= _leave(near, lacking, v)
        elif cut is None:
            return _too_wide(near, limit, list(lacking))
        else:
            cut.append(_busiest(near, v, spared))
            touched = _leave(near, lacking, cut[-1]) | {v}
        for u in touched:
            if u in near:
                heappush(waiting, (lacking[u], len(near[u]), u))
    if cut:
        gone = set(cut)
        together = [[u for u in some if u not in gone] for some in together]
    return Elimination(sorted(order), order, together, max(map(len, together), default=0))


def table_bytes(met: int) -> int:
    """Return the memory of the table of somebody who meets so many: a number for each of their bits."""
    return 8 * (2 << met)


def _busiest(near: dict[int, set[int]], v: int, spared: Set[int]) -> int:
    """Who has the most relatives of somebody and those they would meet."""
    return max(near[v] | {v}, key=lambda u: (u not in spared, len(near[u]), u))


def _lacking(near: dict[int, set[int]], v: int) -> int:
    """How many pairs of somebody's relatives are not related."""
    known = sum(len(near[v] & near[u]) for u in near[v])
    return (len(near[v]) * (len(near[v]) - 1) - known) // 2


def _join(near: dict[int, set[int]], lacking: dict[int, int], v: int) -> set[int]:
    """Relate all relatives of somebody with each other; return whose numbers changed."""
    touched: set[int] = set()
    if not lacking[v]:
        return touched
    relatives = list(near[v])
    for at, a in enumerate(relatives):
        for b in relatives[at + 1 :]:
            if b in near[a]:
                continue
            both = near[a] & near[b]
            for c in both:
                lacking[c] -= 1
            lacking[a] += len(near[a]) - len(both)
            lacking[b] += len(near[b]) - len(both)
            near[a].add(b)
            near[b].add(a)
            touched |= both
    return touched


def _leave(near: dict[int, set[int]], lacking: dict[int, int], v: int) -> set[int]:
    """Take somebody out; return whose numbers changed."""
    relatives = near.pop(v)
    for u in relatives:
        near[u].remove(v)
        lacking[u] -= len(near[u]) - len(near[u] & relatives)  # whom only u and not v knew
    return relatives


def _too_wide(near: dict[int, set[int]], limit: int, people: list[int]) -> Elimination:
    """Say how wide the rest is, by eliminating whoever has the fewest relatives, without tables."""
    if len(near) > CORE:
        return Elimination(people, [], [], limit + 1, exact=False)
    place = {v: i for i, v in enumerate(near)}
    linked = np.zeros((len(near), len(near)), np.bool_)
    for v, relatives in near.items():
        linked[place[v], [place[u] for u in relatives]] = True
    width = max(_degrees_met(linked))
    return Elimination(people, [], [], max(width, limit + 1))


def _degrees_met(linked: NDArray[np.bool_]) -> Iterator[int]:
    degree = linked.sum(axis=1)
    gone = linked.shape[0] + 1
    for left in range(linked.shape[0], 0, -1):
        v = int(degree.argmin())
        yield int(degree[v])
        if degree[v] == left - 1:
            return  # all who are left know each other: nobody will meet more
        relatives = np.flatnonzero(linked[v])
        linked[np.ix_(relatives, relatives)] = True
        linked[relatives, relatives] = False
        linked[:, v] = False
        degree[relatives] = linked[relatives].sum(axis=1)
        degree[v] = gone
