"""Keyed hashes of original rows, and which rows have a small one.

A row is the number of its columns in two bytes and then its cells (`row_cells`), so different rows are
different bytes. For the families that work on words, a byte 1 and zeros follow; zero words
add nothing, so rows of different lengths are hashed alike.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.records.hash_families import MERSENNE, check_family
from dalenius.records.row_columns import Index, Mask
from dalenius.records.rows import Rows

Hashes = NDArray[np.uint64]

ROWS_AT_ONCE = 1 << 14
"""Rows that are bytes at a time: a few megabytes."""

_WORD = {"cw61": 7, "ms32": 4}
"""Bytes of a word."""


class RowHashes:
    """The hashes of some rows, each family, seed and choice of columns computed once.

    Examples
    --------
    >>> import pyarrow as pa
    >>> rows = Rows.of_table(pa.table({"age": [32, 47], "town": ["Bern", "Zug"]}))
    >>> RowHashes(rows).below(("age", "town"), "prf64", "seed", 2**64)
    array([ True,  True])
    """

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._known: dict[tuple[tuple[str, ...], str, str], Hashes] = {}

    def below(self, columns: tuple[str, ...], family: str, seed: str, limit: int) -> Mask:
        """Say for every row whether its hash is below a number."""
        key = columns, family, seed
        if key not in self._known:
            self._known[key] = hash_rows(self._rows.select(columns), family, seed)
        return _below(self._known[key], limit)


def _below(hashes: Hashes, limit: int) -> Mask:
    return hashes < np.uint64(limit) if limit < 1 << 64 else np.ones(hashes.size, np.bool_)


def hash_rows(rows: Rows, family: str, seed: str) -> Hashes:
    """Hash every row, all of its columns in their order."""
    check_family(family, seed)
    hashed = [_hash_block(block, lengths, family, seed) for block, lengths in _blocks(rows)]
    return np.concatenate([np.empty(0, np.uint64), *hashed])


def serialise(rows: Rows) -> list[bytes]:
    """Write every row as bytes.

    Examples
    --------
    >>> import pyarrow as pa
    >>> serialise(Rows.of_table(pa.table({"age": [42]})))[0].hex()
    '000102000000012a'
    """
    return [text for block, lengths in _blocks(rows) for text in _texts(block, lengths)]


def derive_keys(family: str, seed: str, words: int) -> Hashes:
    """The keys of a family that works on words: one more than there are words, from SHAKE-256."""
    stream = hashlib.shake_256(f"{family}|{seed}".encode()).digest(8 * (words + 1))
    numbers = np.frombuffer(stream, ">u8").astype(np.uint64)
    return (numbers >> np.uint64(3)) % np.uint64(MERSENNE) if family == "cw61" else numbers


def _blocks(rows: Rows) -> Iterator[tuple[NDArray[np.uint8], NDArray[np.int64]]]:
    """Rows as bytes with zeros after them, some at a time, and how many bytes belong to each."""
    from dalenius.records._hash_kernels import write_rows

    cells = [column.cells for column in rows.columns]
    data = np.concatenate([own.data for own in cells])
    begin = np.cumsum([0, *(own.data.size for own in cells)])
    starts = np.concatenate([own.starts[:-1] + b for own, b in zip(cells, begin[:-1], strict=True)])
    starts = np.append(starts, begin[-1])
    first = np.cumsum([0, *(own.starts.size - 1 for own in cells)])
    width = 2 + sum(own.longest for own in cells) + 1
    width += -width % 28  # whole words of 4 and of 7 bytes
    for top in range(0, len(rows), ROWS_AT_ONCE):
        which = [_cell(column.codes[top : top + ROWS_AT_ONCE], own.starts.size - 1) + f
                 for column, own, f in zip(rows.columns, cells, first, strict=False)]  # fmt: skip
        out = np.zeros((which[0].size, width), np.uint8)
        lengths = np.empty(which[0].size, np.int64)
        write_rows(out, lengths, data, starts, np.stack(which, axis=1))
        yield out, lengths


def _cell(codes: NDArray[np.int32], cells: int) -> Index:
    """Which cell a code is: -1 is the last."""
    return np.where(codes < 0, cells - 1, codes)


def _texts(block: NDArray[np.uint8], lengths: NDArray[np.int64]) -> Iterator[bytes]:
    data, width = block.tobytes(), block.shape[1]
    return (data[i * width : i * width + size] for i, size in enumerate(lengths.tolist()))


def _hash_block(block: NDArray[np.uint8], lengths: NDArray[np.int64], family: str, seed: str) -> Hashes:
    if family == "prf64":
        return _blake(_texts(block, lengths), seed, len(block))
    from dalenius.records._hash_kernels import hash_mersenne, hash_shift

    words = _words(block, _WORD[family])
    out = np.empty(len(block), np.uint64)
    run = hash_mersenne if family == "cw61" else hash_shift
    run(out, words, derive_keys(family, seed, len(words)))
    return out


def _blake(texts: Iterator[bytes], seed: str, size: int) -> Hashes:
    fresh = hashlib.blake2b(digest_size=8, key=seed.encode(), person=b"pso").copy

    def digest(text: bytes) -> bytes:
        one = fresh()
        one.update(text)
        return one.digest()

    return np.frombuffer(b"".join(map(digest, texts)), ">u8", size).astype(np.uint64)


def _words(block: NDArray[np.uint8], size: int) -> NDArray[Any]:
    """Cut rows into big-endian words: word ``i`` of all rows is row ``i`` of the result."""
    words = block.shape[1] // size
    if size == 4:
        return np.ascontiguousarray(block.view(">u4").T.astype(np.uint32))
    wide = np.zeros((len(block), words, 8), np.uint8)
    wide[:, :, 1:] = block.reshape(len(block), words, size)
    return np.ascontiguousarray(wide.reshape(len(block), -1).view(">u8").T.astype(np.uint64))
