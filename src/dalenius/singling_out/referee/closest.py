"""Distances to the closest record, which vendors quote, each beside its control. A distance is no proof.

Released rows are measured against as many originals as others. Without a copy among them they lie nearer to
an original as often as to another; new rows are those that equal nobody.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalenius.findings.tally import Interval, clopper_pearson
from dalenius.people.rows.rows import Rows
from dalenius.singling_out.attack.nearest import nearest_of
from dalenius.singling_out.referee.asked_people import AskedPeople

MOST_ROWS = 2000
"""Released rows that are measured, and people they are measured against."""

SAME = 1e-6
"""Distances below are those of equal rows."""


@dataclass(frozen=True)
class ClosestRecords:
    """How far released rows are from originals, and from as many others.

    Parameters
    ----------
    rows, people
        Released rows measured, and people of either file.
    original, control
        The median distance to the closest of them, in columns that differ.
    nearer
        The share of rows nearer to an original, ties half: 0.5 by luck.
    new, new_by_luck
        The share of rows that equal no original, and that equal no other.
    """

    rows: int
    people: int
    original: float
    control: float
    nearer: Interval
    new: float
    new_by_luck: float


def closest_records(
    asked: AskedPeople, released: Rows, rng: np.random.Generator, confidence: float
) -> ClosestRecords:
    """Measure released rows against originals and others."""
    some = released.take(rng.permutation(len(released))[:MOST_ROWS])
    sides = [rows.take(np.arange(min(len(rows), MOST_ROWS))) for rows in asked.as_many]
    own, others = (nearest_of(some, rows, released, 1, rng).distances[:, 0] for rows in sides)
    apart = np.abs(own - others) > SAME
    # a tie tells nothing, so it is no evidence either: half of them count
    ties = int((~apart).sum())
    nearer = int((own[apart] < others[apart]).sum()) + ties // 2
    return ClosestRecords(
        rows=len(some),
        people=len(sides[0]),
        original=float(np.median(own)),
        control=float(np.median(others)),
        nearer=clopper_pearson(nearer, len(some), confidence),
        new=float((own > SAME).mean()),
        new_by_luck=float((others > SAME).mean()),
    )
