"""Who has which place in the order of a group: unknown, but each place is had by somebody.

What is printed bounds every place. Somebody's amount is then a mixture over the places: what is likely for
them, cut to the ends of the place. A printed quantile is a place without room: an atom, which somebody has,
and one of n people with probability 1/n if they are alike. If they are not, probabilities are fitted so
that everybody has one place and every place one person (iterative proportional fitting).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from dalenius.amounts.attack.law import AmountLaw, reach
from dalenius.amounts.attack.order.ranks import Ranks

Floats = NDArray[np.float64]

SEGMENTS = 48
"""Places with ends of their own up to which each is looked at; of more, neighbours are taken together."""

FITTED = 25
"""Times that probabilities are fitted to people and to places."""

ATOM = 1e-6
"""Part of itself within which an amount counts as one number."""

LINES = 64
"""Parts of everybody's law at which its mixture is looked at."""


@dataclass(frozen=True)
class Segments:
    """Places with the same ends, and how many of them there are."""

    low: Floats
    high: Floats
    count: Floats

    @staticmethod
    def of(ranks: Ranks) -> Segments:
        """The blocks between printed places, printed places, and further ones that are known all the same.

        Blocks end where the next begins: in the middle of what rounding or noise leaves open there.

        Examples
        --------
        >>> from dalenius.amounts.attack.order.ranks import read_ranks
        >>> from dalenius.release.amounts import PrintedAmount
        >>> said = [PrintedAmount(0, "median", 6, 8), PrintedAmount(0, "max", 9, 9)]
        >>> found = Segments.of(read_ranks(4, said, 0.0, 99.0))
        >>> found.low.round(6), found.high.round(6), found.count
        (array([0., 7., 9.]), array([7., 9., 9.]), array([2., 1., 1.]))
        """
        far = np.where(np.isfinite(ranks.high), np.maximum(np.abs(ranks.low), np.abs(ranks.high)), 0.0)
        known = ranks.high - ranks.low <= ATOM * far
        block = np.zeros(ranks.size, np.intp) if ranks.block is None else ranks.block
        apart = ranks.high[:-1] <= ranks.low[1:] + ATOM * far[:-1]
        new = np.append(True, (np.diff(block) != 0) | known[1:] | known[:-1] | apart)
        if new.sum() > SEGMENTS:
            new = np.zeros(ranks.size, np.bool_)
            new[np.linspace(0, ranks.size, SEGMENTS, endpoint=False).astype(np.intp)] = True
        first = np.flatnonzero(new)
        last = np.append(first[1:], ranks.size) - 1
        low, high = ranks.low[first], ranks.high[last]
        single = known | np.isin(np.arange(ranks.size), [*ranks.held])
        for one, other in pairwise(np.flatnonzero(~single[first])):
            if high[one] > low[other]:
                high[one] = low[other] = (high[one] + low[other]) / 2
        return Segments(low, high, (last - first + 1).astype(np.float64))

    def candidates(self, total: tuple[float, float]) -> Floats:
        """Numbers that may be near somebody: ends of places, their middles, and the mean."""
        both = np.isfinite(self.low) & np.isfinite(self.high)
        mean = [sum(total) / 2 / self.count.sum()] if np.isfinite(total).all() else []
        found = np.concatenate([self.low, self.high, (self.low[both] + self.high[both]) / 2, mean])
        return np.unique(found[np.isfinite(found)])


class PlacedMixture:
    """Everybody of a group as a mixture over its places, each between the ends that are their own, too."""

    def __init__(
        self,
        segments: Segments,
        laws: tuple[AmountLaw, AmountLaw],
        own: tuple[Floats, Floats],
        people: Floats,
    ) -> None:
        law, usual = laws
        self.law = law
        low = np.maximum(segments.low, own[0][:, None])
        high = np.minimum(segments.high, own[1][:, None])
        wide = ATOM * np.maximum(np.abs(low), np.where(np.isfinite(high), np.abs(high), 0.0))
        self.atom = high - low <= 2 * wide
        self.possible = high >= low - wide
        self.middle = np.where(self.atom, (low + np.where(np.isfinite(high), high, low)) / 2, 0.0)
        self.low = law.below(np.where(self.atom, self.middle - wide, low))
        self.high = law.below(np.where(self.atom, self.middle + wide, high))
        # who has which place is told by what is usual: what the group has in common says nothing about that
        first = usual.below(np.where(self.atom, self.middle - wide, low))
        mass = usual.below(np.where(self.atom, self.middle + wide, high)) - first
        self.weight = self._fitted(mass, segments.count, people)

    def _fitted(self, mass: Floats, count: Floats, people: Floats) -> Floats:
        """How likely everybody has each place; ``people`` stand for several who are alike."""
        weight = np.where(self.possible, np.maximum(mass, 1e-12), 1e-30)
        for _ in range(FITTED):
            weight *= count / (people @ weight)
            weight /= weight.sum(axis=1, keepdims=True)
        return weight

    def near(self, numbers: Floats, within: float) -> Floats:
        """With which probability everybody's amount is one that a number is near, a column for each."""
        least, most = reach(numbers, within)
        low, high = self.law.below(least), self.law.below(most)
        found = np.empty(low.shape)
        for at in range(low.shape[1]):
            inside = np.minimum(high[:, at, None], self.high) - np.maximum(low[:, at, None], self.low)
            part = np.clip(inside / np.maximum(self.high - self.low, 1e-12), 0.0, 1.0)
            column = (least[..., at, None], most[..., at, None])
            hit = (column[0] <= self.middle) & (self.middle <= column[1])
            found[:, at] = (self.weight * np.where(self.atom, hit, part)).sum(axis=1)
        return found

    def between(self, parts: tuple[float, float]) -> tuple[Floats, Floats]:
        """The numbers below and above which everybody's amount is with these probabilities, or less."""
        grid = self._grid()
        below = self._below(grid)
        rows = np.arange(len(grid))
        first = np.maximum((below <= parts[0]).sum(axis=1) - 1, 0)
        last = np.minimum((below < parts[1]).sum(axis=1), grid.shape[1] - 1)
        return grid[rows, first], grid[rows, last]

    def spread(self, value: Floats) -> Floats:
        """How far a number is expected to be off."""
        grid = self._grid()
        below = self._below(grid)
        mass = np.diff(below, axis=1, prepend=0.0)
        return np.asarray(np.sqrt((mass * (grid - value[:, None]) ** 2).sum(axis=1)), np.float64)

    def _grid(self) -> Floats:
        """Numbers at which everybody's mixture is looked at, sorted: parts of their law, and all atoms."""
        parts = (np.arange(LINES) + 0.5) / LINES
        lowest = np.where(self.possible, self.low, 1.0).min(axis=1, keepdims=True)
        highest = np.where(self.possible, self.high, 0.0).max(axis=1, keepdims=True)
        inside = self.law.at(lowest + parts * (highest - lowest))
        edges = self.law.at(lowest + np.array([0.001, 0.999]) * (highest - lowest))
        atoms = np.where(self.atom & self.possible, self.middle, inside[:, :1])
        step = ATOM * np.abs(atoms)
        return np.sort(np.concatenate([inside, edges, atoms - step, atoms + step], axis=1), axis=1)

    def _below(self, grid: Floats) -> Floats:
        here = self.law.below(grid)
        found = np.zeros(grid.shape)
        for at in range(self.low.shape[1]):
            low, high = self.low[:, at, None], self.high[:, at, None]
            part = np.clip((here - low) / np.maximum(high - low, 1e-12), 0.0, 1.0)
            atom = (grid >= self.middle[:, at, None]).astype(np.float64)
            found += self.weight[:, at, None] * np.where(self.atom[:, at, None], atom, part)
        return found
