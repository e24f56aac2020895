"""Compiled hashes of rows; `keyed_hash` is the readable way in.

Rows are written as bytes, a block of them at a time, and cut into words.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numpy.typing import NDArray

from dalenius.accelerate import intrinsic, kernel

PRIME = np.uint64((1 << 61) - 1)

SIGN = np.uint64(1 << 63)

BLOCK = 1024
"""Rows that all hashes go over before the next: 8 KB of sums and a few words a row."""


@kernel
def write_rows(
    out: NDArray[np.uint8],
    lengths: NDArray[np.int64],
    data: NDArray[np.uint8],
    starts: NDArray[np.int64],
    cells: NDArray[np.int64],
) -> None:
    """Write the number of columns and the cells of every row; ``out`` is zero, and a 1 ends each row."""
    rows, columns = cells.shape
    for i in range(rows):
        row = out[i]
        row[0], row[1] = columns >> 8, columns & 255
        at = 2
        for j in range(columns):
            for b in range(starts[cells[i, j]], starts[cells[i, j] + 1]):
                row[at] = data[b]
                at += 1
        row[at] = 1
        lengths[i] = at


@intrinsic
def _times(typing: Any, a: Any, b: Any) -> Any:
    """The product of two numbers below 2^61 modulo 2^61 - 1, not fully reduced: below 2^62."""

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        wide, word = ir.IntType(128), ir.IntType(64)
        product = builder.mul(*(builder.zext(value, wide) for value in values))
        low = builder.and_(builder.trunc(product, word), word((1 << 61) - 1))
        high = builder.trunc(builder.lshr(product, wide(61)), word)
        return builder.add(low, high)

    return a(a, b), build


@kernel
def _add_word(sums: NDArray[np.uint64], words: NDArray[np.uint64], key: Any) -> None:
    """Add one word of every row times its key; sums stay below 2^62."""
    for i in range(words.size):
        total = sums[i] + _times(key, words[i])
        sums[i] = (total & PRIME) + (total >> np.uint64(61))


@kernel
def _reduced(total: Any) -> Any:
    """Bring a sum below the prime."""
    return total - PRIME if total >= PRIME else total


@kernel
def hash_mersenne(out: NDArray[np.uint64], words: NDArray[np.uint64], keys: NDArray[np.uint64]) -> None:
    """Write ``k_0 + sum k_i c_i mod 2^61 - 1`` for every row; word ``i`` of all rows is ``words[i]``."""
    out[:] = keys[0]
    for w in range(words.shape[0]):
        _add_word(out, words[w], keys[w + 1])
    for i in range(out.size):
        out[i] = _reduced(out[i])


@kernel
def hash_shift(out: NDArray[np.uint64], words: NDArray[np.uint32], keys: NDArray[np.uint64]) -> None:
    """Write the upper half of ``k_0 + sum k_i c_i mod 2^64`` for every row."""
    out[:] = keys[0]
    for w in range(words.shape[0]):
        key = keys[w + 1]
        own = words[w]
        for i in range(own.size):
            out[i] += key * np.uint64(own[i])
    for i in range(out.size):
        out[i] >>= np.uint64(32)


@kernel
def count_mersenne(
    counts: NDArray[np.int64],
    words: NDArray[np.uint64],
    keys: NDArray[np.uint64],
    below: NDArray[np.uint64],
) -> None:
    """Add how many rows each hash of `hash_mersenne` puts below its limit, one row of ``keys`` each."""
    size, width = words.shape[1], words.shape[0]
    sums = np.empty(BLOCK, np.uint64)
    for top in range(0, size, BLOCK):
        rows = min(BLOCK, size - top)
        for p in range(keys.shape[0]):
            sums[:] = keys[p, 0]
            for w in range(width - 1):
                _add_word(sums, words[w, top : top + rows], keys[p, w + 1])
            last, key, limit = words[width - 1, top : top + rows], keys[p, width], below[p]
            found = np.int64(0)
            for i in range(rows):
                total = sums[i] + _times(key, last[i])
                found += _reduced((total & PRIME) + (total >> np.uint64(61))) < limit
            counts[p] += found


@kernel
def count_shift(
    counts: NDArray[np.int64],
    words: NDArray[np.uint32],
    keys: NDArray[np.uint64],
    below: NDArray[np.uint64],
) -> None:
    """Add how many rows each hash of `hash_shift` puts below its limit; one word per row, or an even number.

    An upper half is below a limit when the whole is below the limit times 2^32; with 2^63 added to both,
    signed numbers say the same, and those compare in one instruction. Sums over two words never leave the
    registers; only those over more are kept, in the nearest cache.
    """
    size, width = words.shape[1], words.shape[0]
    sums = np.empty(BLOCK, np.uint64)
    for top in range(0, size, BLOCK):
        rows = min(BLOCK, size - top)
        last, end = words[width - 1, top : top + rows], words[max(width - 2, 0), top : top + rows]
        for p in range(keys.shape[0]):
            if below[p] >> np.uint64(32):  # the limit is the whole range
                counts[p] += rows
                continue
            k, a = keys[p, 0] + SIGN, keys[p, width]
            limit = np.int64((below[p] << np.uint64(32)) + SIGN)
            found = np.int64(0)
            if width == 1:
                for i in range(rows):
                    found += np.int64(k + a * np.uint64(last[i])) < limit
                counts[p] += found
                continue
            b = keys[p, width - 1]
            if width == 2:
                for i in range(rows):
                    found += np.int64(k + a * np.uint64(last[i]) + b * np.uint64(end[i])) < limit
                counts[p] += found
                continue
            sums[:] = k
            for w in range(0, width - 2, 2):
                c, d = keys[p, w + 1], keys[p, w + 2]
                x, y = words[w, top : top + rows], words[w + 1, top : top + rows]
                for i in range(rows):
                    sums[i] += c * np.uint64(x[i]) + d * np.uint64(y[i])
            for i in range(rows):
                found += np.int64(sums[i] + a * np.uint64(last[i]) + b * np.uint64(end[i])) < limit
            counts[p] += found
