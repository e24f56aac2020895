"""What an outsider's values look like: the law of one record, attribute by attribute.

A law lists for every attribute the values it may take and their chances; attributes are independent. Shapes
are ``(values, attributes)`` or ``(values, records, attributes)``: the law may depend on the record it is
for, since conditioning on column totals puts the record itself into them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]

BITS = np.array([-1.0, 1.0])
CODES = np.array([-1.0, 0.0, 1.0])


@dataclass(frozen=True)
class Law:
    """Independent attributes, each with a few possible values.

    Parameters
    ----------
    values
        The possible values, first axis; the others broadcast against ``chance``.
    chance
        The probability of each; sums to 1 over the first axis.
    """

    values: Values
    chance: Values

    def mean(self) -> Values:
        """The mean of each attribute."""
        return np.asarray((self.values * self.chance).sum(axis=0))

    def variance(self) -> Values:
        """The variance of each attribute."""
        return np.asarray(((self.values - self.mean()) ** 2 * self.chance).sum(axis=0))

    def ends(self) -> tuple[Values, Values]:
        """The least and the largest value that each attribute can take."""
        low = np.where(self.chance > 0, self.values, np.inf).min(axis=0)
        high = np.where(self.chance > 0, self.values, -np.inf).max(axis=0)
        return low, high


def _spread_out(atoms: Values, chance: Values) -> Law:
    return Law(atoms.reshape(-1, *[1] * (chance.ndim - 1)), chance)


def two_point(mean: Values) -> Law:
    """Values of -1 and +1 with these means: of all laws within [-1, 1] the one with the heaviest tails.

    By convexity ``E exp(s x)`` of any law on [-1, 1] is at most that of this one with the same mean (the
    first step of Hoeffding's lemma), so what is proved for it holds for genotypes of which only the mean is
    known.
    """
    return _spread_out(BITS, np.stack([(1 - mean) / 2, (1 + mean) / 2]))


def hardy_weinberg(mean: Values) -> Law:
    """Genotypes -1, 0, +1 of two independent alleles."""
    f = (1 + mean) / 2
    return _spread_out(CODES, np.stack([(1 - f) ** 2, 2 * f * (1 - f), f**2]))


def two_of(alleles: Values, ups: Values) -> Law:
    """Genotypes of two alleles drawn without replacement from ``alleles`` of which ``ups`` count."""
    downs = alleles - ups
    pairs = alleles * (alleles - 1)
    return _spread_out(CODES, np.stack([downs * (downs - 1), 2 * ups * downs, ups * (ups - 1)]) / pairs)


def multiset(counts: Values) -> Law:
    """One draw from a column that holds -1, 0 and +1 this often (first axis)."""
    return _spread_out(CODES, counts / counts.sum(axis=0))


def column(values: Values) -> Law:
    """One draw from the values of a column, each equally likely (first axis)."""
    return Law(values, np.full(values.shape, 1 / values.shape[0]))
