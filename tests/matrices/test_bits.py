from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.matrices import fast_products as bits
from dalenius.matrices.operators import BitRows, HadamardRows, SingleBitRows, SparseRows, Stacked, single

shapes = st.tuples(st.integers(0, 90), st.integers(1, 700))
seeds = st.integers(0, 2**32)


def packed_bits(rows: int, columns: int, seed: int) -> np.ndarray:
    # what pads the last byte is random too: it must not matter
    return np.random.default_rng(seed).integers(0, 256, (rows, -(-columns // 8)), np.uint8)


def multiply_plain(packed: np.ndarray, x: np.ndarray) -> np.ndarray:
    return np.unpackbits(packed, axis=1, count=x.size) @ x.astype(np.float64)


def multiply_transpose_plain(packed: np.ndarray, r: np.ndarray, columns: int) -> np.ndarray:
    return r @ np.unpackbits(packed, axis=1, count=columns)


def transpose_plain(packed: np.ndarray, columns: int) -> np.ndarray:
    return np.packbits(np.unpackbits(packed, axis=1, count=columns), axis=0).T.copy()


@settings(deadline=None)
@given(shapes, seeds, st.integers(1, 3))
def test_products_agree_with_their_plain_twins(shape: tuple[int, int], seed: int, threads: int) -> None:
    rows, columns = shape
    packed, rng = packed_bits(rows, columns, seed), np.random.default_rng(seed)
    x, r = rng.standard_normal(columns), rng.standard_normal(rows)
    plain = multiply_plain(packed, x)
    assert np.allclose(bits.multiply(packed, x, threads=threads), plain, rtol=0, atol=1e-11)
    assert np.allclose(bits.multiply(packed, x.astype(np.float32), threads=threads), plain, rtol=0, atol=1e-4)
    back = bits.multiply_transpose(packed, r, columns, threads=threads)
    assert np.allclose(back, multiply_transpose_plain(packed, r, columns), rtol=0, atol=1e-11)


@settings(deadline=None)
@given(shapes, seeds, st.integers(1, 3))
def test_the_transpose_agrees_to_the_bit(shape: tuple[int, int], seed: int, threads: int) -> None:
    packed = packed_bits(*shape, seed)
    turned = bits.transpose(packed, shape[1], threads=threads)
    assert np.array_equal(turned, transpose_plain(packed, shape[1]))


@pytest.mark.parametrize(
    ("rows", "columns"), [(8, 256), (9, 257), (2049, 2040), (4097, 4100), (5000, 700), (64, 16_400)]
)
def test_larger_than_one_block(rows: int, columns: int) -> None:
    packed = packed_bits(rows, columns, 1)
    rng = np.random.default_rng(2)
    x, r = rng.standard_normal(columns), rng.standard_normal(rows)
    plain = multiply_plain(packed, x)
    assert np.allclose(bits.multiply(packed, x), plain, rtol=0, atol=1e-10)
    assert np.abs(bits.multiply(packed, x.astype(np.float32)) - plain).max() < 1e-6 * columns**0.5 * 10
    expected = multiply_transpose_plain(packed, r, columns)
    assert np.allclose(bits.multiply_transpose(packed, r, columns), expected, rtol=0, atol=1e-10)
    assert np.array_equal(bits.transpose(packed, columns), transpose_plain(packed, columns))


def test_counts_are_exact_in_both_precisions() -> None:
    packed = packed_bits(301, 5003, 3)
    secret = (np.random.default_rng(4).random(5003) < 0.3).astype(np.float64)
    counts = multiply_plain(packed, secret)
    assert np.array_equal(bits.multiply(packed, secret), counts)
    assert np.array_equal(bits.multiply(packed, secret.astype(np.float32)), counts)


@pytest.mark.parametrize("columns", [100, 300, 5000])
def test_without_vector_instructions_the_result_is_the_same(
    columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = packed_bits(333, columns, 5)
    x = np.random.default_rng(6).standard_normal(columns).astype(np.float32)
    fast = bits.multiply(packed, x)
    monkeypatch.setattr(bits, "has_avx2", lambda: False)
    assert np.allclose(bits.multiply(packed, x), fast, rtol=0, atol=1e-4)


def test_views_and_other_layouts_are_read_right() -> None:
    packed = packed_bits(64, 800, 7)
    x = np.random.default_rng(8).standard_normal(1600)[::2]
    part = packed[::2, :]
    assert np.allclose(bits.multiply(part, x), multiply_plain(part, x))
    assert np.allclose(bits.multiply(np.asfortranarray(packed), x), multiply_plain(packed, x))
    assert np.array_equal(bits.transpose(part, 800), transpose_plain(part, 800))


def test_infinite_entries_reach_only_the_rows_that_count_them() -> None:
    rows = np.zeros((9, 300), np.bool_)
    rows[4, 299] = True
    x = np.zeros(300, np.float32)
    x[299] = np.inf
    assert np.array_equal(bits.multiply(np.packbits(rows, axis=1), x), np.where(np.arange(9) == 4, np.inf, 0))


def test_single_precision_operator_is_the_same_matrix() -> None:
    dense = np.random.default_rng(9).random((50, 300)) < 0.5
    exact = BitRows.from_dense(dense)
    both = single(Stacked([exact, SparseRows(exact.explicit())]))
    assert isinstance(both, Stacked)
    assert isinstance(both.parts[0], SingleBitRows)
    x, r = np.random.default_rng(10).standard_normal(300), np.random.default_rng(11).standard_normal(100)
    assert np.allclose(both.apply(x), np.tile(exact.apply(x), 2), atol=1e-4)
    assert np.allclose(both.apply_transpose(r), (r[:50] + r[50:]) @ dense, atol=1e-4)
    assert np.array_equal(both.parts[0].explicit().toarray(), dense)


def test_entries_are_counted_without_writing_them_out() -> None:
    exact = BitRows.from_dense(np.random.default_rng(12).random((50, 301)) < 0.5)
    hadamard = HadamardRows(301)
    for operator in (
        exact,
        single(exact),
        SparseRows(exact.explicit()),
        hadamard,
        Stacked([exact, hadamard]),
    ):
        assert operator.entries == operator.explicit().nnz
