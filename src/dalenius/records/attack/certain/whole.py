"""Questions about whole numbers that are asked once: is there a data set, is there another, is there less?

A question asks for any point, never for the best one: that is what makes it cheap. What comes back is checked
by exact arithmetic; a "no" is proven again where that is possible, and else the word of the integer solver.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint

from dalenius.matrices.integer import solve_whole
from dalenius.records.attack.certain.none import proven_empty
from dalenius.records.attack.certain.pieces import Piece
from dalenius.records.attack.certain.ranges import row_ends
from dalenius.records.cells.cell import NO_LIMIT
from dalenius.records.cells.grid import Whole

NODES = 20_000
"""Branches of one question: the same on every machine, unlike seconds."""

WORK = 200_000_000
"""Branches times rows times records, of one question: of large ones fewer branches are tried."""

MOST_BRANCHED = 1_000_000
"""Rows times records up to which a question may have branches: what a solver does before the first takes a
minute beyond it, and what it does not see at once stays open."""

FIRST = 30
"""Branches that take as long as what a solver does before the first, about."""

OPTIMAL, LIMIT, INFEASIBLE = 0, 1, 2
"""SciPy's words for how an integer program ended."""


@dataclass(frozen=True)
class Answer:
    """``yes`` with a data set that shows it, ``no``, or ``open`` where the solver was stopped.

    ``proven`` says of a ``no`` whether it was proven again in whole numbers, or is the solver's word;
    ``work`` is what the question took, in branches times rows times records.
    """

    said: Literal["yes", "no", "open"]
    point: Whole | None = None
    proven: bool = False
    work: int = 0


def any_fit(piece: Piece, lo: Whole | None = None, hi: Whole | None = None, nodes: int = NODES) -> Answer:
    """Is there a data set, perhaps within other bounds?

    Examples
    --------
    >>> ends = np.array([3]), np.array([3]), np.array([0, 0]), np.array([2, 2])
    >>> piece = Piece(np.array([0, 1]), np.array([0]), sparse.csr_array(np.array([[1, 1]])), *ends)
    >>> any_fit(piece).said, any_fit(piece, hi=np.array([0, 2])).said
    ('yes', 'no')
    """
    within = replace(piece, lo=piece.lo if lo is None else lo, hi=piece.hi if hi is None else hi)
    return Answer("no", proven=True) if (within.lo > within.hi).any() else _ask(piece, within, nodes)


def another_fit(piece: Piece, points: Whole, nodes: int = NODES) -> Answer:
    """Is there a data set besides ``points``, one row each?

    Examples
    --------
    >>> ends = np.array([3]), np.array([3]), np.array([0, 0]), np.array([2, 2])
    >>> piece = Piece(np.array([0, 1]), np.array([0]), sparse.csr_array(np.array([[1, 1]])), *ends)
    >>> another_fit(piece, np.array([[1, 2]])).point.tolist()
    [2, 1]
    >>> another_fit(piece, np.array([[1, 2], [2, 1]])).said
    'no'
    """
    wider = piece
    for point in points:
        wider = _except(wider, piece, point)
    answer = _ask(piece, wider, nodes)
    if answer.point is not None and (answer.point == points).all(axis=1).any():
        return replace(answer, said="open", point=None)
    return answer


def _except(wider: Piece, piece: Piece, point: Whole) -> Piece:
    """Add a row that says that something differs from a point.

    A record at its low end differs by what it has more, one at its high end by what it has less; one
    between both gets two numbers, more and less, of which a choice of its own leaves only one: otherwise
    both could be 1 and nothing would differ.
    """
    between = np.flatnonzero((point > piece.lo) & (point < piece.hi))
    m, n = between.size, wider.size
    sign = np.zeros(n, np.int64)
    sign[: piece.size] = np.where(point == piece.lo, 1, np.where(point == piece.hi, -1, 0))
    up, down = (piece.hi - point)[between], (point - piece.lo)[between]
    make: Any = sparse.csr_array  # its types know no whole numbers
    pick = make((np.ones(m, np.int64), (np.arange(m), between)), shape=(m, n))
    one, none = make(sparse.identity(m, np.int64)), make((m, m), dtype=np.int64)
    both = make(np.ones((1, m), np.int64))
    blocks: Any = [
        [wider.A, None, None, None],
        [make(sign[None, :]), both, both, None],
        [pick, -one, one, none],
        [make((m, n), dtype=np.int64), one, none, -make(sparse.diags_array(up, dtype=np.int64))],
        [make((m, n), dtype=np.int64), none, one, make(sparse.diags_array(down, dtype=np.int64))],
    ]
    if not m:
        blocks = [row[:1] for row in blocks[:2]]
    free = np.full(m, -NO_LIMIT)
    differs = 1 + int(sign[: piece.size] @ point)
    low: Any = [wider.low, [differs], point[between], free, free]
    high: Any = [wider.high, [NO_LIMIT], point[between], np.zeros(m, np.int64), down]
    rows = 1 + (3 * m if m else 0)
    return Piece(
        np.concatenate([wider.records, np.full(3 * m, -1)]),
        np.concatenate([wider.rows, np.full(rows, -1)]),
        sparse.block_array(blocks, format="csr"),
        np.concatenate(low).astype(np.int64),
        np.concatenate(high).astype(np.int64),
        np.concatenate([wider.lo, np.zeros(3 * m, np.int64)]),
        np.concatenate([wider.hi, up, down, np.ones(m, np.int64)]),
    )


def size_of(question: Piece) -> int:
    """Rows times records, at least 1: what a branch takes grows with it."""
    return max(question.rows.size * question.size, 1)


def _ask(piece: Piece, question: Piece, nodes: int) -> Answer:
    """Ask for any point of a question, which is a piece with further rows and columns."""
    rows = LinearConstraint(question.A.astype(np.float64), *row_ends(question))
    size = size_of(question)
    limit = min(nodes, WORK // size) if size <= MOST_BRANCHED else 0
    solved = solve_whole(
        np.zeros(question.size),
        integrality=np.ones(question.size, np.int64),
        bounds=Bounds(question.lo, question.hi),
        constraints=rows,
        options={"node_limit": limit},
    )
    branches = getattr(solved, "mip_node_count", None)  # not told where it was stopped
    work = size * (FIRST + (limit if branches is None else int(branches)))
    if solved.status == INFEASIBLE:
        return Answer("no", proven=proven_empty(question), work=work)
    if solved.x is None:
        return Answer("open", work=work)
    point = np.rint(solved.x[: piece.size]).astype(np.int64)
    fits = piece.fits(point)
    return Answer("yes" if fits else "open", point if fits else None, work=work)
