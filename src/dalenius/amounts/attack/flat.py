"""What is usual where nobody says more than the tables: everybody has the average, and may be far from it."""

from __future__ import annotations

import numpy as np

from dalenius.knowledge.amounts import AmountPrior
from dalenius.release.amounts import AmountRelease


def flat_prior(release: AmountRelease, least: float, most: float) -> AmountPrior:
    """The average of the largest group whose sum or mean is printed, for everybody."""
    said = [one for one in release.said if one.statistic in ("sum", "mean")]
    average = least
    if said:
        largest = max(said, key=lambda one: release.groups[one.group].size)
        size = release.groups[largest.group].size if largest.statistic == "sum" else 1
        average = (largest.low + largest.high) / 2 / max(size, 1)
    value = np.full(release.people, float(np.clip(average, least, most)))
    return AmountPrior(least, most, value, np.maximum(np.abs(value - least), 1e-12), value)
