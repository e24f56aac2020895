"""Blocks of a network: sets of links of which any two lie on a common loop.

A law that is given by its links' agreements falls apart where one person alone joins two blocks: it is the
product of the blocks' laws, divided by those people's own. So each block is fitted alone, and a link on no
loop is a block of its own, with its closed form.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.knowledge.correlation.model import CorrelationModel, Pairs

Whole = NDArray[np.int64]


@dataclass(frozen=True)
class NetworkBlocks:
    """The blocks that hold a loop, one after the other, as if they had nobody in common.

    Parameters
    ----------
    first_person, first_link
        Where each block starts among ``people`` and ``links``; the last number is their size.
    people, links
        Who and which links of the network they are; somebody in two blocks is listed twice.
    edges
        The ends of each link: places in ``people``.
    """

    first_person: Whole
    first_link: Whole
    people: Whole
    links: Whole
    edges: Pairs

    def __len__(self) -> int:
        return self.first_link.size - 1

    def of_person(self) -> Whole:
        """The block of each of ``people``."""
        return np.repeat(np.arange(len(self)), np.diff(self.first_person))

    def of_link(self) -> Whole:
        """The block of each of ``links``."""
        return np.repeat(np.arange(len(self)), np.diff(self.first_link))

    def take(self, which: Whole) -> tuple[NetworkBlocks, Whole, Whole]:
        """Some of the blocks, with the places of their people and of their links in these."""
        people = _runs(self.first_person, which)
        links = _runs(self.first_link, which)
        place = np.full(self.people.size, -1, np.int64)
        place[people] = np.arange(people.size)
        some = NetworkBlocks(
            np.r_[0, np.cumsum(np.diff(self.first_person)[which])].astype(np.int64),
            np.r_[0, np.cumsum(np.diff(self.first_link)[which])].astype(np.int64),
            self.people[people],
            self.links[links],
            place[self.edges[links]],
        )
        return some, people, links


def blocks_with_loops(model: CorrelationModel) -> NetworkBlocks:
    """Find the blocks of a network, without those of a single link.

    Examples
    --------
    >>> edges = np.array([[0, 1], [1, 2], [2, 0], [2, 3]])
    >>> model = CorrelationModel("id", np.arange(4), edges, np.full(4, 0.5), np.zeros(4))
    >>> found = blocks_with_loops(model)
    >>> found.people, found.links
    (array([0, 1, 2]), array([0, 1, 2]))
    """
    from dalenius.inference.attack.solvers._blocks_kernels import blocks_of_links

    m, n = len(model.edges), len(model)
    ends = np.r_[model.edges[:, 0], model.edges[:, 1]]
    order = np.argsort(ends, kind="stable")
    start = np.r_[0, np.cumsum(np.bincount(ends, minlength=n))].astype(np.int64)
    other = np.r_[model.edges[:, 1], model.edges[:, 0]][order].astype(np.int64)
    block = np.empty(m, np.int64)
    count = blocks_of_links(start, other, (order % max(m, 1)).astype(np.int64), block)
    size = np.bincount(block, minlength=count)
    links = np.flatnonzero(size[block] > 1)
    links = links[np.argsort(block[links], kind="stable")]
    number = np.cumsum(size > 1) - 1
    own = number[block[links]]
    key = np.unique(np.repeat(own, 2) * n + model.edges[links].ravel())
    people, of_person = key % max(n, 1), key // max(n, 1)
    loops = int((size > 1).sum())
    return NetworkBlocks(
        np.searchsorted(of_person, np.arange(loops + 1)),
        np.searchsorted(own, np.arange(loops + 1)),
        people,
        links,
        np.searchsorted(key, own[:, None] * n + model.edges[links]),
    )


def _runs(first: Whole, which: Whole) -> Whole:
    """All places of some runs, one run after the other."""
    size = np.diff(first)[which]
    shift = first[which] - np.r_[0, np.cumsum(size)[:-1]] if which.size else np.zeros(0, np.int64)
    places: Whole = np.arange(int(size.sum())) + np.repeat(shift, size)
    return places
