"""Work of the search for certain secrets, counted in steps: as far on a slow machine as on a fast one.

Nothing here reads a clock. Entries looked at, steps of the simplex method and of interior points are counted
as they are taken, and become seconds at fixed rates: about those of one core of a small server.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from dalenius.reconstruction.attack.linalg.program import Solution, UnsolvedError
from dalenius.reconstruction.attack.search import _search_kernels as kernels

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

    def looked(self, board: kernels.Board) -> None:
        """Take away what a search looked at since this was last asked."""
        self.spend(float(board.state[kernels.LOOKED]) / LOOKS)
        board.state[kernels.LOOKED] = 0

    def solved(
        self, entries: int, rate: float, solve: Callable[[int], Solution], set_up: float = SET_UP
    ) -> Solution:
        """Let a linear program take as many steps as are left, and take away those that it took.

        Raises
        ------
        UnsolvedError
            If it was not solved, within these steps or at all.
        """
        step = max(1, entries) / rate
        try:
            found = solve(max(1, min(MOST_STEPS, int(self.left / step))))
        except UnsolvedError as error:
            self.spend(set_up + error.steps * step)
            raise
        self.spend(set_up + found.steps * step)
        return found
