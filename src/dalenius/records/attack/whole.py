"""Questions about whole numbers that are asked once: is there a data set, is there another, is there less?

A question asks for any point, never for the best one: that is what makes it cheap. What comes back is checked
by exact arithmetic; "no" is the word of the integer solver, which branches until nothing is left.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp

from dalenius.records.attack.pieces import Piece
from dalenius.records.cells.cell import NO_LIMIT
from dalenius.records.cells.grid import Whole

NODES = 20_000
"""Branches of one question: the same on every machine, unlike seconds."""

OPTIMAL, LIMIT, INFEASIBLE = 0, 1, 2
"""SciPy's words for how an integer program ended."""


@dataclass(frozen=True)
class Answer:
    """``yes`` with a data set that shows it, ``no``, or ``open`` where the solver was stopped."""

    said: Literal["yes", "no", "open"]
    point: Whole | None = None


def any_fit(piece: Piece, lo: Whole | None = None, hi: Whole | None = None, nodes: int = NODES) -> Answer:
    """Is there a data set, perhaps within other bounds?

    Examples
    --------
    >>> ends = np.array([3]), np.array([3]), np.array([0, 0]), np.array([2, 2])
    >>> piece = Piece(np.array([0, 1]), np.array([0]), sparse.csr_array(np.array([[1, 1]])), *ends)
    >>> any_fit(piece).said, any_fit(piece, hi=np.array([0, 2])).said
    ('yes', 'no')
    """
    lo, hi = piece.lo if lo is None else lo, piece.hi if hi is None else hi
    if (lo > hi).any():
        return Answer("no")
    low, high = row_ends(piece)
    rows = LinearConstraint(piece.A.astype(np.float64), low, high)
    return _ask(piece, np.zeros(piece.size), (lo, hi), rows, nodes)


def another_fit(piece: Piece, point: Whole, nodes: int = NODES) -> Answer:
    """Is there a data set besides ``point``?

    One row says that something differs. A record at its low end differs by what it has more, one at its
    high end by what it has less; one between both gets two numbers, more and less, of which a choice of
    its own leaves only one: otherwise both could be 1 and nothing would differ.

    Examples
    --------
    >>> ends = np.array([3]), np.array([3]), np.array([0, 0]), np.array([2, 2])
    >>> piece = Piece(np.array([0, 1]), np.array([0]), sparse.csr_array(np.array([[1, 1]])), *ends)
    >>> another_fit(piece, np.array([1, 2])).point.tolist()
    [2, 1]
    """
    n = piece.size
    between = np.flatnonzero((point > piece.lo) & (point < piece.hi))
    m = between.size
    sign = np.where(point == piece.lo, 1.0, np.where(point == piece.hi, -1.0, 0.0))
    up, down = (piece.hi - point)[between], (point - piece.lo)[between]
    low, high = row_ends(piece)
    pick = sparse.csr_array((np.ones(m), (np.arange(m), between)), shape=(m, n))
    one, none = sparse.identity(m, format="csr"), sparse.csr_array((m, m))
    blocks: Any = [
        [piece.A.astype(np.float64), None, None, None],
        [sparse.csr_array(sign[None, :]), *[sparse.csr_array(np.ones((1, m)))] * 2, None],
        [pick, -one, one, none],
        [sparse.csr_array((m, n)), one, none, -sparse.diags_array(up.astype(np.float64))],
        [sparse.csr_array((m, n)), none, one, sparse.diags_array(down.astype(np.float64))],
    ]
    if not m:
        blocks = [row[:1] for row in blocks[:2]]
    free = np.full(m, -np.inf)
    lower = [low, [1.0 + sign @ point], point[between], free, free]
    upper = [high, [np.inf], point[between], np.zeros(m), down]
    rows = LinearConstraint(
        sparse.block_array(blocks, format="csr"), np.concatenate(lower), np.concatenate(upper)
    )
    ends = (
        np.concatenate([piece.lo, np.zeros(3 * m)]),
        np.concatenate([piece.hi, up, down, np.ones(m)]),
    )
    answer = _ask(piece, np.zeros(n + 3 * m), ends, rows, nodes)
    if answer.point is not None and (answer.point == point).all():
        return Answer("open")
    return answer


def row_ends(piece: Piece) -> tuple[Any, Any]:
    """The ends of the rows as a solver takes them, infinite where there is no limit."""
    high = piece.high.astype(np.float64)
    return piece.low.astype(np.float64), np.where(piece.high >= NO_LIMIT // 2, np.inf, high)


def _ask(piece: Piece, cost: Any, ends: tuple[Any, Any], rows: LinearConstraint, nodes: int) -> Answer:
    solved = milp(
        cost,
        integrality=np.ones(cost.size),
        bounds=Bounds(*ends),
        constraints=rows,
        options={"node_limit": nodes},
    )
    if solved.status == INFEASIBLE:
        return Answer("no")
    if solved.x is None:
        return Answer("open")
    point = np.rint(solved.x[: piece.size]).astype(np.int64)
    return Answer("yes", point) if piece.fits(point) else Answer("open")
