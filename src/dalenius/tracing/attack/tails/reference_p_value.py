"""Where one record stands under a null: the readable twin of the pass over many records."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.tracing.attack.tails.outsider import Null
from dalenius.tracing.attack.tails.record_law import Law
from dalenius.tracing.attack.tails.tails import TAILS

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Standing:
    """A score, the law of the record if its owner is an outsider, and the weights.

    Parameters
    ----------
    t
        ``<y, v>`` over the columns that the record has.
    law, v
        For those columns.
    """

    t: float
    law: Law
    v: Values

    @property
    def distance(self) -> float:
        """How far the score is above its mean."""
        return self.t - float((self.law.mean() * self.v).sum())

    @property
    def variance(self) -> float:
        """The variance of an outsider's score."""
        return float((self.law.variance() * self.v**2).sum())

    def log_p(self, tail: str) -> float:
        """Return the logarithm of the p-value by one of `TAILS`."""
        return TAILS[tail](self.t, self.law, self.v)


def stand(y: Values, null: Null) -> Standing:
    """Place one record; columns that it lacks, or that cannot vary, are dropped."""
    seen = np.flatnonzero(~np.isnan(y))
    law, v = null.at(y[None, seen], seen)
    low, high = law.ends()
    use = (high > low)[0]
    values = np.broadcast_to(law.values, law.chance.shape)[:, 0, use]
    kept = Law(values, law.chance[:, 0, use])
    return Standing(float((y[seen[use]] * v[0, use]).sum()), kept, v[0, use])
