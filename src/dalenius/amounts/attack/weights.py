"""Survey weights that are not known: what is printed says something about them, and about amounts apart.

Of a weighted sum whose weights are known every number is a row. Where a weight is only known to lie between
two ends, what somebody counts for is bounded first, by the weighted sums alone; then their weight, by the
weighted counts alone; and their amount by both ends divided. That leaves out what links the two, so closer
ends may follow; what follows is true.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dalenius.amounts.attack.intervals import AmountEnds, find_ends
from dalenius.amounts.attack.system import make_system
from dalenius.errors import InputError
from dalenius.knowledge.amounts import AmountPrior, AmountView
from dalenius.knowledge.weights import SurveyWeights
from dalenius.progress import Progress, silent
from dalenius.release.amounts import PrintedAmount


def parts_of(view: AmountView) -> list[AmountView]:
    """The view as it is; where weights are not known, what is printed without them and with them apart.

    Raises
    ------
    InputError
        If weights that fit what is printed are not there, or amounts may be negative and weights unknown.
    """
    release, weights = view.release, view.weights
    if not release.weighted:
        return [replace(view, weights=None)]
    if weights is None:
        raise InputError("survey weights", "must be known, or said to be unknown", "nothing")
    if weights.known:
        return [view]
    if view.prior.least < 0:
        raise InputError("least", "must be at least 0 where survey weights are not known", "less")
    closer = tighten_weights(view, weights)
    said = [_without_weight(one, release.groups[one.group].size) for one in release.said]
    plain = tuple(one for one in said if not one.weighted)
    heavy = tuple(_as_sum(one, said) for one in said if one.weighted and one.statistic != "count")
    parts = [replace(view, release=replace(release, said=plain, unread=()), weights=None)] if plain else []
    if heavy or not plain:
        parts.append(replace(view, release=replace(release, said=heavy), weights=closer))
    return parts


def tighten_weights(view: AmountView, weights: SurveyWeights) -> SurveyWeights:
    """Everybody's weight between closer ends, from the weighted counts: they are sums of weights."""
    counts = [
        PrintedAmount(one.group, "sum", one.low, one.high, one.sd)
        for one in view.release.said
        if one.weighted and one.statistic == "count"
    ]
    if not counts:
        return weights
    n = view.release.people
    prior = AmountPrior(float(weights.low.min()), float(weights.high.max()), *(np.ones(n),) * 3)
    found = find_ends(make_system(AmountView(replace(view.release, said=tuple(counts), unread=()), prior)))
    low, high = np.maximum(weights.low, found.low), np.minimum(weights.high, found.high)
    return SurveyWeights(np.minimum(low, high), high)


def ends_of(parts: list[AmountView], *, progress: Progress = silent) -> AmountEnds:
    """Everybody's ends by each part, and of these the closest."""
    found = [find_ends(make_system(part), part.insiders, progress=progress) for part in parts]
    first, *others = found
    for other in others:
        first = first.both(other)
    return first


def _without_weight(one: PrintedAmount, size: int) -> PrintedAmount:
    """A weighted mean of one person is their amount, whatever they weigh."""
    return replace(one, weighted=False) if one.weighted and one.statistic == "mean" and size == 1 else one


def _as_sum(one: PrintedAmount, said: list[PrintedAmount]) -> PrintedAmount:
    """A weighted mean beside the weighted count of its group is a weighted sum."""
    if one.statistic != "mean":
        return one
    counts = [
        other for other in said if other.weighted and other.statistic == "count" and other.group == one.group
    ]
    if not counts:
        return one
    low, high = max(count.low for count in counts), min(count.high for count in counts)
    low, ends = max(low, 0.0), (max(one.low, 0.0), max(one.high, 0.0))
    return replace(one, statistic="sum", low=ends[0] * low, high=ends[1] * high, sd=one.sd * high)
