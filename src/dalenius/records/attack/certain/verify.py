"""Generate, then verify: what all data sets seen have in common is asked about, one question each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dalenius.records.attack.certain.pieces import Piece
from dalenius.records.attack.certain.whole import FIRST, any_fit, size_of
from dalenius.records.cells.grid import Whole

HIGH_ENDS = 16
"""High ends get this part of the work: they claim nothing."""


@dataclass(frozen=True)
class Verified:
    """Data sets seen, with every counterexample; whether a bound has moved; how often by a solver's word.

    ``work`` is what all questions took.
    """

    points: Whole
    moved: bool
    by_word: int
    work: int


@dataclass(frozen=True)
class AskedEnds:
    """How many questions about ends may be asked, with how many branches each, and how much work in all."""

    questions: int
    nodes: int
    work: int


def verify_ends(piece: Piece, points: Whole, allowed: AskedEnds, told: Callable[[float], None]) -> Verified:
    """Close the gap between bounds and data sets seen, in place, as far as so many questions go.

    Low ends come first: they are the claims, and high ends get a part of the work alone. ``told`` hears
    which share of the questions is asked. What is not asked stays open.
    """
    least_work = FIRST * size_of(piece)
    moved, by_word, asked, work = False, 0, set(), 0
    for number in range(allowed.questions):
        if work >= allowed.work:
            break
        told(max(number / allowed.questions, work / allowed.work))
        high_too = work + least_work <= allowed.work // HIGH_ENDS
        least, most = points.min(axis=0), points.max(axis=0)
        gaps = [(at, -1) for at in np.flatnonzero(least > piece.lo)]
        gaps += [(at, 1) for at in np.flatnonzero(most < piece.hi) if high_too]
        gap = next((each for each in gaps if each not in asked), None)
        if gap is None:
            break
        at, side = gap
        lo, hi = piece.lo.copy(), piece.hi.copy()
        if side < 0:
            hi[at] = least[at] - 1
        else:
            lo[at] = most[at] + 1
        answer = any_fit(piece, lo, hi, allowed.nodes)
        work += answer.work
        if answer.point is not None:
            points = np.concatenate([points, answer.point[None]])
        elif answer.said == "no":
            moved = True
            by_word += not answer.proven
            if side < 0:
                piece.lo[at] = least[at]
            else:
                piece.hi[at] = most[at]
        else:
            asked.add(gap)
    return Verified(points, moved, by_word, work)
