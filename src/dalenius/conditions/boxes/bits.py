"""Which rows lie in boxes, compiled; `boxes` is the readable way in. Rows are bits, 64 of them at once.

Of every column the rows below each of a few cuts are kept as bits. The rows between two cuts are then two
words of memory for 64 people, and a box is the bits that all its columns have: hardly anybody is left of whom
each value has to be looked at. Rows that are alike in three columns are neighbours, and most stretches of
them need no look, as none of their values reaches into the box.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dalenius.accelerate import kernel
from dalenius.conditions.boxes._kernels import first_from

Places = NDArray[np.int32]
Ints = NDArray[np.int64]
Bits = NDArray[np.uint64]

CUTS, FEWEST_CUTS = 64, 8
"""Cuts of a column, fewer of very many rows; where it has fewer different values, every one is a cut."""

BYTES = 64_000_000
"""What bits may take."""

WORDS = 8
"""Words of a stretch of rows: a cache line, which memory hands over as a whole anyway."""

SORTED_BY = 3
"""Columns that rows are sorted by."""

DE_BRUIJN = np.uint64(0x03F79D71B4CB0A89)
"""Each six bits in a row of it are different, so that the top six after a shift tell how far it was.

Compiled code has no other way to the place of a lowest bit: numba does not count trailing zeros.
"""


class BoxSides(NamedTuple):
    """The limits of many boxes: places in columns, both included."""

    columns: Places
    low: Places
    high: Places


class CutRows(NamedTuple):
    """Rows as bits.

    Parameters
    ----------
    order
        The row of every bit.
    cuts
        For every column rising places, the first 0 and the last beyond all; unused ones repeat the last.
    below
        For every column and cut the rows whose place is below it, a bit each.
    least, most
        The places of every stretch of rows and column.
    """

    order: Ints
    cuts: Places
    below: Bits
    least: Places
    most: Places


def cut_rows(places: Places) -> CutRows:
    """Write rows as bits.

    Parameters
    ----------
    places
        The value of every row and column, as its place among the different ones.
    """
    size, columns = places.shape
    stretches = -(-size // (64 * WORDS))
    words = stretches * WORDS
    starts = [np.append(0, np.cumsum(np.bincount(column))) for column in places.T]
    order = _neighbours(places, [under.size for under in starts])
    sorted_places = np.ascontiguousarray(places[order].T)
    most_cuts = min(CUTS, max(FEWEST_CUTS, BYTES // max(1, columns * words * 8)))
    cuts = np.empty((columns, most_cuts + 1), np.int32)
    below = np.zeros((columns, most_cuts + 1, words), np.uint64)
    for j, under in enumerate(starts):
        different = under.size - 1
        by_share = np.searchsorted(under, np.linspace(0, size, most_cuts + 1), "left")
        cuts[j] = by_share if different > most_cuts else np.arange(most_cuts + 1).clip(max=different)
        passed = np.searchsorted(cuts[j], np.arange(different), "right")
        write_bits(sorted_places[j], passed, below[j])
    begins = np.arange(stretches) * 64 * WORDS
    least, most = (
        reach.reduceat(sorted_places, begins, axis=1).T.copy() for reach in (np.minimum, np.maximum)
    )
    return CutRows(order, cuts, below, least, most)


def _neighbours(places: Places, values: Sequence[int]) -> Ints:
    """An order in which rows that are alike in the columns with most values follow each other."""
    size = len(places)
    finest = np.argsort([-different for different in values], kind="stable")[:SORTED_BY].tolist()
    parts = max(1, round((size / (64 * WORDS)) ** (1 / len(finest))))
    slab = np.zeros(size, np.int64)
    order = np.arange(size)
    for j in finest:
        order = np.argsort((slab << 32) | places[:, j], kind="stable")
        ahead = np.append(0, np.cumsum(np.bincount(slab)))
        rank = np.empty(size, np.int64)
        rank[order] = np.arange(size) - ahead[slab[order]]
        slab = slab * parts + rank * parts // np.diff(ahead)[slab]
    return order


@kernel
def write_bits(places: Places, passed: Ints, below: Bits) -> None:
    """Set in each line the bits of the rows that are below its cut; a place is below from ``passed`` on."""
    one = np.uint64(1)
    for i in range(places.size):
        below[passed[places[i]], i >> 6] |= one << np.uint64(i & 63)
    for b in range(1, below.shape[0]):
        for w in range(below.shape[1]):
            below[b, w] |= below[b - 1, w]


def _first_bits() -> Ints:
    where = np.empty(64, np.int64)
    for bit in range(64):
        where[(int(DE_BRUIJN) << bit) % (1 << 64) >> 58] = bit
    return where


FIRST_BIT = _first_bits()


@kernel
def find_rows(
    values: Places,
    rows: CutRows,
    boxes: BoxSides,
    span: tuple[int, int],
    first_bit: Ints,
    counts: Ints,
    found: Ints,
) -> None:
    """Write for a span of boxes rows inside, in the order of the bits, and how many; stop when full."""
    columns, low, high = boxes
    order, cuts, below, least, most = rows
    width, limit = columns.shape[1], found.shape[1]
    joined = np.empty(WORDS, np.uint64)
    since, until = np.empty(width, np.int64), np.empty(width, np.int64)
    for p in range(span[0], span[1]):
        for c in range(width):
            at = cuts[columns[p, c]]
            since[c] = first_from(at, 0, at.size, low[p, c] + 1) - 1
            until[c] = first_from(at, 0, at.size, high[p, c] + 1)
        count = 0
        for stretch in range(least.shape[0]):
            reached = True
            for c in range(width):
                j = columns[p, c]
                if least[stretch, j] > high[p, c] or most[stretch, j] < low[p, c]:
                    reached = False
                    break
            if not reached:
                continue
            for w in range(WORDS):
                joined[w] = ~np.uint64(0)
            for c in range(width):
                over, under = below[columns[p, c], since[c]], below[columns[p, c], until[c]]
                for w in range(WORDS):
                    joined[w] &= under[stretch * WORDS + w] & ~over[stretch * WORDS + w]
            for w in range(WORDS):
                bits = joined[w]
                while bits and count < limit:
                    lowest = bits & (~bits + np.uint64(1))
                    bits ^= lowest
                    shifted = (lowest * DE_BRUIJN) >> np.uint64(58)
                    i = order[64 * (stretch * WORDS + w) + first_bit[shifted]]
                    inside = True
                    for c in range(width):
                        x = values[i, columns[p, c]]
                        if x < low[p, c] or x > high[p, c]:
                            inside = False
                            break
                    if inside:
                        found[p, count] = i
                        count += 1
            if count == limit:
                break
        counts[p] = count
