"""Compiled passes over packed values on any machine; `scores` is the readable way in.

Four attributes of one person are one byte once their codes stand side by side, and a table of 256 numbers
holds what every byte adds: one lookup for four attributes. Tables are as precise as the numbers that they
are made from, sums are in double precision after at most `CHUNK` attributes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numpy.typing import NDArray

from dalenius.accelerate import intrinsic, kernel

GROUP = 16
"""Attributes of one step: four lookups that overlap."""

CHUNK = 256
"""Attributes added in the precision of the tables before the sums move on to double precision."""

TILE = 1024
"""Bytes of a row that pass by the tables before the next tables are made: four times as many people."""


@kernel
def _fill(table: NDArray[Any], tables: NDArray[Any], k: int, first: int) -> None:
    """Write what each byte adds: the sum of one number of each of four attributes, the first lowest."""
    for byte in range(256):
        table[byte] = (tables[k, first, byte & 3] + tables[k, first + 1, byte >> 2 & 3]) + (
            tables[k, first + 2, byte >> 4 & 3] + tables[k, first + 3, byte >> 6]
        )


@kernel
def _side_by_side(
    out: NDArray[np.uint8],
    packed: NDArray[np.uint8],
    rows: NDArray[np.int64],
    first: int,
    left: int,
    size: int,
) -> None:
    """Turn four rows around: byte ``i`` of ``out[p]`` gets the four codes of person ``4 (left + i) + p``."""
    one, two = packed[rows[first], left:], packed[rows[first + 1], left:]
    three, four = packed[rows[first + 2], left:], packed[rows[first + 3], left:]
    for i in range(size):
        a, b, c, d = one[i], two[i], three[i], four[i]
        out[0, i] = (a & 3) | (b & 3) << 2 | (c & 3) << 4 | (d & 3) << 6
        out[1, i] = (a >> 2 & 3) | (b & 12) | (c & 12) << 2 | (d & 12) << 4
        out[2, i] = (a >> 4 & 3) | (b >> 2 & 12) | (c & 48) | (d & 48) << 2
        out[3, i] = a >> 6 | (b >> 4 & 12) | (c >> 2 & 48) | (d & 192)


@kernel
def _add_bytes(sums: NDArray[Any], tables: NDArray[Any], turned: NDArray[np.uint8], size: int) -> None:
    for p in range(4):
        own, a, b, c, d = sums[p], turned[0, p], turned[1, p], turned[2, p], turned[3, p]
        for i in range(size):
            own[i] += (tables[0, a[i]] + tables[1, b[i]]) + (tables[2, c[i]] + tables[3, d[i]])


@kernel
def add_lookups(
    out: NDArray[np.float64], packed: NDArray[np.uint8], rows: NDArray[np.int64], tables: NDArray[Any]
) -> None:
    """Add to ``out[k]`` what the tables of all attributes say about every person.

    ``tables`` is ``(K, attributes, 4)`` by stored code, ``rows`` the packed row of each attribute; a multiple
    of `GROUP` of them. ``out`` is ``(K, 4, width)``: person ``4 i + p`` at ``[p, i]``.
    """
    width = packed.shape[1]
    sums = np.empty((4, TILE), tables.dtype)
    turned = np.empty((4, 4, TILE), np.uint8)
    sixteen = np.empty((4, 256), tables.dtype)
    for k in range(tables.shape[0]):
        for low in range(0, rows.size, CHUNK):
            for left in range(0, width, TILE):
                size = min(TILE, width - left)
                sums[:] = 0
                for first in range(low, min(low + CHUNK, rows.size), GROUP):
                    for g in range(4):
                        _fill(sixteen[g], tables, k, first + 4 * g)
                        _side_by_side(turned[g], packed, rows, first + 4 * g, left, size)
                    _add_bytes(sums, sixteen, turned, size)
                for p in range(4):
                    for i in range(size):
                        out[k, p, left + i] += sums[p, i]


@kernel
def gather(
    out: NDArray[np.uint8], packed: NDArray[np.uint8], rows: NDArray[np.int64], people: NDArray[np.int64]
) -> None:
    """Pack the values of some people next to each other, row by row."""
    whole = people.size // 4
    for r in range(rows.size):
        row = packed[rows[r]]
        for i in range(whole):
            a, b, c, d = people[4 * i], people[4 * i + 1], people[4 * i + 2], people[4 * i + 3]
            out[r, i] = (
                (row[a >> 2] >> (2 * (a & 3)) & 3)
                | (row[b >> 2] >> (2 * (b & 3)) & 3) << 2
                | (row[c >> 2] >> (2 * (c & 3)) & 3) << 4
                | (row[d >> 2] >> (2 * (d & 3)) & 3) << 6
            )
        if whole < out.shape[1]:
            out[r, whole] = 0
            for i in range(4 * whole, people.size):
                out[r, whole] |= (row[people[i] >> 2] >> (2 * (people[i] & 3)) & 3) << (2 * (i & 3))


@intrinsic
def _word(typing: Any, packed: Any, at: Any) -> Any:
    """Load eight bytes from byte ``at`` on, aligned or not; ``at`` and the word are unsigned of 64 bits."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, value=arguments[0])
        place = builder.gep(array.data, [arguments[1]])
        word = builder.load(builder.bitcast(place, ir.IntType(64).as_pointer()))
        word.align = 1
        return word

    return at(packed, at), build


@intrinsic
def _ones(typing: Any, word: Any) -> Any:
    """Count the bits that are set."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return word(word), build


@kernel
def count_stored(
    out: NDArray[np.int64], packed: NDArray[np.uint8], rows: NDArray[np.int64], keep: NDArray[np.uint8]
) -> None:
    """Count people by stored code, ``out[r, code]``; only people whose lower bit is set in ``keep``."""
    width = packed.shape[1]
    whole = width - width % 8
    flat = packed.reshape(-1)
    people = 0
    for i in range(width):
        people += int(_ones(np.uint64(keep[i])))
    for r in range(rows.size):
        lower = upper = both = np.uint64(0)
        start = rows[r] * width
        for i in range(0, whole, 8):
            word, mask = _word(flat, np.uint64(start + i)), _word(keep, np.uint64(i))
            a, b = word & mask, word >> np.uint64(1) & mask
            lower += _ones(a)
            upper += _ones(b)
            both += _ones(a & b)
        for i in range(whole, width):
            word, mask = np.uint64(flat[start + i]), np.uint64(keep[i])
            a, b = word & mask, word >> np.uint64(1) & mask
            lower += _ones(a)
            upper += _ones(b)
            both += _ones(a & b)
        out[r, 1], out[r, 2], out[r, 3] = lower - both, upper - both, both
        out[r, 0] = people - int(lower + upper - both)


@kernel
def arrange(
    out: NDArray[Any], tables: NDArray[Any], chosen: NDArray[np.int64], flip: NDArray[np.bool_]
) -> None:
    """Write the tables of chosen attributes by stored code: +1, missing, 0, -1, or flipped -1 .. +1."""
    for k in range(tables.shape[0]):
        for i in range(chosen.size):
            table = tables[k, chosen[i]]
            first, last = (0, 2) if flip[chosen[i]] else (2, 0)
            out[k, i, 0], out[k, i, 1], out[k, i, 2], out[k, i, 3] = (
                table[first],
                table[3],
                table[1],
                table[last],
            )


@kernel
def decode(
    out: NDArray[Any],
    packed: NDArray[np.uint8],
    rows: NDArray[np.int64],
    people: NDArray[np.int64],
    meaning: NDArray[Any],
) -> None:
    """Unpack some rows of some people: ``out[r, i]`` is what ``meaning[r]`` says of the stored code."""
    for r in range(rows.size):
        row, own = packed[rows[r]], meaning[r]
        for i in range(people.size):
            out[r, i] = own[row[people[i] >> 2] >> (2 * (people[i] & 3)) & 3]
