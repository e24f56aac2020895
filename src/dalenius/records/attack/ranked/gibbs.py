"""Data sets of a piece that has too many to be written down, drawn by walks from several of those known.

Moves of two and three people need not connect all data sets. So walks begin far apart, jump by differences of
known data sets now and then, and how far their answers differ is reported.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from dalenius.errors import SolveError
from dalenius.random_kernel import state_of
from dalenius.records.attack.certain.pieces import Piece, entries_of
from dalenius.records.attack.certain.ranges import OpenProgram
from dalenius.records.attack.certain.settle import SettledPiece
from dalenius.records.attack.ranked._gibbs_kernels import walk
from dalenius.records.cells.grid import Whole

Floats = NDArray[np.float64]

WALKS = 4
"""From how many data sets walks begin."""

STEPS = 20_000
"""Steps of a walk at least; more where there are many people."""

STEPS_A_PERSON = 100

MOST_RECORDS = 6_000
"""Open records of a piece beyond which nothing is drawn."""

MOST_PAIRED = 1_500
"""Open records up to which pairs of them are written down."""

MOST_JUMPS = 200
"""Differences of known data sets that walks jump by, the smallest."""

KNOWN = 40
"""Data sets that should be known before a walk: corners in random directions are added up to here."""

SIGNATURES = 2011
"""The seed of the numbers that records are told apart by where nothing is drawn."""

KEPT = 1_000
"""Data sets of a walk that are counted, about."""


@dataclass(frozen=True)
class DrawnPiece:
    """How often records of a piece had each number: ``above[j][c]`` is Pr(more than ``lo + c`` people).

    ``apart`` is the largest difference between what two walks say, ``mode`` the most probable data set seen.
    """

    above: tuple[Floats, ...]
    mode: Whole
    apart: float


def draw_piece(settled: SettledPiece, log_shares: Floats, *, rng: np.random.Generator) -> DrawnPiece | None:
    """Walk over the data sets of a piece; ``None`` where none is known, or it has too many records.

    Examples
    --------
    >>> from scipy import sparse
    >>> ends = np.array([2]), np.array([2]), np.array([0, 0]), np.array([2, 2])
    >>> piece = Piece(np.array([0, 1]), np.array([0]), sparse.csr_array(np.array([[1, 1]])), *ends)
    >>> some = np.array([[1, 1]]), False, False, *[np.zeros(2, bool)] * 2
    >>> drawn = draw_piece(SettledPiece(piece, *some), np.zeros(2), rng=np.random.default_rng(1))
    >>> bool((abs(drawn.above[0] - [0.75, 0.25]) < 0.05).all()), drawn.mode.tolist()
    (True, [1, 1])
    """
    piece = settled.piece
    if not len(settled.points) or piece.size > MOST_RECORDS:
        return None
    tables = _WalkTables(piece, rng)
    points = _more_corners(piece, settled.points, rng)
    jumps = _differences(points)
    walks = [_walk(piece, tables, start, jumps, log_shares, rng) for start in _far_apart(points, WALKS)]
    shares = np.array([counts / seen for counts, seen, _ in walks])
    modes = np.array([mode for _, _, mode in walks])
    above = [_tail(shares[:, first:last]) for first, last in tables.slices]
    best = (modes @ log_shares - gammaln(modes + 1.0).sum(axis=1)).argmax()
    return DrawnPiece(
        tuple(each.mean(axis=0) for each in above),
        modes[best],
        max((float(np.ptp(each, axis=0).max(initial=0.0)) for each in above), default=0.0),
    )


def _tail(shares: Floats) -> Floats:
    """From shares of each number to shares of more than it, the last of which is 0 and left out."""
    found: Floats = np.cumsum(shares[:, ::-1], axis=1)[:, ::-1][:, 1:]
    return found


class _WalkTables:
    """Records by signature, one and two at a time, and where each record's counts stand."""

    def __init__(self, piece: Piece, rng: np.random.Generator) -> None:
        numbers = rng.integers(1, 1 << 63, piece.rows.size, dtype=np.uint64) | np.uint64(1)
        by_record = piece.A.tocsc()
        weights = by_record.data.astype(np.uint64) * numbers[by_record.indices]
        ends = np.concatenate([[np.uint64(0)], np.cumsum(weights, dtype=np.uint64)])
        self.signature = ends[by_record.indptr[1:]] - ends[by_record.indptr[:-1]]
        self.start, self.row, self.adds = entries_of(by_record)
        n = piece.size
        self.ones = _sorted(self.signature, np.stack([np.arange(n), np.full(n, -1)], axis=1))
        a, b = np.triu_indices(n if n <= MOST_PAIRED else 0)
        self.twos = _sorted(self.signature[a] + self.signature[b], np.stack([a, b], axis=1))
        width = piece.hi - piece.lo + 1
        self.begins = np.concatenate([[0], np.cumsum(width)[:-1]])
        self.places = int(width.sum())
        self.slices = list(zip(self.begins, self.begins + width, strict=True))


def pairs_change(piece: Piece) -> bool:
    """Whether two people can change their records and leave all rows as they are; unknown counts as not.

    Examples
    --------
    >>> from scipy import sparse
    >>> ends = np.array([2]), np.array([2]), np.array([0, 0]), np.array([2, 2])
    >>> pairs_change(Piece(np.array([0, 1]), np.array([0]), sparse.csr_array(np.array([[1, 1]])), *ends))
    True
    >>> own = sparse.csr_array(np.eye(2, dtype=np.int64))
    >>> pairs_change(Piece(np.array([0, 1]), np.array([0, 1]), own, *np.ones((2, 2), int), *ends[2:]))
    False
    """
    tables = _WalkTables(piece, np.random.default_rng(SIGNATURES))
    return len(tables.ones[0]) < len(tables.ones[2]) or len(tables.twos[0]) < len(tables.twos[2])


def _sorted(sums: NDArray[np.uint64], table: Whole) -> tuple[NDArray[np.uint64], Whole, Whole]:
    order = np.argsort(sums, kind="stable")
    distinct, first = np.unique(sums[order], return_index=True)
    return distinct, np.concatenate([first, [sums.size]]), table[order]


def _more_corners(piece: Piece, points: Whole, rng: np.random.Generator) -> Whole:
    """Add data sets at corners in random directions, where few are known."""
    program, found = None, [points]
    for _ in range(max(KNOWN - len(points), 0)):
        program = program or OpenProgram(piece)
        try:
            corner = program.least(rng.integers(-50, 51, piece.size))[1]
        except SolveError:
            break
        if corner is not None:
            found.append(corner[None])
    return np.unique(np.concatenate(found), axis=0)


def _differences(points: Whole) -> Whole:
    """Smallest differences of two data sets, each once whatever its sign."""
    some = points[:: max(len(points) // (2 * KNOWN), 1)]
    first, second = np.triu_indices(len(some), 1)
    steps = some[first] - some[second]
    lead = np.take_along_axis(steps, (steps != 0).argmax(axis=1)[:, None], axis=1) if len(steps) else steps
    steps = np.unique(steps * np.sign(lead), axis=0) if len(steps) else steps
    found: Whole = steps[np.argsort(np.abs(steps).sum(axis=1), kind="stable")[:MOST_JUMPS]]
    return found


def _far_apart(points: Whole, count: int) -> Whole:
    """Data sets far from each other, taken one after the other; each again if there are few."""
    chosen = [0]
    away = np.abs(points - points[0]).sum(axis=1)
    while len(chosen) < min(count, len(points)) and away.max() > 0:
        chosen.append(int(away.argmax()))
        away = np.minimum(away, np.abs(points - points[chosen[-1]]).sum(axis=1))
    found: Whole = points[np.resize(chosen, count)]
    return found


def _walk(
    piece: Piece,
    tables: _WalkTables,
    start: Whole,
    jumps: Whole,
    log_shares: Floats,
    rng: np.random.Generator,
) -> tuple[Whole, int, Whole]:
    x, mode = start.copy(), start.copy()
    people = int(piece.hi.sum()) + 1
    steps = max(STEPS, STEPS_A_PERSON * int(start.sum()))
    counts = np.zeros(tables.places, np.int64)
    seen = walk(
        state_of(rng),
        x,
        np.zeros(people, np.int64),
        piece.lo,
        piece.hi,
        log_shares - log_shares.mean(),
        tables.signature,
        *tables.ones,
        *tables.twos,
        tables.start,
        tables.row,
        tables.adds,
        piece.low,
        piece.high,
        jumps,
        (piece.A @ jumps.T).T.copy() if len(jumps) else np.zeros((0, piece.rows.size), np.int64),
        tables.begins,
        counts,
        mode,
        steps,
        max(steps // KEPT, 1),
    )
    return counts, seen, mode
