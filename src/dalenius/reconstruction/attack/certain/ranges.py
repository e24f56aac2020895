"""The smallest and largest whole value that each of many sums can take under all equations together.

Two linear programs a sum at the most. The equations fall apart into components that share no unknown, and
every solution that is found along the way shows values that other sums attain: one that attains its bound
needs no program of its own (the filter of optimality-based bound tightening, Gleixner et al. 2017).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dalenius.matrices.answers import Vector
from dalenius.progress import Progress, silent
from dalenius.reconstruction.attack.certain.conflict import name_conflict
from dalenius.reconstruction.attack.cost import programs
from dalenius.reconstruction.attack.linalg.programs import Repeated
from dalenius.reconstruction.attack.program import InfeasibleError, UnsolvedError
from dalenius.reconstruction.attack.search.parts import (
    ENTRY_LIMIT,
    TOLERANCE,
    blocks,
    contradiction,
    points_that_fit,
)
from dalenius.reconstruction.attack.system.system import LinearSystem, Whole

Program = tuple[sparse.csr_array, Vector, Vector, Whole, Whole]
"""Rows, their intervals, and those of their unknowns."""

WORK_LIMIT = 60_000_000
"""Sums times matrix entries of a component above which its linear programs are left out: about a minute."""


@dataclass(frozen=True)
class Extremes:
    """Bounds of each row of a system; ``left_out`` rows were too many for linear programs."""

    low: Vector
    high: Vector
    left_out: int


def row_extremes(system: LinearSystem, wanted: NDArray[np.bool_], *, progress: Progress = silent) -> Extremes:
    """Bound the true value of each wanted row by all rows together.

    Parameters
    ----------
    system
        The equations, with what propagation already knows about each unknown.
    wanted
        Which rows to bound; the others keep their interval.
    progress
        Told how far the work is.

    Raises
    ------
    InputError
        If no secrets fit all rows; it names a small set of rows that cannot hold together.
    """
    if system.A.entries > ENTRY_LIMIT:
        return _row_by_row(system, wanted)
    matrix = sparse.csr_array(system.A.explicit())
    smallest, largest = _reach(matrix, system.least, system.most)
    low, high = np.maximum(system.low, smallest), np.minimum(system.high, largest)
    open_ = np.flatnonzero(system.least < system.most)
    free = sparse.csr_array(matrix.tocsc()[:, open_])
    offset = matrix @ np.where(system.least < system.most, 0, system.least)
    left_out = 0
    targets = wanted & (high - low > TOLERANCE) & system.counting
    parts = [part for part in blocks(free) if targets[part[0]].any()]
    for done, (rows, unknowns, inner) in enumerate(parts):
        goal = np.flatnonzero(targets[rows])
        if goal.size * inner.nnz > WORK_LIMIT:
            left_out += goal.size
            continue
        at, to = open_[unknowns], offset[rows[goal]]
        program = (
            inner,
            low[rows] - offset[rows],
            high[rows] - offset[rows],
            system.least[at],
            system.most[at],
        )
        predicted = programs(goal.size, inner.nnz)
        progress(done / len(parts), f"bounding {goal.size:,} cells (at most {predicted})")
        try:
            ends = _tried(program, goal) or _searched(
                program, goal, partial(_report, progress, done, len(parts))
            )
        except InfeasibleError:
            raise contradiction(name_conflict(system, "no secrets fit all of them")) from None
        except UnsolvedError:  # not searched, which is no reason to refuse anything
            left_out += goal.size
            continue
        low[rows[goal]], high[rows[goal]] = ends[0] + to, ends[1] + to
    return Extremes(low, high, left_out)


def _tried(program: Program, goal: NDArray[np.intp]) -> tuple[Vector, Vector] | None:
    """The ends of rows by all whole numbers that fit, if they are few."""
    points = points_that_fit(*program)
    if points is None:
        return None
    if not len(points):
        raise InfeasibleError("no whole numbers fit", 0)
    sums = points @ program[0][goal].toarray().T
    return sums.min(axis=0), sums.max(axis=0)


def _searched(
    program: Program, goal: NDArray[np.intp], progress: Callable[[float], None]
) -> tuple[Vector, Vector]:
    search = _Search(*program, goal)
    search.run(progress)
    return search.low, search.high


def _row_by_row(system: LinearSystem, wanted: NDArray[np.bool_]) -> Extremes:
    """Bounds by what is known about the sums alone, for a matrix that is not written out."""
    smallest, largest = (system.A.apply(sums.astype(np.float64)) for sums in (system.least, system.most))
    low, high = np.maximum(system.low, smallest), np.minimum(system.high, largest)
    open_ = wanted & (high - low > TOLERANCE) & system.counting
    return Extremes(
        np.where(system.counting, low, system.low),
        np.where(system.counting, high, system.high),
        int(open_.sum()),
    )


def _report(progress: Progress, done: int, parts: int, share: float) -> None:
    progress((done + share) / parts, "bounding cells")


def _reach(matrix: sparse.csr_array, least: Whole, most: Whole) -> tuple[Vector, Vector]:
    """The smallest and largest value of each row, whatever the other rows say."""
    up, down = matrix.maximum(0), matrix.minimum(0)
    return np.asarray(up @ least + down @ most, np.float64), np.asarray(up @ most + down @ least, np.float64)


class _Search:
    """The linear programs of one component; ``goal`` are the rows to bound."""

    def __init__(
        self,
        matrix: sparse.csr_array,
        low: Vector,
        high: Vector,
        least: Whole,
        most: Whole,
        goal: NDArray[np.intp],
    ) -> None:
        self.rows = sparse.csr_array(matrix[goal])
        self.low, self.high = np.ceil(low[goal] - TOLERANCE), np.floor(high[goal] + TOLERANCE)
        smallest, largest = _reach(matrix, least, most)
        tight = (low > smallest) | (high < largest)
        self.program = Repeated(sparse.csr_array(matrix[tight]), low[tight], high[tight], least, most)
        self.seen_low, self.seen_high = np.full(goal.size, np.inf), np.full(goal.size, -np.inf)

    def run(self, progress: Callable[[float], None]) -> None:
        """Search both ends of every row, the one that is furthest from settled first."""
        for sign in (1.0, -1.0):
            self._solve(sign * np.asarray(self.rows.sum(axis=0), np.float64).ravel())
        total = 2 * self.low.size
        while True:
            ends = np.concatenate([self.seen_low - self.low, self.high - self.seen_high])
            unsettled = ends > TOLERANCE
            if not unsettled.any():
                return
            j = int(np.argmax(ends))
            row, at_top = j % self.low.size, j >= self.low.size
            value = self._solve((-1.0 if at_top else 1.0) * self.rows[[row]].toarray().ravel())
            if at_top:
                self.high[row] = np.floor(-value + TOLERANCE)
                self.seen_high[row] = self.high[row]
            else:
                self.low[row] = np.ceil(value - TOLERANCE)
                self.seen_low[row] = self.low[row]
            progress(1 - unsettled.sum() / total)

    def _solve(self, cost: Vector) -> float:
        value, x = self.program.minimise(cost)
        values = self.rows @ x
        self.seen_low, self.seen_high = np.minimum(self.seen_low, values), np.maximum(self.seen_high, values)
        return value
