"""Shares that are measured in several runs, with intervals, and whether a promise was kept."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dalenius.errors import InputError
from dalenius.findings.default_policy import CONFIDENCE, SURE
from dalenius.findings.tally import Interval, Tally, share_confidence
from dalenius.papers.experiment import MeasuredShare, PromisedShare, SimulatedRow

METHOD = "Clopper-Pearson on the effective number of people (Korn and Graubard 1998)"

NO_SPREAD = 1e-20
"""Variance of a mean that is only the rounding of equal shares."""


def over_runs(tallies: Sequence[Tally], confidence: float) -> Interval:
    """Return an interval of the expected share; people of one run are not independent trials.

    Korn and Graubard (1998), Confidence intervals for proportions with small expected number of positive
    counts estimated from survey data, Survey Methodology 24, 193-201: the exact interval of Clopper and
    Pearson, with as many trials as independent people would need for the spread seen between runs. It
    keeps a width when nobody was wrong. We never take more trials than people nor fewer than runs, and
    only as many as runs where no spread can be seen.

    Examples
    --------
    >>> narrow = over_runs([Tally(50, 100)] * 4 + [Tally(51, 100)] * 4, 0.95)
    >>> wide = over_runs([Tally(0, 100)] * 4 + [Tally(100, 100)] * 4, 0.95)
    >>> narrow.high - narrow.low < wide.high - wide.low
    True
    """
    from scipy.special import betaincinv

    if not 0 < confidence < 1:
        raise InputError("confidence", "must lie strictly between 0 and 1", f"{confidence:g}")
    people = sum(tally.trials for tally in tallies)
    share = sum(tally.hits for tally in tallies) / people
    trials = _effective(tallies, people, share, confidence)
    hits, tail = share * trials, (1 - confidence) / 2
    low = float(betaincinv(hits, trials - hits + 1, tail)) if share > 0 else 0.0
    high = float(betaincinv(hits + 1, trials - hits, 1 - tail)) if share < 1 else 1.0
    return Interval(share, low, high, confidence, METHOD)


def _effective(tallies: Sequence[Tally], people: int, share: float, confidence: float) -> float:
    from scipy.special import stdtrit

    runs = len(tallies)
    spread = 0.0 if runs == 1 else float(np.var([tally.rate for tally in tallies], ddof=1)) / runs
    if spread < NO_SPREAD:
        return float(runs)
    tail = (1 + confidence) / 2
    few = float(stdtrit(people - 1, tail) / stdtrit(runs - 1, tail)) if people > 1 else 1.0
    return float(np.clip(share * (1 - share) / spread * few**2, runs, people))


def measure(rows: tuple[SimulatedRow, ...]) -> tuple[MeasuredShare, ...]:
    """Turn tallies into shares with intervals that hold together.

    Examples
    --------
    >>> from dalenius.findings.tally import Tally
    >>> promise = PromisedShare("any guess", 0.2)
    >>> row, = measure((SimulatedRow("random errors", (Tally(1, 10), Tally(3, 10)), promise),))
    >>> row.hits, row.trials, row.most, row.kept
    (4, 20, 0.3, False)
    """
    return tuple(_measure(row, len(rows)) for row in rows)


def _measure(row: SimulatedRow, looks: int) -> MeasuredShare:
    hits, trials = sum(t.hits for t in row.tallies), sum(t.trials for t in row.tallies)
    low, high = _ends(row, share_confidence(CONFIDENCE, looks))
    rates = [tally.rate for tally in row.tallies]
    promise = row.promise
    upper = promise is None or promise.side == "at most"
    most = max(rates) if upper else min(rates)
    sure = _ends(row, share_confidence(SURE, looks))
    kept = None if promise is None else _kept(promise, most, *sure)
    return MeasuredShare(row.what, row.counts, hits, trials, low, high, most, promise, kept)


def _ends(row: SimulatedRow, confidence: float) -> tuple[float, float]:
    if not row.drawn:
        (tally,) = row.tallies
        return tally.rate, tally.rate
    interval = over_runs(row.tallies, confidence)
    return interval.low, interval.high


def _kept(promise: PromisedShare, most: float, low: float, high: float) -> bool:
    """On average: broken only if the interval lies beyond; in every run: by the worst run."""
    least, largest = (low, high) if promise.holds == "on average" else (most, most)
    slack = 1e-12
    return least <= promise.value + slack if promise.side == "at most" else largest >= promise.value - slack
