"""Steps that every search takes: both ends of every sum tried, two linear programs a sum."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from dalenius.reconstruction.attack.linalg.warm_lp import Repeated
from dalenius.reconstruction.attack.program import InfeasibleError, UnsolvedError
from dalenius.reconstruction.attack.search import _search_kernels as kernels
from dalenius.reconstruction.attack.search.open_part import Open
from dalenius.reconstruction.attack.search.parts import LOOKS, SIMPLEX, SLACK, Part, Work

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
