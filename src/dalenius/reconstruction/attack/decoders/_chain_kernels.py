"""Compiled loops of the Markov chains over everybody's value; each is plain enough to be read.

Rows count people, so one person more or less changes a row by 1. What that would cost, up and down, is kept
for every row: weighing a value is then a sum over its rows, and only who moves changes anything.

``says`` has a row of four numbers for every row of the release: between which counts nothing is missed, one
over the scale of a miss, and whether misses are weighed by their size (Laplace, 1) or their square (0).
``state`` has three: the count as it is, what one person more would cost, and what the last one did.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.accelerate import kernel
from dalenius.random_kernel import uniform

Index = NDArray[np.uint32]
"""Without a sign: for one that has it every access also asks whether it counts from the end."""

Whole = NDArray[np.int64]
Table = NDArray[np.float64]
Vector = NDArray[np.float64]

Chain = tuple[Whole, Table]
"""Everybody's value, and ``state``: what a walk moves."""

Weighed = tuple[Index, Index, Table, Table]
"""By value and person, where their rows begin and which they are; ``says``; the prior's logarithms."""

Pairs = tuple[Index, Index, Index, Index, Index]
"""Who is counted with others; where the rows of each begin, and which they are; where the people of each such
row begin, and who they are."""

LOW, HIGH, SHARPNESS, BY_SIZE = 0, 1, 2, 3
COUNT, UP, DOWN = 0, 1, 2


@kernel
def _miss(x: float, low: float, high: float, sharpness: float, by_size: float) -> float:
    """How unlikely a row is when its true count is ``x``: minus the logarithm, up to a constant."""
    away = max(low - x, x - high, 0.0) * sharpness
    return away if by_size > 0.0 else 0.5 * away * away


@kernel
def look(state: Table, says: Table) -> None:
    """Compute for every row what one person more would cost, and what the last one did."""
    for j in range(len(state)):
        x, low, high = state[j, COUNT], says[j, LOW], says[j, HIGH]
        sharpness, by_size = says[j, SHARPNESS], says[j, BY_SIZE]
        here = _miss(x, low, high, sharpness, by_size)
        state[j, UP] = _miss(x + 1.0, low, high, sharpness, by_size) - here
        state[j, DOWN] = here - _miss(x - 1.0, low, high, sharpness, by_size)


@kernel
def _put(column: int, by: float, start: Index, row: Index, state: Table, says: Table) -> None:
    """Put somebody into a value (``by`` 1), or take them out (-1)."""
    for q in range(start[column], start[column + 1]):
        j = row[q]
        x, low, high = state[j, COUNT] + by, says[j, LOW], says[j, HIGH]
        sharpness, by_size = says[j, SHARPNESS], says[j, BY_SIZE]
        state[j, COUNT] = x
        if by > 0.0:
            state[j, DOWN] = state[j, UP]
            here = _miss(x, low, high, sharpness, by_size)
            state[j, UP] = _miss(x + 1.0, low, high, sharpness, by_size) - here
        else:
            state[j, UP] = state[j, DOWN]
            here = _miss(x, low, high, sharpness, by_size)
            state[j, DOWN] = here - _miss(x - 1.0, low, high, sharpness, by_size)


@kernel
def _sum(column: int, start: Index, row: Index, state: Table, which: int) -> float:
    """What it costs to put somebody into a value (``UP``), or to have them there (``DOWN``)."""
    whole = 0.0
    for q in range(start[column], start[column + 1]):
        whole += state[row[q], which]
    return whole


@kernel
def _leave(column: int, start: Index, row: Index, state: Table, seen: Whole, mark: int) -> float:
    """What it costs to have somebody in a value; their rows are marked."""
    whole = 0.0
    for q in range(start[column], start[column + 1]):
        whole += state[row[q], DOWN]
        seen[row[q]] = mark
    return whole


@kernel
def _follow(
    column: int, start: Index, row: Index, state: Table, seen: Whole, mark: int
) -> tuple[float, float]:
    """What it costs to put somebody into a value that another one leaves, and how much of it is not so.

    Rows that both are in, those that the other one marked, do not change. Whether a row is one of them is
    multiplied with, not asked: no processor guesses it, and that took most of the time of a walk.
    """
    whole, both = 0.0, 0.0
    for q in range(start[column], start[column + 1]):
        j = row[q]
        up = state[j, UP]
        whole += up
        both += (up - state[j, DOWN]) * (seen[j] == mark)
    return whole, both


@kernel
def _redraw(chain: Chain, weighed: Weighed, coldness: float, random: Any, chance: Table, count: bool) -> None:
    """Draw everybody's value given all others'; if ``count``, add its probabilities to ``chance``."""
    value, state = chain
    start, row, says, log_prior = weighed
    people, values = log_prior.shape
    weight = np.empty(values)
    for i in range(people):
        old = value[i]
        top = -np.inf
        for v in range(values):
            weight[v] = log_prior[i, v]
            if weight[v] > -np.inf:
                weight[v] -= coldness * _sum(v * people + i, start, row, state, DOWN if v == old else UP)
            top = max(top, weight[v])
        whole = 0.0
        for v in range(values):
            weight[v] = np.exp(weight[v] - top)
            whole += weight[v]
        left = uniform(random) * whole
        new = -1
        for v in range(values):
            if count:
                chance[i, v] += weight[v] / whole
            left -= weight[v]
            if new < 0 and left <= 0.0 and weight[v] > 0.0:
                new = v
        if new >= 0 and new != old:
            value[i] = new
            _put(old * people + i, -1.0, start, row, state, says)
            _put(new * people + i, 1.0, start, row, state, says)


@kernel
def _any(start: Index, which: int, random: Any) -> int:
    """The place of a random entry of a row of a sparse matrix."""
    return int(start[which] + uniform(random) * (start[which + 1] - start[which]))


@kernel
def _exchange(chain: Chain, weighed: Weighed, pairs: Pairs, coldness: float, random: Any) -> None:
    """Let as many pairs as people change values, by Metropolis' rule: margins that both are in stay.

    A pair is somebody, and somebody who is counted in one of their rows.
    """
    value, state = chain
    start, row, says, log_prior = weighed
    paired, rows_of_start, rows_of, together_start, together = pairs
    people = log_prior.shape[0]
    if paired.size == 0:
        return
    seen, mark = np.zeros(len(state), np.int64), 0  # rows of one pair after the other
    for _ in range(people):
        i = paired[int(uniform(random) * paired.size)]
        j = together[_any(together_start, rows_of[_any(rows_of_start, i, random)], random)]
        draw = uniform(random)
        a, b = value[i], value[j]
        if a == b or log_prior[i, b] == -np.inf or log_prior[j, a] == -np.inf:
            continue
        mark += 1
        from_a = _leave(a * people + i, start, row, state, seen, mark)
        from_b = _leave(b * people + j, start, row, state, seen, mark)
        to_a, both_a = _follow(a * people + j, start, row, state, seen, mark)
        to_b, both_b = _follow(b * people + i, start, row, state, seen, mark)
        cost = (to_b - from_a) + (to_a - from_b) - both_a - both_b
        gain = log_prior[i, b] + log_prior[j, a] - log_prior[i, a] - log_prior[j, b] - coldness * cost
        if gain >= 0.0 or draw < np.exp(gain):
            value[i], value[j] = b, a
            _put(a * people + i, -1.0, start, row, state, says)
            _put(b * people + j, -1.0, start, row, state, says)
            _put(b * people + i, 1.0, start, row, state, says)
            _put(a * people + j, 1.0, start, row, state, says)


@kernel
def _misfit(chain: Chain, weighed: Weighed) -> float:
    """Minus the logarithm of prior and likelihood of a chain's secrets, up to a constant."""
    value, state = chain
    _, _, says, log_prior = weighed
    whole = 0.0
    for j in range(len(state)):
        whole += _miss(state[j, COUNT], says[j, LOW], says[j, HIGH], says[j, SHARPNESS], says[j, BY_SIZE])
    for i in range(value.size):
        whole -= log_prior[i, value[i]]
    return whole


@kernel
def walk(
    chain: Chain, weighed: Weighed, pairs: Pairs, coldness: Vector, random: Any, chance: Table, count: bool
) -> Vector:
    """Walk one round for each ``coldness``: draw everybody anew, then let as many pairs exchange.

    If ``count``, probabilities are added to ``chance``. Returns how badly every round fits.
    """
    misfit = np.empty(coldness.size)
    for k in range(coldness.size):
        _redraw(chain, weighed, coldness[k], random, chance, count)
        _exchange(chain, weighed, pairs, coldness[k], random)
        misfit[k] = _misfit(chain, weighed)
    return misfit
