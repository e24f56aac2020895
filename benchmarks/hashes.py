"""Many keyed hashes over many rows, against numpy on the same words in the same run.

Run with ``python -m benchmarks.hashes`` for a fifth of the rows, with ``full`` after it for ten million. Each
hash of a row is compared with a limit, and the rows below are counted: 64 hashes of 32-bit keys, of 64-bit
fingerprints, of one word modulo 2^61 - 1, and of whole rows of four columns, from the columns on. Counts must
be equal.
"""

from __future__ import annotations

import sys
from fractions import Fraction

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from rich.console import Console

from benchmarks.common import Cost, best_by_turns, cost, exponent, peak_megabytes
from dalenius.accelerate import cores, share_out
from dalenius.conditions.hash_counts import count_below, count_words
from dalenius.conditions.leaves import HashBelow
from dalenius.people.rows.as_bytes import RowBytes, words_of
from dalenius.people.rows.keyed_hash import MERSENNE, WORD, derive_keys, threshold
from dalenius.people.rows.rows import Rows

ROWS, HASHES = 10_000_000, 64
FASTER = 8.0
"""The goal: how many times fewer CPU seconds than numpy."""

AT_ONCE = 1 << 16
"""Rows of one call of the kernels."""

Words = NDArray[np.uint32] | NDArray[np.uint64]
Keys = NDArray[np.uint64]
Counts = NDArray[np.int64]


def ours(words: Words, keys: Keys, limits: Keys, family: str, threads: int) -> Counts:
    """Count with the kernels, a few rows at a time."""
    counts: list[Counts] = []

    def run(start: int, stop: int) -> None:
        own = np.zeros(len(keys), np.int64)
        for top in range(start, stop, AT_ONCE):
            count_words(own, words[:, top : min(stop, top + AT_ONCE)], keys, limits, family)
        counts.append(own)

    share_out(run, words.shape[1], threads=threads)
    return np.sum(counts, axis=0)


def numpy_shift(words: Keys, keys: Keys, limits: Keys) -> Counts:
    """Count with numpy, one hash after the other; the words are 64-bit numbers already."""
    counts = []
    for key, limit in zip(keys, limits, strict=True):
        total = words[0] * key[1]
        for word, k in zip(words[1:], key[2:], strict=True):
            total += word * k
        total += key[0]
        total >>= np.uint64(32)
        counts.append(np.count_nonzero(total < limit))
    return np.array(counts)


def numpy_mersenne(words: Keys, keys: Keys, limits: Keys) -> Counts:
    """Count one word modulo 2^61 - 1 with numpy: 64-bit products of halves, as there is no wider number."""
    prime, half = np.uint64(MERSENNE), np.uint64((1 << 32) - 1)
    low, high = words[0] & half, words[0] >> np.uint64(32)
    counts = []
    for key, limit in zip(keys, limits, strict=True):
        k_low, k_high = key[1] & half, key[1] >> np.uint64(32)
        # x k = high high 2^64 + middle 2^32 + low low, and 2^61 is 1
        middle = high * k_low + low * k_high
        total = (high * k_high << np.uint64(3)) + (middle >> np.uint64(29))
        total += (middle & np.uint64((1 << 29) - 1)) << np.uint64(32)
        product = low * k_low
        total += (product & prime) + (product >> np.uint64(61))
        total = (total & prime) + (total >> np.uint64(61)) + key[0]
        total %= prime
        counts.append(np.count_nonzero(total < limit))
    return np.array(counts)


def people(size: int) -> Rows:
    """Rows with four columns."""
    rng = np.random.default_rng(3)
    towns = pa.DictionaryArray.from_arrays(
        rng.integers(0, 2000, size, np.int32), [f"town {i}" for i in range(2000)]
    )
    return Rows.of_table(
        pa.table(
            {
                "age": rng.integers(0, 100, size),
                "town": towns,
                "income": rng.integers(0, 10**6, size),
                "sex": pa.array(rng.integers(0, 2, size).astype(np.bool_)),
            }
        )
    )


def row_words(rows: Rows) -> Keys:
    """The words of whole rows, for numpy; its clock starts after this."""
    blocks = [words_of(block, WORD["ms32"]).astype(np.uint64) for block, _ in RowBytes.of(rows).blocks()]
    return np.concatenate(blocks, axis=1)


def show(console: Console, name: str, calls: dict[str, Cost], size: int) -> float:
    """Print the costs of one case and return how many times fewer CPU seconds ours takes."""
    for which, each in calls.items():
        rate = size * HASHES / each.wall / 1e9
        console.print(
            f"{name + ', ' + which:36}{each.wall:8.3f} s wall{each.cpu:8.3f} s CPU{rate:7.2f} Ghash/s"
        )
    times = calls["numpy"].cpu / calls["ours"].cpu
    wall = calls["numpy"].wall / calls["ours, all cores"].wall
    console.print(
        f"{name}: {times:.1f} times fewer CPU seconds; all cores {wall:.1f} times faster on the clock"
    )
    return times


def compare_words(console: Console, size: int) -> None:
    """Words that are there already: 32-bit keys, 64-bit fingerprints, and one word of 56 bits."""
    rng = np.random.default_rng(1)
    for name, width, family in (
        ("32-bit keys", 1, "ms32"),
        ("64-bit fingerprints", 2, "ms32"),
        ("mod 2^61-1", 1, "cw61"),
    ):
        keys = np.stack([derive_keys(family, f"hash {i}", width) for i in range(HASHES)])
        limits = np.array([threshold(Fraction(1, 2 + i), family) for i in range(HASHES)], np.uint64)
        bits, peer = (32, numpy_shift) if family == "ms32" else (56, numpy_mersenne)
        wide = rng.integers(0, 2**bits, (width, size), np.uint64)
        words = wide.astype(np.uint32) if family == "ms32" else wide
        calls = {
            "ours": lambda w=words, k=keys, m=limits, f=family: ours(w, k, m, f, 1),
            "ours, all cores": lambda w=words, k=keys, m=limits, f=family: ours(w, k, m, f, cores()),
            "numpy": lambda w=wide, k=keys, m=limits, p=peer: p(w, k, m),
        }
        assert np.array_equal(calls["ours"](), calls["numpy"]())
        times = show(console, name, best_by_turns(calls, 3), size)
        peaks = {which: peak_megabytes(call) for which, call in calls.items()}
        console.print(
            f"peak memory beside the words: ours {peaks['ours']:.0f} MB, numpy {peaks['numpy']:.0f} MB"
        )
        console.print(f"goal: {FASTER:g} times; got {times:.1f}")
        assert times >= FASTER


def compare_rows(console: Console, size: int) -> None:
    """Whole rows from their columns on; numpy gets the words for nothing."""
    rows = people(size)
    leaves = [
        HashBelow(rows.names, "ms32", f"hash {i}", threshold(Fraction(1, 2 + i), "ms32"))
        for i in range(HASHES)
    ]
    count_below(rows.take(np.arange(100)), leaves)
    parts = [size // 4, size // 2, size]
    costs = [cost(lambda s=s: count_below(rows.take(np.arange(s)), leaves, threads=1)) for s in parts]
    wide = row_words(rows)
    keys = np.stack([derive_keys("ms32", leaf.seed, len(wide)) for leaf in leaves])
    limits = np.array([leaf.below for leaf in leaves], np.uint64)
    calls = {
        "ours": lambda: count_below(rows, leaves, threads=1),
        "ours, all cores": lambda: count_below(rows, leaves),
        "numpy": lambda: numpy_shift(wide, keys, limits),
    }
    assert np.array_equal(calls["ours"](), calls["numpy"]())
    show(console, f"rows of {len(wide)} words", best_by_turns(calls, 2), size)
    peak = peak_megabytes(calls["ours"])
    console.print(
        f"peak memory beside the columns: ours {peak:.0f} MB; numpy's words alone {wide.nbytes / 1e6:.0f} MB"
    )
    console.print(f"CPU seconds grow as rows to the power {exponent(parts, costs):.2f}")


def run(size: int) -> None:
    """Print all cases; fail if counts differ or the goal is missed."""
    console = Console()
    console.print(f"{HASHES} hashes over {size:,} rows, {cores()} cores")
    compare_words(console, size)
    compare_rows(console, size // 5)


if __name__ == "__main__":
    run(ROWS if "full" in sys.argv[1:] else ROWS // 5)
