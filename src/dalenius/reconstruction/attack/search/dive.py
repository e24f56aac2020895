"""Some whole numbers that meet all rows, by linear programs that are led to whole corners.

A corner of what meets all rows has few fractions where rows count people. The fraction nearest to a whole
number is made whole, rows are followed, and the program is solved again from where it stood; mostly a short
search among whole numbers near a corner ends it. A dive that comes to nothing is begun anew towards another
corner, with costs and fractions that are drawn: always the same, so that every machine finds the same.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from dalenius.matrices.answers import Vector
from dalenius.reconstruction.attack.linalg.programs import Repeated
from dalenius.reconstruction.attack.program import UnsolvedError
from dalenius.reconstruction.attack.search import _search_kernels as kernels
from dalenius.reconstruction.attack.search.open_part import Open, explore_one, renewed
from dalenius.reconstruction.attack.search.parts import SIMPLEX, SLACK, Work
from dalenius.reconstruction.attack.system.system import Whole

Ends = tuple[Whole, Whole]

DEEP = 60
"""Fractions that one dive makes whole before it is begun anew."""

TURNS = 5
"""How often a dive may go the other way where it came to nothing."""

NEAR = 100
"""Assumptions that a search near a corner may make."""


class Dive:
    """Dives into what a board leaves open; what is found is to be checked, as after any solver."""

    def __init__(self, open_: Open, board: kernels.Board, work: Work) -> None:
        self.open_, self.board, self.work = open_, board, work
        self.rng = np.random.default_rng(0)
        ends = open_.low, open_.high, open_.least, open_.most
        self.program = Repeated(open_.A, *ends, moving_ends=True)

    def run(self) -> Whole | None:
        """Dive until something is found or no work is left."""
        cost = np.zeros(self.open_.unknowns.size)
        if self._corner(renewed(self.board, self.board.least, self.board.most), cost) is None:
            return None
        while self.work.left > 0:
            found = self._dive(cost)
            if found is not None:
                return found
            cost = self.rng.standard_normal(cost.size)
        return None

    def _dive(self, cost: Vector) -> Whole | None:
        here: Ends = self.board.least, self.board.most
        other: Ends | None = None
        turns = 0
        for _ in range(DEEP):
            if self.work.left == 0:
                return None
            board = renewed(self.board, *here)
            point = self._corner(board, cost)
            if point is not None and (off := np.abs(point - np.rint(point))).max() < SLACK:
                return np.rint(point).astype(np.int64)
            ended, found = (kernels.NONE, None) if point is None else self._near(board, point)
            if ended == kernels.FOUND:
                return found
            if point is not None and ended == kernels.GAVE_UP:
                fractions = np.flatnonzero(off > SLACK)
                i = self.rng.choice(fractions) if cost.any() else fractions[np.argmin(off[fractions])]
                here, other = _made_whole(board, int(i), float(point[i]))
            elif other is None or turns == TURNS:
                return None
            else:
                here, other, turns = other, None, turns + 1
        return None

    def _near(self, board: kernels.Board, point: Vector) -> tuple[int, Whole]:
        found = explore_one(board, np.rint(point).astype(np.int64), NEAR)
        self.work.looked(board)
        return found

    def _corner(self, board: kernels.Board, cost: Vector) -> Vector | None:
        """A corner of what a board leaves, as a point of all sums; ``None`` where there is none."""
        possible = kernels.settle(board)
        self.work.looked(board)
        if not possible:
            return None
        at = self.open_.unknowns
        self.program.within(board.least[at], board.most[at])
        try:
            solved = self.work.solved(self.open_.A.nnz, SIMPLEX, partial(self.program.solve, cost))
        except UnsolvedError:
            return None
        return self.open_.full(solved.point, board.least)


def _made_whole(board: kernels.Board, i: int, fraction: float) -> tuple[Ends, Ends]:
    """The ends with a fraction made whole, and those that go the other way."""
    below, above = board.most.copy(), board.least.copy()
    below[i], above[i] = np.floor(fraction), np.ceil(fraction)
    down, up = (board.least, below), (above, board.most)
    return (up, down) if np.rint(fraction) > fraction else (down, up)
