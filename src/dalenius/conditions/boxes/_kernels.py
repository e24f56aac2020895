"""Compiled search for the points in boxes: a k-d tree over ranks; `conjunctions` is the readable way in.

A node keeps the bounding box of its points. A box that misses it is done, a box that holds it counts all its
points at once; so the boxes of a partition cost a walk down the tree each, overlapping ones too.
An axis of a box is a range of ranks, and if it has gaps also the sorted list of the ranks in it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.accelerate import kernel

LEAF = 12
"""Points below which a node is not split."""

DEPTH = 128
"""Nodes a walk can have ahead of it: two per level, and halving 2^40 points takes 40 levels."""


@kernel
def _select(points: NDArray[Any], order: NDArray[Any], axis: int, start: int, stop: int, middle: int) -> None:
    """Move points until the one at ``middle`` is where sorting along the axis would put it (quickselect)."""
    d = points.shape[1]
    low, high = start, stop - 1
    while low < high:
        pivot = points[(low + high) // 2, axis]
        i, j = low, high
        while i <= j:
            while points[i, axis] < pivot:
                i += 1
            while points[j, axis] > pivot:
                j -= 1
            if i <= j:
                for a in range(d):
                    points[i, a], points[j, a] = points[j, a], points[i, a]
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
        if middle <= j:
            high = j
        elif middle >= i:
            low = i
        else:
            return


@kernel
def build(points: NDArray[Any], sizes: NDArray[Any]) -> Any:
    """Return the order of the points, and for each node its start, stop, first child and bounding box.

    The points are moved into that order, not only numbered: those of a node are neighbours in memory.
    """
    n, d = points.shape
    order = np.arange(n)
    most = max(2 * (2 * n // LEAF + 2), 4)
    spans = np.zeros((most, 3), np.int64)
    lows = np.zeros((most, d), np.int32)
    highs = np.zeros((most, d), np.int32)
    spans[0, 1] = n
    nodes = 1
    at = 0
    while at < nodes:
        start, stop = spans[at, 0], spans[at, 1]
        low, high = lows[at], highs[at]
        for j in range(d):
            low[j] = high[j] = points[start, j]
        for i in range(start + 1, stop):
            for j in range(d):
                low[j] = min(low[j], points[i, j])
                high[j] = max(high[j], points[i, j])
        widest = 0.0
        axis: Any = np.int64(-1)  # a plain -1 is a constant at first: `_select` would be compiled for it too
        for j in range(d):
            width = (high[j] - low[j]) / sizes[j]
            if width > widest:
                widest, axis = width, j
        if stop - start > LEAF and axis >= 0:
            middle = (start + stop) // 2
            _select(points, order, axis, start, stop, middle)
            spans[at, 2] = nodes
            spans[nodes, 0], spans[nodes, 1] = start, middle
            spans[nodes + 1, 0], spans[nodes + 1, 1] = middle, stop
            nodes += 2
        at += 1
    return order, spans[:nodes].copy(), lows[:nodes].copy(), highs[:nodes].copy()


@kernel
def first_from(values: NDArray[Any], start: int, stop: int, value: int) -> int:
    """Where the first rank at or above a value is in a part of a sorted list; ``stop`` if there is none."""
    low, high = start, stop
    while low < high:
        middle = (low + high) // 2
        if values[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def _listed(values: NDArray[Any], start: int, stop: int, value: int) -> bool:
    """Whether a rank is in a part of a sorted list."""
    at = first_from(values, start, stop, value)
    return at < stop and values[at] == value


@kernel
def search(tree: Any, boxes: Any, first: int, last: int, counts: NDArray[Any]) -> NDArray[Any]:
    """Count the points in boxes ``first`` to ``last``; return which they are, box after box."""
    cells, ranges, lists = boxes
    points, order, spans, lows, highs = tree
    d = points.shape[1]
    ahead = np.empty(DEPTH, np.int64)
    found = np.empty(16 * (last - first) + 16, np.int64)
    total = 0
    for box in range(first, last):
        before = total
        ahead[0] = 0
        depth = 1
        while depth > 0:
            depth -= 1
            at = ahead[depth]
            outside, inside = False, True
            for j in range(d):
                cell = cells[box, j]
                low, high = ranges[cell, 0], ranges[cell, 1]
                if lows[at, j] > high or highs[at, j] < low:
                    outside = True
                    break
                stop = ranges[cell, 3]
                if stop > 0:
                    near = first_from(lists, ranges[cell, 2], stop, lows[at, j])
                    if near == stop or lists[near] > highs[at, j]:
                        outside = True
                        break
                    # all ranks of the node are listed if as many as it may have lie between its ends
                    far = near + highs[at, j] - lows[at, j]
                    if lists[near] > lows[at, j] or far >= stop or lists[far] > highs[at, j]:
                        inside = False
                elif lows[at, j] < low or highs[at, j] > high:
                    inside = False
            if outside:
                continue
            start, stop, child = spans[at, 0], spans[at, 1], spans[at, 2]
            if child > 0 and not inside:
                ahead[depth] = child
                ahead[depth + 1] = child + 1
                depth += 2
                continue
            if total + stop - start > found.size:
                more = np.empty(2 * (total + stop - start), np.int64)
                for i in range(total):
                    more[i] = found[i]
                found = more
            for i in range(start, stop):
                fits = True
                if not inside:
                    for j in range(d):
                        cell = cells[box, j]
                        value = points[i, j]
                        if value < ranges[cell, 0] or value > ranges[cell, 1]:
                            fits = False
                            break
                        if ranges[cell, 3] > 0 and not _listed(
                            lists, ranges[cell, 2], ranges[cell, 3], value
                        ):
                            fits = False
                            break
                if fits:
                    found[total] = order[i]
                    total += 1
        counts[box] = total - before
    return found[:total]


@kernel
def refine(
    points: NDArray[Any], outer: Any, of: NDArray[Any], boxes: Any, axes: NDArray[Any], counts: Any, kept: Any
) -> None:
    """Keep the points of box ``of[b]`` that meet the cells of box b on some axes.

    Writes how many into ``counts``, and where ``kept`` has starts, which they are from there on.
    """
    begins, rows = outer
    cells, ranges, lists = boxes
    starts, found = kept
    for box in range(of.size):
        count = 0
        for at in range(begins[of[box]], begins[of[box] + 1]):
            row = rows[at]
            fits = True
            for a in range(axes.size):
                cell = cells[box, axes[a]]
                value = points[row, axes[a]]
                if value < ranges[cell, 0] or value > ranges[cell, 1]:
                    fits = False
                    break
                if ranges[cell, 3] > 0 and not _listed(lists, ranges[cell, 2], ranges[cell, 3], value):
                    fits = False
                    break
            if fits:
                if starts.size > 0:
                    found[starts[box] + count] = row
                count += 1
        counts[box] = count
