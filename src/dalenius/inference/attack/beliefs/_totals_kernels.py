"""Compiled sums over totals; `beliefs_totals` is the readable way in.

Weights are logarithms: far from the likely totals they leave the range of numbers, and it is there that a
surprising output puts its weight. Sequences are cut into runs that can be written down relative to their
largest weight; between two runs weights themselves are multiplied and added, and only the sums go back to
logarithms. Nothing is dropped.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dalenius.accelerate import kernel

_NARROW = 300.0


@kernel
def _cut(values: Any, plain: Any, start: Any, top: Any) -> int:
    """Cut into runs and return how many; ``plain`` are the weights relative to the ``top`` of their run."""
    runs, first = 0, 0
    while first < values.size:
        low, high, end = math.inf, -math.inf, first
        while end < values.size:
            value = values[end]
            if value != -math.inf:
                if max(high, value) - min(low, value) > _NARROW:
                    break
                low, high = min(low, value), max(high, value)
            end += 1
        for i in range(first, end):
            plain[i] = 0.0 if values[i] == -math.inf else math.exp(values[i] - high)
        start[runs], top[runs] = first, high
        runs, first = runs + 1, end
    start[runs] = values.size
    return runs


@kernel
def _add(a: float, b: float) -> float:
    if a < b:
        a, b = b, a
    return a if b == -math.inf else a + math.log1p(math.exp(b - a))


@kernel
def _room(size: int) -> Any:
    return np.empty(size), np.empty(size + 1, np.int64), np.empty(size)


@kernel
def convolve(a: Any, b: Any, row_a: Any, row_b: Any, out: Any) -> None:
    """Weigh the sum of two totals, row by row: ``out[r, k] = ln sum_i exp(a[.., i] + b[.., k - i])``."""
    plain_a, start_a, top_a = _room(a.shape[1])
    plain_b, start_b, top_b = _room(b.shape[1])
    for r in range(out.shape[0]):
        runs_a = _cut(a[row_a[r]], plain_a, start_a, top_a)
        runs_b = _cut(b[row_b[r]], plain_b, start_b, top_b)
        out[r] = -math.inf
        for p in range(runs_a):
            for q in range(runs_b):
                low_a, end_a, low_b, end_b = start_a[p], start_a[p + 1], start_b[q], start_b[q + 1]
                for k in range(low_a + low_b, end_a + end_b - 1):
                    total = 0.0
                    for i in range(max(low_a, k - end_b + 1), min(end_a, k - low_b + 1)):
                        total += plain_a[i] * plain_b[k - i]
                    if total > 0:
                        out[r, k] = _add(out[r, k], top_a[p] + top_b[q] + math.log(total))


@kernel
def correlate(b: Any, outside: Any, row_a: Any, row_b: Any, out: Any) -> None:
    """Hand the weight outside a sum back to one of its parts; adds to ``out``.

    ``out[row_a, i] += sum_j b[row_b, j] outside[r, i + j]`` in logarithms: the transpose of `convolve`.
    """
    plain_b, start_b, top_b = _room(b.shape[1])
    plain_o, start_o, top_o = _room(outside.shape[1])
    for r in range(outside.shape[0]):
        runs_b = _cut(b[row_b[r]], plain_b, start_b, top_b)
        runs_o = _cut(outside[r], plain_o, start_o, top_o)
        mine = out[row_a[r]]
        for p in range(runs_b):
            for q in range(runs_o):
                low_b, end_b, low_o, end_o = start_b[p], start_b[p + 1], start_o[q], start_o[q + 1]
                for i in range(max(0, low_o - end_b + 1), min(mine.size, end_o - low_b)):
                    total = 0.0
                    for j in range(max(low_b, low_o - i), min(end_b, end_o - i)):
                        total += plain_b[j] * plain_o[i + j]
                    if total > 0:
                        mine[i] = _add(mine[i], top_b[p] + top_o[q] + math.log(total))


@kernel
def eliminate(inside: Any, row: Any, local: Any, counted: int, out: Any) -> None:
    """Sum a person out: ``row[x, s]`` is the row of ``inside`` where their bit is x, and those around s."""
    for s in range(out.shape[0]):
        for k in range(out.shape[1]):
            value = -math.inf
            for x in range(2):
                at = k - x * counted
                if 0 <= at < inside.shape[1]:
                    value = _add(value, local[x, s] + inside[row[x, s], at])
            out[s, k] = value


@kernel
def restore(inside: Any, row: Any, local: Any, counted: int, outside: Any, around: Any, bit: Any) -> None:
    """The transpose of `eliminate`: adds to ``around``, and sets the weight ``bit`` of both values."""
    for x in range(2):
        bit[x] = -math.inf
        for s in range(outside.shape[0]):
            for k in range(inside.shape[1]):
                given = local[x, s] + outside[s, k + x * counted]
                around[row[x, s], k] = _add(around[row[x, s], k], given)
                bit[x] = _add(bit[x], given + inside[row[x, s], k])
