"""Compiled propagation of beliefs on forests; `forest` is the readable way in.

People are numbered so that a parent comes before its children, in breadth-first order: neighbours in the
tree are then near each other in memory. In the odds form a message is ``(a r + 1)/(r + a)`` with
``a = e^(2J)``: no logarithm. Products of odds overflow at people with very many relatives, for whom there is
the form in logarithms.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dalenius.accelerate import kernel


@kernel
def neighbours(edges: Any, first: Any, other: Any, edge: Any) -> None:
    """List everybody's neighbours: those of v from ``first[v]`` on, with the edge to each."""
    n = first.size - 1
    for v in range(n + 1):
        first[v] = 0
    for i in range(edges.shape[0]):
        first[edges[i, 0]] += 1
        first[edges[i, 1]] += 1
    total = 0
    for v in range(n):
        total += first[v]
        first[v] = total
    first[n] = total
    for i in range(edges.shape[0] - 1, -1, -1):
        a, b = edges[i, 0], edges[i, 1]
        first[a] -= 1
        other[first[a]], edge[first[a]] = b, i
        first[b] -= 1
        other[first[b]], edge[first[b]] = a, i


@kernel
def breadth_first(first: Any, other: Any, edge: Any, number: Any, order: Any, parent: Any, link: Any) -> bool:
    """Number people by breadth, with the parent of each and the edge to it; False if there is a cycle."""
    n = order.size
    for v in range(n):
        number[v] = -1
    filled = 0
    for root in range(n):
        if number[root] >= 0:
            continue
        number[root], order[filled], parent[filled], link[filled] = filled, root, -1, -1
        at = filled
        filled += 1
        while at < filled:
            v = order[at]
            for place in range(first[v], first[v + 1]):
                w = other[place]
                if edge[place] == link[at]:
                    continue
                if number[w] >= 0:
                    return False
                number[w], order[filled], parent[filled], link[filled] = filled, w, at, edge[place]
                filled += 1
            at += 1
    return True


@kernel
def odds(parent: Any, strength: Any, total: Any) -> None:
    """Turn everybody's own odds into their odds given all others, in place.

    Upwards everybody tells their parent ``m = (a r + 1)/(r + a)`` of what they have heard, ``r``. Downwards a
    parent with odds ``t`` has ``t/m`` from everybody else, and tells that; both steps in one fraction. A
    single ``strength`` is everybody's.
    """
    n = parent.size
    mask = 0 if strength.size == 1 else -1
    for v in range(n - 1, -1, -1):
        if parent[v] >= 0:
            a, r = strength[v & mask], total[v]
            total[parent[v]] *= np.divide(a * r + 1.0, r + a)
    for v in range(n):
        if parent[v] >= 0:
            a, r, t = strength[v & mask], total[v], total[parent[v]]
            high, low = t * (r + a), a * r + 1.0
            total[v] = r * np.divide(a * high + low, high + a * low)


_ROOT_HALF = 0x3FE6A09E667F3BCD
"""The bits of the square root of one half."""


@kernel
def logarithms(values: Any) -> None:
    """Replace normal positive numbers by their logarithms, several at a time.

    With ``x = 2^k m`` and m between the roots of 1/2 and 2, ``ln x = k ln 2 + 2 atanh s`` for
    ``s = (m - 1)/(m + 1)``, whose series is below the last bit after ten terms as ``s^2 < 0.03``. NumPy's
    logarithm takes longer than both passes over a tree where the machine has no AVX-512.
    """
    for v in range(values.size):
        bits = np.float64(values[v]).view(np.int64)
        k = (bits - _ROOT_HALF) >> 52
        f = np.int64(bits - (k << 52)).view(np.float64) - 1.0
        s = np.divide(f, 2.0 + f)
        z = s * s
        tail = 1 / 11 + z * (1 / 13 + z * (1 / 15 + z * (1 / 17 + z * (1 / 19))))
        tail = z * (1 / 3 + z * (1 / 5 + z * (1 / 7 + z * (1 / 9 + z * tail))))
        values[v] = k * 0.6931471805599453 + (2.0 * s + 2.0 * s * tail)


@kernel
def fetch(values: Any, order: Any, result: Any, start: int, stop: int) -> None:
    """Number a range of values that stand by person."""
    for v in range(start, stop):
        result[v] = values[order[v]]


@kernel
def hand_out(values: Any, order: Any, result: Any, start: int, stop: int) -> None:
    """Give a range of numbered values back to their people: half as dear as fetching by person."""
    for v in range(start, stop):
        result[order[v]] = values[v]


@kernel
def _message(J: float, u: float) -> float:
    """What log-odds ``u`` say across an edge; see `dalenius.theory.inference.message`."""
    least, most = min(abs(u), 2 * abs(J)), max(abs(u), 2 * abs(J))
    if least == 0.0:
        return 0.0
    near = 1.0 + math.exp(least - most)
    if least <= 30.0:
        size = math.log1p(-math.expm1(-most) * math.expm1(least) / near)
    else:
        size = least - math.log(near)
    return size if (J > 0) == (u > 0) else -size


@kernel
def _add(total: Any, rest: Any, v: int, x: float) -> None:
    """Add to somebody's log-odds; what the sum rounds away is kept beside it (Neumaier 1974)."""
    before = total[v]
    total[v] = before + x
    rest[v] += (before - total[v]) + x if abs(before) >= abs(x) else (x - total[v]) + before


@kernel
def log_odds(parent: Any, coupling: Any, total: Any) -> None:
    """The same in logarithms: ten times slower, never out of range, infinite couplings allowed.

    At somebody with very many relatives the roundings of a plain sum would add up too.
    """
    n = parent.size
    said, rest = np.zeros(n), np.zeros(n)
    for v in range(n - 1, -1, -1):
        if parent[v] >= 0:
            said[v] = _message(coupling[v], total[v] + rest[v])
            _add(total, rest, parent[v], said[v])
    for v in range(n):
        if parent[v] >= 0:
            others = (total[parent[v]] - said[v]) + rest[parent[v]]
            _add(total, rest, v, _message(coupling[v], others))
    for v in range(n):
        total[v] += rest[v]
