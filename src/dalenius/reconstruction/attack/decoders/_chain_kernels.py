"""Compiled loops of the Markov chains over everybody's value; each is plain enough to be read.

Rows count people, so one person more or less changes a row by 1. What that would cost, up and down, is kept
for every row: weighing a value is then a sum over its rows, and only who moves changes anything.

``says`` has a row of four numbers for every row of the release: between which counts nothing is missed, one
over the scale of a miss, and whether misses are weighed by their size (Laplace, 1) or their square (0).
``state`` has three: the count as it is, what one person more would cost, and what the last one did.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dalenius.accelerate import kernel

Index = NDArray[np.int32]
Whole = NDArray[np.int64]
Table = NDArray[np.float64]
Vector = NDArray[np.float64]

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
def _shared(one: int, other: int, start: Index, row: Index, state: Table) -> float:
    """What was counted too much for rows that two people of a value are both in: those do not change."""
    p, q = start[one], start[other]
    end, other_end = start[one + 1], start[other + 1]
    whole = 0.0
    while p < end and q < other_end:
        if row[p] == row[q]:
            whole += state[row[p], UP] - state[row[p], DOWN]
            p += 1
            q += 1
        elif row[p] < row[q]:
            p += 1
        else:
            q += 1
    return whole


@kernel
def redraw(
    value: Whole,
    start: Index,
    row: Index,
    state: Table,
    says: Table,
    log_prior: Table,
    coldness: float,
    draw: Vector,
    chance: Table,
    count: bool,
) -> None:
    """Draw everybody's value given all others'; if ``count``, add its probabilities to ``chance``."""
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
        left = draw[i] * whole
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
def exchange(
    value: Whole,
    start: Index,
    row: Index,
    state: Table,
    says: Table,
    log_prior: Table,
    coldness: float,
    first: Whole,
    second: Whole,
    draw: Vector,
) -> None:
    """Let pairs of people change values, by Metropolis' rule: margins that both are in stay as they are."""
    people = log_prior.shape[0]
    for k in range(first.size):
        i, j = first[k], second[k]
        a, b = value[i], value[j]
        if a == b or log_prior[i, b] == -np.inf or log_prior[j, a] == -np.inf:
            continue
        cost = _sum(b * people + i, start, row, state, UP) - _sum(a * people + i, start, row, state, DOWN)
        cost += _sum(a * people + j, start, row, state, UP) - _sum(b * people + j, start, row, state, DOWN)
        cost -= _shared(a * people + i, a * people + j, start, row, state)
        cost -= _shared(b * people + i, b * people + j, start, row, state)
        gain = log_prior[i, b] + log_prior[j, a] - log_prior[i, a] - log_prior[j, b] - coldness * cost
        if gain >= 0.0 or draw[k] < np.exp(gain):
            value[i], value[j] = b, a
            _put(a * people + i, -1.0, start, row, state, says)
            _put(b * people + j, -1.0, start, row, state, says)
            _put(b * people + i, 1.0, start, row, state, says)
            _put(a * people + j, 1.0, start, row, state, says)
