"""How often a record can be there, by linear programs whose answers are proven in whole numbers.

A program ends with multipliers, and any multipliers prove a bound. They are rounded to fractions of 2^16 and
the bound is computed from them in whole numbers: no tolerance of a solver is in what is claimed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from dalenius.errors import SolveError
from dalenius.matrices.highs import open_highs, opened
from dalenius.records.attack.certain._kernels import bound_by
from dalenius.records.attack.certain.pieces import Piece, entries_of
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


SIDES = 2010
"""The seed of which end of a record is looked for first where both are open; any will do."""

FAILS = 3
"""Programs over all open ends that may find nothing new, before each end gets one of its own."""


PROGRAMMED = 1_000_000_000
"""Steps of all linear programs about one piece, times the numbers in its rows: about five seconds."""


class OpenProgram:
    """Linear programs over one piece that differ only in what is minimised.

    ``work`` is what they took so far, in steps times numbers in the rows: the same on every machine.
    """

    def __init__(self, piece: Piece) -> None:
        self.piece = piece
        self.low, self.high = row_ends(piece)
        self._highs = open_highs()
        self._open: Any = None
        self.corner: Any = None
        self.work = 0
        if self._highs is not None:
            real = piece.A.astype(np.float64)
            self._open = opened(self._highs, real, self.low, self.high, piece.lo, piece.hi)
            self._open.setOptionValue("presolve", "off")
            self._open.setOptionValue("simplex_strategy", PRIMAL_SIMPLEX)

    def least(self, cost: Whole) -> tuple[int, Whole | None]:
        """Return a proven lower bound of ``cost @ x``, and a data set at the corner found if it is whole.

        The corner itself stays in ``corner``.

        Raises
        ------
        SolveError
            If there is no point at all, or the solver stopped.
        """
        point, multipliers = self._solve(cost.astype(np.float64))
        whole = np.rint(point).astype(np.int64)
        is_whole = bool((np.abs(point - whole) < NEAR).all()) and self.piece.fits(whole)
        self.corner = point
        return proven_bound(self.piece, cost, multipliers), whole if is_whole else None

    def narrow(self, lo: Whole, hi: Whole) -> None:
        """Go on within other bounds."""
        self.piece = replace(self.piece, lo=lo, hi=hi)
        if self._open is not None:
            at = np.arange(lo.size, dtype=np.int32)
            self._open.changeColsBounds(lo.size, at, lo.astype(np.float64), hi.astype(np.float64))

    def _solve(self, cost: Any) -> tuple[Any, Any]:
        if self._open is None:
            return self._from_nothing(cost)
        solver = self._open
        solver.changeColsCost(cost.size, np.arange(cost.size, dtype=np.int32), cost)
        solver.run()
        if solver.getModelStatus() != self._highs.HighsModelStatus.kOptimal:
            raise SolveError(f"linear program: {solver.modelStatusToString(solver.getModelStatus())}")
        self.work += int(solver.getInfo().simplex_iteration_count) * self.piece.A.nnz
        found = solver.getSolution()
        return np.asarray(found.col_value), np.asarray(found.row_dual)

    def _from_nothing(self, cost: Any) -> tuple[Any, Any]:
        from scipy.optimize import linprog

        piece = self.piece
        ends, begins = np.isfinite(self.high), np.isfinite(self.low)
        upper = sparse.vstack([piece.A[ends], -piece.A[begins]]).tocsr()
        limit = np.concatenate([self.high[ends], -self.low[begins]])
        solve: Any = linprog  # its types know no sparse rows
        solved = solve(
            cost, A_ub=upper, b_ub=limit, bounds=np.stack([piece.lo, piece.hi], 1), method="highs-ds"
        )
        if solved.x is None:
            raise SolveError(f"linear program: {solved.message}")
        self.work += int(solved.nit) * piece.A.nnz
        sides = np.asarray(solved.ineqlin.marginals)
        multipliers = np.zeros(self.low.size)
        multipliers[begins] -= sides[ends.sum() :]
        multipliers[ends] += sides[: ends.sum()]
        return solved.x, multipliers


def row_ends(piece: Piece) -> tuple[Any, Any]:
    """The ends of the rows as a solver takes them, infinite where there is no limit."""
    low, high = piece.low.astype(np.float64), piece.high.astype(np.float64)
    far = NO_LIMIT // 2
    return np.where(piece.low <= -far, -np.inf, low), np.where(piece.high >= far, np.inf, high)


def proven_bound(piece: Piece, cost: Whole, multipliers: Any) -> int:
    """The least whole number that ``cost @ x`` can be, as far as some multipliers prove it.

    Examples
    --------
    >>> ends = np.array([3]), np.array([3]), np.array([0, 0]), np.array([2, 2])
    >>> piece = Piece(np.array([0, 1]), np.array([0]), sparse.csr_array(np.array([[1, 1]])), *ends)
    >>> [proven_bound(piece, np.array([1, 0]), np.array([each])) for each in (1.0, 0.4, -1.0)]
    [1, 1, -3]
    """
    limited = np.clip(multipliers, -MOST_MULTIPLIER, MOST_MULTIPLIER)
    parts = np.rint(limited * PARTS).astype(np.int64)
    far = NO_LIMIT // 2
    ends = piece.low, piece.high, piece.lo, piece.hi
    return int(bound_by(*entries_of(piece.A), *ends, cost, parts, PARTS, far, LARGEST_SUM))


def tighten_by_programs(
    piece: Piece, known: Sequence[Whole] = (), most: int = PROGRAMMED
) -> tuple[list[Whole], int]:
    """Narrow the bounds of a piece to the linear ranges, rounded inwards, in place.

    A bound that some data set attains needs no program, and a corner usually attains most of them. Once the
    programs took ``most``, what is left stays as it is. Returns the data sets seen, and what was taken.
    """
    search = _EndSearch(piece, known)
    if not known:
        search.look(np.zeros(piece.size, np.int64))
    search.together()
    search.grouped()
    search.one_by_one(most)
    return search.seen, search.program.work


class _EndSearch:
    """Data sets seen, the ends that they attain, and programs for the others."""

    def __init__(self, piece: Piece, known: Sequence[Whole]) -> None:
        self.piece, self.program, self.seen = piece, OpenProgram(piece), list(known)
        self.least = np.min([np.full(piece.size, NO_LIMIT), *known], axis=0)
        self.most = np.max([np.full(piece.size, -1), *known], axis=0)

    def look(self, cost: Whole) -> int:
        """Solve a program; returns its proven bound."""
        bound, point = self.program.least(cost)
        if point is not None:
            self.seen.append(point)
            np.minimum(self.least, point, out=self.least)
            np.maximum(self.most, point, out=self.most)
        return bound

    def together(self) -> None:
        """Move all records at once towards ends that nothing seen attains, as long as that finds some."""
        rng = np.random.default_rng(SIDES)
        fails = 0
        while fails < FAILS:
            low, high = self.least > self.piece.lo, self.most < self.piece.hi
            gaps = int(low.sum() + high.sum())
            if gaps <= FAILS:
                return
            down = low & (~high | (rng.random(low.size) < 0.5))
            self.look(np.where(down, 1, np.where(high, -1, 0)))
            left = int((self.least > self.piece.lo).sum() + (self.most < self.piece.hi).sum())
            fails = fails + 1 if left == gaps else 0

    def grouped(self) -> None:
        """Settle many records at once that were never seen away from one of their ends.

        If all of them together cannot be above their low ends, none can; those that a program moves are
        left to a program of their own, and the rest are tried again.
        """
        piece = self.piece
        moved = False
        for side in (-1, 1):
            fixed, end = (self.most == piece.lo, piece.lo) if side < 0 else (self.least == piece.hi, piece.hi)
            group = fixed & (piece.lo < piece.hi)
            while group.sum() > 1:
                cost = np.where(group, side, 0)
                if self.look(cost) >= int(cost @ end):
                    (piece.hi if side < 0 else piece.lo)[group] = end[group]
                    moved = True
                    break
                away = group & (np.abs(self.program.corner - end) > NEAR)
                if not away.any():
                    break
                group &= ~away
        if moved:
            self.program.narrow(piece.lo, piece.hi)

    def one_by_one(self, most: int) -> None:
        """Bound what is left, each end by a program of its own; low ends first, since they are the claims."""
        piece = self.piece
        for side in (1, -1):
            for at in range(piece.size):
                if self.program.work >= most:
                    return
                if (self.least[at] > piece.lo[at]) if side > 0 else (self.most[at] < piece.hi[at]):
                    one = np.zeros(piece.size, np.int64)
                    one[at] = side
                    bound = side * self.look(one)
                    if side > 0:
                        piece.lo[at] = max(int(piece.lo[at]), bound)
                    else:
                        piece.hi[at] = min(int(piece.hi[at]), bound)
