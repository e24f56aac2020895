"""Compiled propagation of beliefs on forests; `forest` is the readable way in.

People are numbered so that a parent comes before its children, in breadth-first order: neighbours in the
tree are then near each other in memory. In the odds form a message is ``(a r + 1)/(r + a)`` with
``a = e^(2J)``: no logarithm. Products of odds overflow at people with very many relatives, for whom there is
the form in logarithms.
"""

from __future__ import annotations

import math
from typing import Any

from dalenius.accelerate import kernel


@kernel
def breadth_first(indptr: Any, indices: Any, order: Any, parent: Any, edge: Any) -> bool:
    """Number people by breadth, with the parent of each and the edge to it; False if there is a cycle."""
    n = order.size
    number = order.copy()
    number[:] = -1
    filled = 0
    for root in range(n):
        if number[root] >= 0:
            continue
        number[root], order[filled], parent[filled], edge[filled] = filled, root, -1, -1
        at = filled
        filled += 1
        while at < filled:
            v = order[at]
            up = -1 if parent[at] < 0 else order[parent[at]]
            for place in range(indptr[v], indptr[v + 1]):
                w = indices[place]
                if w == up:
                    continue
                if number[w] >= 0:
                    return False
                number[w], order[filled], parent[filled], edge[filled] = filled, w, at, place
                filled += 1
            at += 1
    return True


@kernel
def odds(parent: Any, a: Any, own: Any, total: Any, said: Any) -> None:
    """Fill ``total`` with everybody's odds, from their own odds ``own``; ``said`` is room for messages."""
    n = parent.size
    for v in range(n):
        total[v] = own[v]
    for v in range(n - 1, -1, -1):
        if parent[v] >= 0:
            r = total[v]
            said[v] = (a[v] * r + 1.0) / (r + a[v])
            total[parent[v]] *= said[v]
    for v in range(n):
        if parent[v] >= 0:
            r = total[parent[v]] / said[v]
            total[v] *= (a[v] * r + 1.0) / (r + a[v])


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
def log_odds(parent: Any, coupling: Any, own: Any, total: Any, said: Any) -> None:
    """The same in logarithms: ten times slower, never out of range, infinite couplings allowed."""
    n = parent.size
    for v in range(n):
        total[v] = own[v]
    for v in range(n - 1, -1, -1):
        if parent[v] >= 0:
            said[v] = _message(coupling[v], total[v])
            total[parent[v]] += said[v]
    for v in range(n):
        if parent[v] >= 0:
            total[v] += _message(coupling[v], total[parent[v]] - said[v])
