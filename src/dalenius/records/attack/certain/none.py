"""That nothing fits, proven in whole numbers: what an integer solver says is not taken at its word.

A solver works with tolerances. Here its "no" is proven again: bounds are propagated, and where that ends a
linear program gives multipliers under which the rows contradict each other, computed in whole numbers.
Where it does not contradict, a record is parted at a whole number, and both sides are proven.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from dalenius.errors import SolveError
from dalenius.matrices.highs import open_highs, opened
from dalenius.records.attack.certain.pieces import Piece
from dalenius.records.attack.certain.ranges import NEAR, proven_bound, row_ends
from dalenius.records.cells.grid import Whole

MOST_PARTS = 400
"""Parts into which a question is cut before it stays unproven."""

MOST_WORK = 2_000_000
"""Numbers in the rows of all parts together: of large questions fewer parts are tried."""


def proven_empty(piece: Piece, most: int = MOST_PARTS) -> bool:
    """Whether it is proven that no whole numbers fit; ``False`` says nothing.

    Examples
    --------
    >>> ends = np.array([3]), np.array([3]), np.array([0, 0]), np.array([2, 2])
    >>> pair = Piece(np.array([0, 1]), np.array([0]), sparse.csr_array(np.array([[2, 2]])), *ends)
    >>> proven_empty(pair)
    True
    >>> proven_empty(Piece(pair.records, pair.rows, sparse.csr_array(np.array([[1, 2]])), *ends))
    False
    """
    open_ = [(piece.lo.copy(), piece.hi.copy())]
    slack: _SlackProgram | None = None
    for _ in range(min(most, 1 + MOST_WORK // max(piece.A.nnz, 1))):
        if not open_:
            return True
        lo, hi = open_.pop()
        part = Piece(piece.records, piece.rows, piece.A, piece.low, piece.high, lo, hi)
        if (lo > hi).any() or part.tightened() >= 0:
            continue
        try:
            slack = slack or _SlackProgram(piece)
            point, multipliers = slack.solve(lo, hi)
        except SolveError:
            return False
        if proven_bound(part, np.zeros(piece.size, np.int64), multipliers) > 0:
            continue
        at = int(np.abs(point - np.rint(point)).argmax())
        if abs(point[at] - round(point[at])) < NEAR:
            wide = np.flatnonzero(lo < hi)
            if not wide.size:
                return False  # it fits, or the multipliers were too coarse
            at = int(wide[0])
        cut = min(max(int(np.floor(point[at])), int(lo[at])), int(hi[at]) - 1)
        if lo[at] == hi[at]:
            return False
        upper, lower = lo.copy(), hi.copy()
        upper[at], lower[at] = cut + 1, cut
        open_ += [(upper, hi.copy()), (lo.copy(), lower)]
    return not open_


class _SlackProgram:
    """The least by which rows must be missed; what it costs to miss each are the multipliers."""

    def __init__(self, piece: Piece) -> None:
        highs = open_highs()
        if highs is None:
            raise SolveError("linear program: no solver that keeps its rows")
        self.highs, self.size = highs, piece.size
        rows = piece.rows.size
        one = sparse.identity(rows, format="csr")
        wide: Any = sparse.hstack([piece.A.astype(np.float64), one, -one], format="csr")
        low, high = row_ends(piece)
        most = np.full(2 * rows, np.inf)
        self.open = opened(
            highs,
            wide,
            low,
            high,
            np.concatenate([piece.lo, np.zeros(2 * rows)]),
            np.concatenate([piece.hi, most]),
        )
        self.open.setOptionValue("presolve", "off")
        cost = np.concatenate([np.zeros(piece.size), np.ones(2 * rows)])
        self.open.changeColsCost(cost.size, np.arange(cost.size, dtype=np.int32), cost)

    def solve(self, lo: Whole, hi: Whole) -> tuple[Any, Any]:
        """The point that misses least within bounds, and the multipliers."""
        at = np.arange(self.size, dtype=np.int32)
        self.open.changeColsBounds(self.size, at, lo.astype(np.float64), hi.astype(np.float64))
        self.open.run()
        if self.open.getModelStatus() != self.highs.HighsModelStatus.kOptimal:
            raise SolveError("linear program: stopped")
        found = self.open.getSolution()
        return np.asarray(found.col_value)[: self.size], np.asarray(found.row_dual)
