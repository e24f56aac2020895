"""How many rows each of many keyed hashes puts below its limit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.accelerate import cores, share_out
from dalenius.conditions.leaves import HashBelow
from dalenius.people.rows.as_bytes import RowBytes, words_of
from dalenius.people.rows.keyed_hash import WORD, Hashes, below, derive_keys, hash_rows
from dalenius.people.rows.rows import Rows

Counts = NDArray[np.int64]


def count_below(rows: Rows, leaves: Sequence[HashBelow], *, threads: int | None = None) -> Counts:
    """Count the rows that each of many hashes puts below its limit.

    Hashes of one family of words and the same columns go together over rows that are written once.

    Examples
    --------
    >>> import pyarrow as pa
    >>> rows = Rows.of_table(pa.table({"age": range(10_000)}))
    >>> count_below(rows, [HashBelow(("age",), "ms32", f"trial {i}", 2**30) for i in range(3)])
    array([2502, 2495, 2496])
    """
    groups: dict[tuple[tuple[str, ...], str], list[int]] = {}
    for i, leaf in enumerate(leaves):
        groups.setdefault((leaf.columns, leaf.family), []).append(i)
    counts = np.zeros(len(leaves), np.int64)
    for (columns, family), here in groups.items():
        some = rows.select(columns)
        if family == "prf64":
            masks = (below(hash_rows(some, family, leaves[i].seed), leaves[i].below) for i in here)
            counts[here] = [np.count_nonzero(mask) for mask in masks]
        else:
            counts[here] = _count_words(some, family, [leaves[i] for i in here], threads or cores())
    return counts


def _count_words(rows: Rows, family: str, leaves: Sequence[HashBelow], threads: int) -> Counts:
    written = RowBytes.of(rows)
    keys = np.stack([derive_keys(family, leaf.seed, written.width // WORD[family]) for leaf in leaves])
    limits = np.array([leaf.below for leaf in leaves], np.uint64)
    counts: list[Counts] = []

    def run(start: int, stop: int) -> None:
        own = np.zeros(len(leaves), np.int64)
        for block, _ in written.blocks(start, stop):
            count_words(own, words_of(block, WORD[family]), keys, limits, family)
        counts.append(own)

    share_out(run, len(rows), threads=threads)
    total: Counts = np.sum(counts, axis=0)
    return total


def count_words(counts: Counts, words: NDArray[Any], keys: Hashes, limits: Hashes, family: str) -> None:
    """Add how many rows each hash puts below its limit; word ``i`` of all rows is ``words[i]``."""
    from dalenius.people.rows._hash_kernels import count_mersenne, count_shift

    # a word that all of these rows share adds the same to all sums: zeros at the end, tags and lengths
    shared = (words == words[:, :1]).all(axis=1)
    shared[0] = False  # one word is always left
    if family == "cw61":
        shared &= words[:, 0] == 0
        own = keys[:, np.concatenate(([True], ~shared))]
        count_mersenne(
            counts, words[~shared], np.ascontiguousarray(own), limits
        )  # one order of memory: one kernel
        return
    keys = keys.copy()
    keys[:, 0] += keys[:, 1:][:, shared] @ words[shared, 0].astype(np.uint64)
    left = np.flatnonzero(~shared)
    if left.size > 1 and left.size % 2:  # two at a time: one that is shared has nothing more to add
        words = np.concatenate((words, np.zeros((1, words.shape[1]), words.dtype)))
        keys = np.concatenate((keys, keys[:, :1]), axis=1)
        left = np.append(left, len(words) - 1)
    own = keys[:, np.concatenate(([0], left + 1))]
    count_shift(counts, words[left], np.ascontiguousarray(own), limits)
