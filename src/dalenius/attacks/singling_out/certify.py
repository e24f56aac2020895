"""Certify the weights of many conditions at once: exact shares of a population, or limits from a holdout."""

from __future__ import annotations

import numpy as np
from scipy.special import betaincinv

from dalenius.attacks.singling_out.candidates import Candidates, Floats, Key
from dalenius.attacks.singling_out.weights import (
    HoldoutSource,
    PopulationSource,
    Source,
    largest_atom,
)
from dalenius.records.conjunctions import RowIndex


class Certifier:
    """Who weighs conditions after they were chosen, ordered once.

    The population gives exact shares. A holdout gives the Clopper-Pearson limit of the class, and with a hash
    Chebyshev's over its key, as `weights.bound` does for one condition.
    """

    def __init__(self, source: Source, columns: tuple[str, ...], index: RowIndex | None = None) -> None:
        self.source = source
        self.columns = tuple(name for name in columns if name in source.rows.names)
        self._index = RowIndex(source.rows, self.columns) if index is None else index

    @property
    def error(self) -> float:
        """The chance that a bound is wrong."""
        return self.source.error if isinstance(self.source, HoldoutSource) else 0.0

    def bounds(self, candidates: Candidates, key: Key) -> Floats:
        """Return an upper bound for every condition."""
        rows = self.source.rows
        if isinstance(self.source, PopulationSource):
            if key.columns == self.columns or candidates.rest is not None:
                counts = candidates.matches(key, rows, self._index).counts
            else:  # a column is not known of the population: the hash cannot be computed, the class can be
                counts = self._index.count(candidates.boxes)
            return np.maximum(counts, 1) / len(rows)
        counts = self._index.count(candidates.boxes)
        share = self.source.error / 3
        phi = betaincinv(counts + 1, np.maximum(len(rows) - counts, 1e-300), 1 - share)
        q = 1 / candidates.one_in
        if candidates.rest is not None or (q == 1).all():
            return np.asarray(phi, np.float64)
        atom = largest_atom(rows.select(self.columns), share)
        return np.minimum(phi, phi * q + np.where(q < 1, np.sqrt(phi * atom * q / share), 0.0))
