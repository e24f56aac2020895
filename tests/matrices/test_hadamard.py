from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.errors import InputError, TooLargeError
from dalenius.matrices.fast_products import SMALL, transform, transform_plain


def sylvester(size: int) -> np.ndarray:
    matrix = np.ones((1, 1))
    while len(matrix) < size:
        matrix = np.block([[matrix, matrix], [matrix, -matrix]])
    return matrix


@pytest.mark.parametrize("size", [1, 2, 4, 8, 16, 32, 64])
def test_transform_multiplies_by_the_sylvester_matrix(size: int) -> None:
    from dalenius.matrices._hadamard_kernels import transform_into

    for column in np.eye(size):
        expected = sylvester(size) @ column
        compiled = np.empty(size)
        transform_into(compiled, column)  # `transform` leaves sizes this small to numpy
        assert np.array_equal(compiled, expected)
        assert np.array_equal(transform(column), expected)


@pytest.mark.parametrize("log_size", [10, 11, 12, 13, 14, 15, 16, 17, 18, 19])
def test_compiled_and_plain_agree_to_the_last_bit(log_size: int) -> None:
    x = np.random.default_rng(log_size).standard_normal(1 << log_size)
    assert np.array_equal(transform(x), transform_plain(x))


@pytest.mark.parametrize("log_size", [3, 11, 15, 17])
def test_whole_numbers_are_exact_and_stay_whole(log_size: int) -> None:
    x = np.random.default_rng(1).integers(-50, 50, 1 << log_size, dtype=np.int32)
    got = transform(x)
    assert got.dtype == np.int32
    assert np.array_equal(got, transform(x.astype(np.float64)))


@given(st.integers(0, 13), st.integers(0, 2**32))
def test_twice_is_multiplication_by_the_size(log_size: int, seed: int) -> None:
    x = np.random.default_rng(seed).integers(-1000, 1000, 1 << log_size).astype(np.float64)
    assert np.array_equal(transform(transform(x)), x.size * x)


@pytest.mark.parametrize("size", [8, 4 * SMALL])
def test_the_input_is_not_changed(size: int) -> None:
    x = np.arange(float(size))
    transform(x)
    assert np.array_equal(x, np.arange(float(size)))


def test_other_layouts_and_types_are_computed_in_float64() -> None:
    x = np.arange(8 * SMALL, dtype=np.int64)[::2]
    assert np.array_equal(transform(x), transform_plain(x.astype(np.float64)))


@pytest.mark.parametrize("shape", [(0,), (3,), (12,), (2, 2), ()])
def test_sizes_other_than_powers_of_two_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(InputError, match=r"must have a power of two as its size; got shape .* Pad it"):
        transform(np.zeros(shape))


def test_whole_numbers_that_could_overflow_are_refused() -> None:
    x = np.full(1 << 16, 1 << 15, dtype=np.int32)
    with pytest.raises(TooLargeError, match=r"at most 2,147,483,647 in 32 bits; got 2,147,483,648"):
        transform(x)
    assert transform(x[: 1 << 15])[0] == 1 << 30
