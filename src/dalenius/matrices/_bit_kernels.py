"""Compiled products of packed bits on any machine; `bits` is the readable way in.

Eight columns are one byte, and a table of 256 numbers holds what every byte adds: one lookup for eight
columns. Tables are as precise as the vector that they are made from.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.accelerate import kernel

TILE = 8
"""Tables in use at a time: 16 KB in double precision, half of the first-level cache."""

BLOCK = 2048
"""Rows that pass by the tables before the next tables are made: their bytes stay in a near cache."""

SIDE = 64
"""Bytes along each side of a square that is transposed: whole cache lines on both sides."""


@kernel
def _fill(table: NDArray[Any], x: NDArray[Any], first: int) -> None:
    """Write the sum of each subset of the eight entries from ``first`` on; the first is the highest bit."""
    table[0] = 0
    size = 1
    for bit in range(8):
        at = first + 7 - bit
        if at < x.size:
            for code in range(size):
                table[size + code] = table[code] + x[at]
        else:
            for code in range(size):
                table[size + code] = table[code]
        size *= 2


@kernel
def multiply_bytes(out: NDArray[np.float64], packed: NDArray[np.uint8], x: NDArray[Any]) -> None:
    """Add ``A x`` to ``out``.

    Always eight lookups in a row, so that they overlap; after the last byte they find zeros.
    """
    rows, width = packed.shape
    T = np.empty((TILE, 256), x.dtype)
    for top in range(0, rows, BLOCK):
        for first in range(0, width, TILE):
            for t in range(TILE):
                _fill(T[t], x, 8 * (first + t))
            b, c, d = min(first + 1, width - 1), min(first + 2, width - 1), min(first + 3, width - 1)
            e, f, g = min(first + 4, width - 1), min(first + 5, width - 1), min(first + 6, width - 1)
            h = min(first + 7, width - 1)
            for j in range(top, min(rows, top + BLOCK)):
                out[j] += (
                    (
                        (T[0, packed[j, first]] + T[1, packed[j, b]])
                        + (T[2, packed[j, c]] + T[3, packed[j, d]])
                    )
                    + (T[4, packed[j, e]] + T[5, packed[j, f]])
                ) + (T[6, packed[j, g]] + T[7, packed[j, h]])


@kernel
def _turn(block: NDArray[np.uint64]) -> None:
    """Transpose 64 by 64 bits in place, one row per word, in six steps (Hacker's Delight, section 7-3).

    Each step swaps the upper right and the lower left quarter of all squares of twice its size.
    """
    side = 32
    mask = np.uint64(0x00000000FFFFFFFF)
    while side:
        shift = np.uint64(side)
        for corner in range(0, 64, 2 * side):
            for k in range(corner, corner + side):
                swap = (block[k] ^ (block[k + side] >> shift)) & mask
                block[k] ^= swap
                block[k + side] ^= swap << shift
        side //= 2
        mask ^= mask << np.uint64(side)


@kernel
def _read(block: NDArray[np.uint64], packed: NDArray[np.uint8], top: int, left: int) -> None:
    """Read 64 rows of eight bytes, the first column highest; outside of the matrix is zero."""
    inside = min(64, packed.shape[0] - top)
    whole = left + 8 <= packed.shape[1]
    for k in range(inside):
        row = packed[top + k, left : left + 8]
        if whole:
            high = np.uint64(row[0]) << np.uint64(24) | np.uint64(row[1]) << np.uint64(16)
            high |= np.uint64(row[2]) << np.uint64(8) | np.uint64(row[3])
            low = np.uint64(row[4]) << np.uint64(24) | np.uint64(row[5]) << np.uint64(16)
            low |= np.uint64(row[6]) << np.uint64(8) | np.uint64(row[7])
            block[k] = high << np.uint64(32) | low
        else:
            block[k] = 0
            for b in range(row.size):
                block[k] |= np.uint64(row[b]) << np.uint64(56 - 8 * b)
    block[inside:] = 0


@kernel
def _write(out: NDArray[np.uint8], block: NDArray[np.uint64], top: int, left: int) -> None:
    """Write 64 rows of eight bytes, or as many as there are."""
    wide = min(8, out.shape[1] - left)
    for k in range(min(64, out.shape[0] - top)):
        word = block[k]
        if wide == 8:
            for b in range(8):
                out[top + k, left + b] = np.uint8(word >> np.uint64(56 - 8 * b))
        else:
            for b in range(wide):
                out[top + k, left + b] = np.uint8(word >> np.uint64(56 - 8 * b))


@kernel
def transpose_bytes(out: NDArray[np.uint8], packed: NDArray[np.uint8], start: int, stop: int) -> None:
    """Write what bytes ``start .. stop`` of the rows become, ``start`` a multiple of eight."""
    block = np.empty(64, np.uint64)
    for first in range(start, stop, SIDE):
        for top in range(0, packed.shape[0], 8 * SIDE):
            # every cache line of this square is fetched once and used whole
            for left in range(first, min(first + SIDE, stop), 8):
                for row in range(top, min(top + 8 * SIDE, packed.shape[0]), 64):
                    _read(block, packed, row, left)
                    _turn(block)
                    _write(out, block, 8 * left, row // 8)
