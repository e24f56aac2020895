"""Ranked claims against the truth: how many of the first come true, and whether probabilities are right.

Certain copies are left out of the calibration: they would hide it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from dalenius.records.attack.claims import RecordClaims
from dalenius.records.finding import CalibrationBin, JudgedRanking, MatchRate
from dalenius.records.referee.truth import TrueRecords

Record = tuple[int, ...]

EDGES = (0.0, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 1.0)
"""Of the calibration's bins."""

QUARTERS = (1, 2, 3, 4)


def judge_ranking(claims: RecordClaims, truth: TrueRecords) -> JudgedRanking:
    """Count which ranked copies are there."""
    ranked, records = claims.ranked, claims.bounds.system.records
    have = np.array([truth[tuple(record)] for record in records.tolist()], np.int64)
    hit = have[ranked.record] >= ranked.copy
    open_ = ranked.copy > claims.bounds.lo[ranked.record]
    p, came = ranked.probability[open_], hit[open_]
    true_open = int(sum(truth.values())) - int(np.minimum(have, claims.bounds.lo).sum())
    return JudgedRanking(
        distinct=match_rates(first_records(claims), truth),
        copies=_rates(hit, sum(truth.values())),
        uncertain=int(p.size),
        uncertain_true=true_open,
        uncertain_match=_rates(came, true_open),
        brier=float(((p - came) ** 2).mean()) if p.size else None,
        calibration=tuple(calibrate(p, came)),
    )


def first_records(claims: RecordClaims) -> list[Record]:
    """Distinct records, those likeliest first that somebody has at all."""
    ranked = claims.ranked
    records = claims.bounds.system.records[ranked.record[ranked.copy == 1]]
    return [tuple(record) for record in records.tolist()]


def match_rates(ranking: Sequence[Record], truth: TrueRecords) -> tuple[MatchRate, ...]:
    """How many of the first quarter, half and so on of as many records as there are in truth come true."""
    return _rates(np.array([truth[record] > 0 for record in ranking], np.bool_), len(truth))


def found(ranking: Iterable[Record], truth: TrueRecords) -> set[Record]:
    """The true records among as many of the first as there are in truth."""
    return {record for record, _ in zip(ranking, range(len(truth)), strict=False) if truth[record]}


def _rates(hit: NDArray[np.bool_], whole: int) -> tuple[MatchRate, ...]:
    rates = []
    for quarter in QUARTERS:
        k = whole * quarter // 4
        rates.append(MatchRate(k=k, hits=int(hit[:k].sum())))
    return tuple(rates)


def calibrate(p: NDArray[np.float64], came: NDArray[np.bool_]) -> Iterable[CalibrationBin]:
    """Yield what was said and what came true, in bins of probability; empty ones are left out.

    Examples
    --------
    >>> bins = calibrate(np.array([0.5, 0.5]), np.array([True, False]))
    >>> [(bin.mean, bin.hits, bin.trials) for bin in bins]
    [(0.5, 1, 2)]
    """
    which = np.clip(np.searchsorted(EDGES, p, side="right") - 1, 0, len(EDGES) - 2)
    for at in range(len(EDGES) - 1):
        own = which == at
        if own.any():
            yield CalibrationBin(
                low=EDGES[at],
                high=EDGES[at + 1],
                mean=float(p[own].mean()),
                hits=int(came[own].sum()),
                trials=int(own.sum()),
            )
