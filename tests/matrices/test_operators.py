"""Every operator against its matrix written out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from dalenius.errors import TooLargeError
from dalenius.matrices import operators
from dalenius.matrices.operators import BitRows, HadamardRows, SparseRows, Stacked


def sylvester(size: int) -> np.ndarray:
    matrix = np.ones((1, 1))
    while len(matrix) < size:
        matrix = np.block([[matrix, matrix], [matrix, -matrix]])
    return matrix


def hadamard_dense(people: int) -> np.ndarray:
    size = 1
    while size < people:
        size *= 2
    H = sylvester(size)[:, :people]
    return np.vstack([H == 1, H[1:] == -1]).astype(float)


def dense_rows(m: int, n: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 2, (m, n)).astype(bool)


def agree(operator, dense: np.ndarray, seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, r = rng.normal(size=dense.shape[1]), rng.normal(size=dense.shape[0])
    assert operator.shape == dense.shape
    assert np.allclose(operator.apply(x), dense @ x, atol=1e-9)
    assert np.allclose(operator.apply_transpose(r), dense.T @ r, atol=1e-9)
    assert np.array_equal(operator.explicit().toarray(), dense)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 30), st.integers(1, 40), st.integers(0, 2**32 - 1))
def test_packed_bits(m, n, seed):
    dense = dense_rows(m, n, seed)
    agree(BitRows.from_dense(dense), dense.astype(float), seed)


@pytest.mark.parametrize("n", [1, 7, 8, 9, 15, 16, 17])
def test_padding_bits_count_nobody(n):
    """The last byte has bits for people who do not exist; even set, they must not be seen."""
    rows = BitRows(np.full((3, -(-n // 8)), 0xFF, np.uint8), n)
    assert rows.shape == (3, n)
    assert np.array_equal(rows.rows(0, 3), np.ones((3, n)))
    assert np.allclose(rows.apply(np.ones(n)), n)
    assert np.allclose(rows.apply_transpose(np.ones(3)), np.full(n, 3.0))


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 33), st.integers(0, 2**32 - 1))
def test_hadamard_queries(people, seed):
    agree(HadamardRows(people), hadamard_dense(people), seed)


@pytest.mark.parametrize(("people", "queries"), [(1, 1), (2, 3), (4, 7), (5, 15), (8, 15), (100, 255)])
def test_number_of_hadamard_queries(people, queries):
    """2N - 1 for the next power of two N: below 4n, and 2n - 1 when n is a power of two."""
    assert HadamardRows(people).shape == (queries, people)
    assert queries < 4 * people


def test_a_hadamard_row_with_a_wrong_sign_would_be_noticed():
    dense = hadamard_dense(6)
    dense[3, 2] = 1 - dense[3, 2]
    with pytest.raises(AssertionError):
        agree(HadamardRows(6), dense, 1)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 20), st.integers(1, 20), st.integers(0, 2**32 - 1))
def test_sparse_rows(m, n, seed):
    dense = dense_rows(m, n, seed).astype(float)
    agree(SparseRows(sparse.csr_array(dense)), dense, seed)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 12), st.integers(0, 2**32 - 1))
def test_operators_under_each_other(n, seed):
    bits, cells = dense_rows(3, n, seed), dense_rows(4, n, seed + 1).astype(float)
    stacked = Stacked([BitRows.from_dense(bits), SparseRows(sparse.csr_array(cells)), HadamardRows(n)])
    agree(stacked, np.vstack([bits.astype(float), cells, hadamard_dense(n)]), seed)


def test_a_matrix_that_would_not_fit_is_not_written_out(monkeypatch):
    monkeypatch.setattr(operators, "EXPLICIT_LIMIT", 10)
    message = r"must have at most 10 entries to be written out; got 12 entries .*GB.*least-squares"
    with pytest.raises(TooLargeError, match=message):
        BitRows.from_dense(np.ones((3, 4), bool)).explicit()
    with pytest.raises(TooLargeError, match="to be written out"):
        HadamardRows(8).explicit()
    assert BitRows.from_dense(np.ones((2, 5), bool)).explicit().sum() == 10
