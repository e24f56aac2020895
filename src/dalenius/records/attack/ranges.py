"""How often a record can be there, by linear programs whose answers are proven in whole numbers.

A program ends with multipliers, and any multipliers prove a bound. They are rounded to fractions of 2^16 and
the bound is computed from them in whole numbers: no tolerance of a solver is in what is claimed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from dalenius.errors import SolveError
from dalenius.matrices.highs import open_highs, opened
from dalenius.records.attack.pieces import Piece
from dalenius.records.cells.cell import NO_LIMIT
from dalenius.records.cells.grid import Whole

PARTS = 1 << 16
"""Multipliers are so many parts of one."""

PRIMAL_SIMPLEX = 4
"""HiGHS's word for the simplex that keeps the point feasible while costs change."""

MOST_MULTIPLIER = 1000.0
"""Larger ones are cut, which proves less and never too much."""

LARGEST_SUM = float(1 << 62)
"""Sums of whole numbers beyond it could turn over."""

NEAR = 1e-6
"""How near to a whole number a corner must be to be tried as one; whether it fits is then computed."""


class OpenProgram:
    """Linear programs over one piece that differ only in what is minimised."""

    def __init__(self, piece: Piece) -> None:
        self.piece = piece
        self.transposed = piece.A.T.tocsr()
        self.low = piece.low.astype(np.float64)
        self.high = np.where(piece.high >= NO_LIMIT // 2, np.inf, piece.high.astype(np.float64))
        self._highs = open_highs()
        self._open: Any = None
        if self._highs is not None:
            real = piece.A.astype(np.float64)
            self._open = opened(self._highs, real, self.low, self.high, piece.lo, piece.hi)
            self._open.setOptionValue("presolve", "off")
            self._open.setOptionValue("simplex_strategy", PRIMAL_SIMPLEX)

    def least(self, cost: Whole) -> tuple[int, Whole | None]:
        """Return a proven lower bound of ``cost @ x``, and a data set at the corner found if it is whole.

        Raises
        ------
        SolveError
            If there is no point at all, or the solver stopped.
        """
        point, multipliers = self._solve(cost.astype(np.float64))
        whole = np.rint(point).astype(np.int64)
        is_whole = bool((np.abs(point - whole) < NEAR).all()) and self.piece.fits(whole)
        return self.proven(cost, multipliers), whole if is_whole else None

    def proven(self, cost: Whole, multipliers: Any) -> int:
        """The least whole number that ``cost @ x`` can be, as far as some multipliers prove it."""
        piece = self.piece
        parts = np.rint(np.clip(multipliers, -MOST_MULTIPLIER, MOST_MULTIPLIER) * PARTS).astype(np.int64)
        parts[(parts < 0) & ~np.isfinite(self.high)] = 0
        reduced = cost * PARTS - self.transposed @ parts
        sizes = np.abs(parts) @ np.maximum(np.abs(self.low), np.where(parts < 0, piece.high, 0))
        if sizes + np.abs(reduced).astype(np.float64) @ np.abs(piece.hi).astype(np.float64) > LARGEST_SUM:
            return int(np.minimum(cost * piece.lo, cost * piece.hi).sum())
        by_rows = int((np.where(parts > 0, parts * piece.low, 0)).sum())
        by_rows += int((np.where(parts < 0, parts, 0) * np.where(parts < 0, piece.high, 0)).sum())
        total = by_rows + int(np.minimum(reduced * piece.lo, reduced * piece.hi).sum())
        return -((-total) // PARTS)

    def _solve(self, cost: Any) -> tuple[Any, Any]:
        if self._open is None:
            return self._from_nothing(cost)
        solver = self._open
        solver.changeColsCost(cost.size, np.arange(cost.size, dtype=np.int32), cost)
        solver.run()
        if solver.getModelStatus() != self._highs.HighsModelStatus.kOptimal:
            raise SolveError(f"linear program: {solver.modelStatusToString(solver.getModelStatus())}")
        found = solver.getSolution()
        return np.asarray(found.col_value), np.asarray(found.row_dual)

    def _from_nothing(self, cost: Any) -> tuple[Any, Any]:
        from scipy.optimize import linprog

        piece = self.piece
        ends = np.isfinite(self.high)
        upper = sparse.vstack([piece.A[ends], -piece.A]).tocsr()
        limit = np.concatenate([self.high[ends], -self.low])
        solve: Any = linprog  # its types know no sparse rows
        solved = solve(
            cost, A_ub=upper, b_ub=limit, bounds=np.stack([piece.lo, piece.hi], 1), method="highs-ds"
        )
        if solved.x is None:
            raise SolveError(f"linear program: {solved.message}")
        sides = np.asarray(solved.ineqlin.marginals)
        multipliers = -sides[ends.sum() :]
        multipliers[ends] += sides[: ends.sum()]
        return solved.x, multipliers


def tighten_by_programs(piece: Piece) -> list[Whole]:
    """Narrow the bounds of a piece to the linear ranges, rounded inwards, in place; returns data sets seen.

    A bound that some data set attains needs no program, and a corner usually attains most of them.
    """
    program, seen = OpenProgram(piece), []
    least = np.full(piece.size, NO_LIMIT)
    most = np.full(piece.size, -1)

    def look(cost: Whole) -> int:
        bound, point = program.least(cost)
        if point is not None:
            seen.append(point)
            np.minimum(least, point, out=least)
            np.maximum(most, point, out=most)
        return bound

    look(np.zeros(piece.size, np.int64))
    for at in range(piece.size):
        one = np.zeros(piece.size, np.int64)
        one[at] = 1
        if least[at] > piece.lo[at]:
            piece.lo[at] = max(int(piece.lo[at]), look(one))
        if most[at] < piece.hi[at]:
            piece.hi[at] = min(int(piece.hi[at]), -look(-one))
    return seen
