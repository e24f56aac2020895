"""Rows as bytes and their keyed hashes: published vectors, a plain reference, and rates that theory gives."""

from __future__ import annotations

import datetime as dt
import hashlib
import math
import struct
import unicodedata
from fractions import Fraction
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.conditions.hash_counts import count_below, count_words
from dalenius.conditions.leaves import HashBelow
from dalenius.conditions.predicate import And, Between, Not, evaluate
from dalenius.errors import InputError
from dalenius.people.rows import as_bytes as row_bytes
from dalenius.people.rows.as_bytes import serialise
from dalenius.people.rows.keyed_hash import MERSENNE, RANGES, RowHashes, derive_keys, hash_rows, threshold
from dalenius.people.rows.rows import Rows
from dalenius.theory.isolation import isolation

FIRST = pa.table(
    {
        "none": pa.array([None], pa.int64()),
        "flag": [True],
        "whole": [42],
        "real": [3.5],
        "name": ["Zoë"],
        "born": [dt.date(1990, 5, 17)],
    }
)
SECOND = pa.table({"name": ["a"], "whole": [-1], "real": [0.0], "flag": [False]})


@pytest.mark.parametrize(
    ("table", "text", "hashes"),
    [
        (
            FIRST,
            "0006000000000001000000010102000000012a0300000008400c00000000000004000000045a6fc3ab"
            "0600000008000248b7612d6000",
            {"cw61": 1517435072739612916, "ms32": 3750897215, "prf64": 768796520864147746},
        ),
        (
            SECOND,
            "00040400000001610200000001ff03000000080000000000000000010000000100",
            {"cw61": 637407301026944888, "ms32": 3159968858, "prf64": 7522295893993968140},
        ),
    ],
)
def test_published_vectors(table, text, hashes):
    rows = Rows.of_table(table)
    assert serialise(rows)[0].hex() == text
    assert {family: int(hash_rows(rows, family, "seed-0")[0]) for family in hashes} == hashes


@pytest.mark.parametrize(
    ("values", "cell"),
    [
        ([0], "020000000100"),
        ([128], "02000000020080"),
        ([-128], "0200000002ff80"),
        ([127], "02000000017f"),
        ([2**53], "020000000720000000000000"),
        ([-(2**53)], "0200000007e0000000000000"),
        ([-0.0], "03000000080000000000000000"),
        ([dt.datetime(2001, 2, 3, 4, 5, 6)], "060000000800037c5f2a724080"),
        (["Zoe\u0308"], "04000000045a6fc3ab"),
        ([""], "0400000000"),
    ],
)
def test_cells(values, cell):
    assert serialise(Rows.of_table(pa.table({"x": values})))[0].hex() == "0001" + cell


def plain_cell(value, kind: str) -> bytes:
    """One cell, value by value."""
    if value is None or (kind == "float" and math.isnan(value)):
        return bytes(5)
    if kind == "bool":
        tag, body = 1, bytes([value])
    elif kind == "integer":
        tag, body = 2, value.to_bytes((value.bit_length() + 8) // 8, "big", signed=True)
    elif kind == "float":
        tag, body = 3, struct.pack(">d", value + 0.0)
    else:
        tag, body = 4, unicodedata.normalize("NFC", value).encode()
    return bytes([tag]) + len(body).to_bytes(4, "big") + body


def plain_hash(text: bytes, family: str, seed: str) -> int:
    """A hash in Python's whole numbers."""
    if family == "prf64":
        digest = hashlib.blake2b(text, key=seed.encode(), person=b"pso", digest_size=8).digest()
        return int.from_bytes(digest, "big")
    size = {"cw61": 7, "ms32": 4}[family]
    padded = text + b"\x01"
    padded += bytes(-len(padded) % size)
    words = [int.from_bytes(padded[i : i + size], "big") for i in range(0, len(padded), size)]
    stream = hashlib.shake_256(f"{family}|{seed}".encode()).digest(8 * (len(words) + 1))
    keys = [int.from_bytes(stream[i : i + 8], "big") for i in range(0, len(stream), 8)]
    if family == "cw61":
        keys = [(key >> 3) % MERSENNE for key in keys]
        return (keys[0] + sum(k * c for k, c in zip(keys[1:], words, strict=True))) % MERSENNE
    return (keys[0] + sum(k * c for k, c in zip(keys[1:], words, strict=True))) % 2**64 >> 32


people = st.lists(
    st.tuples(
        st.none() | st.booleans(),
        st.none() | st.integers(-(2**53), 2**53),
        st.none() | st.floats(width=64),
        st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=9),
    ),
    min_size=1,
    max_size=20,
)
KINDS = {"a": ("bool", pa.bool_()), "b": ("integer", pa.int64()), "c": ("float", pa.float64()),
         "d": ("text", pa.string())}  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(people, st.text("abc", max_size=5))
def test_all_rows_at_once_are_rows_one_by_one(records, seed):
    columns = zip(KINDS.items(), zip(*records, strict=True), strict=True)
    rows = Rows.of_table(pa.table({name: pa.array(list(v), kind[1]) for (name, kind), v in columns}))
    expected = [
        b"\x00\x04" + b"".join(plain_cell(v, kind) for v, (kind, _) in zip(r, KINDS.values(), strict=True))
        for r in records
    ]
    assert serialise(rows) == expected
    for family in RANGES:
        assert hash_rows(rows, family, seed).tolist() == [plain_hash(text, family, seed) for text in expected]


def random_rows(size: int, seed: int = 2) -> Rows:
    rng = np.random.default_rng(seed)
    return Rows.of_table(
        pa.table(
            {
                "age": rng.integers(0, 100, size),
                "town": rng.choice(["Bern", "Zug", "La Chaux-de-Fonds"], size),
                "rate": rng.random(size),
            }
        )
    )


@pytest.mark.parametrize("threads", [1, 3])
def test_counts_of_many_hashes_are_those_of_each(threads, monkeypatch):
    monkeypatch.setattr(row_bytes, "ROWS_AT_ONCE", 1500)
    rows = random_rows(4111)
    leaves = [
        HashBelow(columns, family, f"seed {i}", threshold(Fraction(1, 2 + i), family))
        for i, (columns, family) in enumerate(
            product([("age", "town", "rate"), ("town",), ("age",), ("rate", "age")], RANGES)
        )
    ]
    leaves += [HashBelow(("rate",), family, "s", size) for family, size in RANGES.items()]
    leaves += [HashBelow(("rate",), family, "s", 0) for family in RANGES]
    expected = [np.count_nonzero(evaluate(leaf, rows)) for leaf in leaves]
    assert count_below(rows, leaves, threads=threads).tolist() == expected
    assert expected[-6:] == [len(rows)] * 3 + [0] * 3


def test_a_hash_after_other_conditions_is_the_same_hash():
    rows = random_rows(5000)
    for limits in ((10, 12), (0, 99)):  # a few of the rows, and most of them
        age, small = Between("age", *limits), HashBelow(("town", "rate"), "prf64", "s", 2**62)
        expected = evaluate(age, rows) & evaluate(small, rows)
        assert np.array_equal(evaluate(And((age, small)), rows), expected)
        assert np.array_equal(evaluate(And((Not(small), age)), rows), evaluate(age, rows) & ~expected)
    nobody = evaluate(And((Between("age", 200, None), HashBelow(("town",), "ms32", "s", 2**31))), rows)
    assert not nobody.any()


def test_limits_are_exact_in_whole_numbers():
    assert threshold(Fraction(1, 3), "prf64") == 2**64 // 3
    assert threshold(Fraction(1, 7), "cw61") == (2**61 - 1) // 7
    assert threshold(1, "ms32") == 2**32
    assert threshold(0.1, "prf64") == 2**64 * Fraction(0.1).numerator // Fraction(0.1).denominator
    assert threshold(2.0**-32, "ms32") == 1


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: threshold(2.0**-33, "ms32"),
            "weight must be at least 2.3e-10 for.* ms32.*Use prf64",
        ),
        (lambda: threshold(2.0**-65, "prf64"), "weight must be at least 5.4e-20.*Add other conditions"),
        (lambda: threshold(0, "ms32"), "weight must be above 0 and at most 1; got 0"),
        (lambda: threshold(1.5, "ms32"), "weight must be above 0 and at most 1"),
        (lambda: threshold(0.5, "ms64"), "hash 'ms64' must be a known family.*Known: cw61, ms32, prf64"),
        (lambda: HashBelow((), "ms32", "s", 1), "hash must be of at least one column"),
        (lambda: HashBelow(("a",), "md5", "s", 1), "hash 'md5' must be a known family"),
        (lambda: HashBelow(("a",), "ms32", "s" * 65, 1), "seed of a hash must have at most 64 bytes; got 65"),
        (lambda: HashBelow(("a",), "ms32", "s", 2**32 + 1), "limit of a ms32 hash must be 0 to 4294967296"),
        (lambda: HashBelow(("a",), "ms32", "s", -1), "limit of a ms32 hash must be 0"),
    ],
)
def test_hashes_that_cannot_be(make, message):
    with pytest.raises(InputError, match=message):
        make()


def times_gf16(a: int, b: int) -> int:
    """A product in the field of 16 elements, modulo x^4 + x + 1."""
    result = 0
    for bit in range(4):
        if b >> bit & 1:
            result ^= a << bit
    for bit in (6, 5, 4):
        if result >> bit & 1:
            result ^= 0b10011 << (bit - 4)
    return result


def pairs_of_hashes(times) -> set[int]:
    """How often each pair of 2-bit hashes ``a x + b`` occurs over all 256 keys, over all pairs of inputs."""
    table = np.array([[[(times(a, x) ^ b) >> 2 for x in range(16)] for b in range(16)] for a in range(16)])
    keys = table.reshape(256, 16)
    seen = set()
    for x, y in product(range(16), repeat=2):
        if x != y:
            seen |= set(np.bincount(4 * keys[:, x] + keys[:, y], minlength=16).tolist())
    return seen


def test_the_papers_family_is_exactly_pairwise_independent():
    assert pairs_of_hashes(times_gf16) == {16}
    # without the field's reduction some pairs come more often than others
    assert pairs_of_hashes(lambda a, b: (a * b) & 15) != {16}


def test_a_linear_hash_falls_short_of_independence():
    """All 64 hashes ``M x + b`` to two bits, on 0, e1, e2 and e1 + e2, at weight 1/4."""
    hits = 0
    for first, second, shift in product(range(4), repeat=3):
        hashes = [shift, shift ^ first, shift ^ second, shift ^ first ^ second]
        hits += hashes.count(0) == 1
    assert hits == 24
    assert hits / 64 < isolation(4, 1 / 4)


def class_rate(weight: Fraction, values: list[str]) -> tuple[float, float]:
    """The share of keys that put exactly one row of a class below the limit, and its standard error."""
    found = RowHashes(Rows.of_table(pa.table({"x": values})))
    limit = threshold(weight, "prf64")
    hit = np.array([found.below(("x",), "prf64", f"{i}", limit).sum() == 1 for i in range(10_000)])
    return float(hit.mean()), float(hit.std() / math.sqrt(hit.size))


def test_one_of_a_class_of_five_is_isolated_as_often_as_independence_says():
    assert isolation(5, 0.2) == pytest.approx(0.4096)
    rate, error = class_rate(Fraction(1, 5), list("abcde"))
    assert abs(rate - 0.4096) < 4 * error
    # planted: a limit that is off by a factor of two, and a row that is there twice
    wrong, error = class_rate(Fraction(2, 5), list("abcde"))
    assert abs(wrong - 0.4096) > 4 * error
    twice, error = class_rate(Fraction(1, 5), list("aabcd"))
    assert abs(twice - 0.4096) > 4 * error


@pytest.mark.parametrize(("rows", "reference"), [(3, 0.4997), (5, 0.4830), (8, 0.4721)])
def test_pairwise_independence_alone_gives_other_rates(rows, reference):
    """Affine hashes of 0 .. k - 1: as in a reference run (error 0.0008), and not what B(k, 1/k) says."""
    keys = np.random.default_rng(rows).integers(0, MERSENNE, (200_000, 2), dtype=np.uint64)
    counts = np.zeros(len(keys), np.int64)
    words = np.arange(rows, dtype=np.uint64)[None]
    count_words(counts, words, keys, np.full(len(keys), MERSENNE // rows, np.uint64), "cw61")
    hit = counts == 1
    error = math.hypot(0.0008, hit.std() / math.sqrt(hit.size))
    assert abs(hit.mean() - reference) < 4 * error
    assert abs(hit.mean() - isolation(rows, 1 / rows)) > 4 * error


def test_hashes_of_two_rows_fill_a_grid_evenly():
    """Pairs of hashes over many keys, in 4 by 4 cells, by their chi-square."""
    rows = Rows.of_table(pa.table({"x": [1, 2]}))
    for family, size in RANGES.items():
        pairs = np.array([hash_rows(rows, family, f"{i}") for i in range(2000)]) // np.uint64(size // 4 + 1)
        seen = np.bincount((4 * pairs[:, 0] + pairs[:, 1]).astype(np.intp), minlength=16)
        assert ((seen - 125) ** 2 / 125).sum() < 44.3  # 15 degrees of freedom, one in ten thousand
    # planted: the same multiplier for all keys makes the difference of two hashes a constant
    shift = np.array([derive_keys("ms32", f"{i}", 1)[0] for i in range(2000)])
    both = np.stack((shift, shift + np.uint64(12345 << 32))) >> np.uint64(62)
    seen = np.bincount((4 * both[0] + both[1]).astype(np.intp), minlength=16)
    assert ((seen - 125) ** 2 / 125).sum() > 44.3
