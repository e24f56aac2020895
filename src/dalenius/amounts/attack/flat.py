"""What is usual where nobody says more than the tables: everybody has the average, and may be far from it."""

from __future__ import annotations

import numpy as np

from dalenius.knowledge.amounts import AmountPrior
from dalenius.knowledge.weights import SurveyWeights
from dalenius.release.amounts import AmountRelease


def flat_prior(
    release: AmountRelease, least: float, most: float, weights: SurveyWeights | None = None
) -> AmountPrior:
    """The average of the largest group whose sum or mean is printed, for everybody."""
    usual = np.ones(release.people) if weights is None else weights.usual
    plain = np.ones(release.people)
    average = least
    largest = 0
    for one in release.said:
        members = release.groups[one.group].members
        heavy = float((usual if one.weighted else plain)[members].sum()) if one.statistic == "sum" else 1.0
        if one.statistic in ("sum", "mean") and members.size > largest and heavy > 0:
            average, largest = (one.low + one.high) / 2 / heavy, members.size
    value = np.full(release.people, float(np.clip(average, least, most)))
    return AmountPrior(least, most, value, np.maximum(np.abs(value - least), 1e-12), value)
