"""Steps of a search: ends tried, programs about all sums at once, and whole numbers that meet all rows.

Proofs about all sums at once, by one linear program that wants nothing.

Steps of interior points towards the middle of all that meets the rows lead each sum away from its ends,
unless the rows hold it there; and the multipliers of the rows on the way say which hold it. They prove it for
all such sums together (`proved_ends`), however far the steps came.

Some whole numbers that meet all rows, by the integer programs of HiGHS, within so many steps.

SciPy stops its solver by nodes or by the clock alone, and one node may take minutes. The HiGHS inside it asks
now and then whether it should go on, always at the same places: it is stopped there, so that every machine
finds the same. Where that door is closed (`repeated`), nodes alone bound it.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dalenius.errors import SolveError
from dalenius.matrices.answers import Vector
from dalenius.matrices.highs import open_highs, opened
from dalenius.matrices.integer import solve_whole, unprinted
from dalenius.reconstruction.attack.linalg.programs import Repeated
from dalenius.reconstruction.attack.program import InfeasibleError, UnsolvedError, proved_ends
from dalenius.reconstruction.attack.search import _search_kernels as kernels
from dalenius.reconstruction.attack.search.open_part import Open
from dalenius.reconstruction.attack.search.parts import LOOKS, SIMPLEX, SLACK, Part, Work
from dalenius.reconstruction.attack.system.system import Whole

SHAVE_SHARE = 0.2
"""Part of the work left that trying both ends of every sum may take."""


class ContradictionError(Exception):
    """No whole numbers meet all rows."""


def must(possible: bool) -> None:
    """Go on only if something meets all rows."""
    if not possible:
        raise ContradictionError


def shave(board: kernels.Board, work: Work) -> None:
    """Try both ends of every sum, as long as a share of the work left lasts."""
    work.looked(board)
    possible = kernels.shave(board, int(SHAVE_SHARE * work.left * LOOKS))
    work.looked(board)
    must(possible)


def tighten_each(
    part: Part, board: kernels.Board, work: Work, up: NDArray[np.bool_], down: NDArray[np.bool_]
) -> bool:
    """Raise the least of some sums and lower the most of others by a linear program each, while work is left.

    The programs are started from each other, and an end that some solution attained needs none (the filter
    of Gleixner et al. 2017). Returns whether all were asked.
    """
    open_ = Open.of(part, board)
    if open_.unknowns.size == 0:
        return True
    if open_.seconds > work.left:
        return False
    program = Repeated(open_.A, open_.low, open_.high, open_.least, open_.most)
    least, most = open_.least.copy(), open_.most.copy()
    lowest, highest = np.full(least.size, np.inf), np.full(least.size, -np.inf)
    all_asked = True
    for sign, wanted in ((1.0, up[open_.unknowns]), (-1.0, down[open_.unknowns])):
        for i in np.flatnonzero(wanted):
            if lowest[i] <= least[i] + SLACK if sign > 0 else highest[i] >= most[i] - SLACK:
                continue
            if work.left == 0:
                all_asked = False
                break
            cost = np.zeros(least.size)
            cost[i] = sign
            try:
                found = work.solved(open_.A.nnz, SIMPLEX, partial(program.solve, cost))
            except InfeasibleError:
                raise ContradictionError from None
            except UnsolvedError:
                all_asked = False
                continue
            lowest, highest = np.minimum(lowest, found.point), np.maximum(highest, found.point)
            bound = open_.proved(cost, found.multipliers)
            if sign > 0:
                least[i] = max(least[i], int(np.ceil(bound)))
            else:
                most[i] = min(most[i], int(np.floor(-bound)))
    must(bool((least <= most).all()))
    board.least[open_.unknowns], board.most[open_.unknowns] = least, most
    kernels.add_up(board)
    must(kernels.settle(board))
    return all_asked


MIDDLE_STEPS = 15
"""Steps towards the middle: what does not move is then told from what does."""


def settle_by_middle(part: Part, board: kernels.Board, work: Work) -> Vector | None:
    """Take what the way to the middle proves; returns the point that it came to, if it did."""
    open_ = Open.of(part, board)
    if open_.unknowns.size == 0 or open_.inside_seconds > work.left:
        return None
    try:
        found = open_.middle(MIDDLE_STEPS, work)
    except SolveError:
        return None
    point = open_.full(found.point, board.least)
    ends = open_.low, open_.high, open_.least, open_.most
    least, most = proved_ends(open_.A, *ends, found.multipliers)
    must(bool((least <= most).all()))
    board.least[open_.unknowns], board.most[open_.unknowns] = least, most
    kernels.add_up(board)
    must(kernels.settle(board))
    return point


NODES = 100
"""Branches of an integer program: where so many do not suffice, many secrets fit, and few are certain."""

BETWEEN = 300
"""Steps of the simplex method between two times that the solver asks, as measured: 150 to 350."""


def whole_point(
    A: sparse.csr_array, low: Vector, high: Vector, least: Whole, most: Whole, steps: int
) -> tuple[Whole | None, int]:
    """Look for whole numbers that meet all rows, about so many steps; returns also the steps it took.

    What is found is to be checked before use: the solver has tolerances.

    Examples
    --------
    >>> A = sparse.csr_array(np.array([[1.0, 1.0]]))
    >>> found, steps = whole_point(A, np.array([4.0]), np.array([4.0]), np.array([0, 0]), np.array([2, 2]), 9)
    >>> found.tolist(), steps
    ([2, 2], 0)
    """
    highs = open_highs()
    if highs is None:
        return _by_nodes(A, low, high, least, most), steps
    solver = opened(highs, A, low, high, least, most, whole=True)
    solver.setOptionValue("mip_max_nodes", NODES)
    left = steps // BETWEEN

    def go_on(kind: Any, message: str, seen: Any, answer: Any, data: Any) -> None:
        nonlocal left
        left -= 1
        answer.user_interrupt = left < 0

    solver.setCallback(go_on, None)
    solver.startCallback(highs.cb.HighsCallbackType.kCallbackMipInterrupt)
    with unprinted():
        solver.run()
    info = solver.getInfo()
    found = info.primal_solution_status == highs.SolutionStatus.kSolutionStatusFeasible
    point = np.rint(solver.getSolution().col_value).astype(np.int64) if found else None
    return point, max(0, int(info.simplex_iteration_count))


def _by_nodes(A: sparse.csr_array, low: Vector, high: Vector, least: Whole, most: Whole) -> Whole | None:
    from scipy.optimize import Bounds, LinearConstraint

    solved: Any = solve_whole(
        np.zeros(least.size),
        integrality=np.ones(least.size, np.int64),
        bounds=Bounds(least, most),
        constraints=LinearConstraint(A, low, high),
        options={"node_limit": NODES},
    )
    return None if solved.x is None else np.rint(solved.x).astype(np.int64)
