"""Certify the weights of many conditions at once: exact shares of a population, or limits from a holdout."""

from __future__ import annotations

import numpy as np
from scipy.special import betaincinv

from dalenius.conditions.boxes.conjunctions import RowsInBoxes
from dalenius.singling_out.attack.candidates import Candidates, ClassMembers, Floats, Key
from dalenius.singling_out.attack.weights.sources import (
    HoldoutSource,
    PopulationSource,
    Source,
    largest_atom,
)


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
