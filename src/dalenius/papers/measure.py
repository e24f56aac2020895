"""Tallies of simulations as shares with intervals, and whether a promise was kept."""

from __future__ import annotations

from dalenius.findings.default_policy import CONFIDENCE, SURE
from dalenius.findings.tally import share_confidence
from dalenius.papers.experiment import MeasuredShare, PromisedShare, SimulatedRow
from dalenius.papers.interval import over_runs


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
