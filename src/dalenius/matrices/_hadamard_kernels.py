"""Compiled stages of the fast Walsh-Hadamard transform; `hadamard` is the readable way in.

Three stages at a time, on eight numbers that stay in registers. The distance between the eight is a
constant of each kernel, never an argument: only then can the compiler see that stores do not touch
what is loaded next, and use vector instructions. Distances are powers of 8, so a few kernels and one for
the last one or two stages serve every size. Additions happen in the same order as in
`transform_plain`, so the results agree bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.accelerate import kernel

BLOCK = 8**5
"""Numbers transformed together before the next are fetched: 256 KB, within the second-level cache."""


@kernel
def _butterfly(eight: Any) -> Any:
    """Multiply eight numbers by the Sylvester matrix of size 8."""
    a, b, c, d, e, f, g, h = eight
    a, b, c, d, e, f, g, h = a + b, a - b, c + d, c - d, e + f, e - f, g + h, g - h
    a, b, c, d, e, f, g, h = a + c, b + d, a - c, b - d, e + g, f + h, e - g, f - h
    return a + e, b + f, c + g, d + h, a - e, b - f, c - g, d - h


@cache
def _three_stages(h: int) -> Callable[[NDArray[Any]], None]:
    """Make the kernel that joins blocks of size ``h`` to blocks of size ``8 h``, in place."""

    @kernel
    def run(x: NDArray[Any]) -> None:
        for block in range(x.size // (8 * h)):
            start = block * 8 * h
            for i in range(start, start + h):
                p, q, r, s = i, i + h, i + 2 * h, i + 3 * h
                t, u, v, w = i + 4 * h, i + 5 * h, i + 6 * h, i + 7 * h
                x[p], x[q], x[r], x[s], x[t], x[u], x[v], x[w] = _butterfly(
                    (x[p], x[q], x[r], x[s], x[t], x[u], x[v], x[w])
                )

    return run


@kernel
def _last_stages(x: NDArray[Any], h: int) -> None:
    """Join two or four blocks of size ``h``, in place."""
    if x.size == 2 * h:
        for i in range(h):
            a, b = x[i], x[i + h]
            x[i], x[i + h] = a + b, a - b
    else:
        for i in range(h):
            a, b, c, d = x[i], x[i + h], x[i + 2 * h], x[i + 3 * h]
            a, b, c, d = a + b, a - b, c + d, c - d
            x[i], x[i + h], x[i + 2 * h], x[i + 3 * h] = a + c, b + d, a - c, b - d


def join(x: NDArray[Any], h: int) -> None:
    """Do all stages from distance ``h`` (a power of 8) up to the size of the vector, in place."""
    while 8 * h <= x.size:
        _three_stages(h)(x)
        h *= 8
    if h < x.size:
        _last_stages(x, h)


def transform_into(out: NDArray[Any], x: NDArray[Any]) -> None:
    """Transform a vector whose size is a power of two.

    First every block while it is in the cache; then the far stages, each three one pass over memory, which
    runs along eight streams and so at the speed of memory.
    """
    size = min(x.size, BLOCK)
    for source, target in zip(x.reshape(-1, size), out.reshape(-1, size), strict=True):
        np.copyto(target, source)
        join(target, 1)
    join(out, size)
