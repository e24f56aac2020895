"""Values as small whole numbers: which of the different ones each is.

Arrow hashes them, which takes a fraction of sorting all of them where most are somebody else's too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def numbered(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """The different values in the order of their first appearance, and for every value which it is.

    Examples
    --------
    >>> numbered(np.array([3, 1, 3]))
    (array([3, 1]), array([0, 1, 0], dtype=int32))
    """
    import pyarrow as pa

    encoded = pa.array(values, from_pandas=False).dictionary_encode()  # what is not a number is one value
    return encoded.dictionary.to_numpy(zero_copy_only=False), encoded.indices.to_numpy()


def numbered_rising(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """The different values, rising, and for every value which it is; what is not a number comes last.

    Examples
    --------
    >>> numbered_rising(np.array([3.5, 1.0, np.nan, 3.5]))
    (array([1. , 3.5, nan]), array([1, 0, 2, 1], dtype=int32))
    """
    different, which = numbered(values)
    order = np.argsort(different)
    rank = np.empty(order.size, np.int32)
    rank[order] = np.arange(order.size, dtype=np.int32)
    return different[order], rank[which]
