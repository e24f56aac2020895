"""Blocks of a network as junction trees: agreements and beliefs for any couplings and fields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dalenius.inference.attack.solvers.blocks import NetworkBlocks, Whole
from dalenius.inference.attack.solvers.elimination import Elimination, eliminations
from dalenius.inference.attack.solvers.junction import MOST_BYTES, WIDEST, JunctionTree, assemble, too_wide
from dalenius.knowledge.correlation.model import CorrelationModel, Floats


class ImpliedLogOdds(NamedTuple):
    """What couplings and fields imply.

    Parameters
    ----------
    together
        Log-odds of agreement, one per link.
    log_odds
        Log-odds of 0, one per person.
    none
        The logarithm of the probability that all bits are 0, one per block.
    """

    together: Floats
    log_odds: Floats
    none: Floats


@dataclass(frozen=True)
class BlockTrees:
    """Blocks that are narrow enough for a junction tree each.

    Parameters
    ----------
    blocks
        The blocks.
    orders
        How each is summed out.
    tree
        All of them, ready for calibration.
    link
        The link at each place of the tree's couplings, -1 where people are not related themselves.
    """

    blocks: NetworkBlocks
    orders: tuple[Elimination, ...]
    tree: JunctionTree
    link: Whole

    def law(self, coupling: Floats, field: Floats) -> ImpliedLogOdds:
        """Find what couplings (one per link) and fields (one per person) imply, block by block."""
        from dalenius.inference.attack.fit._kernels import calibrate_and_read

        tree, linked = self.tree, self.link >= 0
        of_place = np.zeros(self.link.size)
        of_place[linked] = coupling[self.link[linked]]
        by_place, read = np.empty(len(tree)), np.empty(self.link.size)
        none = np.empty(len(self.blocks))
        calibrate_and_read(tree.layout(of_place), field[tree.order], tree.room(), by_place, read, none)
        together, log_odds = np.empty(coupling.size), np.empty(field.size)
        together[self.link[linked]] = read[linked]
        log_odds[tree.order] = by_place
        return ImpliedLogOdds(together, log_odds, none)

    def take(self, which: Whole) -> tuple[BlockTrees, Whole, Whole]:
        """Some of the blocks, with the places of their people and of their links in these."""
        some, people, links = self.blocks.take(which)
        moved = np.full(self.blocks.people.size, -1, np.int64)
        moved[people] = np.arange(people.size)
        orders = tuple(_renamed(self.orders[at], moved) for at in which.tolist())
        return _plant(some, orders), people, links


def plant(blocks: NetworkBlocks) -> tuple[BlockTrees, NDArray[np.bool_]]:
    """Prepare the blocks that are narrow enough; also say which are."""
    found = list(eliminations(_as_model(blocks), WIDEST, MOST_BYTES))
    narrow = np.array([not too_wide(order) for order in found], np.bool_)
    some, people, _ = blocks.take(np.flatnonzero(narrow))
    moved = np.full(blocks.people.size, -1, np.int64)
    moved[people] = np.arange(people.size)
    orders = tuple(_renamed(order, moved) for order, fits in zip(found, narrow, strict=True) if fits)
    return _plant(some, orders), narrow


def _plant(blocks: NetworkBlocks, orders: tuple[Elimination, ...]) -> BlockTrees:
    tree = assemble(_as_model(blocks), list(orders))[1]
    return BlockTrees(blocks, orders, tree, tree.coupling.astype(np.int64) - 1)


def _as_model(blocks: NetworkBlocks) -> CorrelationModel:
    """The blocks as a network: every link has its number for a coupling, so that it is found again."""
    n = blocks.people.size
    number = np.arange(1.0, blocks.links.size + 1)
    return CorrelationModel("place", np.arange(n).astype(str), blocks.edges, number, np.zeros(n))


def _renamed(order: Elimination, moved: Whole) -> Elimination:
    return Elimination(
        moved[order.people].tolist(),
        moved[order.order].tolist(),
        [moved[some].tolist() for some in order.together],
        order.width,
    )
