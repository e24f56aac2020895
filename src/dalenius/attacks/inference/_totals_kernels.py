"""Compiled sums over totals; `beliefs_totals` is the readable way in.

Weights are logarithms: far from the likely totals they leave the range of numbers, and it is there that a
surprising output puts its weight. Where both factors are narrow enough their weights themselves are added,
which is the same sum without an exponential for every term.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dalenius.accelerate import kernel

_NARROW = 300.0


@kernel
def _linear(values: Any, room: Any) -> float:
    """Fill ``room`` with weights relative to the largest, and return its logarithm; NaN if too far apart."""
    top = -math.inf
    for i in range(values.size):
        top = max(top, values[i])
    if top == -math.inf:
        return math.nan
    for i in range(values.size):
        if values[i] != -math.inf and values[i] < top - _NARROW:
            return math.nan
        room[i] = math.exp(values[i] - top)
    return top


@kernel
def _add(a: float, b: float) -> float:
    if a < b:
        a, b = b, a
    return a if b == -math.inf else a + math.log1p(math.exp(b - a))


@kernel
def convolve(a: Any, b: Any, row_a: Any, row_b: Any, out: Any) -> None:
    """Weigh the sum of two totals, row by row: ``out[r, k] = ln sum_i exp(a[.., i] + b[.., k - i])``."""
    size_a, size_b = a.shape[1], b.shape[1]
    plain_a, plain_b = np.empty(size_a), np.empty(size_b)
    for r in range(out.shape[0]):
        left, right = a[row_a[r]], b[row_b[r]]
        top = _linear(left, plain_a) + _linear(right, plain_b)
        for k in range(size_a + size_b - 1):
            first, last = max(0, k - size_b + 1), min(k, size_a - 1)
            total = 0.0
            if not math.isnan(top):
                for i in range(first, last + 1):
                    total += plain_a[i] * plain_b[k - i]
                out[r, k] = top + math.log(total) if total > 0 else -math.inf
                continue
            most = -math.inf
            for i in range(first, last + 1):
                most = max(most, left[i] + right[k - i])
            if most == -math.inf:
                out[r, k] = -math.inf
                continue
            for i in range(first, last + 1):
                total += math.exp(left[i] + right[k - i] - most)
            out[r, k] = most + math.log(total)


@kernel
def correlate(b: Any, outside: Any, row_a: Any, row_b: Any, out: Any) -> None:
    """Hand the weight outside a sum back to one of its parts; adds to ``out``.

    ``out[row_a, i] += sum_j b[row_b, j] outside[r, i + j]`` in logarithms: the transpose of `convolve`.
    """
    size_b, size_out = b.shape[1], out.shape[1]
    plain_b, plain_outside = np.empty(size_b), np.empty(outside.shape[1])
    for r in range(outside.shape[0]):
        right, around, mine = b[row_b[r]], outside[r], out[row_a[r]]
        top = _linear(right, plain_b) + _linear(around, plain_outside)
        for i in range(size_out):
            total = 0.0
            if not math.isnan(top):
                for j in range(size_b):
                    total += plain_b[j] * plain_outside[i + j]
                if total > 0:
                    mine[i] = _add(mine[i], top + math.log(total))
                continue
            most = -math.inf
            for j in range(size_b):
                most = max(most, right[j] + around[i + j])
            if most == -math.inf:
                continue
            for j in range(size_b):
                total += math.exp(right[j] + around[i + j] - most)
            mine[i] = _add(mine[i], most + math.log(total))


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
