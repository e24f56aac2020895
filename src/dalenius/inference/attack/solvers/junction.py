"""Exact beliefs in networks with cycles, where few enough people meet in one table: a junction tree.

People are summed out in the order of `elimination`; each has one table with the later people they meet. One
pass up and one down give everybody's beliefs (Lauritzen and Spiegelhalter 1988), in logarithms throughout.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import UnsupportedError
from dalenius.inference.attack.identical import Merged, merge_identical, one_a_person
from dalenius.inference.attack.solvers.elimination import Elimination, table_bytes
from dalenius.knowledge.correlation.model import CorrelationModel, Floats
from dalenius.shown import hides_people

if TYPE_CHECKING:
    from dalenius.inference.attack.solvers._junction_kernels import TableRoom, TreeLayout

WIDEST = 22
"""The most people anybody may meet in one table: 64 megabytes."""

MOST_BYTES = 2**31
"""The most memory that the tables of one connected group may take."""

Places = NDArray[np.int64]


class TooWideError(UnsupportedError):
    """A network whose junction tree is too large; says how wide it is and what there is instead."""

    def __init__(self, group: Elimination, reason: str) -> None:
        self.width = group.width
        super().__init__(
            f"a junction tree of a connected group of {len(group.people):,} people is too large: {reason}. "
            "Use the bounds from influence matrices, or leave out links that hardly matter."
        )


@hides_people()
@dataclass(frozen=True)
class JunctionTree:
    """A network prepared for calibration.

    Parameters
    ----------
    merged
        The network without identical people.
    order
        The person at each place, the first to be summed out first; connected groups one after the other.
    first
        The first place of each group, and the number of people.
    met
        Where the couplings of each place start in ``coupling``.
    coupling
        With the later people met, in order; 0 where they are not related themselves.
    parent
        The place whose table takes the message, -1 for the last of a group.
    mask
        Which bits of that table the message is about.
    offset
        Where each table starts; groups use the same memory one after the other.
    width
        The most people anybody meets.
    bytes
        The memory of the tables.
    """

    merged: Merged
    order: Places
    first: Places
    met: Places
    coupling: Floats
    parent: Places
    mask: Places
    offset: Places
    width: int
    bytes: int

    def __len__(self) -> int:
        return int(self.merged.group.size)

    def layout(self, coupling: Floats | None = None) -> TreeLayout:
        """The tree as kernels take it, with other couplings if some are given."""
        from dalenius.inference.attack.solvers._junction_kernels import TreeLayout

        own = self.coupling if coupling is None else coupling
        return TreeLayout(self.first, self.met, own, self.parent, self.mask, self.offset)

    def room(self) -> TableRoom:
        """Memory for one calibration."""
        from dalenius.inference.attack.solvers._junction_kernels import TableRoom

        table = 2 << self.width
        return TableRoom(
            np.empty(self.bytes // 8), np.empty(table, np.int32), np.empty(table // 2), np.empty(table // 2)
        )


def too_wide(group: Elimination) -> str:
    """Why a group's tables are too large, or nothing."""
    if group.width > WIDEST:
        which = "every order" if group.proven else "the best order found"
        found = f"{group.width:,}" if group.exact else f"at least {group.width:,}"
        return f"{which} has width {found}, the limit is {WIDEST}, and tables double with each"
    size = sum(table_bytes(len(met)) for met in group.together)
    if size > MOST_BYTES:
        some = f"the tables of the first {len(group.together):,} alone"
        limit = f"the limit {MOST_BYTES / 1e9:.1f}"
        return f"at width {group.width} {some} take {size / 1e9:.1f} gigabytes, {limit}"
    return ""


def assemble(model: CorrelationModel, groups: list[Elimination]) -> tuple[NDArray[np.intp], JunctionTree]:
    """Lay out the tables of some groups of a network without identical people.

    Returns the people of these groups, and the tree that is about them in that order.
    """
    order = np.fromiter(chain.from_iterable(g.order for g in groups), np.int64)
    n, people = order.size, np.sort(order)
    place = np.empty(len(model), np.int64)
    place[order] = np.arange(n)
    count = np.fromiter((len(met) for g in groups for met in g.together), np.int64, n)
    met = np.r_[0, np.cumsum(count)]
    whom = np.fromiter((v for g in groups for some in g.together for v in some), np.int64, int(met[-1]))
    owner = np.repeat(np.arange(n), count)
    key = np.sort(owner * n + place[whom])  # everybody's company in order of elimination
    company = key % max(n, 1)
    parent = np.full(n, -1, np.int64)
    parent[count > 0] = company[met[:-1][count > 0]]
    first = np.r_[0, np.cumsum([len(g.order) for g in groups])].astype(np.int64)
    offset, room = _offsets(count, first)
    model = model.take(people)
    tree = JunctionTree(
        merge_identical(model),
        np.searchsorted(people, order),
        first,
        met,
        _couplings(model, place[people], key),
        parent,
        _masks(owner, company, parent, met, key),
        offset,
        int(count.max(initial=0)),
        8 * room,
    )
    return people, tree


def log_odds(tree: JunctionTree, field: Floats) -> Floats:
    """Return everybody's log-odds of 0 against 1: one calibration serves all."""
    from dalenius.inference.attack.solvers._junction_kernels import calibrate

    h = tree.merged.field(one_a_person(tree, field))
    by_place = np.empty(h.size)
    calibrate(tree.layout(), h[tree.order], tree.room(), by_place)
    u = np.empty(h.size)
    u[tree.order] = by_place
    return tree.merged.by_person(u)


def _offsets(count: Places, first: Places) -> tuple[Places, int]:
    """Where tables start within their group, and how much room the largest group takes."""
    end = np.r_[0, np.cumsum(2 << count)]
    begin = np.repeat(end[first[:-1]], np.diff(first))
    return end[:-1] - begin, int(np.diff(end[first]).max(initial=0))


def _couplings(model: CorrelationModel, place: Places, key: Places) -> Floats:
    """The couplings of everybody with the later people they meet; new links have none."""
    ends = np.sort(place[model.edges], axis=1)
    coupling = np.zeros(key.size)
    coupling[np.searchsorted(key, ends[:, 0] * place.size + ends[:, 1])] = model.coupling
    return coupling


def _masks(owner: Places, company: Places, parent: Places, met: Places, key: Places) -> Places:
    """For every place, which bits of its parent's table its company is: the parent itself is bit 0."""
    n = parent.size
    above = parent[owner]
    bit = np.searchsorted(key, above * n + company) - met[above] + 1
    bit[company == above] = 0
    mask = np.zeros(n, np.int64)
    np.bitwise_or.at(mask, owner, np.int64(1) << bit)
    return mask
