"""Original rows as bytes: the number of columns in two bytes, then the cells (`cells`) in their order.

Different rows are different bytes. For hashes that work on words, a byte 1 and zeros follow; zero words add
nothing there, so rows of different lengths are hashed alike.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.people.rows.rows import Rows
from dalenius.shown import hides_people

Block = tuple[NDArray[np.uint8], NDArray[np.int64]]
"""Some rows as bytes with zeros after them, and how many bytes belong to each."""

ROWS_AT_ONCE = 1 << 14
"""Rows that are bytes at a time: a few megabytes."""


@hides_people()
@dataclass(frozen=True)
class RowBytes:
    """Rows that can be written as bytes, some at a time: the cells of all columns one after the other."""

    codes: tuple[NDArray[np.int32], ...]
    data: NDArray[np.uint8]
    starts: NDArray[np.int64]
    first: tuple[int, ...]
    """The first cell of each column, and how many cells there are."""
    width: int
    """Bytes of the longest row and its end, in whole words of 4 and of 7 bytes."""

    @staticmethod
    def of(rows: Rows) -> RowBytes:
        """Gather the cells of all columns."""
        cells = [column.cells for column in rows.columns]
        begin = np.cumsum([0, *(own.data.size for own in cells)])
        starts = [own.starts[:-1] + b for own, b in zip(cells, begin[:-1], strict=True)]
        width = 2 + sum(own.longest for own in cells) + 1
        return RowBytes(
            tuple(column.codes for column in rows.columns),
            np.concatenate([own.data for own in cells]),
            np.concatenate([*starts, begin[-1:]]),
            tuple(np.cumsum([0, *(own.size for own in starts)]).tolist()),
            width + -width % 28,
        )

    def blocks(self, start: int = 0, stop: int | None = None) -> Iterator[Block]:
        """Write the rows from ``start`` to before ``stop``."""
        from dalenius.people.rows._hash_kernels import write_rows

        stop = self.codes[0].size if stop is None else stop
        for top in range(start, stop, ROWS_AT_ONCE):
            end = min(stop, top + ROWS_AT_ONCE)
            cells = np.empty((end - top, len(self.codes)), np.int64)
            for j, codes in enumerate(self.codes):
                some = codes[top:end]
                cells[:, j] = np.where(some < 0, self.first[j + 1] - 1, some + self.first[j])
            out = np.zeros((end - top, self.width), np.uint8)
            lengths = np.empty(end - top, np.int64)
            write_rows(out, lengths, self.data, self.starts, cells)
            yield out, lengths


def serialise(rows: Rows) -> list[bytes]:
    """Write every row as bytes.

    Examples
    --------
    >>> import pyarrow as pa
    >>> serialise(Rows.of_table(pa.table({"age": [42]})))[0].hex()
    '000102000000012a'
    """
    blocks = RowBytes.of(rows).blocks()
    return [text for block, lengths in blocks for text in texts(block, lengths)]


def digest(rows: Rows) -> bytes:
    """Return what only these rows in this order give.

    Examples
    --------
    >>> import pyarrow as pa
    >>> one, other = (Rows.of_table(pa.table({"age": ages})) for ages in ([42, 43], [43, 42]))
    >>> digest(one) == digest(one), digest(one) == digest(other)
    (True, False)
    """
    found = hashlib.sha256()
    for block, lengths in RowBytes.of(rows).blocks():
        found.update(lengths.tobytes())
        found.update(block.tobytes())
    return found.digest()


def texts(block: NDArray[np.uint8], lengths: NDArray[np.int64]) -> Iterator[bytes]:
    """The bytes of each row of a block."""
    data, width = block.tobytes(), block.shape[1]
    return (data[i * width : i * width + size] for i, size in enumerate(lengths.tolist()))


def words_of(block: NDArray[np.uint8], size: int) -> NDArray[Any]:
    """Cut rows into big-endian words: word ``i`` of all rows is row ``i`` of the result."""
    words = block.shape[1] // size
    if size == 4:
        return np.ascontiguousarray(block.view(">u4").T.astype(np.uint32))
    wide = np.zeros((len(block), words, 8), np.uint8)
    wide[:, :, 1:] = block.reshape(len(block), words, size)
    return np.ascontiguousarray(wide.reshape(len(block), -1).view(">u8").T.astype(np.uint64))
