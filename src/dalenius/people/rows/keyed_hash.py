"""Keyed hashes of original rows: their families, and which rows have a small one.

The keyed hashes of rows: their names, how many values they take, and the limit for a weight.

============  ===========================================================  ===============  ==================
name          what it is                                                   values           independence
============  ===========================================================  ===============  ==================
``prf64``     BLAKE2b with the seed as its key                             2^64             as if full
``cw61``      k_0 + sum k_i c_i mod 2^61 - 1 over words of 7 bytes         2^61 - 1         exactly pairwise
``ms32``      the upper half of k_0 + sum k_i c_i mod 2^64, 4-byte words   2^32             exactly pairwise
============  ===========================================================  ===============  ==================

The first is the default of all attacks, the second for proofs that need a provable family, the third for
many predicates over many rows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError, nearest
from dalenius.people.rows.as_bytes import Block, RowBytes, texts, words_of
from dalenius.people.rows.columns import Mask
from dalenius.people.rows.rows import Rows

MERSENNE = 2**61 - 1


RANGES = {"prf64": 2**64, "cw61": MERSENNE, "ms32": 2**32}
"""How many values each family takes."""

WORD = {"cw61": 7, "ms32": 4}
"""Bytes of a word of the families that work on words."""

LONGEST_SEED = 64
"""Bytes of a key of BLAKE2b."""


def check_family(family: str, seed: str) -> int:
    """Refuse an unknown family and a seed that is too long; return how many values the family takes."""
    if family not in RANGES:
        raise InputError(
            f"hash {family!r}", "must be a known family", "no such family", nearest(family, RANGES)
        )
    if len(seed.encode()) > LONGEST_SEED:
        raise InputError("seed of a hash", f"must have at most {LONGEST_SEED} bytes", str(len(seed.encode())))
    return RANGES[family]


def threshold(weight: Fraction | float, family: str) -> int:
    """The limit below which a share ``weight`` of all hashes lies, rounded down in whole numbers.

    Examples
    --------
    >>> threshold(Fraction(1, 5), "ms32") == 2**32 // 5
    True
    >>> threshold(2.0**-40, "ms32")
    Traceback (most recent call last):
      ...
    dalenius.errors.InputError: weight must be at least 2.3e-10 for the family ms32; got 9.1e-13. Use prf64.
    """
    size = check_family(family, "")
    if not 0 < weight <= 1:
        raise InputError("weight", "must be above 0 and at most 1", f"{float(weight):.2g}")
    below = int(Fraction(weight) * size)
    if below == 0:
        rule = f"must be at least {1 / size:.2g} for the family {family}"
        fix = "Add other conditions to the hash." if family == "prf64" else "Use prf64."
        raise InputError("weight", rule, f"{float(weight):.2g}", fix)
    return below


Hashes = NDArray[np.uint64]

ROWS_TO_KEEP = 1 << 18
"""Rows that stay written between two hashes: some tens of megabytes."""


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
        self._written: dict[tuple[str, ...], list[Block]] = {}

    @property
    def known(self) -> int:
        """How many hashes are kept."""
        return len(self._known) * len(self._rows)

    def below(self, columns: tuple[str, ...], family: str, seed: str, limit: int) -> Mask:
        """Say for every row whether its hash is below a number."""
        key = columns, family, seed
        if key not in self._known:
            check_family(family, seed)
            self._known[key] = _hash_blocks(self._blocks(columns), family, seed)
        return below(self._known[key], limit)

    def forget(self) -> None:
        """Drop the hashes; rows that are written stay so."""
        self._known.clear()

    def _blocks(self, columns: tuple[str, ...]) -> Iterable[Block]:
        """Write the rows, once if they are not too many."""
        if len(self._rows) > ROWS_TO_KEEP:
            return RowBytes.of(self._rows.select(columns)).blocks()
        if columns not in self._written:
            self._written[columns] = list(RowBytes.of(self._rows.select(columns)).blocks())
        return self._written[columns]


def below(hashes: Hashes, limit: int) -> Mask:
    """Say which hashes are below a number, which may be one more than the largest."""
    return hashes < np.uint64(limit) if limit < 1 << 64 else np.ones(hashes.size, np.bool_)


def hash_rows(rows: Rows, family: str, seed: str) -> Hashes:
    """Hash every row, all of its columns in their order."""
    check_family(family, seed)
    return _hash_blocks(RowBytes.of(rows).blocks(), family, seed)


def _hash_blocks(blocks: Iterable[Block], family: str, seed: str) -> Hashes:
    hashed = [_hash_block(block, lengths, family, seed) for block, lengths in blocks]
    return np.concatenate([np.empty(0, np.uint64), *hashed])


def derive_keys(family: str, seed: str, words: int) -> Hashes:
    """The keys of a family that works on words: one more than there are words, from SHAKE-256."""
    stream = hashlib.shake_256(f"{family}|{seed}".encode()).digest(8 * (words + 1))
    numbers = np.frombuffer(stream, ">u8").astype(np.uint64)
    return (numbers >> np.uint64(3)) % np.uint64(MERSENNE) if family == "cw61" else numbers


def _hash_block(block: NDArray[np.uint8], lengths: NDArray[np.int64], family: str, seed: str) -> Hashes:
    if family == "prf64":
        return _blake(texts(block, lengths), seed, len(block))
    from dalenius.people.rows._hash_kernels import hash_mersenne, hash_shift

    words = words_of(block, WORD[family])
    out = np.empty(len(block), np.uint64)
    run = hash_mersenne if family == "cw61" else hash_shift
    run(out, words, derive_keys(family, seed, len(words)))
    return out


def _blake(rows: Iterator[bytes], seed: str, size: int) -> Hashes:
    fresh = hashlib.blake2b(digest_size=8, key=seed.encode(), person=b"pso").copy

    def digest(text: bytes) -> bytes:
        one = fresh()
        one.update(text)
        return one.digest()

    return np.frombuffer(b"".join(map(digest, rows)), ">u8", size).astype(np.uint64)
