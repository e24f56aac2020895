"""Peel families one by one: what each side of somebody says about them, from the outside in.

Given a person's value, the family that they are a child of and those that they are a parent of are
independent. So nu is their epsilon and the most that each of these families says; what a member of such a
family may say is again their own epsilon and the most that their other families say. That holds wherever
families form no loops; it is exact for one family, and an upper bound for several.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import breadth_first_order, connected_components

from dalenius.inference.attack.inheritance.one_family import Apart, OtherMembers, said_by_family
from dalenius.knowledge.correlation.inheritance import Floats, Lineage, MendelLaw
from dalenius.progress import Progress, silent

MOST_PEOPLE = 2_000
"""People of one kin up to which families are peeled: some programs a family."""

BOUNDS = ("exact-mendel", "bound-mendel", "bound-group")
"""What a number is: the worst case of one family, the sum over families, or group privacy."""


@dataclass(frozen=True, eq=False)
class NuOfGenes:
    """Everybody's nu by Mendel's law, and a place in `BOUNDS` for what each is."""

    nu: Floats
    bound: NDArray[np.int8]


class Kin:
    """Nuclear families and their members; parents who are not known are members without data.

    Parameters
    ----------
    lineage
        Who descends from whom.
    together
        Whether the parent who is not known is one person for all children of a known one, or somebody else
        for each of them.
    """

    def __init__(self, lineage: Lineage, *, together: bool = False) -> None:
        people = len(lineage)
        families: dict[tuple[int, int], int] = {}
        self.parents: list[list[int]] = []
        self.children: list[list[int]] = []
        unknown = people
        for child in np.flatnonzero(lineage.stands_for == np.arange(people)).tolist():
            pair = (int(lineage.father[child]), int(lineage.mother[child]))
            if pair == (-1, -1):
                continue
            known = pair if together or min(pair) >= 0 else None
            if known is None or known not in families:
                here = [own for own in pair if own >= 0]
                while len(here) < 2:
                    here.append(unknown)
                    unknown += 1
                if known is not None:
                    families[known] = len(self.parents)
                self.parents.append(here)
                self.children.append([])
                at = len(self.parents) - 1
            else:
                at = families[known]
            self.children[at].append(child)
        self.people = unknown

    @cached_property
    def members(self) -> list[list[int]]:
        """Everybody of each family, parents first."""
        return [[*two, *some] for two, some in zip(self.parents, self.children, strict=True)]

    @cached_property
    def graph(self) -> coo_array:
        """Who is in which family: people first, then families."""
        pairs = [(who, self.people + at) for at, some in enumerate(self.members) for who in some]
        one, other = np.array(pairs, np.intp).reshape(-1, 2).T
        size = self.people + len(self.members)
        return coo_array((np.ones(one.size), (one, other)), shape=(size, size))

    @cached_property
    def links(self) -> csr_array:
        """The same, row by row."""
        return self.graph.tocsr()


def nu_of_genes(
    lineage: Lineage, law: MendelLaw, epsilon: Floats, *, progress: Progress = silent
) -> NuOfGenes:
    """Find everybody's nu by Mendel's law: exact in one family, bounded in several without loops.

    Children of one known parent may or may not have the other, who is not known, in common: the larger nu of
    the two counts.
    """
    apart = _nu_of_kin(Kin(lineage), lineage, law, epsilon, progress)
    if not half_known(lineage):
        return apart
    together = _nu_of_kin(Kin(lineage, together=True), lineage, law, epsilon, progress)
    weakest = np.maximum(np.maximum(apart.bound, together.bound), BOUNDS.index("bound-mendel"))
    bound = np.where(apart.bound == together.bound, apart.bound, weakest)
    return NuOfGenes(np.maximum(apart.nu, together.nu), bound.astype(np.int8))


def half_known(lineage: Lineage) -> bool:
    """Whether a known parent has several children whose other parent is not known."""
    pairs = np.stack([lineage.father, lineage.mother], axis=1)
    halves = pairs[(pairs >= 0).sum(axis=1) == 1]
    return len(np.unique(halves, axis=0)) < len(halves)


def _nu_of_kin(kin: Kin, lineage: Lineage, law: MendelLaw, epsilon: Floats, progress: Progress) -> NuOfGenes:
    eps = np.zeros(kin.people)
    np.add.at(eps, lineage.stands_for, epsilon)  # identical twins are one person whose epsilons add up
    group = connected_components(kin.graph, directed=False)[1]
    sums = np.bincount(group[: kin.people], eps, minlength=group.max() + 1)
    nu, bound = np.zeros(kin.people), np.full(kin.people, BOUNDS.index("bound-group"), np.int8)
    ends = np.bincount(group[kin.graph.row], minlength=group.max() + 1)
    sizes = np.bincount(group)
    alone = sizes[group[: kin.people]] == 1
    nu[alone], bound[alone] = eps[alone], BOUNDS.index("exact-mendel")
    for label in np.flatnonzero(sizes > 1):
        who = np.flatnonzero(group[: kin.people] == label)
        progress(float(label) / sizes.size, "peeling families")
        if ends[label] == sizes[label] - 1 and who.size <= MOST_PEOPLE:
            nu[who], exact = _peeled(kin, law, eps, who)
            bound[who] = BOUNDS.index("exact-mendel" if exact else "bound-mendel")
        else:
            nu[who] = sums[label]
        nu[who] = np.clip(nu[who], eps[who], sums[label])
    first = lineage.stands_for
    return NuOfGenes(nu[first], bound[first])


def _peeled(kin: Kin, law: MendelLaw, eps: Floats, who: NDArray[np.intp]) -> tuple[Floats, bool]:
    """Send what is said along the tree of families, from the ends to a root and back."""
    order, before = breadth_first_order(kin.links, int(who[0]), directed=False)
    values = law.values
    near: dict[int, list[int]] = {int(node): [] for node in order}
    for node in order[1:].tolist():
        near[node].append(int(before[node]))
        near[int(before[node])].append(node)
    said: dict[tuple[int, int], Floats] = {}
    exact = True
    steps = [(int(node), int(before[node])) for node in order[:0:-1]]
    for node, towards in [*steps, *((up, node) for node, up in reversed(steps))]:
        if node < kin.people:
            others = [said[other, node] for other in near[node] if other != towards]
            said[node, towards] = _own(eps[node], values) + sum(others, np.zeros((values, values)))
        else:
            said[node, towards], true = _told(kin, law, node, towards, said)
            exact &= true
    alone = np.zeros((values, values))
    found = [
        float((_own(eps[one], values) + sum((said[family, one] for family in near[one]), alone)).max())
        for one in who.tolist()
    ]
    families = sum(node >= kin.people for node in order.tolist())
    return np.array(found), exact and families < 2


def _own(epsilon: float, values: int) -> Floats:
    return np.where(np.eye(values, dtype=np.bool_), 0.0, epsilon)


def _told(
    kin: Kin, law: MendelLaw, family: int, about: int, said: dict[tuple[int, int], Floats]
) -> tuple[Floats, bool]:
    at = family - kin.people
    parents, children = (
        tuple(_table(said[one, family]) for one in some if one != about)
        for some in (kin.parents[at], kin.children[at])
    )
    role = "parent" if about in kin.parents[at] else "child"
    return said_by_family(law, OtherMembers(role, parents, children))  # type: ignore[arg-type]


def _table(apart: Floats) -> Apart:
    return tuple(tuple(float(value) for value in row) for row in apart.tolist())
