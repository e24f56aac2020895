"""Values -1, 0, +1 and missing at two bits each, one attribute per row: the layout of PLINK 1 ``.bed`` files.

Two sets of codes meet here. A *code* is what the rest of the package speaks: 0, 1, 2 for the values -1, 0,
+1, and 3 for missing. A *stored* code is what two bits of a ``.bed`` file say: 0 two copies of the first
allele, 1 missing, 2 one copy, 3 none. The first person of a byte is in its lowest two bits.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.uint8]
Packed = NDArray[np.uint8]

MISSING = 3
"""The code of a missing value."""

CODES = np.arange(4, dtype=np.uint8)
"""All codes."""

VALUES = np.array([-1.0, 0.0, 1.0, np.nan], np.float32)
"""The value of each code."""

OF_STORED = np.array([2, 3, 1, 0], np.uint8)
"""The code of each stored code: what counts is the first allele."""

TO_STORED = np.array([3, 2, 0, 1], np.uint8)
"""The stored code of each code."""

FLIPPED = np.array([2, 1, 0, 3], np.uint8)
"""The code of each code when the other allele is counted."""

_SHIFTS = np.array([0, 2, 4, 6], np.uint8)


def pack(codes: Codes) -> Packed:
    """Pack codes, one row per attribute; what pads the last byte is zero.

    Examples
    --------
    >>> pack(np.array([[2, 2, 0, 3, 1]], np.uint8))
    array([[112,   2]], dtype=uint8)
    """
    rows, people = codes.shape
    stored = np.zeros((rows, -(-people // 4), 4), np.uint8)
    stored.reshape(rows, 4 * stored.shape[1])[:, :people] = TO_STORED[codes]
    packed: Packed = np.bitwise_or.reduce(stored << _SHIFTS, axis=2)
    return packed


def unpack(packed: Packed, people: int) -> Codes:
    """Unpack the codes of the first ``people``, one row per attribute.

    Examples
    --------
    >>> unpack(np.array([[112, 2]], np.uint8), 5)
    array([[2, 2, 0, 3, 1]], dtype=uint8)
    """
    stored = (packed[:, :, None] >> _SHIFTS) & 3
    codes: Codes = OF_STORED[stored.reshape(packed.shape[0], 4 * packed.shape[1])[:, :people]]
    return codes
