"""Tell two worlds apart by one number of a release: which number, and where to cut, learnt on some of them.

What a promise allows is a pair of rates; what refutes it is any rule whose rates are beyond. A rule that is
learnt on some releases and counted on others is fixed beforehand for those, so exact intervals hold. Rules
look at one number each: how much nearer a release is to the one world, how near it is to either, and every
published mean. That finds noise that is too small, missing now and then, missing in one column, the same in
all columns, or the same in all releases; each shows in one of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.theory.tracing.empirical import privacy_lower_bound

Values = NDArray[np.float64]

CUTS = 40
"""Places at which each number is cut, at most."""


@dataclass(frozen=True)
class WorldRule:
    """Says "the first world" where one number of a release lies within limits."""

    number: int
    low: float
    high: float

    def says(self, numbers: Values) -> NDArray[np.bool_]:
        """Return what it says of each release."""
        column = numbers[:, self.number]
        return np.asarray((column >= self.low) & (column <= self.high))


def numbers_of(releases: Values, first: Values, second: Values) -> Values:
    """Return what rules look at, a row for each release: evidence, distances to both worlds, every mean.

    Rounded to nine digits of what is published, so that equal releases are equal.
    """
    between = first - second
    evidence = (releases - (first + second) / 2) @ between / max(float(np.abs(between).max()), 1e-300)
    nearer = np.abs(releases - second).sum(axis=1) - np.abs(releases - first).sum(axis=1)
    distances = [np.abs(releases - world).max(axis=1) for world in (first, second)]
    return np.round(np.column_stack([evidence, nearer, *distances, releases]), 9)


def learn_rule(first: Values, second: Values, confidence: float) -> WorldRule:
    """Find the rule that refutes most on these releases of the two worlds.

    Parameters
    ----------
    first, second
        What rules look at, see `numbers_of`.
    confidence
        Of the bound by which rules are compared: with few releases it keeps from rules that rest on one.
    """
    best, found = -1.0, WorldRule(0, 0.0, np.inf)
    for number in range(first.shape[1]):
        here, there = first[:, number], second[:, number]
        for low, high in _limits(np.concatenate([here, there])):
            hits = int(((here >= low) & (here <= high)).sum())
            alarms = int(((there >= low) & (there <= high)).sum())
            if hits * there.size <= alarms * here.size:
                continue
            mu = privacy_lower_bound(hits, here.size, alarms, there.size, confidence=confidence).mu
            if mu > best:
                best, found = mu, WorldRule(number, low, high)
    return found


def _limits(values: Values) -> list[tuple[float, float]]:
    """Both sides of each cut; and the most frequent value alone, which repeats where noise is lacking."""
    cuts = np.unique(np.quantile(values, np.linspace(0, 1, CUTS + 2)[1:-1]))
    limits = [(cut, np.inf) for cut in cuts] + [(-np.inf, cut) for cut in cuts]
    each, counts = np.unique(values, return_counts=True)
    often = np.argsort(-counts, kind="stable")[:2]
    return limits + [(float(each[k]), float(each[k])) for k in often if counts[k] > 1]
