"""How far the truth can be from a reconstruction: from below with a data set as evidence, above proven."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp

from dalenius.errors import SolveError
from dalenius.records.attack.pieces import Piece
from dalenius.records.attack.ranges import OpenProgram, row_ends
from dalenius.records.attack.settle import SettledPiece
from dalenius.records.cells.grid import Whole

Mask = NDArray[np.bool_]

FARTHEST_NODES = 200
"""Branches of the search for the farthest data set: a best one takes many more than any one does.

A few columns of hundreds of people took minutes for the last record of a radius of hundreds.
"""

LARGEST_SCALE = 1 << 20
"""Common multiples of the widths of ranges; beyond it whole numbers would grow too large."""


@dataclass(frozen=True)
class RadiusBounds:
    """In how many records the truth can differ from a guess: at least ``low``, at most ``high``.

    ``evidence`` is a data set that differs in ``low`` of them.
    """

    low: int
    high: int
    evidence: Whole | None

    @property
    def decided(self) -> bool:
        """Whether both are the same."""
        return self.low == self.high


def distance(guess: Whole, points: Whole) -> Whole:
    """In how many records each data set has more than a guess, or fewer if that is more.

    Examples
    --------
    >>> distance(np.array([2, 0]), np.array([[2, 0], [0, 2], [1, 2]])).tolist()
    [0, 2, 2]
    """
    away = points - guess
    found: Whole = np.maximum(np.maximum(away, 0).sum(axis=-1), np.maximum(-away, 0).sum(axis=-1))
    return found


def radius_of(
    settled: SettledPiece, guess: Whole, within: Mask | None = None, nodes: int = FARTHEST_NODES
) -> RadiusBounds:
    """How far the data sets of one piece are from a guess, counted over some of its records or all.

    Examples
    --------
    >>> ends = np.array([2]), np.array([2]), np.array([0, 0]), np.array([2, 2])
    >>> piece = Piece(np.array([0, 1]), np.array([0]), sparse.csr_array(np.array([[1, 1]])), *ends)
    >>> some = np.array([[1, 1]]), False, False, *[np.zeros(2, bool)] * 2
    >>> found = radius_of(SettledPiece(piece, *some), np.array([1, 1]))
    >>> found.low, found.high
    (1, 1)
    """
    piece = settled.piece
    within = np.ones(piece.size, np.bool_) if within is None else within
    seen = distance(guess[within], settled.points[:, within])
    best = int(seen.argmax()) if seen.size else None
    low, evidence = (0, None) if best is None else (int(seen[best]), settled.points[best])
    if settled.complete:
        return RadiusBounds(low, low, evidence)
    program, high = OpenProgram(piece), 0
    for sign in (1,) if _same_total(program, within) else (1, -1):
        bound, point = _by_program(program, guess, within, sign)
        if point is None or distance(guess[within], point[within]) < bound:
            integer, point = _farthest(piece, guess, within, sign, nodes)
            bound = min(bound, integer)
        high = max(high, bound)
        if point is not None and not settled.wider:
            away = int(distance(guess[within], point[within]))
            low, evidence = (away, point) if away > low else (low, evidence)
    return RadiusBounds(low, max(high, low), evidence)


def _same_total(program: OpenProgram, within: Mask) -> bool:
    """Whether all data sets are proven to have as many people there: then one has as many more as fewer."""
    ones = within.astype(np.int64)
    try:
        return program.least(ones)[0] == -program.least(-ones)[0]
    except SolveError:
        return False


def _by_program(program: OpenProgram, guess: Whole, within: Mask, sign: int) -> tuple[int, Whole | None]:
    """The most that records can have above a guess (or below it), by one linear program that proves it.

    What a record between its ends has above the guess is at most what the line from its near end, where it
    has nothing, to its far end says.
    """
    piece = program.piece
    near, far = (piece.lo, piece.hi) if sign > 0 else (piece.hi, piece.lo)
    room, width = np.abs(far - guess), np.maximum(np.abs(far - near), 1)
    between = within & (guess != near) & (guess != far)
    scale = int(np.lcm.reduce(width[between], initial=1))
    if not 0 < scale <= LARGEST_SCALE:
        return int(room[within].sum()), None
    gain = sign * np.where(within, scale * room // width, 0)
    try:
        bound, point = program.least(-gain)
    except SolveError:
        return int(room[within].sum()), None
    return int((-bound - gain @ near) // scale), point


def _farthest(piece: Piece, guess: Whole, within: Mask, sign: int, nodes: int) -> tuple[int, Whole | None]:
    """The most that records can have above a guess (or below it), and a data set where they have much.

    A record at its near end counts for all that it moves; one between both ends gets a choice, since what
    it moves the other way counts for nothing; one at its far end cannot count.
    """
    near, far = (piece.lo, piece.hi) if sign > 0 else (piece.hi, piece.lo)
    cheap = int(np.abs(far - guess)[within].sum())
    linear = within & (guess == near)
    between = np.flatnonzero(within & (guess != near) & (guess != far))
    m, n = between.size, piece.size
    room, back = np.abs(far - guess)[between], np.abs(guess - near)[between]
    pick = sparse.csr_array((np.full(m, float(sign)), (np.arange(m), between)), shape=(m, n))
    one = sparse.identity(m, format="csr")
    low, high = row_ends(piece)
    blocks: Any = [
        [piece.A.astype(np.float64), None, None],
        [-pick, one, sparse.diags_array(back.astype(np.float64))],
        [sparse.csr_array((m, n)), one, -sparse.diags_array(room.astype(np.float64))],
    ]
    if not m:
        blocks = [blocks[0][:1]]
    free = np.full(m, -np.inf)
    rows = LinearConstraint(
        sparse.block_array(blocks, format="csr"),
        np.concatenate([low, free, free]),
        np.concatenate([high, back - sign * guess[between], np.zeros(m)]),
    )
    cost = np.concatenate([np.where(linear, -sign, 0.0), np.full(m, -1.0), np.zeros(m)])
    ends = Bounds(
        np.concatenate([piece.lo, np.full(m, -1.0 * back.max(initial=0)), np.zeros(m)]),
        np.concatenate([piece.hi, room, np.ones(m)]),
    )
    kinds = np.concatenate([np.ones(n), np.zeros(m), np.ones(m)])
    solved = milp(cost, integrality=kinds, bounds=ends, constraints=rows, options={"node_limit": nodes})
    point = None if solved.x is None else np.rint(solved.x[:n]).astype(np.int64)
    if point is not None and not piece.fits(point):
        point = None
    if solved.mip_dual_bound is None or not np.isfinite(solved.mip_dual_bound):
        return cheap, point
    start = sign * int(guess[linear].sum())
    return min(cheap, int(np.floor(-solved.mip_dual_bound - start + 1e-4))), point


def spread(points: Whole) -> tuple[int, int]:
    """The largest distance between two data sets, and the least radius around one of them.

    Examples
    --------
    >>> spread(np.array([[2, 0], [1, 1], [0, 2]]))
    (2, 1)
    """
    radii = [int(distance(point, points).max()) for point in points]
    return max(radii), min(radii)
