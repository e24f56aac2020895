"""Proofs around one solution: what else could anybody have?

One solution in whole numbers, found in any way, says what each sum would have to be if it were certain. Many
of them are proved together (`middle`). What is then still undecided is tried one by one: a solution in
whole numbers with another value shows that a sum is open; a search that finds none though it tried all, or a
linear program that leaves no room, proves it certain.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import SolveError
from dalenius.matrices.answers import Vector
from dalenius.reconstruction.attack.search import _search_kernels as kernels
from dalenius.reconstruction.attack.search.open_part import Meeting, Open, explore_one, reach_one, renewed
from dalenius.reconstruction.attack.search.parts import LOOKS, SLACK, Part, Work
from dalenius.reconstruction.attack.search.search_steps import must, settle_by_middle, shave, tighten_each
from dalenius.reconstruction.attack.system.system import Whole

STEPS = 40
"""Assumptions that one search for another value may make before linear programs are asked."""

NEAR = 3
"""Assumptions for every sum of a part that the search near the known solution may make."""

BRANCHES, BRANCH_SECONDS = 400, 0.1
"""Linear programs that may be spent on one sum, and seconds of search between two of them."""


class Around:
    """The sums that give people away in a known solution, until they are certain or shown to be open.

    ``board`` is tightened in place. ``undecided`` are the sums of which neither was shown, and ``all_asked``
    says whether linear programs were asked about all of them.
    """

    def __init__(self, part: Part, board: kernels.Board, solution: Whole, work: Work) -> None:
        self.part, self.board, self.solution, self.work = part, board, solution, work
        away = solution == part.sizes
        if part.both:
            away |= solution == 0
        self.undecided: NDArray[np.bool_] = away & (board.least < board.most)
        self.all_asked = True

    def run(self) -> None:
        """Decide as much as the work left allows, the cheapest ways first."""
        settle_by_middle(self.part, self.board, self.work)
        self._drop_known()
        if not self.undecided.any():
            return
        shave(self.board, self.work)
        self._drop_known()
        for i in np.flatnonzero(self.undecided):
            if self.undecided[i] and self.work.left > 0:
                self._try(int(i))
        self._reach_all(self.solution)
        before = -1
        while before != (before := int(self.undecided.sum())) and before:
            high = self.solution == self.board.most
            self.all_asked = tighten_each(
                self.part, self.board, self.work, self.undecided & high, self.undecided & ~high
            )
            shave(self.board, self.work)
            self._drop_known()
        for i in np.flatnonzero(self.undecided):
            if self.undecided[i] and self.work.left > 0:
                self._branch(int(i))

    def _drop_known(self) -> None:
        self.undecided &= self.board.least < self.board.most

    def _certain(self, unknowns: NDArray[np.intp]) -> None:
        must(kernels.fix(self.board, unknowns.astype(np.int64), self.solution[unknowns]))
        self._drop_known()

    def _witness(self, point: Vector) -> None:
        """Whoever has another value in a solution in whole numbers is open."""
        solution = np.rint(point).astype(np.int64)
        if self.part.fits(solution, self.board):
            self.undecided &= solution == self.solution

    def _other(self, i: int) -> tuple[int, int]:
        """The ends of a sum without its value in the known solution, which is one of them."""
        low, high = int(self.board.least[i]), int(self.board.most[i])
        return (low + 1, high) if self.solution[i] == low else (low, high - 1)

    def _try(self, i: int) -> None:
        """Look for a solution in which a sum has another value, by search; some steps at the most."""
        ended, found = explore_one(self.board, self.solution, STEPS, i, *self._other(i))
        self.work.looked(self.board)
        if ended == kernels.NONE:
            self._certain(np.array([i]))
        elif ended == kernels.FOUND:
            self._witness(found.astype(np.float64))

    def _reach_all(self, near: Whole) -> None:
        """The same near a solution, where only what another value forces is changed."""
        for i in np.flatnonzero(self.undecided):
            if self.undecided[i] and self.work.left > 0:
                ended, found = reach_one(self.board, near, NEAR * near.size, int(i), *self._other(int(i)))
                self.work.looked(self.board)
                if ended == kernels.NONE:
                    self._certain(np.array([i]))
                elif ended == kernels.FOUND:
                    self._witness(found.astype(np.float64))

    def _branch(self, i: int) -> None:
        """The same by linear programs and branches: a solution, or a proof in every branch."""
        least, most = self.board.least.copy(), self.board.most.copy()
        least[i], most[i] = self._other(i)
        branches = [(least, most)]
        for _ in range(BRANCHES):
            if not branches:
                self._certain(np.array([i]))
                return
            if self.work.left == 0:
                return
            try:
                both = self._split(*branches.pop())
            except SolveError:
                return
            if both is None:
                return
            branches += both

    def _split(self, least: Whole, most: Whole) -> list[tuple[Whole, Whole]] | None:
        """Two branches in which a sum has no fraction any more; none where nothing meets all rows.

        ``None`` where a solution in whole numbers was met.
        """
        board = renewed(self.board, least, most)
        possible = kernels.settle(board) and kernels.shave(board, int(BRANCH_SECONDS * LOOKS))
        self.work.looked(board)
        if not possible:
            return []
        point = self._meeting.point(board.least, board.most, self.work)
        if point is None:
            return []
        off = np.abs(point - np.rint(point))
        if off.max(initial=0.0) < SLACK:
            whole = board.least.astype(np.float64)
            whole[self._meeting.unknowns] = point
            self._witness(whole)
            self._reach_all(np.rint(whole).astype(np.int64))  # what stays open here may be near another one
            return None
        at = int(np.argmax(off))
        i = self._meeting.unknowns[at]
        below, above = board.most.copy(), board.least.copy()
        below[i], above[i] = np.floor(point[at]), np.ceil(point[at])
        return [(board.least, below), (above, board.most)]

    @cached_property
    def _meeting(self) -> Meeting:
        """The linear programs of all branches: what is open now holds whatever they leave open."""
        return Meeting(Open.of(self.part, self.board))
