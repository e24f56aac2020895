"""A part of what is open, and the work of searching it, counted in steps.

Work of the search for certain secrets, counted in steps: as far on a slow machine as on a fast one.

Nothing here reads a clock. Entries looked at, steps of the simplex method and of interior points are counted
as they are taken, and become seconds at fixed rates: about those of one core of a small server.

A part of what is open, as linear programs read it and as the search among whole numbers does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dalenius.matrices.answers import Vector
from dalenius.reconstruction.attack.system.system import Whole

if TYPE_CHECKING:
    from dalenius.reconstruction.attack.program import Solution
    from dalenius.reconstruction.attack.search._search_kernels import Board

LOOKS = 2e8
"""Entries a second that the search among whole numbers looks at."""

SET_UP = 2e-3
"""Seconds to set up any linear program."""

SIMPLEX, INTERIOR, BRANCHING = 1e8, 3e6, 5e7
"""Entries a second in steps of programs, each of which goes through all: of the simplex method, of interior
points, and of the simplex method inside integer programs with what else they do."""

FACTORISED = 2e10
"""Cubes of the shorter side a second in what a program by interior points factorises: dense in the end."""

MOST_STEPS = 2**31 - 1
"""Steps that a solver can be allowed."""


class Work:
    """What is left of a budget, in seconds at fixed rates.

    Examples
    --------
    >>> work = Work(3.0)
    >>> work.spend(2.5)
    >>> work.left
    0.5
    >>> work.spend(2.5)
    >>> work.left
    0.0
    """

    def __init__(self, seconds: float) -> None:
        self.left = seconds

    def spend(self, seconds: float) -> None:
        """Take away what was done."""
        self.left = max(0.0, self.left - seconds)

    @contextmanager
    def share(self, share: float) -> Iterator[Work]:
        """A part of what is left, for somebody who must not use more; what it uses is used here."""
        own = Work(share * self.left)
        before = own.left
        try:
            yield own
        finally:
            self.spend(before - own.left)

    def looked(self, board: Board) -> None:
        """Take away what a search looked at since this was last asked."""
        from dalenius.reconstruction.attack.search._search_kernels import LOOKED

        self.spend(float(board.state[LOOKED]) / LOOKS)
        board.state[LOOKED] = 0

    def solved(
        self, entries: int, rate: float, solve: Callable[[int], Solution], set_up: float = SET_UP
    ) -> Solution:
        """Let a linear program take as many steps as are left, and take away those that it took.

        Raises
        ------
        UnsolvedError
            If it was not solved, within these steps or at all.
        """
        from dalenius.reconstruction.attack.program import UnsolvedError

        step = max(1, entries) / rate
        try:
            found = solve(max(1, min(MOST_STEPS, int(self.left / step))))
        except UnsolvedError as error:
            self.spend(set_up + error.steps * step)
            raise
        self.spend(set_up + found.steps * step)
        return found


SLACK = 1e-6
"""By how much a linear program may miss a whole number before it counts as another one."""


@dataclass(frozen=True)
class Part:
    """Rows about some open sums that share no sum with other rows.

    Parameters
    ----------
    A, low, high
        The rows and their intervals.
    whole
        Which rows count: coefficients 1, whole numbers in between.
    least, most
        What is known about each sum.
    sizes
        How many people each sum is about.
    both
        Whether a sum of 0 gives its people away, as one of all of them does: so with two values.
    """

    A: sparse.csr_array
    low: Vector
    high: Vector
    whole: NDArray[np.bool_]
    least: Whole
    most: Whole
    sizes: Whole
    both: bool

    def fits(self, solution: Whole, board: Board) -> bool:
        """Whether a vector of whole numbers meets every row, and the bounds of a board."""
        sums = self.A @ solution.astype(np.float64)
        slack = np.where(self.whole, 0.0, SLACK)
        inside = (sums >= self.low - slack) & (sums <= self.high + slack)
        ends = (solution >= board.least) & (solution <= board.most)
        return bool(inside.all() and ends.all())


@dataclass(frozen=True)
class Found:
    """What a search found.

    Parameters
    ----------
    board
        The rows with what is now known about every sum.
    undecided
        Sums that may be certain, and were shown neither to be so nor to be open.
    by_programs
        Whether linear programs were asked about all of those: then only whole numbers may say more.
    solution
        Some whole numbers that meet all rows, if any were found.
    """

    board: Board
    undecided: NDArray[np.bool_]
    by_programs: bool
    solution: Whole | None
