"""Compiled hashes of rows; `row_hash` is the readable way in.

Rows are written as bytes, a block of them at a time, and cut into words.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numpy.typing import NDArray

from dalenius.accelerate import intrinsic, kernel

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
def hash_mersenne(out: NDArray[np.uint64], words: NDArray[np.uint64], keys: NDArray[np.uint64]) -> None:
    """Write ``k_0 + sum k_i c_i mod 2^61 - 1`` for every row; word ``i`` of all rows is ``words[i]``."""
    prime = np.uint64((1 << 61) - 1)
    for i in range(words.shape[1]):
        total = keys[0]
        for w in range(words.shape[0]):
            total += _times(keys[w + 1], words[w, i])
            total = (total & prime) + (total >> np.uint64(61))
        out[i] = total - prime if total >= prime else total


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
