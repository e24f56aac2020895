"""Between which ends the amounts of one group lie when they are sorted, from all that is printed about it.

A median, a quantile, a smallest or a largest amount holds for a place in that order. A sum holds for all
places together. A standard deviation keeps every place near the mean, and no two places far from each other:
of n amounts whose squared deviations from their mean add up to V, the largest l are at most
sqrt(V (n - l) / (l n)) above the mean on average, and k of the smallest are at most sqrt(V (k + l) / (k l))
below them. All these are used in turn until nothing moves; each step alone is true, so one may stop anywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dalenius.amounts.attack.order.quantiles import QuantilePlace, any_place, median_place, place
from dalenius.errors import InputError
from dalenius.release.amounts import PrintedAmount, percent

Floats = NDArray[np.float64]

ROUNDS = 12
"""Times that all steps are taken at the most."""

SLACK = 1e-12
"""Part of the largest number by which ends give way: floating-point steps may be off by less."""

ANCHORS = 32
"""Places from which the distance to all others is looked at."""

NARROW = 1e-9
"""Part of itself within which an amount is taken for one number."""


@dataclass(frozen=True)
class Ranks:
    """The ends of every place, from the smallest amount on; of their sum; and of their squared deviations.

    ``between`` are quantiles that were computed from two neighbours, ``held`` places that are printed
    themselves. ``block`` numbers these and the places between them, from the smallest on.
    """

    low: Floats
    high: Floats
    total: tuple[float, float] = (-np.inf, np.inf)
    squares: tuple[float, float] = (0.0, np.inf)
    between: tuple[tuple[QuantilePlace, float, float], ...] = ()
    held: frozenset[int] = frozenset()
    block: NDArray[np.intp] | None = None

    @property
    def size(self) -> int:
        """How many people the group has."""
        return int(self.low.size)

    def smallest(self, count: int) -> float:
        """What any so many of them have at least."""
        return float(self.low[:count].sum())

    def largest(self, count: int) -> float:
        """What any so many of them have at most."""
        return float(self.high[self.size - count :].sum())


def read_ranks(size: int, said: Sequence[PrintedAmount], least: float, most: float) -> Ranks:
    """Take together what is printed about one group.

    Raises
    ------
    InputError
        If no amounts fit it.

    Examples
    --------
    >>> said = [PrintedAmount(0, "median", 7, 7), PrintedAmount(0, "sum", 20, 20)]
    >>> ranks = read_ranks(3, said, 0.0, np.inf)
    >>> ranks.low.round(6), ranks.high.round(6)
    (array([0., 7., 7.]), array([ 6.,  7., 13.]))
    """
    start = Ranks(np.full(size, least), np.full(size, most))
    for one in said:
        start = _said(start, one)
    found = replace(tighten(start), block=_blocks(_in_order(start)))
    return replace(found, low=np.maximum(found.low, least), high=np.minimum(found.high, most))


def _blocks(ranks: Ranks) -> NDArray[np.intp]:
    """Places with the same ends, as they are printed, are one block."""
    new = (ranks.low[1:] != ranks.low[:-1]) | (ranks.high[1:] != ranks.high[:-1])
    return np.cumsum(np.append(False, new))


def _said(ranks: Ranks, one: PrintedAmount) -> Ranks:
    n, low, high = ranks.size, one.low, one.high
    match one.statistic:
        case "count":
            return ranks
        case "sum":
            return replace(ranks, total=_both(ranks.total, _given_way(low, high)))
        case "mean":
            return replace(ranks, total=_both(ranks.total, _given_way(n * low, n * high)))
        case "sd":
            low, high = max(low, 0.0) ** 2, max(high, 0.0) ** 2
            return replace(ranks, squares=_both(ranks.squares, _squares(n, low, high, one.defined)))
        case "variance":
            ends = _squares(n, max(low, 0.0), max(high, 0.0), one.defined)
            return replace(ranks, squares=_both(ranks.squares, ends))
        case "min":
            return _at(ranks, QuantilePlace(0, 0), low, high)
        case "max":
            return _at(ranks, QuantilePlace(n - 1, n - 1), low, high)
    hundredths = percent(one.statistic) or 50
    if one.defined:
        return _at(ranks, place(n, hundredths), low, high)
    median = one.statistic == "median"
    return _at(ranks, median_place(n) if median else any_place(n, hundredths), low, high)


def _squares(n: int, low: float, high: float, defined: bool) -> tuple[float, float]:
    """The squared deviations together: a variance times n - 1, or times n if it may be divided by that."""
    return (n - 1) * low * (1 - SLACK), (n - 1 if defined else n) * high * (1 + SLACK)


def _given_way(low: float, high: float) -> tuple[float, float]:
    return low - SLACK * abs(low), high + SLACK * abs(high)


def _both(one: tuple[float, float], other: tuple[float, float]) -> tuple[float, float]:
    return max(one[0], other[0]), min(one[1], other[1])


def _at(ranks: Ranks, where: QuantilePlace, low: float, high: float) -> Ranks:
    lows, highs = ranks.low.copy(), ranks.high.copy()
    lows[where.last] = max(lows[where.last], low)
    highs[where.first] = min(highs[where.first], high)
    between = ranks.between if where.share is None else (*ranks.between, (where, low, high))
    held = ranks.held | {where.first} if where.first == where.last else ranks.held
    return replace(ranks, low=lows, high=highs, between=between, held=held)


def tighten(ranks: Ranks) -> Ranks:
    """Use everything in turn until nothing moves."""
    for _ in range(ROUNDS):
        before = ranks
        ranks = _without_known(_squared(_added(_neighbours(_in_order(ranks)))))
        _check(ranks)
        if np.array_equal(before.low, ranks.low) and np.array_equal(before.high, ranks.high):
            break
    ranks = _in_order(ranks)
    slack = SLACK * _scale(ranks)
    return replace(ranks, low=ranks.low - slack, high=ranks.high + slack)


def _in_order(ranks: Ranks) -> Ranks:
    low = np.maximum.accumulate(ranks.low)
    return replace(ranks, low=low, high=np.minimum.accumulate(ranks.high[::-1])[::-1])


def _neighbours(ranks: Ranks) -> Ranks:
    """A quantile between two neighbours: what one of them cannot have the other must."""
    low, high = ranks.low.copy(), ranks.high.copy()
    for where, a, b in ranks.between:
        share = where.share or 0.5
        one, other = where.first, where.last
        low[one] = max(low[one], (a - share * high[other]) / (1 - share))
        high[one] = min(high[one], (b - share * low[other]) / (1 - share))
        low[other] = max(low[other], (a - (1 - share) * high[one]) / share)
        high[other] = min(high[other], (b - (1 - share) * low[one]) / share)
    return replace(ranks, low=low, high=high)


def _added(ranks: Ranks) -> Ranks:
    """The sum: no place has more than the others leave, nor less than they lack."""
    n = ranks.size
    total = _both(ranks.total, _sums(ranks))
    up_to, above = np.arange(1, n + 1), np.arange(n, 0, -1)  # so many are at a place or on that side of it
    before = np.cumsum(ranks.low) - ranks.low
    high = np.minimum((total[1] - before) / above, total[1] - (ranks.low.sum() - ranks.low))
    after = np.append(np.cumsum(ranks.high[::-1])[::-1][1:], 0.0)
    low = np.maximum((total[0] - after) / up_to, total[0] - _all_others(ranks.high))
    return replace(ranks, low=np.maximum(ranks.low, low), high=np.minimum(ranks.high, high), total=total)


def _sums(ranks: Ranks) -> tuple[float, float]:
    """Between which the sum lies because of the places; two around a median have twice that together."""
    low, high = float(ranks.low.sum()), float(ranks.high.sum())
    used: set[int] = set()
    for where, a, b in ranks.between:
        if where.share == 0.5 and not used & {where.first, where.last}:
            used |= {where.first, where.last}
            pair = slice(where.first, where.last + 1)
            low += max(2 * a - float(ranks.low[pair].sum()), 0.0)
            high -= max(float(ranks.high[pair].sum()) - 2 * b, 0.0) if np.isfinite(high) else 0.0
    return low, high


def _all_others(ends: Floats) -> Floats:
    """What the others have together at these ends, for each; only the last ones may be infinite."""
    infinite = np.isinf(ends)
    if infinite.sum() > 1:
        return np.full(ends.size, np.inf)
    finite = float(ends[~infinite].sum())
    return np.where(infinite, finite, np.inf if infinite.any() else finite - np.where(infinite, 0.0, ends))


def _squared(ranks: Ranks) -> Ranks:
    """Squared deviations: how far a place is from the mean, and from another place."""
    n, (least, most) = ranks.size, ranks.squares
    if n < 2 or not np.isfinite(most):
        return ranks
    most = max(most, 0.0)
    up_to, above = np.arange(1, n + 1), np.arange(n, 0, -1)
    mean_low, mean_high = ranks.total[0] / n, ranks.total[1] / n
    low = np.maximum(ranks.low, mean_low - np.sqrt(most * (n - up_to) / (up_to * n)))
    high = np.minimum(ranks.high, mean_high + np.sqrt(most * (n - above) / (above * n)))
    beyond = np.sqrt(max(least, 0.0) / (n * (n - 1)))  # the largest is so far above the mean at least
    low[-1], high[0] = max(low[-1], mean_low + beyond), min(high[0], mean_high - beyond)
    for at in np.unique(np.linspace(0, n - 1, min(n, ANCHORS)).astype(np.intp)):
        over, under = np.arange(at + 1, n), np.arange(at)
        gap = np.sqrt(most * (up_to[at] + above[over]) / (up_to[at] * above[over]))
        high[over] = np.minimum(high[over], high[at] + gap)
        gap = np.sqrt(most * (up_to[under] + above[at]) / (up_to[under] * above[at]))
        low[under] = np.maximum(low[under], low[at] - gap)
    return replace(ranks, low=low, high=high)


def _without_known(ranks: Ranks) -> Ranks:
    """Where some places are known, the sum and the squares of the rest are too, and say more about fewer."""
    if not np.isfinite(ranks.squares[1]) or not np.isfinite(ranks.total).all():
        return ranks
    known = ranks.high - ranks.low <= NARROW * np.maximum(np.abs(ranks.low), np.abs(ranks.high))
    known &= np.isfinite(ranks.high)
    if not known.any() or known.sum() > ranks.size - 2:
        return ranks
    rest = replace(ranks, between=())
    for at in np.flatnonzero(known)[::-1]:
        rest = _taken_out(rest, (float(ranks.low[at]), float(ranks.high[at])))
        rest = replace(rest, low=np.delete(rest.low, at), high=np.delete(rest.high, at))
    rest = _squared(_added(_in_order(rest)))
    low, high = ranks.low.copy(), ranks.high.copy()
    low[~known], high[~known] = np.maximum(low[~known], rest.low), np.minimum(high[~known], rest.high)
    return replace(ranks, low=low, high=high)


def _taken_out(ranks: Ranks, ends: tuple[float, float]) -> Ranks:
    """The sum and the squares of the others, where one amount lies between two ends; places stay."""
    n = ranks.size
    total = ranks.total[0] - ends[1], ranks.total[1] - ends[0]
    if n < 2 or not np.isfinite(ranks.total).all() or not np.isfinite(ranks.squares[1]):
        return replace(ranks, total=total, squares=(0.0, np.inf))
    below, above = ends[0] - ranks.total[1] / n, ends[1] - ranks.total[0] / n  # from the mean
    far = max(below**2, above**2) * n / (n - 1)
    near = 0.0 if below <= 0 <= above else min(below**2, above**2) * n / (n - 1)
    slack = SLACK * (ranks.squares[1] + far)
    squares = max(ranks.squares[0] - far - slack, 0.0), max(ranks.squares[1] - near + slack, 0.0)
    return replace(ranks, total=total, squares=squares)


def others_of(ranks: Ranks, amount: float) -> Ranks | None:
    """What somebody of the group who knows their own amount knows about the others; None if it does not fit.

    They may have any place whose ends hold their amount. Those below it have at most what they have, those
    above at least.

    Examples
    --------
    >>> ranks = read_ranks(3, [PrintedAmount(0, "median", 7, 7)], 0.0, np.inf)
    >>> others_of(ranks, 9.0).high.round(6), others_of(ranks, 2.0).low.round(6)
    (array([7., 7.]), array([7., 7.]))
    """
    room = SLACK * max(abs(amount), _scale(ranks))
    may = np.flatnonzero((ranks.low <= amount + room) & (amount - room <= ranks.high))
    if not may.size or ranks.size < 2:
        return None
    first, last, at = may[0], may[-1], np.arange(ranks.size - 1)
    under, over = at < last, at >= first  # may stay below them, may be above them
    low = np.where(under, ranks.low[:-1], np.inf)
    low = np.where(over, np.minimum(low, np.maximum(ranks.low[1:], amount)), low)
    high = np.where(under, np.minimum(ranks.high[:-1], amount), -np.inf)
    high = np.where(over, np.maximum(high, ranks.high[1:]), high)
    rest = _taken_out(ranks, (amount, amount))
    try:
        return tighten(Ranks(low, high, rest.total, rest.squares))
    except InputError:  # what they know does not fit the tables, which were not made as stated: of no use
        return None


def _scale(ranks: Ranks) -> float:
    ends = np.concatenate([ranks.low, ranks.high])
    return float(np.abs(ends[np.isfinite(ends)]).max(initial=0.0))


def _check(ranks: Ranks) -> None:
    if (ranks.low > ranks.high + 1e3 * SLACK * max(_scale(ranks), 1e-300)).any():
        raise InputError(
            "tables",
            "must not contradict each other",
            "statistics of a group that no amounts fit",
            "Say how they were rounded, or between which ends amounts lie.",
        )
