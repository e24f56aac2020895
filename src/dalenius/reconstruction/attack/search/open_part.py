"""What is open in a part: as linear programs read it, and as the board of the search among whole numbers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dalenius.errors import SolveError
from dalenius.matrices.answers import Vector
from dalenius.reconstruction.attack.cost import PROGRAM
from dalenius.reconstruction.attack.linalg.programs import Repeated
from dalenius.reconstruction.attack.program import Solution, proved_minimum
from dalenius.reconstruction.attack.search import _search_kernels as kernels
from dalenius.reconstruction.attack.search.parts import (
    FACTORISED,
    INTERIOR,
    SET_UP,
    SIMPLEX,
    SLACK,
    Part,
    Work,
)
from dalenius.reconstruction.attack.system.system import Whole

FAR = 1_000.0
"""By how much a linear program may miss its rows while it looks for a point that does not."""

COLD = 20.0
"""Passes over the entries that a linear program takes from nothing."""


@dataclass(frozen=True)
class Open:
    """What is still open of a part, without what is known and without rows that exclude nothing."""

    unknowns: NDArray[np.intp]
    A: sparse.csr_array
    low: Vector
    high: Vector
    least: Whole
    most: Whole

    @classmethod
    def of(cls, part: Part, board: kernels.Board) -> Open:
        """What a board leaves open of a part."""
        open_ = np.flatnonzero(board.least < board.most)
        known = np.where(board.least < board.most, 0, board.least).astype(np.float64)
        offset = part.A @ known
        A = sparse.csr_array(part.A.tocsc()[:, open_])
        least, most = board.least[open_], board.most[open_]
        low, high = part.low - offset, part.high - offset
        up, down = A.maximum(0), A.minimum(0)
        binding = (low > up @ least + down @ most) | (high < up @ most + down @ least)
        return cls(open_, sparse.csr_array(A[binding]), low[binding], high[binding], least, most)

    @property
    def seconds(self) -> float:
        """What one linear program from nothing will take."""
        return COLD * self.A.nnz / PROGRAM

    def full(self, point: Vector, known: Whole) -> Vector:
        """A point of the open sums as one of all."""
        everything = known.astype(np.float64)
        everything[self.unknowns] = point
        return everything

    @property
    def inside_seconds(self) -> float:
        """What one linear program by interior points will take before its steps are counted."""
        return SET_UP + min(self.A.shape) ** 3 / FACTORISED

    def middle(self, steps: int, work: Work) -> Solution:
        """A point near the middle of all that meet the rows, or may miss them by a little."""
        from dalenius.reconstruction.attack.linalg.programs import middle

        ends = self.low, self.high, self.least, self.most

        def solve(most_steps: int) -> Solution:
            return middle(self.A, *ends, min(steps, most_steps))

        return work.solved(self.A.nnz, INTERIOR, solve, self.inside_seconds)

    def proved(self, cost: Vector, multipliers: Vector) -> float:
        """A number that ``cost @ x`` is never below, for sure."""
        return proved_minimum(self.A, self.low, self.high, self.least, self.most, cost, multipliers)


class Meeting:
    """Whether the rows of what is open can be met within ends that change from one question to the next.

    How much all rows must give way is minimised; they need not if that is 0, and cannot be met if a bound
    that holds in spite of rounding is above 0. Each program is started from the one before it: other ends
    leave its multipliers feasible.
    """

    def __init__(self, open_: Open) -> None:
        m, n = open_.A.shape
        self.unknowns = open_.unknowns
        give = sparse.csr_array(np.ones((m, 1)))
        self.A = sparse.csr_array(
            sparse.vstack([sparse.hstack([open_.A, give]), sparse.hstack([open_.A, -give])])
        )
        nothing = np.full(m, np.inf)
        self.low = np.concatenate([open_.low, -nothing])
        self.high = np.concatenate([nothing, open_.high])
        self.cost = np.append(np.zeros(n), 1.0)
        ends = self._ends(open_.least, open_.most)
        self.program = Repeated(self.A, self.low, self.high, *ends, moving_ends=True)

    def point(self, least: Whole, most: Whole, work: Work) -> Vector | None:
        """A point within the ends that meets all rows, or ``None`` where there is none for sure."""
        ends = self._ends(least[self.unknowns], most[self.unknowns])
        self.program.within(*ends)
        found = work.solved(self.A.nnz, SIMPLEX, partial(self.program.solve, self.cost))
        if proved_minimum(self.A, self.low, self.high, *ends, self.cost, found.multipliers) > 0:
            return None
        if found.point[-1] > SLACK:
            raise SolveError("the linear program left it open whether its rows can be met")
        return np.asarray(found.point[:-1], np.float64)

    @staticmethod
    def _ends(least: Whole, most: Whole) -> tuple[Whole, Whole]:
        """The ends of all unknowns, and of how much rows may give way."""
        return np.append(least, 0), np.append(most, int(FAR))


def make_board(part: Part) -> kernels.Board:
    """The counting rows of a part, for the search among whole numbers."""
    big = np.iinfo(np.int64).max // 8
    rows = sparse.csr_array(part.A[np.flatnonzero(part.whole)])
    columns = rows.tocsc()
    low, high = (
        np.nan_to_num(end[part.whole], posinf=big, neginf=-big).astype(np.int64)
        for end in (part.low, part.high)
    )
    m = low.size
    least, most = part.least.astype(np.int64), part.most.astype(np.int64)
    width = int((most - least).sum())
    indices = rows.indptr, rows.indices, columns.indptr, columns.indices
    start, member, column, row = (index.astype(np.int64) for index in indices)
    board = kernels.Board(
        start,
        member,
        column,
        row,
        low,
        high,
        least,
        most,
        np.zeros(m, np.int64),
        np.zeros(m, np.int64),
        np.zeros(m, np.bool_),
        np.zeros(m + 1, np.int64),
        np.zeros((width + 1, 3), np.int64),
        np.zeros(4, np.int64),
    )
    kernels.add_up(board)
    return board


def renewed(board: kernels.Board, least: Whole, most: Whole) -> kernels.Board:
    """The same rows with other bounds, for a search of their own."""
    m = board.low.size
    fresh = board._replace(
        least=least.copy(),
        most=most.copy(),
        sum_least=np.zeros(m, np.int64),
        sum_most=np.zeros(m, np.int64),
        waits=np.zeros(m, np.bool_),
        queue=np.zeros(m + 1, np.int64),
        trail=np.zeros_like(board.trail),
        state=np.zeros(4, np.int64),
    )
    kernels.add_up(fresh)
    return fresh


def reach_one(
    board: kernels.Board, near: Whole, steps: int, i: int, low: int, high: int
) -> tuple[int, Whole]:
    """Look for a solution near another one in which a sum is between ``low`` and ``high``."""
    found = np.zeros(board.least.size, np.int64)
    return kernels.reach(board, near, found, steps, i, low, high), found


def explore_one(
    board: kernels.Board, hint: Whole, steps: int, i: int = -1, low: int = 0, high: int = 0
) -> tuple[int, Whole]:
    """Look for one solution; with ``i`` for one in which that sum is between ``low`` and ``high``."""
    n = board.least.size
    found, mean = np.zeros(n, np.int64), np.zeros(n)
    flat = np.zeros((n, int((board.most - board.least).max(initial=0)) + 1))
    ended, _, _ = kernels.explore(board, hint, flat, board.least.copy(), found, mean, steps, 1, i, low, high)
    return ended, found
