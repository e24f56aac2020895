"""Weights of conditions: certified by a population or a holdout, or assumed without either.

Weights without anybody to weigh with: assumed, and so no ground for a verdict.

Columns are taken as independent, and each as uniform: over the range that the released intervals span, over
the values that sets list, over the different cells otherwise.

Certify the weights of many conditions at once: exact shares of a population, or limits from a holdout.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from dalenius.conditions.boxes.axis import Leaves
from dalenius.conditions.boxes.conjunctions import Conjunctions, RowsInBoxes
from dalenius.conditions.leaves import Between, In, OfColumn
from dalenius.singling_out.attack.candidates import Candidates, ClassMembers, Floats, Key
from dalenius.singling_out.attack.isolating import WeightBound
from dalenius.singling_out.attack.weights.sources import HoldoutSource, PopulationSource, Source, largest_atom

ASSUMPTION = (
    "assumed, not measured: columns independent, each uniform over what appears in the release; "
    "give a population or a holdout for a weight that can be relied on"
)


def assumed_weight(value: float) -> WeightBound:
    """A weight that nothing but the assumption supports."""
    return WeightBound(min(1.0, value), "assumed", ASSUMPTION)


class AssumedWeights:
    """Weights of conditions as the product over columns of each one's assumed share.

    Candidates of many attacks share their conditions on most columns, so shares are kept with them.
    """

    def __init__(self, released: Conjunctions) -> None:
        self._seen = {
            name: _Seen.of(own) for name, own in zip(released.columns, released.leaves, strict=True)
        }
        self._shares: dict[int, tuple[Leaves, NDArray[np.float64]]] = {}

    def of(self, boxes: Conjunctions) -> NDArray[np.float64]:
        """Weigh every condition."""
        weights = np.ones(len(boxes))
        for j, (name, leaves) in enumerate(zip(boxes.columns, boxes.leaves, strict=True)):
            if id(leaves) not in self._shares:
                seen = self._seen.get(name) or _Seen.of(leaves)
                self._shares[id(leaves)] = leaves, np.array([seen.share(leaf) for leaf in leaves])
            weights *= self._shares[id(leaves)][1][boxes.codes[:, j]]
        return weights


@dataclass(frozen=True)
class _Seen:
    """What the released cells of a column span."""

    least: float
    most: float
    ends: int
    listed: int
    cells: int

    @staticmethod
    def of(leaves: Leaves) -> _Seen:
        ends = {e for b in leaves if isinstance(b, Between) for e in (b.low, b.high) if e is not None}
        listed = {level for one in leaves if isinstance(one, In) for level in one.levels}
        cells = sum(leaf is not None for leaf in leaves)
        return _Seen(min(ends, default=0.0), max(ends, default=0.0), len(ends), len(listed), cells)

    def share(self, leaf: OfColumn | None) -> float:
        """The part of the column that a condition is taken to accept."""
        if leaf is None:
            return 1.0
        if isinstance(leaf, In):
            return min(1.0, len(leaf.levels) / max(1, self.listed))
        if not isinstance(leaf, Between):
            return 1 / max(1, self.listed, self.ends, self.cells)
        low = self.least if leaf.low is None else leaf.low
        high = self.most if leaf.high is None else leaf.high
        span = self.most - self.least
        return max((high - low) / span, 1 / self.ends) if span > 0 else 1.0


class Certifier:
    """Who weighs conditions after they were chosen.

    The population gives exact shares. A holdout gives the Clopper-Pearson limit of the class, and with a hash
    Chebyshev's over its key, as `weights.bound` does for one condition.
    """

    def __init__(self, source: Source, people: ClassMembers) -> None:
        self.source = source
        self._people = people

    @property
    def error(self) -> float:
        """The chance that a bound is wrong."""
        return self.source.error if isinstance(self.source, HoldoutSource) else 0.0

    def within(self, candidates: Candidates) -> RowsInBoxes:
        """Which of these people meet each condition, hashes apart."""
        return self._people.within(candidates.boxes, candidates.of_class)

    def bounds(self, candidates: Candidates, key: Key) -> Floats:
        """Return an upper bound for every condition."""
        rows = self.source.rows
        if isinstance(self.source, PopulationSource):
            if key.columns == self._people.columns or candidates.rest is not None:
                counts = self._people.matches(candidates, key).counts
            else:  # a column is not known of the population: the hash cannot be computed, the class can be
                counts = self._people.within(candidates.boxes, candidates.of_class).counts
            return np.maximum(counts, 1) / len(rows)
        counts = self._people.within(candidates.boxes, candidates.of_class).counts
        share = self.source.error / 3
        phi = betaincinv(counts + 1, np.maximum(len(rows) - counts, 1e-300), 1 - share)
        q = 1 / candidates.one_in
        if candidates.rest is not None or (q == 1).all():
            return np.asarray(phi, np.float64)
        atom = largest_atom(rows.select(self._people.columns), share)
        return np.minimum(phi, phi * q + np.where(q < 1, np.sqrt(phi * atom * q / share), 0.0))
