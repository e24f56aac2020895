"""What arithmetic alone says, the parts into which the rest falls, and the work of searching one.

No statistics, no probability. Single rows are followed until nothing changes, at any size; what all rows
imply together is searched after that (`search`). Parts that are small enough are tried whole: a large table
of cells that overlap nowhere falls apart into thousands of parts of one sum each. A linear program for each
takes seconds; trying a few numbers takes none.

Nothing here reads a clock. Entries looked at, steps of the simplex method and of interior points are counted
as they are taken, and become seconds at fixed rates: about those of one core of a small server. So a search
goes as far on a slow machine as on a fast one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from dalenius.errors import InputError
from dalenius.matrices.answers import Vector
from dalenius.matrices.operators import take_rows
from dalenius.reconstruction.attack._kernels import tighten
from dalenius.reconstruction.attack.system.system import LinearSystem, Whole

if TYPE_CHECKING:
    from dalenius.reconstruction.attack.program import Solution
    from dalenius.reconstruction.attack.search._search_kernels import Board


ENTRY_LIMIT = 50_000_000
"""Matrix entries up to which all rows are followed at once: a gigabyte; above, those that say something."""

ROUNDS = 1_000

TOLERANCE = 1e-6


def propagate(system: LinearSystem) -> LinearSystem:
    """Tighten what is known about each sum by looking at one row at a time.

    If the rest of a row cannot reach the row's lower end, this unknown must make up for it; if the rest
    already uses up the upper end, it cannot add more. Every rule is exact on whole numbers.
    """
    counting = np.flatnonzero(system.counting)
    big = np.iinfo(np.int64).max // 4
    ends = np.nan_to_num(np.stack([system.low, system.high]), posinf=big, neginf=-big)
    low, high = np.ceil(ends[0] - TOLERANCE).astype(np.int64), np.floor(ends[1] + TOLERANCE).astype(np.int64)
    if system.A.entries <= ENTRY_LIMIT:
        return _follow(system, sparse.csr_array(system.A.explicit()[counting]), counting, low, high)
    people = system.A.apply(np.ones(system.unknowns))
    for _ in range(ROUNDS):
        rows = _telling(system, counting, low, high, people)
        before = system
        if rows.size:
            system = _follow(system, take_rows(system.A, rows), rows, low, high)
        if np.array_equal(before.least, system.least) and np.array_equal(before.most, system.most):
            return system
    return system


def _follow(
    system: LinearSystem, matrix: sparse.csr_array, rows: NDArray[np.intp], low: Whole, high: Whole
) -> LinearSystem:
    """Follow some rows, written out, until nothing changes."""
    least, most = system.least.copy(), system.most.copy()
    broken = tighten(matrix.indptr, matrix.indices, low[rows], high[rows], least, most, ROUNDS)
    if broken >= 0:
        raise _broken(system, int(rows[broken]))
    return system.tightened(least, most)


def _telling(
    system: LinearSystem, counting: NDArray[np.intp], low: Whole, high: Whole, people: Vector
) -> NDArray[np.intp]:
    """The rows that tighten something now: less is left to them than one of their sums could take.

    Of more than can be written out, those with the least left: each tells more than the next.
    """
    least, most = (system.A.apply(sums.astype(np.float64)) for sums in (system.least, system.most))
    left = np.minimum(high - least, most - low)[counting]
    if (left < 0).any():
        raise _broken(system, int(counting[np.argmax(left < 0)]))
    widest = int((system.most - system.least).max(initial=0))
    tells = np.flatnonzero((left < widest) & (least < most)[counting])
    order = tells[np.argsort(left[tells], kind="stable")]
    fits = np.cumsum(people[counting[order]]) <= ENTRY_LIMIT
    return np.sort(counting[order[fits]])


def _broken(system: LinearSystem, row: int) -> InputError:
    from dalenius.reconstruction.attack.certain.conflict import name_conflict

    return contradiction(name_conflict(system, f"found at the answer to {system.label(row)!r}"))


def contradiction(where: str) -> InputError:
    """Say that no secrets of these people can have given these answers."""
    return InputError(
        "answers",
        "must be possible together for some secrets of these people",
        f"answers that contradict each other ({where})",
        "Check the list of people, or write the mechanism as unknown.",
    )


def blocks(matrix: sparse.csr_array) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp], sparse.csr_array]]:
    """The parts of a matrix that share no row and no column: their rows, their columns, and their entries.

    Examples
    --------
    >>> for rows, columns, part in blocks(sparse.csr_array(np.array([[0.0, 2.0], [1.0, 0.0]]))):
    ...     print(rows, columns, part.toarray())
    [0] [1] [[2.]]
    [1] [0] [[1.]]
    """
    of_row, of_column = _components(matrix)
    by_row, by_column = np.argsort(of_row, kind="stable"), np.argsort(of_column, kind="stable")
    # with its parts one after another, each is a slice of the arrays: cutting a matrix is slow
    ordered = sparse.csr_array(sparse.csc_array(matrix[by_row])[:, by_column])
    ordered.sort_indices()
    labels = np.arange(max(of_row.max(initial=-1), of_column.max(initial=-1)) + 2)
    row_ends = np.searchsorted(of_row[by_row], labels).tolist()
    column_ends = np.searchsorted(of_column[by_column], labels).tolist()
    data, indices, indptr = ordered.data, ordered.indices, ordered.indptr
    for label in labels[:-1].tolist():
        first, last = row_ends[label], row_ends[label + 1]
        left, right = column_ends[label], column_ends[label + 1]
        start, stop = indptr[first], indptr[last]
        entries = data[start:stop], indices[start:stop] - left, indptr[first : last + 1] - start
        part = sparse.csr_array(entries, shape=(last - first, right - left))
        yield by_row[first:last], by_column[left:right], part


def _components(matrix: sparse.csr_array) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The component of each row and of each column."""
    rows, columns = matrix.shape
    found = matrix.tocoo()
    size = rows + columns
    graph = sparse.coo_array((np.ones(found.nnz), (found.row, found.col + rows)), shape=(size, size))
    labels = connected_components(graph, directed=False)[1]
    return labels[:rows], labels[rows:]


POINTS = 600
"""Vectors up to which all are tried."""

SUMS = 8
"""Sums of a part beyond which that is not worth looking at."""

FITTING = 1e-6
"""By how much a row may be missed, so that nothing is excluded by rounding."""


def points_that_fit(
    A: sparse.csr_array, low: Vector, high: Vector, least: Whole, most: Whole
) -> Whole | None:
    """All whole numbers between two ends that meet the rows; ``None`` if they are too many to try.

    Examples
    --------
    >>> rows = sparse.csr_array(np.array([[1.0, 1.0]]))
    >>> points_that_fit(rows, np.array([3.0]), np.array([9.0]), np.array([0, 1]), np.array([2, 2])).tolist()
    [[1, 2], [2, 1], [2, 2]]
    """
    if least.size > SUMS:
        return None
    steps = (most - least + 1).tolist()
    if np.prod(steps, dtype=np.float64) > POINTS:
        return None
    points = least + np.indices(steps).reshape(len(steps), -1).T
    sums = points @ A.toarray().T
    fits = ((sums >= low - FITTING) & (sums <= high + FITTING)).all(axis=1)
    return np.asarray(points[fits], np.int64)


def expected(points: Whole, least: Whole, weights: NDArray[np.float64]) -> Vector:
    """The mean of vectors, each weighted by the product of its numbers' weights, given as logarithms.

    Examples
    --------
    >>> expected(np.array([[0], [1]]), np.array([0]), np.log([[1.0, 3.0]]))
    array([0.75])
    """
    logs = weights[np.arange(least.size), points - least].sum(axis=1)
    chances = np.exp(logs - logs.max())
    return np.asarray(chances @ points / chances.sum(), np.float64)


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
