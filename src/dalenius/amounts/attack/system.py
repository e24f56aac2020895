"""What printed numbers say about the sums of classes, as rows of a linear program, and about single people.

Sums and means are rows themselves. What else is printed about a group says between which ends its amounts lie
when they are sorted: that bounds everybody in it, any so many of them together, and their sum, which is one
row more. The sorted amounts of one group are not held against those of another; what follows is true, and may
not be all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dalenius.amounts.attack.classes import AmountClasses, find_classes
from dalenius.amounts.attack.order.ranks import Ranks, read_ranks
from dalenius.errors import InputError
from dalenius.knowledge.amounts import AmountView
from dalenius.release.amounts import AmountGroup, AmountRelease, PrintedAmount

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class AmountSystem:
    """Rows about the sums of classes, and the ends of one person's amount in each class.

    ``sd`` is the standard deviation of the noise of each row; ``added`` says which rows are printed sums or
    means. ``ranks`` are what is known of the sorted amounts of groups, where more than a sum is printed.
    """

    classes: AmountClasses
    A: sparse.csr_array
    low: Floats
    high: Floats
    sd: Floats
    added: NDArray[np.bool_]
    least: Floats
    most: Floats
    ranks: Mapping[int, Ranks]

    @cached_property
    def ends(self) -> tuple[Floats, Floats]:
        """Between which the sum of every class lies, from the ends of its people alone."""
        both = [self.sum_of(at, int(size)) for at, size in enumerate(self.classes.sizes)]
        low, high = np.array(both, np.float64).reshape(-1, 2).T
        return low, high

    def sum_of(self, at: int, count: int) -> tuple[float, float]:
        """Between which any so many people of a class lie together; nobody has nothing."""
        if not count:
            return 0.0, 0.0
        own = [self.ranks[group] for group in self.shaped[at]]
        low = max([count * float(self.least[at]), *(ranks.smallest(count) for ranks in own)])
        return low, min([count * float(self.most[at]), *(ranks.largest(count) for ranks in own)])

    @cached_property
    def shaped(self) -> list[list[int]]:
        """The groups with ranks that hold each class."""
        found: list[list[int]] = [[] for _ in range(self.classes.count)]
        for group in self.ranks:
            for at in self.classes.inside(group):
                found[at].append(group)
        return found


def make_system(view: AmountView) -> AmountSystem:
    """Read a release.

    Raises
    ------
    InputError
        If a printed number of people is not that of the list, or nobody's amount fits what is printed.
    """
    release, prior = view.release, view.prior
    classes = find_classes(release.people, release.groups)
    _check_counts(release.groups, release.said)
    ranks = find_ranks(view)
    least, most = np.full(classes.count, prior.least), np.full(classes.count, prior.most)
    for group, known in ranks.items():
        inside = classes.inside(group)
        least[inside] = np.maximum(least[inside], known.low[0])
        most[inside] = np.minimum(most[inside], known.high[-1])
    if (least > most).any():
        raise InputError("tables", "must not contradict each other", "a largest amount below a smallest one")
    rows = [*_printed_sums(release)]
    added = len(rows)
    rows += [(group, *known.total, 0.0) for group, known in ranks.items()]
    at, low, high, sd = (list(column) for column in zip(*rows, strict=True)) if rows else ([], [], [], [])
    A = sparse.csr_array(classes.held[np.array(at, np.intp)])
    return AmountSystem(
        classes, A, np.array(low, float), np.array(high, float), np.array(sd, float),
        np.arange(len(rows)) < added, least, most, ranks,
    )  # fmt: skip


def _printed_sums(release: AmountRelease) -> Iterator[tuple[int, float, float, float]]:
    for said in release.said:
        if said.statistic in ("sum", "mean"):
            n = release.groups[said.group].size if said.statistic == "mean" else 1
            yield said.group, n * said.low, n * said.high, n * said.sd


def find_ranks(view: AmountView) -> dict[int, Ranks]:
    """What is known of the sorted amounts of each group of which more is printed than a sum."""
    release, prior = view.release, view.prior
    shaped = dict.fromkeys(one.group for one in release.said if one.shapes)
    by_group: dict[int, list[PrintedAmount]] = {group: [] for group in shaped}
    for one in release.said:
        if one.group in by_group:
            by_group[one.group].append(one)
    return {
        group: read_ranks(release.groups[group].size, said, prior.least, prior.most)
        for group, said in by_group.items()
    }


def _check_counts(groups: tuple[AmountGroup, ...], said: tuple[PrintedAmount, ...]) -> None:
    for one in said:
        size = groups[one.group].size
        if one.statistic == "count" and one.sd == 0 and not one.low <= size <= one.high:
            raise InputError(
                f"count of {groups[one.group].label}",
                f"must be that of the list of people, {size:,}",
                f"{one.low:,g} to {one.high:,g}" if one.low < one.high else f"{one.low:,g}",
                "Give everybody who was counted, and nobody else.",
            )
