"""Proofs about all sums at once, by one linear program that wants nothing.

Steps of interior points towards the middle of all that meets the rows lead each sum away from its ends,
unless the rows hold it there; and the multipliers of the rows on the way say which hold it. They prove it for
all such sums together (`proved_ends`), however far the steps came.
"""

from __future__ import annotations

from dalenius.errors import SolveError
from dalenius.matrices.answers import Vector
from dalenius.reconstruction.attack.program import proved_ends
from dalenius.reconstruction.attack.search import _search_kernels as kernels
from dalenius.reconstruction.attack.search.open_part import Open
from dalenius.reconstruction.attack.search.parts import Part, Work
from dalenius.reconstruction.attack.search.search_steps import must

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
