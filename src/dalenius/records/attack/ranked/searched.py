"""Probabilities by searches that each begin anew, for pieces over which walks cannot move.

A walk changes the records of two or three people at a time. Where tables break down everybody by every two
columns, no two people can change theirs and leave all cells as they are: a walk stays where it began, however
long it is, and states what it saw there as almost certain. A search deals all people again, and fits the
tables anew each time. What is usual among other people weighs every exchange of it, as it does every step of
a walk.
"""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from dalenius.records.attack.certain.settle import SettledPiece
from dalenius.records.attack.ranked.gibbs import DrawnPiece, Floats, pairs_change
from dalenius.records.attack.system import CellSystem
from dalenius.records.attack.wide.fits import SEARCHES, searched_fits

NUMBERS = range(SEARCHES, SEARCHES + 200)
"""Searches, other ones than those by which ends were settled."""

FEWEST = 8
"""Data sets below which nothing is said by them."""


def draw_searched(settled: SettledPiece, system: CellSystem, log_shares: Floats) -> DrawnPiece | None:
    """Shares of data sets that searches found; ``None`` where walks can move, or nothing is found."""
    piece = settled.piece
    exact = bool((piece.low == piece.high).all())
    if 2 * piece.size < len(system.records) or not exact or pairs_change(piece):
        return None
    found = searched_fits(system, NUMBERS, log_shares)[:, piece.records]
    found = found[[piece.fits(point) for point in found]]
    if len(found) < FEWEST:
        return None
    half = len(found) // 2
    above, apart = [], 0.0
    for at in range(piece.size):
        more = found[:, at, None] > np.arange(piece.lo[at], piece.hi[at])
        above.append(more.sum(axis=0) / (len(found) + 1))  # what all have in common is not proved
        apart = max(apart, float(np.abs(more[:half].mean(axis=0) - more[half:].mean(axis=0)).max(initial=0)))
    likely = found @ log_shares[piece.records] - gammaln(found + 1.0).sum(axis=1)
    return DrawnPiece(tuple(above), found[int(likely.argmax())], apart)
