"""Counts of claims about records that are true: by multisets, since people have no names here."""

from __future__ import annotations

from dalenius.records.attack.claims import RecordClaims
from dalenius.records.finding import JudgedRecords
from dalenius.records.referee.truth import TrueRecords


def judge_records(claims: RecordClaims, truth: TrueRecords) -> JudgedRecords:
    """Hold every certain claim, and the radius of the reconstruction, against the true records."""
    wrong = 0
    certain = (*claims.whole, *claims.partial)
    for claim in certain:
        fixed = [(at, code) for at, code in enumerate(claim.levels) if code is not None]
        if len(fixed) == len(claim.levels):
            have = truth[tuple(code for _, code in fixed)]
        else:
            have = sum(n for record, n in truth.items() if all(record[at] == code for at, code in fixed))
        wrong += have < claim.least
    guess = {
        tuple(int(code) for code in record): int(count)
        for record, count in zip(claims.bounds.system.records, claims.guess, strict=True)
        if count
    }
    more = sum(max(count - guess.get(record, 0), 0) for record, count in truth.items())
    fewer = sum(max(count - truth[record], 0) for record, count in guess.items())
    distance = max(more, fewer)
    kept = not claims.fits or distance <= int(claims.units.radius_high.sum())
    return JudgedRecords(claims=len(certain), wrong=wrong, distance=distance, kept=kept)
