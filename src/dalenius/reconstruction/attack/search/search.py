"""Who is certain in one part of what is open: ends tried, elimination, linear programs, whole numbers.

What a solver says is never taken as proof: bounds are computed again from its multipliers, with what rounding
can have done (`certificate`), and the search among whole numbers is exact. So the budget decides how much is
found, never whether it is true; and it is counted in steps (`work`), so the same is found everywhere.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from dalenius.reconstruction.attack.search import _search_kernels as kernels
from dalenius.reconstruction.attack.search.around import Around
from dalenius.reconstruction.attack.search.dive import Dive
from dalenius.reconstruction.attack.search.open_part import Open, explore_one, make_board
from dalenius.reconstruction.attack.search.parts import BRANCHING, SET_UP, SIMPLEX, Found, Part, Work
from dalenius.reconstruction.attack.search.rank import SIDE_LIMIT, determined, elimination_seconds
from dalenius.reconstruction.attack.search.search_steps import (
    must,
    settle_by_middle,
    shave,
    tighten_each,
    whole_point,
)
from dalenius.reconstruction.attack.system.system import Whole

FIRST_STEPS = 150
"""Assumptions that the search for a first solution may make before a solver is asked."""

LARGEST_SHARE = 0.3
"""Part of the work left that one linear program may take: parts in which it takes more are not searched."""

ONE_BY_ONE, EACH_STEPS = 1_200, 20
"""Open sums of a part up to which each is asked about alone in any case, and steps that a program about one
is taken to need in larger parts."""

INTEGER_UNKNOWNS = 1_200
"""Open sums beyond which no integer program is asked, which cannot be stopped in its first linear program."""

DIVE_SHARE, FIRST_SHARE = 0.15, 0.25
"""Parts of the work left that dives, and after them a solver, may take for a first solution."""


def search_part(part: Part, work: Work) -> Found:
    """Search until everything is decided or the work is used up.

    Raises
    ------
    ContradictionError
        If no whole numbers meet all rows.
    """
    board = make_board(part)
    must(kernels.settle(board))
    large = int((board.least < board.most).sum()) > ONE_BY_ONE
    shave(board, work)
    _eliminate(part, board, work)
    open_ = Open.of(part, board)
    if open_.inside_seconds > LARGEST_SHARE * work.left:
        return Found(board, board.least < board.most, False, None)
    solution = _near(part, board, np.zeros(board.least.size, np.int64), work)
    if solution is None:
        solution = _led_by_middle(part, board, work)
    if solution is None and large and not _affordable(Open.of(part, board), work):
        shave(board, work)
        return Found(board, board.least < board.most, False, None)
    if solution is None:
        solution = _any_solution(part, board, work)
    if solution is None:
        shave(board, work)
        everything = np.ones(part.sizes.size, np.bool_)
        all_asked = tighten_each(part, board, work, everything, everything)
        return Found(board, board.least < board.most, all_asked, None)
    around = Around(part, board, solution, work)
    around.run()
    return Found(board, around.undecided, around.all_asked, solution)


def _eliminate(part: Part, board: kernels.Board, work: Work) -> None:
    """Take what exact rows determine by themselves."""
    open_ = Open.of(part, board)
    exact = np.flatnonzero(open_.low == open_.high)
    n = open_.unknowns.size
    if exact.size == 0 or n > SIDE_LIMIT or elimination_seconds(exact.size, n) > work.left:
        return
    rows = sparse.csr_array(open_.A[exact])
    work.spend(elimination_seconds(exact.size, n))
    found, values = determined(rows, open_.low[exact], open_.least, open_.most)
    must(kernels.fix(board, open_.unknowns[found].astype(np.int64), values))


def _led_by_middle(part: Part, board: kernels.Board, work: Work) -> Whole | None:
    """Fix what linear programs prove together, and look for a solution near the middle."""
    middle = settle_by_middle(part, board, work)
    return None if middle is None else _near(part, board, np.rint(middle).astype(np.int64), work)


def _affordable(open_: Open, work: Work) -> bool:
    """Whether linear programs about every sum alone are foretold to end within the work left."""
    return 2 * open_.unknowns.size * EACH_STEPS * open_.A.nnz / SIMPLEX <= work.left


def _any_solution(part: Part, board: kernels.Board, work: Work) -> Whole | None:
    """Look for whole numbers that meet all rows: by dives, by a solver."""
    open_ = Open.of(part, board)
    if open_.seconds > work.left:
        return None
    with work.share(DIVE_SHARE) as own:
        dived = Dive(open_, board, own).run()
    if dived is not None and part.fits(dived, board):
        return dived
    return _by_solver(part, board, open_, work) if open_.unknowns.size <= INTEGER_UNKNOWNS else None


def _near(part: Part, board: kernels.Board, hint: Whole, work: Work) -> Whole | None:
    """A solution near some whole numbers, by a short search."""
    ended, found = explore_one(board, hint, FIRST_STEPS)
    work.looked(board)
    must(ended != kernels.NONE)
    return found if ended == kernels.FOUND and part.fits(found, board) else None


def _by_solver(part: Part, board: kernels.Board, open_: Open, work: Work) -> Whole | None:
    """A solution by integer programs."""
    ends = open_.A, open_.low, open_.high, open_.least, open_.most
    step = max(1, open_.A.nnz) / BRANCHING
    point, steps = whole_point(*ends, int(FIRST_SHARE * work.left / step))
    work.spend(SET_UP + steps * step)
    if point is None:
        return None
    found = board.least.copy()
    found[open_.unknowns] = point
    return found if part.fits(found, board) else None
