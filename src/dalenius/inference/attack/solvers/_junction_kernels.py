"""Compiled calibration of a junction tree; `junction` is the readable way in.

People have their places in the order of elimination; each has a table over their own bit (the lowest) and
the bits of the later people they meet, in order. Tables hold logarithms of weights.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dalenius.accelerate import kernel

Whole = NDArray[np.int64]
Floats = NDArray[np.float64]


class TreeLayout(NamedTuple):
    """Junction trees of several groups, one after the other; see `junction.JunctionTree`."""

    first: Whole
    met: Whole
    coupling: Floats
    parent: Whole
    mask: Whole
    offset: Whole


class TableRoom(NamedTuple):
    """Memory for the tables of the largest group, and three times room for the largest table."""

    tables: Floats
    at: NDArray[np.int32]
    said: Floats
    summed: Floats


@kernel
def _add_logs(a: float, b: float) -> float:
    high, low = max(a, b), min(a, b)
    return high + math.log1p(math.exp(low - high))


@kernel
def _spread(mask: int, bits: int, at: Any) -> None:
    """For every entry of a table of so many bits, where it is in the smaller table of the bits in a mask."""
    at[0] = 0
    step = 1
    for k in range(bits):
        add = 0
        if (mask >> k) & 1:
            add, step = step, 2 * step
        half = 1 << k
        for t in range(half):
            at[half + t] = at[t] + add


@kernel
def _own_weights(field: float, coupling: Any, table: Any) -> None:
    """``s (h + sum_j J_j s_j)`` for a person's bit and those of the people they meet."""
    total = field
    for J in coupling:
        total += J
    table[0], table[1] = total, -total
    half = 1
    for J in coupling:
        for s in range(half):
            total = table[2 * s] - 2 * J
            table[2 * (half + s)], table[2 * (half + s) + 1] = total, -total
        half *= 2


@kernel
def _log_odds(table: Any) -> float:
    """Log-odds of the lowest bit of a table."""
    high0, high1 = table[0], table[1]
    for s in range(1, table.size // 2):
        high0, high1 = max(high0, table[2 * s]), max(high1, table[2 * s + 1])
    sum0, sum1 = 0.0, 0.0
    for s in range(table.size // 2):
        sum0 += math.exp(table[2 * s] - high0)
        sum1 += math.exp(table[2 * s + 1] - high1)
    return float(high0 - high1) + math.log(sum0 / sum1)


@kernel
def _sum_out(table: Any, at: Any, high: Any, total: Any) -> None:
    """Sum a table down to the smaller one that ``at`` points into; logarithms end up in ``high``."""
    for s in range(total.size):
        high[s], total[s] = -math.inf, 0.0
    for t in range(table.size):
        high[at[t]] = max(high[at[t]], table[t])
    for t in range(table.size):
        total[at[t]] += math.exp(table[t] - high[at[t]])
    for s in range(total.size):
        high[s] += math.log(total[s])


@kernel
def calibrate_group(layout: Any, group: int, field: Any, room: Any, log_odds: Any) -> None:
    """Fill ``log_odds`` for the places of one group, and leave its tables calibrated."""
    first, met, coupling, parent, mask, offset = layout
    tables, at, said, summed = room
    start, stop = first[group], first[group + 1]
    for p in range(start, stop):
        size = 2 << (met[p + 1] - met[p])
        own = tables[offset[p] : offset[p] + size]
        _own_weights(field[p], coupling[met[p] : met[p + 1]], own)
    for p in range(start, stop):
        q = parent[p]
        if q < 0:
            continue
        half = 1 << (met[p + 1] - met[p])
        own = tables[offset[p] : offset[p] + 2 * half]
        for s in range(half):
            said[s] = _add_logs(own[2 * s], own[2 * s + 1])
        bits = met[q + 1] - met[q] + 1
        above = tables[offset[q] : offset[q] + (1 << bits)]
        _spread(mask[p], bits, at)
        zero = said[0]  # only differences matter; without this, sums would grow with the group
        for t in range(above.size):
            above[t] += said[at[t]] - zero
    for p in range(stop - 1, start - 1, -1):
        q = parent[p]
        half = 1 << (met[p + 1] - met[p])
        own = tables[offset[p] : offset[p] + 2 * half]
        if q >= 0:
            bits = met[q + 1] - met[q] + 1
            _spread(mask[p], bits, at)
            _sum_out(tables[offset[q] : offset[q] + (1 << bits)], at, said[:half], summed[:half])
            for s in range(half):
                rest = said[s] - _add_logs(own[2 * s], own[2 * s + 1])
                own[2 * s] += rest
                own[2 * s + 1] += rest
        log_odds[p] = _log_odds(own)


@kernel
def calibrate(layout: Any, field: Any, room: Any, log_odds: Any) -> None:
    """Fill ``log_odds`` for the places of all groups, one group after the other in the same memory."""
    for group in range(layout.first.size - 1):
        calibrate_group(layout, group, field, room, log_odds)
