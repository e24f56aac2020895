"""What printed numbers say about the sums of classes, as rows of a linear program, and about single people.

The unknown of a class is what its people count for together: their amounts, each times a survey weight where
people have one. Sums and means are rows themselves. What else is printed about a group says between which
ends its amounts lie when they are sorted: that bounds everybody in it, any so many of them together, and
their sum, which is one row more. The sorted amounts of one group are not held against those of another; what
follows is true, and may not be all.
"""

from __future__ import annotations

import math
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
from dalenius.knowledge.weights import SurveyWeights
from dalenius.release.amounts import AmountRelease, Places, PrintedAmount

Floats = NDArray[np.float64]

NOBODY: Places = np.zeros(0, np.intp)

COUNTED = 1e-9
"""Part of itself by which a sum of weights may be off."""
Row = tuple[int, float, float, float, bool]
"""A group, between which ends its sum lies, its noise, and whether people count by their weights."""


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
    weights: SurveyWeights

    @cached_property
    def ends(self) -> tuple[Floats, Floats]:
        """Between which the sum of every class lies, from the ends of its people alone."""
        own = enumerate(zip(self.classes.sizes, *self._heavy, strict=True))
        both = [self._sum_of(at, int(size), low, high) for at, (size, low, high) in own]
        low, high = np.array(both, np.float64).reshape(-1, 2).T
        return low, high

    def others(self, at: int, people: Places, also: Places = NOBODY) -> tuple[Floats, Floats]:
        """Between which a class lies without one of some people, and without ``also``; for each of them."""
        left = int(self.classes.sizes[at]) - 1 - also.size
        low, high = (
            _without(float(total[at]), ends[people] + ends[also].sum())
            for total, ends in zip(self._heavy, (self.weights.low, self.weights.high), strict=True)
        )
        return self._sum_of(at, left, low, high)

    def amounts(self, people: Places, counted: Floats, sign: int) -> Floats:
        """The least (sign 1) or largest (sign -1) amounts of people who count for so much."""
        weight = (self.weights.high if sign == 1 else self.weights.low)[people]
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(counted == 0, 0.0, counted / weight)

    def counted(self, person: int, amount: float) -> tuple[float, float]:
        """Between which lies what somebody with this amount counts for."""
        return amount * float(self.weights.low[person]), amount * float(self.weights.high[person])

    @cached_property
    def _heavy(self) -> tuple[Floats, Floats]:
        """Between which the weights of every class lie together."""
        of, count = self.classes.of, self.classes.count
        low, high = (np.bincount(of, ends, count) for ends in (self.weights.low, self.weights.high))
        return np.asarray(low, np.float64), np.asarray(high, np.float64)

    def _sum_of(self, at: int, count: int, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """Between which so many people of a class with these weights lie together; nobody has nothing.

        Where more than sums is printed all people of a class weigh the same.
        """
        if count <= 0:
            return np.zeros_like(low), np.zeros_like(high)
        own = [self.ranks[group] for group in self.shaped[at]]
        least = max([float(self.least[at]), *(ranks.smallest(count) / count for ranks in own)])
        most = min([float(self.most[at]), *(ranks.largest(count) / count for ranks in own)])
        return low * least, np.full_like(high, math.inf) if math.isinf(most) else high * most

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
    weights = view.weights if view.weights is not None and release.weighted else None
    heavy = SurveyWeights.none(release.people) if weights is None else weights
    both = any(one.weighted for one in release.said) and any(
        not one.weighted and one.statistic != "count" for one in release.said
    )
    classes = find_classes(release.people, release.groups, heavy.low if both else None)
    _check_counts(release, weights)
    ranks = find_ranks(view)
    least, most = np.full(classes.count, prior.least), np.full(classes.count, prior.most)
    for group, known in ranks.items():
        inside = classes.inside(group)
        least[inside] = np.maximum(least[inside], known.low[0])
        most[inside] = np.minimum(most[inside], known.high[-1])
    if (least > most).any():
        raise InputError("tables", "must not contradict each other", "a largest amount below a smallest one")
    rows = [*_printed_sums(release, heavy)]
    added = len(rows)
    rows += [(group, *known.total, 0.0, False) for group, known in ranks.items()]
    at, low, high, sd, weighted = zip(*rows, strict=True) if rows else ((),) * 5
    A = sparse.csr_array(classes.held[np.array(at, np.intp)])
    if both:  # people of a class weigh alike: what they have is what they count for, divided by that
        one_of_each = np.unique(classes.of, return_index=True)[1]
        plain = np.repeat(~np.array(weighted, np.bool_), np.diff(A.indptr))
        A.data[plain] /= heavy.low[one_of_each][A.indices[plain]]
    return AmountSystem(
        classes, A, np.array(low, float), np.array(high, float), np.array(sd, float),
        np.arange(len(rows)) < added, least, most, ranks, heavy,
    )  # fmt: skip


def _printed_sums(release: AmountRelease, weights: SurveyWeights) -> Iterator[Row]:
    for said in release.said:
        if said.statistic == "sum":
            yield said.group, said.low, said.high, said.sd, said.weighted
        if said.statistic == "mean":
            members = release.groups[said.group].members
            size = (float(members.size),) * 2
            if said.weighted:
                size = float(weights.low[members].sum()), float(weights.high[members].sum())
            if math.isfinite(size[1]):  # of unknown weights a mean says nothing about a sum
                ends = [number * count for number in (said.low, said.high) for count in size]
                yield said.group, min(ends), max(ends), size[1] * said.sd, said.weighted


def find_ranks(view: AmountView) -> dict[int, Ranks]:
    """What is known of the sorted amounts of each group of which more is printed than a sum."""
    release, prior = view.release, view.prior
    shaped = dict.fromkeys(one.group for one in release.said if one.shapes)
    by_group: dict[int, list[PrintedAmount]] = {group: [] for group in shaped}
    for one in release.said:
        if one.group in by_group and not one.weighted:
            by_group[one.group].append(one)
    return {
        group: read_ranks(release.groups[group].size, said, prior.least, prior.most)
        for group, said in by_group.items()
    }


def _without(total: float, own: Floats) -> Floats:
    """What is left of a total; of one without a limit nothing is known to be less."""
    if math.isinf(total):
        return np.full(own.shape, math.inf)
    return np.maximum(total - own, 0.0)


def _check_counts(release: AmountRelease, weights: SurveyWeights | None) -> None:
    for one in release.said:
        if one.statistic != "count" or one.sd:
            continue
        group = release.groups[one.group]
        least, most, what = float(group.size), float(group.size), "count"
        if one.weighted and weights is not None:
            what = "weighted count"
            least, most = (float(ends[group.members].sum()) for ends in (weights.low, weights.high))
        slack = COUNTED * most if math.isfinite(most) else 0.0
        if one.low > most + slack or one.high < least - slack:
            said = f"{least:,g}" if least == most else f"{least:,g} to {most:,g}"
            raise InputError(
                f"{what} of {group.label}",
                f"must be that of the list of people, {said}",
                f"{one.low:,g} to {one.high:,g}" if one.low < one.high else f"{one.low:,g}",
                "Give everybody who was counted, and nobody else.",
            )
