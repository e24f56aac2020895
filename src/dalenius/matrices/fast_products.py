"""Products with matrices of 0 and 1 that stay packed, and the fast Walsh-Hadamard transform.

Products of a vector with a matrix of 0 and 1 that stays packed, eight entries a byte.

The precision of the vector decides that of the tables inside: double precision is exact to rounding,
single precision good to six digits and several times faster. Sums are in double precision in both.

The fast Walsh-Hadamard transform: multiplication by the Sylvester matrix in N log N additions.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from dalenius.accelerate import cores, has_avx2, share_out
from dalenius.errors import InputError, TooLargeError
from dalenius.matrices.answers import Vector

Packed = NDArray[np.uint8]


Real = NDArray[np.float64] | NDArray[np.float32]

ALONE = 100_000_000
"""Bits below which one thread works alone: about 5 ms, where waking a second one may cost more."""


STRIP = 4096
"""Rows transposed at a time when the whole transpose is not kept."""


def multiply(packed: Packed, x: Real, *, threads: int | None = None) -> Vector:
    """Multiply packed rows by a vector with one entry per column.

    Parameters
    ----------
    packed
        ``np.packbits`` of the matrix along its rows; what pads the last byte does not matter.
    x
        One entry per column, in double or single precision.
    threads
        How many threads share the rows; not given, all cores for large matrices and one for others.

    Examples
    --------
    >>> multiply(np.packbits([[1, 0, 1], [0, 1, 1]], axis=1), np.array([1.0, 2.0, 4.0]))
    array([5., 6.])
    """
    out = np.zeros(packed.shape[0])
    packed, x = _to_read(packed), x if x.flags.c_contiguous else x.copy()
    if packed.size == 0:
        return out

    def part(start: int, stop: int) -> None:
        out[start:stop] = _multiply_some(packed[start:stop], x)

    share_out(part, out.size, threads=_threads(packed, threads))
    return out


def _multiply_some(packed: Packed, x: Real) -> Vector:
    from dalenius.matrices import _bit_kernels, _vector

    rows, width = packed.shape
    if x.dtype == np.float32 and rows >= _vector.ROWS and width >= _vector.BYTES and has_avx2():
        out = np.zeros(-(-rows // _vector.ROWS) * _vector.ROWS)
        _vector.multiply_blocks(out, packed, x)
        return out[:rows]
    out = np.zeros(rows)
    _bit_kernels.multiply_bytes(out, packed, x)
    return out


def multiply_transpose(packed: Packed, r: Real, columns: int, *, threads: int | None = None) -> Vector:
    """Multiply the transpose by a vector with one entry per row, without a transposed copy.

    Parameters
    ----------
    packed
        ``np.packbits`` of the matrix along its rows.
    r
        One entry per row.
    columns
        How many columns the matrix has.
    threads
        How many threads share the columns, as in `multiply`.

    Examples
    --------
    >>> multiply_transpose(np.packbits([[1, 0, 1], [0, 1, 1]], axis=1), np.array([1.0, 2.0]), 3)
    array([1., 2., 3.])
    """
    out = np.zeros(columns)
    for top in range(0, packed.shape[0], STRIP):
        strip = transpose(packed[top : top + STRIP], columns, threads=threads)
        out += multiply(strip, r[top : top + STRIP], threads=threads)
    return out


def transpose(packed: Packed, columns: int, *, threads: int | None = None) -> Packed:
    """Transpose packed bits: one row for each of the ``columns``, packed along the rows there were.

    Examples
    --------
    >>> np.unpackbits(transpose(np.packbits([[1, 0, 1], [0, 1, 1]], axis=1), 3), axis=1, count=2)
    array([[1, 0],
           [0, 1],
           [1, 1]], dtype=uint8)
    """
    from dalenius.matrices._bit_kernels import transpose_bytes

    packed = _to_read(packed)
    out = np.empty((columns, -(-packed.shape[0] // 8)), np.uint8)

    def part(start: int, stop: int) -> None:
        transpose_bytes(out, packed, 8 * start, min(8 * stop, packed.shape[1]))

    share_out(part, -(-packed.shape[1] // 8), threads=_threads(packed, threads))
    return out


def _to_read(packed: Packed) -> Packed:
    """Row by row, and never written: bits that may be written would be compiled for once more."""
    read = np.ascontiguousarray(packed).view()
    read.flags.writeable = False
    return read


def _threads(packed: Packed, asked: int | None) -> int:
    return asked if asked is not None else 1 if 8 * packed.size < ALONE else cores()


Number = TypeVar("Number", np.float64, np.int32)

SMALL = 1 << 10
"""Up to this size numpy is done before the compiled kernels are even loaded."""


def transform_plain(x: NDArray[Number]) -> NDArray[Number]:
    """Multiply by the Sylvester matrix with numpy alone: the readable twin of `transform`.

    Examples
    --------
    >>> transform_plain(np.array([1.0, 0.0, 1.0, 1.0]))
    array([ 3.,  1., -1.,  1.])
    """
    x = x.copy()
    h = 1
    while h < x.size:
        pairs = x.reshape(-1, 2, h)
        upper, lower = pairs[:, 0].copy(), pairs[:, 1].copy()
        pairs[:, 0], pairs[:, 1] = upper + lower, upper - lower
        h *= 2
    return x


def transform(x: NDArray[Number]) -> NDArray[Number]:
    """Multiply by the Sylvester matrix.

    The matrix of size 1 is 1; doubled, ``[[H, H], [H, -H]]``. Twice applied it multiplies by the size.

    Parameters
    ----------
    x
        A vector whose size is a power of two; it is not changed. Whole numbers of 32 bits stay whole
        numbers and exact; everything else is computed in float64.

    Raises
    ------
    InputError
        If the size is not a power of two.
    TooLargeError
        If a sum of 32-bit numbers might not fit into 32 bits.

    Examples
    --------
    >>> transform(np.array([1.0, 0.0, 1.0, 1.0]))
    array([ 3.,  1., -1.,  1.])
    """
    x = _checked(x)
    if x.size <= SMALL:
        return transform_plain(x)
    from dalenius.matrices._hadamard_kernels import transform_into

    out = np.empty_like(x)
    transform_into(out, x)
    return out


def _checked(x: NDArray[Number]) -> NDArray[Number]:
    if x.ndim != 1 or x.size.bit_count() != 1:
        raise InputError(
            "vector to transform",
            "must have a power of two as its size",
            f"shape {x.shape}",
            "Pad it with zeros.",
        )
    if x.dtype != np.int32:
        return np.ascontiguousarray(x, dtype=np.float64)
    largest = x.size * max(int(x.max()), -int(x.min()))
    if largest > np.iinfo(np.int32).max:
        raise TooLargeError(
            "vector to transform",
            f"must have a size times largest value of at most {np.iinfo(np.int32).max:,} in 32 bits",
            f"{largest:,}",
            "Convert it to float64, which is exact up to 2^53.",
        )
    return np.ascontiguousarray(x)
