"""Compiled search among whole numbers: bounds followed from row to row, assumptions tried and taken back.

Everything here is in whole numbers: what a kernel rules out is ruled out, whatever the machine rounds.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dalenius.accelerate import kernel

Whole = NDArray[np.int64]

QUEUED, TRAILED, LOOKED, SHAVED = 0, 1, 2, 3
"""Places in `Board.state`: rows that wait, changes that can be taken back, entries looked at so far, and the
values that were left when both ends of every unknown had been tried."""

FOUND, NONE, GAVE_UP = 1, 0, -1
"""How a search ends: with a solution, without one though all was tried, or out of steps."""


class Board(NamedTuple):
    """Rows ``low <= sum <= high`` over whole numbers between ``least`` and ``most``, and what is being tried.

    ``start, member`` are the unknowns of each row, ``column, row`` the rows of each unknown. ``sum_least``
    and ``sum_most`` follow the bounds; ``trail`` has a changed unknown and its bounds before, a line each.
    ``state`` counts what waits, what can be taken back, and what was looked at.
    """

    start: Whole
    member: Whole
    column: Whole
    row: Whole
    low: Whole
    high: Whole
    least: Whole
    most: Whole
    sum_least: Whole
    sum_most: Whole
    waits: NDArray[np.bool_]
    queue: Whole
    trail: Whole
    state: Whole


@kernel
def _set(board: Board, i: int, least: int, most: int) -> None:
    """Give an unknown other bounds, so that it can be taken back, and let its rows wait to be looked at."""
    t = board.state[TRAILED]
    board.trail[t, 0], board.trail[t, 1], board.trail[t, 2] = i, board.least[i], board.most[i]
    board.state[TRAILED] = t + 1
    up, down = least - board.least[i], board.most[i] - most
    board.least[i], board.most[i] = least, most
    board.state[LOOKED] += board.column[i + 1] - board.column[i]
    for q in range(board.column[i], board.column[i + 1]):
        j = board.row[q]
        board.sum_least[j] += up
        board.sum_most[j] -= down
        if not board.waits[j]:
            board.waits[j] = True
            board.queue[board.state[QUEUED]] = j
            board.state[QUEUED] += 1


@kernel
def _follow(board: Board) -> bool:
    """Look at every waiting row until nothing changes; false if a row cannot be met."""
    possible = True
    while board.state[QUEUED] > 0:
        board.state[QUEUED] -= 1
        j = board.queue[board.state[QUEUED]]
        board.waits[j] = False
        if not possible:
            continue
        if board.sum_least[j] > board.high[j] or board.sum_most[j] < board.low[j]:
            possible = False
            continue
        if board.sum_most[j] <= board.high[j] and board.sum_least[j] >= board.low[j]:
            continue
        board.state[LOOKED] += board.start[j + 1] - board.start[j]
        for q in range(board.start[j], board.start[j + 1]):
            i = board.member[q]
            least, most = board.least[i], board.most[i]
            if least == most:
                continue
            at_most = min(most, board.high[j] - (board.sum_least[j] - least))
            at_least = max(least, board.low[j] - (board.sum_most[j] - most))
            if at_least > at_most:
                possible = False
                break
            if at_most < most or at_least > least:
                _set(board, i, at_least, at_most)
    return possible


@kernel
def _take_back(board: Board, mark: int) -> None:
    """Undo all changes after a mark."""
    while board.state[TRAILED] > mark:
        board.state[TRAILED] -= 1
        t = board.state[TRAILED]
        i = board.trail[t, 0]
        up, down = board.trail[t, 1] - board.least[i], board.most[i] - board.trail[t, 2]
        board.least[i], board.most[i] = board.trail[t, 1], board.trail[t, 2]
        board.state[LOOKED] += board.column[i + 1] - board.column[i]
        for q in range(board.column[i], board.column[i + 1]):
            board.sum_least[board.row[q]] += up
            board.sum_most[board.row[q]] -= down


@kernel
def add_up(board: Board) -> None:
    """Compute the sums of all rows anew."""
    for j in range(board.low.size):
        board.sum_least[j] = 0
        board.sum_most[j] = 0
        for q in range(board.start[j], board.start[j + 1]):
            board.sum_least[j] += board.least[board.member[q]]
            board.sum_most[j] += board.most[board.member[q]]


@kernel
def settle(board: Board) -> bool:
    """Follow all rows for good; false if they contradict each other."""
    for j in range(board.low.size):
        board.waits[j] = True
        board.queue[j] = j
    board.state[QUEUED] = board.low.size
    possible = _follow(board)
    board.state[TRAILED] = 0
    return possible


@kernel
def fix(board: Board, unknowns: Whole, values: Whole) -> bool:
    """Give unknowns their values for good and follow the rows; false if that is impossible."""
    for k in range(unknowns.size):
        i = unknowns[k]
        if values[k] < board.least[i] or values[k] > board.most[i]:
            return False
        if board.least[i] < board.most[i]:
            _set(board, i, values[k], values[k])
            if not _follow(board):
                return False
            board.state[TRAILED] = 0
    return True


@kernel
def shave(board: Board, most_looked: int) -> bool:
    """Try both ends of every unknown alone; an end that contradicts the rows is cut off for good.

    Repeated until nothing changes, or so many entries were looked at. False if no value is left to somebody.
    """
    if (board.most - board.least).sum() == board.state[SHAVED]:
        return True
    changed = True
    while changed:
        changed = False
        for i in range(board.least.size):
            while board.least[i] < board.most[i]:
                if board.state[LOOKED] > most_looked:
                    return True
                least, most = board.least[i], board.most[i]
                _set(board, i, least, least)
                possible = _follow(board)
                _take_back(board, 0)
                if not possible:
                    least += 1
                else:
                    _set(board, i, most, most)
                    possible = _follow(board)
                    _take_back(board, 0)
                    if possible:
                        break
                    most -= 1
                changed = True
                _set(board, i, least, most)
                if not _follow(board):
                    return False
                board.state[TRAILED] = 0
    board.state[SHAVED] = (board.most - board.least).sum()
    return True


@kernel
def _next(board: Board) -> int:
    """An open unknown of the row that leaves least; -1 if none is open."""
    tightest, best = -1, np.int64(1) << 62
    board.state[LOOKED] += board.low.size
    for j in range(board.low.size):
        if board.sum_least[j] == board.sum_most[j]:
            continue
        left = min(board.high[j] - board.sum_least[j], board.sum_most[j] - board.low[j])
        if left < best:
            tightest, best = j, left
    if tightest >= 0:
        for q in range(board.start[tightest], board.start[tightest + 1]):
            i = board.member[q]
            if board.least[i] < board.most[i]:
                return int(i)
    for i in range(board.least.size):
        if board.least[i] < board.most[i]:
            return i
    return -1


@kernel
def explore(
    board: Board,
    hint: Whole,
    weight: NDArray[np.float64],
    base: Whole,
    keep: Whole,
    mean: NDArray[np.float64],
    steps: int,
    solutions: int,
    first: int,
    low: int,
    high: int,
) -> tuple[int, int, float]:
    """Walk through all solutions, those near ``hint`` first, and take back everything at the end.

    Parameters
    ----------
    weight, base
        ``weight[i, x - base[i]]``: logarithm of the prior of unknown ``i`` being ``x``.
    keep
        Gets the last solution.
    mean
        Gets the weighted sum of every unknown over the solutions, relative to the best met so far.
    steps, solutions
        After so many assumptions or solutions the search stops.
    first, low, high
        Where ``first`` is an unknown and not -1: only solutions in which it is between these.

    Returns how it ended (`FOUND` if ``solutions`` were met, `NONE` if there are no more than were met,
    `GAVE_UP`), how many solutions were met, and their total weight.
    """
    mark0 = board.state[TRAILED]
    n = board.least.size
    stack = np.zeros((n + 1, 3), np.int64)
    depth, met, tried = 0, 0, 0
    total, best = 0.0, -np.inf
    possible = True
    if first >= 0:
        _set(board, first, low, high)
        possible = _follow(board)
    ended = NONE
    while True:
        if possible:
            i = _next(board)
            if i < 0:
                met += 1
                fit = 0.0
                for k in range(n):
                    keep[k] = board.least[k]
                    fit += weight[k, board.least[k] - base[k]]
                if fit > best:
                    scale = np.exp(best - fit)
                    total *= scale
                    mean *= scale
                    best = fit
                share = np.exp(fit - best)
                total += share
                for k in range(n):
                    mean[k] += share * keep[k]
                if met >= solutions:
                    ended = FOUND
                    break
                possible = False
                continue
            if tried >= steps or depth >= n:
                ended = GAVE_UP
                break
            tried += 1
            value = board.most[i] if hint[i] >= board.most[i] else board.least[i]
            stack[depth, 0], stack[depth, 1], stack[depth, 2] = i, value, board.state[TRAILED]
            depth += 1
            _set(board, i, value, value)
            possible = _follow(board)
            continue
        if depth == 0:
            break
        depth -= 1
        i, value = stack[depth, 0], stack[depth, 1]
        _take_back(board, stack[depth, 2])
        # what was assumed does not hold here: the rest of the range does, under what was assumed before
        if value == board.least[i]:
            _set(board, i, value + 1, board.most[i])
        else:
            _set(board, i, board.least[i], value - 1)
        possible = _follow(board)
    _take_back(board, mark0)
    return ended, met, total


@kernel
def reach(board: Board, hint: Whole, keep: Whole, steps: int, first: int, low: int, high: int) -> int:
    """Look for one solution near another one, and take back everything at the end.

    Every unknown keeps its value in ``hint`` as long as the rows allow it, and else the nearest one: what
    another value of one of them forces upon the others is followed from row to row.

    Parameters
    ----------
    hint, keep
        The solution that is known, and where the new one is put.
    steps
        After so many assumptions the search stops.
    first, low, high
        Only solutions in which this unknown is between these.

    Returns `FOUND`, `NONE` if there is no such solution, or `GAVE_UP`.
    """
    mark0 = board.state[TRAILED]
    stack = np.zeros((steps + 1, 4), np.int64)
    depth, tried = 0, 0
    _set(board, first, low, high)
    possible = _follow(board)
    ended = NONE
    while True:
        if possible:
            i = _next(board)
            if i < 0:
                for k in range(keep.size):
                    keep[k] = board.least[k]
                ended = FOUND
                break
            if tried >= steps:
                ended = GAVE_UP
                break
            tried += 1
            least, most = board.least[i], board.most[i]
            if hint[i] <= least:
                least_tried, most_tried, rest_least, rest_most = least, least, least + 1, most
            elif hint[i] >= most:
                least_tried, most_tried, rest_least, rest_most = most, most, least, most - 1
            else:  # no less than in the hint; its next assumption is that it is no more either
                least_tried, most_tried, rest_least, rest_most = hint[i], most, least, hint[i] - 1
            stack[depth, 0], stack[depth, 1] = i, board.state[TRAILED]
            stack[depth, 2], stack[depth, 3] = rest_least, rest_most
            depth += 1
            _set(board, i, least_tried, most_tried)
            possible = _follow(board)
            continue
        if depth == 0:
            break
        depth -= 1
        _take_back(board, stack[depth, 1])
        _set(board, stack[depth, 0], stack[depth, 2], stack[depth, 3])
        possible = _follow(board)
    _take_back(board, mark0)
    return ended
