"""Compiled search for blocks: which links lie on a common loop (Hopcroft and Tarjan 1973)."""

from __future__ import annotations

from typing import Any

import numpy as np

from dalenius.accelerate import kernel


@kernel
def blocks_of_links(start: Any, ends: Any, link: Any, block: Any) -> int:
    """Number the block of each link, and return how many there are; no recursion, so that chains may be long.

    ``ends`` and ``link`` are everybody's relatives and the links to them, from ``start`` on.
    """
    people = start.size - 1
    seen, low = np.zeros(people, np.int64), np.zeros(people, np.int64)
    came_by = np.full(people, -1, np.int64)
    at = start[:-1].copy()
    way, open_links = np.empty(people, np.int64), np.empty(block.size, np.int64)
    time, count = 0, 0
    for root in range(people):
        if seen[root]:
            continue
        time += 1
        seen[root] = low[root] = time
        way[0], depth, waiting = root, 1, 0
        while depth:
            v = way[depth - 1]
            if at[v] < start[v + 1]:
                w, e = ends[at[v]], link[at[v]]
                at[v] += 1
                if e == came_by[v]:
                    continue
                if not seen[w]:
                    time += 1
                    seen[w] = low[w] = time
                    came_by[w] = e
                    open_links[waiting] = e
                    waiting += 1
                    way[depth] = w
                    depth += 1
                elif seen[w] < seen[v]:
                    open_links[waiting] = e
                    waiting += 1
                    low[v] = min(low[v], seen[w])
                continue
            depth -= 1
            if depth == 0:
                break
            u = way[depth - 1]
            low[u] = min(low[u], low[v])
            if low[v] >= seen[u]:  # nothing below v leads above u: the links since then are one block
                while True:
                    waiting -= 1
                    block[open_links[waiting]] = count
                    if open_links[waiting] == came_by[v]:
                        break
                count += 1
    return count
