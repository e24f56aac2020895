"""What a noisy quantile says to whoever also knows what is usual: it is moved there, and is less noisy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dalenius.amounts.attack.law import AmountLaw
from dalenius.release.amounts import PrintedAmount, percent

STEP = 0.02
"""Parts of a law between which its steepness is looked at."""


def usual_noise(one: PrintedAmount, law: AmountLaw) -> PrintedAmount:
    """A quantile with ends of noise that is spread evenly, as far as its standard deviation says.

    Other numbers stay as they are: sums move laws, and noisy squares place nobody. ``law`` is that of the
    people of its group: a quantile of n people is off from its own by the root of p (1 - p) / n over the
    density, and the printed number is weighed against that.

    Examples
    --------
    >>> law = AmountLaw(np.full(25, 100.0), np.full(25, 20.0))
    >>> moved = usual_noise(PrintedAmount(0, "median", 0.0, 240.0, 5.0), law)
    >>> round((moved.low + moved.high) / 2), round(moved.high - moved.low, 1)
    (110, 12.3)
    """
    n = law.centre.size
    part = {"min": 1 / (n + 1), "max": n / (n + 1)}.get(one.statistic, (percent(one.statistic) or 0) / 100)
    if not one.sd or not part:
        return one
    middle, variance = (one.low + one.high) / 2, one.sd**2
    ends = np.clip([part - STEP, part + STEP], 0.25 / n, 1 - 0.25 / n)
    below, usual, above = law.at(np.array([ends[0], part, ends[1]])).mean(axis=0)
    own = part * (1 - part) / n * ((above - below) / (ends[1] - ends[0])) ** 2
    weight = own / (own + variance)
    middle, variance = usual + weight * (middle - usual), weight * variance
    half = float(np.sqrt(3 * variance))
    return replace(one, low=float(middle - half), high=float(middle + half))
