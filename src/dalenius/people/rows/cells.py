"""Values as bytes, so that different rows are different bytes: a tag, a length, and the value.

The kind of a column decides, not the single value: 3 in a column of floats is written as 3.0. A cell is
``tag (1 byte) | length (4 bytes) | value``, numbers big-endian:

=========  ===  ==============================================================
kind       tag  value
=========  ===  ==============================================================
missing    00   nothing
bool       01   00 or 01
integer    02   two's complement with room for a sign
float      03   IEEE 754 double, -0.0 as 0.0
text       04   UTF-8 in Unicode's normal form C
date       06   microseconds since 1970-01-01 UTC, eight bytes
=========  ===  ==============================================================
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]

MISSING_CELL = np.zeros(5, np.uint8)


@dataclass(frozen=True)
class Cells:
    """Cells one after the other; ``data[starts[i]:starts[i + 1]]`` is cell ``i``, the last a missing one."""

    data: Bytes
    starts: NDArray[np.int64]

    @property
    def longest(self) -> int:
        """Bytes of the longest cell."""
        return int(np.diff(self.starts).max())


def text_cells(levels: tuple[str, ...]) -> Cells:
    """Write labels, and the missing cell after them."""
    texts = [unicodedata.normalize("NFC", level).encode() for level in levels]
    joined = b"".join(b"\x04" + len(text).to_bytes(4, "big") + text for text in texts)
    return _joined(np.frombuffer(joined, np.uint8), np.array([5 + len(text) for text in texts], np.int64))


def number_cells(values: NDArray[np.float64], kind: Literal["integer", "float", "date", "bool"]) -> Cells:
    """Write numbers of a column of that kind, and the missing cell after them.

    Examples
    --------
    >>> number_cells(np.array([-128.0]), "integer").data[:7].tobytes().hex()
    '0200000002ff80'
    """
    if kind == "float":
        return _fixed(3, (values + 0.0).astype(">f8").view(np.uint8).reshape(-1, 8))
    if kind == "bool":
        return _fixed(1, values.astype(np.uint8).reshape(-1, 1))
    whole = values.astype(np.int64).astype(">i8").view(np.uint8).reshape(-1, 8)
    if kind == "date":
        return _fixed(6, whole)
    # Python's bit_length of |v|; frexp gives it exactly below 2^53
    size = (np.frexp(np.abs(values))[1] + 8) // 8
    head = np.zeros((values.size, 5), np.uint8)
    head[:, 0], head[:, 4] = 2, size
    cells = np.concatenate((head, whole), axis=1)
    used = np.concatenate((np.ones_like(head, np.bool_), np.arange(8) >= 8 - size[:, None]), axis=1)
    return _joined(cells[used], 5 + size.astype(np.int64))


def _fixed(tag: int, values: Bytes) -> Cells:
    size = values.shape[1]
    head = np.broadcast_to(np.array([tag, 0, 0, 0, size], np.uint8), (len(values), 5))
    return _joined(np.concatenate((head, values), axis=1).ravel(), np.full(len(values), 5 + size, np.int64))


def _joined(data: Bytes, lengths: NDArray[np.int64]) -> Cells:
    starts = np.concatenate(([0], np.cumsum(lengths), [data.size + MISSING_CELL.size]))
    return Cells(np.concatenate((data, MISSING_CELL)), starts)
