"""How far the truth can be from a reconstruction: from below with a data set as evidence, above proven."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint

from dalenius.errors import SolveError
from dalenius.matrices.integer import solve_whole
from dalenius.records.attack.certain.pieces import Piece
from dalenius.records.attack.certain.ranges import OpenProgram, row_ends
from dalenius.records.attack.certain.settle import SettledPiece
from dalenius.records.cells.grid import Whole

Mask = NDArray[np.bool_]

FARTHEST_NODES = 200
"""Branches of the search for the farthest data set: a best one takes many more than any one does.

A few columns of hundreds of people took minutes for the last record of a radius of hundreds.
"""

LARGEST_FARTHEST = 10_000
"""Numbers in the rows up to which an integer solver looks for the farthest data set."""

LARGEST_SCALE = 1 << 20
"""Common multiples of the widths of ranges; beyond it whole numbers would grow too large."""

MOST_PARTS = 60
"""Linear programs of one radius, before an integer solver is asked."""


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
    total = piece.summed(within)
    if best is None and total is not None and piece.A.nnz > LARGEST_FARTHEST:
        guessed = int(guess[within].sum())  # no data set was seen: programs take long, and say little more
        return RadiusBounds(abs(total - guessed), max(total, guessed), None)
    program, high = OpenProgram(piece), 0
    for sign in (1,) if _same_total(program, within) else (1, -1):
        bound, point = _by_programs(program, guess, within, sign, low)
        if bound is None and piece.A.nnz > LARGEST_FARTHEST:
            bound = _most_by_one_program(program, piece, guess, within, sign)
        elif bound is None:
            bound, point = _farthest(piece, guess, within, sign, nodes)
        high = max(high, bound)
        if point is not None and not settled.wider:
            away = int(distance(guess[within], point[within]))
            low, evidence = (away, point) if away > low else (low, evidence)
    return RadiusBounds(low, max(high, low), evidence)


def _same_total(program: OpenProgram, within: Mask) -> bool:
    """Whether all data sets are proven to have as many people there: then one has as many more as fewer."""
    if program.piece.summed(within) is not None:
        return True
    ones = within.astype(np.int64)
    try:
        return program.least(ones)[0] == -program.least(-ones)[0]
    except SolveError:
        return False


def _by_programs(
    program: OpenProgram, guess: Whole, within: Mask, sign: int, known: int
) -> tuple[int | None, Whole | None]:
    """The most that records can have above a guess (or below it), by linear programs that prove it.

    What a record between its ends has above the guess is at most what the line from its near end, where it
    has nothing, to its far end says. Where that is too much, the record is parted at the guess. ``None`` if
    too many parts are needed; ``known`` is a distance that some data set has.
    """
    best, point = known, None
    open_ = [(program.piece.lo, program.piece.hi)]
    for _ in range(MOST_PARTS):
        if not open_:
            return best, point
        lo, hi = open_.pop()
        program.narrow(lo, hi)
        line = _line_above(program.piece, guess, within, sign)
        try:
            least, found = program.least(-line.gain)
        except SolveError:
            return None, point
        if (-least - int(line.gain @ line.near)) // line.scale <= best:
            continue
        if found is None:
            return None, point
        above = np.where(within, np.maximum(sign * (found - guess), 0), 0)
        if above.sum() > best:
            best, point = int(above.sum()), found
            if (-least - int(line.gain @ line.near)) // line.scale <= best:
                continue
        too_much = line.gain * (found - line.near) - line.scale * above
        at = int(too_much.argmax())
        if too_much[at] <= 0:
            return None, point
        below, over = hi.copy(), lo.copy()
        below[at] = over[at] = guess[at]
        open_ += [(lo, below), (over, hi)]
    return None, point


def _most_by_one_program(program: OpenProgram, piece: Piece, guess: Whole, within: Mask, sign: int) -> int:
    """No fewer than records can have above a guess (or below it), without an integer solver.

    Nobody who must have a record can be above the guess, nor below it, who is there at all.
    """
    far = piece.hi if sign > 0 else piece.lo
    most = int(np.abs(far - guess)[within].sum())
    program.narrow(piece.lo, piece.hi)
    line = _line_above(piece, guess, within, sign)
    try:
        least = program.least(-line.gain)[0]
        total = -program.least(-within.astype(np.int64))[0] if sign > 0 else int(guess[within].sum())
    except SolveError:
        return most
    return min(most, (-least - int(line.gain @ line.near)) // line.scale, total - int(piece.lo[within].sum()))


@dataclass(frozen=True)
class _LineAbove:
    """At most what records have above a guess, times ``scale``: ``gain @ (x - near)``."""

    gain: Whole
    near: Whole
    scale: int


def _line_above(piece: Piece, guess: Whole, within: Mask, sign: int) -> _LineAbove:
    near, far = (piece.lo, piece.hi) if sign > 0 else (piece.hi, piece.lo)
    room, width = np.abs(far - guess), np.maximum(np.abs(far - near), 1)
    between = within & (guess != near) & (guess != far)
    scale = int(np.lcm.reduce(width[between], initial=1))
    if not 0 < scale <= LARGEST_SCALE:  # a coarser line that is above it, too
        scale = LARGEST_SCALE
    return _LineAbove(sign * np.where(within, -(-scale * room // width), 0), near, scale)


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
    limit = {"node_limit": nodes}
    solved = solve_whole(cost, integrality=kinds, bounds=ends, constraints=rows, options=limit)
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
