"""One step along a chain: from what all later moments say about the next one to what they say about this one.

Later moments and an event of a private mechanism give every value y of the next moment a number h(y), and
``h(y) <= e^A(y, y') h(y')`` is all that is known of it. What they say about this moment is then at most the
largest ``sum_y P(s, y) h(y) / sum_y P(s', y) h(y)``: a linear-fractional program over a cone, attained on one
of its edges. On an edge as many of the conditions are equalities as make a tree of the values.
"""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np

from dalenius.knowledge.correlation.chain import Floats

FEW = 4
"""Values up to which all edges of the cone are looked at: 2, 12 and 128 of them."""

SLACK = 1e-12
"""By how much an edge may break a condition for rounding; it makes the bound larger, never smaller."""


def step(log_rows: Floats, most: Floats) -> Floats:
    """Return the most that can be said about a pair of values of this moment.

    Parameters
    ----------
    log_rows
        Logarithms of how likely each value of the next moment is given one of this; chains, values, values.
    most
        By how much ``ln h`` may differ between two values of the next moment; same shape.
    """
    return _over_edges(log_rows, most) if log_rows.shape[-1] <= FEW else _over_range(log_rows, most)


def _over_edges(log_rows: Floats, most: Floats) -> Floats:
    """Try every tree of equalities; those that break another condition are no edges."""
    heights = np.stack([_heights(most, tree) for tree in _trees(most.shape[-1])], axis=1)
    apart = heights[..., :, None] - heights[..., None, :]
    allowed = (most + SLACK * (1 + most))[:, None]
    broken = np.any(apart > allowed, axis=(-1, -2))
    said = np.logaddexp.reduce(log_rows[:, None] + heights[:, :, None, :], axis=-1)
    ratio = said[..., :, None] - said[..., None, :]
    result: Floats = np.where(np.expand_dims(broken, (2, 3)), -np.inf, ratio).max(axis=1)
    return np.maximum(result, 0.0)


def _heights(most: Floats, tree: tuple[tuple[int, int, bool], ...]) -> Floats:
    """``ln h`` of every value where one tree of conditions holds with equality."""
    found = np.zeros(most.shape[:-1])
    for parent, child, above in tree:
        gap = most[:, child, parent] if above else -most[:, parent, child]
        found[:, child] = found[:, parent] + gap
    return found


@cache
def _trees(size: int) -> tuple[tuple[tuple[int, int, bool], ...], ...]:
    """All trees of so many values, each with every choice of which end is higher, parents first."""
    found = []
    for code in product(range(size), repeat=size - 1):
        # child k + 1 hangs on code[k]: a tree of all values if every one leads to 0
        if (order := _order(code)) is not None:
            for above in product((False, True), repeat=size - 1):
                found.append(tuple((code[k - 1], k, above[k - 1]) for k in order))
    return tuple(found)


def _order(code: tuple[int, ...]) -> list[int] | None:
    """Children after their parents; None if some never lead to 0."""
    done, order = {0}, []
    while len(done) <= len(code):
        ready = [k for k in range(1, len(code) + 1) if k not in done and code[k - 1] in done]
        if not ready:
            return None
        order += ready
        done |= {*ready}
    return order


def _over_range(log_rows: Floats, most: Floats) -> Floats:
    """The same with the largest difference for every pair, which is more: then h has two heights.

    Which values are high follows from the order of ``P(s, y) / P(s', y)``.
    """
    height = most.max(axis=(-1, -2))[:, None, None, None]
    rows = np.exp(log_rows)
    one, other = (
        each.repeat(rows.shape[-1], axis) for axis, each in ((2, rows[:, :, None]), (1, rows[:, None]))
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        order = np.argsort(-np.where(one + other > 0, one / (one + other), 0.0), axis=-1, kind="stable")
    for_it, against = (_heard(np.take_along_axis(each, order, -1), height) for each in (one, other))
    result: Floats = np.maximum((for_it - against).max(axis=-1), 0.0)
    return result


def _heard(ordered: Floats, height: Floats) -> Floats:
    """``ln sum P h`` with the first so many values high, for every so many."""
    high = np.minimum(np.cumsum(ordered, axis=-1), 1.0)
    low = np.cumsum(ordered[..., ::-1], axis=-1)[..., ::-1] - ordered
    with np.errstate(divide="ignore"):
        result: Floats = np.logaddexp(height + np.log(high), np.log(np.maximum(low, 0.0)))
    return result
