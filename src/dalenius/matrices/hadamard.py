"""The fast Walsh-Hadamard transform: multiplication by the Sylvester matrix in N log N additions."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError, TooLargeError

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
