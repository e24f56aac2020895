"""Generate, then verify: what all data sets seen have in common is asked about, one question each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalenius.records.attack.certain.pieces import Piece
from dalenius.records.attack.certain.whole import any_fit
from dalenius.records.cells.grid import Whole


@dataclass(frozen=True)
class Verified:
    """Data sets seen, with every counterexample; whether a bound has moved; how often by a solver's word."""

    points: Whole
    moved: bool
    by_word: int


def verify_ends(piece: Piece, points: Whole, questions: int, nodes: int) -> Verified:
    """Close the gap between bounds and data sets seen, in place, as far as so many questions go.

    Low ends come first: they are the claims.
    """
    moved, by_word, asked = False, 0, set()
    for _ in range(questions):
        least, most = points.min(axis=0), points.max(axis=0)
        gaps = [(at, -1) for at in np.flatnonzero(least > piece.lo)]
        gaps += [(at, 1) for at in np.flatnonzero(most < piece.hi)]
        gap = next((each for each in gaps if each not in asked), None)
        if gap is None:
            break
        at, side = gap
        lo, hi = piece.lo.copy(), piece.hi.copy()
        if side < 0:
            hi[at] = least[at] - 1
        else:
            lo[at] = most[at] + 1
        answer = any_fit(piece, lo, hi, nodes)
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
    return Verified(points, moved, by_word)
