"""Mondrian's cuts, compiled; `mondrian` is the readable way in.

Values are numbered in the order of their column. ``order`` holds the rows; a class is a stretch of it, and a
cut rearranges one stretch in place. Stretches that are still to be cut wait on a stack.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dalenius.accelerate import kernel

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class NumberedColumns(NamedTuple):
    """Columns as codes, row by row; ``positions[offsets[j] + code]`` lies in column j scaled to 0 .. 1."""

    codes: NDArray[np.int32]
    positions: Floats
    offsets: Ints


class SensitiveRule(NamedTuple):
    """What the sensitive values of a class must be: diverse, and spread much like those of all rows.

    ``values`` are those of the rows, ``share`` how often each occurs in all; ``least`` is how many are
    wanted, different ones or by their entropy, and ``most`` how far they may be from ``share``, along their
    order or not.
    """

    values: Ints
    share: Floats
    least: float
    entropy: bool
    most: float
    ordered: bool


class ClassRegions(NamedTuple):
    """Room for classes: where each starts in the order, and the region of codes that its cuts leave."""

    starts: Ints
    low: Ints
    high: Ints


@kernel
def _measure(columns: NumberedColumns, order: Ints, start: int, stop: int, spans: Floats) -> None:
    """How much of every column a stretch takes up."""
    codes, positions, offsets = columns
    for j in range(codes.shape[1]):
        first = last = codes[order[start], j]
        for i in range(start + 1, stop):
            code = codes[order[i], j]
            first, last = min(first, code), max(last, code)
        spans[j] = positions[offsets[j] + last] - positions[offsets[j] + first]


@kernel
def _widest(spans: Floats) -> int:
    best = 0
    for j in range(1, spans.size):
        if spans[j] > spans[best]:
            best = j
    return best


@kernel
def _middle(values: NDArray[np.int32], size: int) -> int:
    """The upper median by Hoare's selection; rearranges the values."""
    wanted, left, right = size // 2, 0, size - 1
    while left < right:
        pivot = values[(left + right) // 2]
        i, j = left, right
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if wanted <= j:
            right = j
        elif wanted >= i:
            left = i
        else:
            break
    found: int = values[wanted]
    return found


@kernel
def _cut_at(
    codes: NDArray[np.int32], order: Ints, start: int, stop: int, k: int, scratch: NDArray[np.int32]
) -> tuple[int, int]:
    """The cuts on both sides of the median's ties, the more even one first; -1 if it leaves too few."""
    size = stop - start
    for i in range(size):
        scratch[i] = codes[order[start + i]]
    middle = _middle(scratch, size)
    below, equal, under = 0, 0, -1
    for i in range(size):
        if scratch[i] < middle:
            below += 1
            under = max(under, scratch[i])
        elif scratch[i] == middle:
            equal += 1
    upto = below + equal
    before = under if min(below, size - below) >= k else -1
    after = middle if min(upto, size - upto) >= k else -1
    if before < 0:
        return after, -1
    if after < 0 or abs(2 * below - size) <= abs(2 * upto - size):
        return before, after
    return after, before


@kernel
def _split(codes: NDArray[np.int32], order: Ints, start: int, stop: int, code: int) -> int:
    """Put those up to a code first; return where the others start."""
    left, right = start, stop - 1
    while left <= right:
        if codes[order[left]] <= code:
            left += 1
        else:
            order[left], order[right] = order[right], order[left]
            right -= 1
    return left


@kernel
def _meets(rule: SensitiveRule, order: Ints, start: int, stop: int, tally: Ints) -> bool:
    """Whether a stretch is diverse enough and close enough to all rows; leaves the tally at zero."""
    values, share, least, entropy, most, ordered = rule
    if least <= 1 and most >= 1:
        return True
    size = stop - start
    for i in range(start, stop):
        tally[values[order[i]]] += 1
    distinct, nats, distance, gap = 0, 0.0, 0.0, 0.0
    for v in range(share.size):
        count = tally[v]
        if count:
            distinct += 1
            nats -= count / size * np.log(count / size)
        if ordered:
            gap += count / size - share[v]
            distance += abs(gap)
        else:
            distance += max(count / size - share[v], 0.0)
        tally[v] = 0
    if ordered and share.size > 1:
        distance /= share.size - 1
    diverse = nats >= np.log(least) - 1e-9 if entropy else distinct >= least
    return diverse and distance <= most + 1e-9


@kernel
def _copy(source: Ints, target: Ints) -> None:
    """The same ends of every column."""
    for end in range(source.shape[0]):
        for j in range(source.shape[1]):
            target[end, j] = source[end, j]


@kernel
def cut_all(columns: NumberedColumns, rule: SensitiveRule, k: int, order: Ints, classes: ClassRegions) -> int:
    """Cut until no cut is allowed, into classes of k or more; return how many there are.

    ``order`` has the rows, and gets them class by class.
    """
    codes, offsets = columns.codes, columns.offsets
    rows, width = codes.shape
    stack = np.empty((2 * (rows // k) + 2, 2), np.int64)
    regions = np.empty((stack.shape[0], 2, width), np.int64)
    stack[0, 0], stack[0, 1] = 0, rows
    for j in range(width):
        regions[0, 0, j], regions[0, 1, j] = 0, offsets[j + 1] - offsets[j] - 1
    waiting, made = 1, 0
    scratch, tally = np.empty(rows, np.int32), np.zeros(rule.share.size, np.int64)
    spans = np.empty(width)
    region = np.empty((2, width), np.int64)
    while waiting:
        waiting -= 1
        start, stop = stack[waiting, 0], stack[waiting, 1]
        _copy(regions[waiting], region)
        cut = -1
        if stop - start >= 2 * k:
            _measure(columns, order, start, stop, spans)
            for _ in range(width):
                j = _widest(spans)
                if spans[j] <= 0:
                    break
                spans[j] = 0.0
                at = _cut_at(codes[:, j], order, start, stop, k, scratch)
                for code in at:
                    if code < 0:
                        break
                    middle = _split(codes[:, j], order, start, stop, code)
                    if middle - start < k or stop - middle < k:
                        continue
                    if _meets(rule, order, start, middle, tally) and _meets(rule, order, middle, stop, tally):
                        cut = j
                        stack[waiting, 0], stack[waiting, 1] = start, middle
                        stack[waiting + 1, 0], stack[waiting + 1, 1] = middle, stop
                        _copy(region, regions[waiting])
                        _copy(region, regions[waiting + 1])
                        regions[waiting, 1, j], regions[waiting + 1, 0, j] = code, code + 1
                        waiting += 2
                        break
                if cut >= 0:
                    break
        if cut < 0:
            classes.starts[made] = start
            for j in range(width):
                classes.low[made, j], classes.high[made, j] = region[0, j], region[1, j]
            made += 1
    return made
