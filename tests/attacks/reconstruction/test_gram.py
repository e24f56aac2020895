"""``A^T A`` of tables from agreements, against the matrix written out: the same whole numbers."""

from __future__ import annotations

from itertools import chain, combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from dalenius.attacks.reconstruction import gram as gram_module
from dalenius.attacks.reconstruction.gram import counts_agreement, gram
from dalenius.records.operators import BitRows, SparseRows, Stacked
from dalenius.records.table_rows import TableRows


@st.composite
def tables(draw: st.DrawFn) -> TableRows:
    """Any list of tables of any columns: some more than once, whole families or parts of them."""
    levels = draw(st.lists(st.integers(1, 4), min_size=1, max_size=5))
    people = draw(st.integers(0, 25))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    codes = np.stack([rng.integers(0, size, people) for size in levels], axis=1).astype(np.int32)
    every = list(chain.from_iterable(combinations(range(len(levels)), k) for k in range(4)))
    if draw(st.booleans()):
        ways = draw(st.integers(0, min(3, len(levels))))
        sets = list(combinations(range(len(levels)), ways)) * draw(st.integers(1, 2))
    else:
        sets = draw(st.lists(st.sampled_from(every), min_size=1, max_size=12))
    return TableRows(codes, levels, [tuple(draw(st.permutations(s))) for s in sets])


def written_out(A: TableRows) -> np.ndarray:
    matrix = A.explicit().toarray().astype(np.int64)
    return matrix.T @ matrix


@settings(deadline=None, max_examples=150)
@given(tables(), st.sampled_from([1, 7, 512]))
def test_agreements_give_the_gram_matrix_to_the_last_digit(A: TableRows, block: int) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(gram_module, "BLOCK", block)
        assert np.array_equal(gram(A), written_out(A))


@pytest.mark.parametrize(
    ("k", "by_hand"),
    [
        (1, [[4, 2, 2, 0, 0], [2, 4, 0, 2, 2], [2, 0, 4, 2, 2], [0, 2, 2, 4, 4], [0, 2, 2, 4, 4]]),
        (2, [[2, 0, 0, 0, 0], [0, 2, 0, 0, 0], [0, 0, 2, 0, 0], [0, 0, 0, 2, 2], [0, 0, 0, 2, 2]]),
    ],
)
def test_the_tables_of_five_people(k: int, by_hand: list[list[int]]) -> None:
    """Cells with and without the secret count twice, which here is the weight of a row."""
    codes = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [1, 1]], np.int32)
    found = 2 * gram(TableRows(codes, [2, 2], list(combinations(range(2), k))))
    assert found.tolist() == by_hand


@pytest.mark.parametrize("ways", [1, 2, 3])
def test_all_tables_of_some_columns_are_binomials_of_agreements(ways: int) -> None:
    rng = np.random.default_rng(ways)
    codes = np.stack([rng.integers(0, size, 40) for size in (2, 3, 5, 2, 4, 2)], axis=1).astype(np.int32)
    found = gram(TableRows(codes, [2, 3, 5, 2, 4, 2], list(combinations(range(6), ways))))
    agree = (codes[:, None, :] == codes[None, :, :]).sum(axis=2)
    assert found.tolist() == [[comb(int(a), ways) for a in row] for row in agree]


def test_a_table_left_out_is_missed() -> None:
    rng = np.random.default_rng(4)
    codes = rng.integers(0, 2, (30, 5), dtype=np.int32)
    sets = list(combinations(range(5), 2))
    whole, part = TableRows(codes, [2] * 5, sets), TableRows(codes, [2] * 5, sets[1:])
    assert np.array_equal(gram(part), written_out(part))
    assert not np.array_equal(gram(whole), gram(part))


def test_other_matrices_and_stacks(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    codes = rng.integers(0, 3, (20, 4), dtype=np.int32)
    A = TableRows(codes, [3] * 4, list(combinations(range(4), 2)))
    subsets = BitRows.from_dense(rng.random((9, 20)) < 0.5)
    other = SparseRows(sparse.csr_array(rng.standard_normal((6, 20))))
    monkeypatch.setattr(gram_module, "DENSE_BLOCK", 50)
    stacked = Stacked([A, subsets, other])
    matrix = stacked.explicit().toarray()
    assert np.allclose(gram(stacked), matrix.T @ matrix)
    assert counts_agreement(A)
    assert counts_agreement(stacked)
    assert not counts_agreement(Stacked([subsets, other]))
