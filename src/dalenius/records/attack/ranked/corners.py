"""Walks that cannot move are held against corners in random directions.

Where tables break down everybody by every three columns, no two people can change theirs, and a walk states
what it saw where it began as almost certain; people dealt anew hardly ever fit. A linear program finds a
corner in any direction at once. The direction is how usual each record is among others, each with a random
number of its own (Gumbel's law, as in perturbing and maximising: of independent records that would be a draw
by these shares). Where a corner has fractions of people, a share of it counts as a share. Corners lie at the
edge of what fits and are less sure than the law, as walks are too sure: what is said is the mean of both.
"""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from dalenius.errors import SolveError
from dalenius.records.attack.certain.ranges import PROGRAMMED, OpenProgram
from dalenius.records.attack.certain.settle import SettledPiece
from dalenius.records.attack.ranked.gibbs import MOST_PAIRED, DrawnPiece, Floats, pairs_change

CORNERS = 100
"""Directions."""

FEWEST = 8
"""Corners below which nothing is said by them."""

UNIT = 1000
"""Parts of one in which a direction is written, since programs prove bounds in whole numbers."""


def with_corners(
    walked: DrawnPiece, settled: SettledPiece, log_shares: Floats, *, rng: np.random.Generator
) -> DrawnPiece:
    """What walks say, where they can move; else the mean of that and of shares of corners.

    Examples
    --------
    >>> from scipy import sparse
    >>> from dalenius.records.attack.certain.pieces import Piece
    >>> cube = np.indices((2, 2, 2)).reshape(3, 8)
    >>> pairs = [(a, b, i, j) for a, b in ((0, 1), (0, 2), (1, 2)) for i in (0, 1) for j in (0, 1)]
    >>> A = np.array([(cube[a] == i) & (cube[b] == j) for a, b, i, j in pairs], np.int64)
    >>> ends = np.full(12, 2), np.full(12, 2), np.zeros(8, np.int64), np.full(8, 2)
    >>> piece = Piece(np.arange(8), np.arange(12), sparse.csr_array(A), *ends)
    >>> known = np.ones((1, 8), np.int64), False, False, *[np.zeros(8, bool)] * 2
    >>> stuck = DrawnPiece((np.array([1.0, 0.0]),) * 8, np.ones(8, np.int64), 0.0)
    >>> made = with_corners(stuck, SettledPiece(piece, *known), np.zeros(8), rng=np.random.default_rng(1))
    >>> [bool(0.65 < made.above[0][0] < 0.85), bool(0.15 < made.above[0][1] < 0.35), int(made.mode.sum())]
    [True, True, 8]
    """
    piece = settled.piece
    if piece.size > MOST_PAIRED or pairs_change(piece):
        return walked
    program = OpenProgram(piece)
    corners: list[Floats] = []
    whole = [walked.mode]
    while len(corners) < CORNERS and program.work < PROGRAMMED:
        usual = log_shares + rng.gumbel(size=piece.size)
        try:
            found = program.least(np.rint(-UNIT * usual).astype(np.int64))[1]
        except SolveError:
            break
        corners.append(program.corner)
        whole += [] if found is None else [found]
    if len(corners) < FEWEST:
        return walked
    above, apart = [], 0.0
    seen, half = np.array(corners), len(corners) // 2
    for at in range(piece.size):
        more = np.clip(seen[:, at, None] - np.arange(piece.lo[at], piece.hi[at]), 0.0, 1.0)
        alike = more.sum(axis=0) / (len(seen) + 1)  # what all have in common is not proved
        above.append((walked.above[at] + alike) / 2)
        apart = max(apart, float(np.abs(more[:half].mean(axis=0) - more[half:].mean(axis=0)).max(initial=0)))
    fits = np.array(whole)
    likely = fits @ log_shares - gammaln(fits + 1.0).sum(axis=1)
    return DrawnPiece(tuple(above), fits[int(likely.argmax())], (walked.apart + apart) / 2)
