"""``A^T A`` of tables from agreements, against the matrix written out: the same whole numbers."""

from __future__ import annotations

from itertools import chain, combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from dalenius.matrices.operators import BitRows, SparseRows, Stacked
from dalenius.matrices.tables import TableRows
from dalenius.reconstruction.attack.decoders import least_squares
from dalenius.reconstruction.attack.linalg import gram as gram_module
from dalenius.reconstruction.attack.linalg.gram import counts_agreement, gram
from dalenius.reconstruction.attack.system.system import LinearSystem


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


# --- least squares on tables ------------------------------------------------------------------------------


def noisy(operator: TableRows | SparseRows, sd: float = 2.0) -> LinearSystem:
    rng = np.random.default_rng(1)
    m, n = operator.shape
    ones, inf = np.ones(n, np.int64), np.full(m, np.inf)
    centre = operator.apply(rng.integers(0, 2, n).astype(np.float64)) + sd * rng.standard_normal(m)
    sds, counting = np.full(m, sd), np.ones(m, np.bool_)
    return LinearSystem(
        operator, centre, -inf, inf, sds, "gaussian", ones, 0 * ones, ones, ones / 2, counting
    )


def all_pairs(people: int, columns: int) -> TableRows:
    codes = np.random.default_rng(people).integers(0, 2, (people, columns), dtype=np.int32)
    return TableRows(codes, [2] * columns, list(combinations(range(columns), 2)))


def test_probabilities_of_implicit_tables_are_those_of_the_matrix_written_out() -> None:
    A = all_pairs(300, 40)
    shares = [
        least_squares.decode(noisy(part), rng=np.random.default_rng(1)).share
        for part in (A, SparseRows(A.explicit()))
    ]
    assert np.abs(shares[0] - shares[1]).max() < 1e-3


def test_variances_of_tables_need_no_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    system = noisy(all_pairs(200, 40))
    matrix = system.A.explicit().toarray() / 2
    expected = np.linalg.inv(matrix.T @ matrix).diagonal()
    monkeypatch.setattr(TableRows, "explicit", None)
    found = least_squares._variance(system, np.full(system.centre.size, 2.0))
    assert found is not None
    assert np.allclose(found, expected, rtol=1e-8)


def test_steps_that_do_not_settle_give_way_to_the_exact_solution(monkeypatch: pytest.MonkeyPatch) -> None:
    system = noisy(all_pairs(400, 60))
    expected = np.linalg.lstsq(
        system.A.explicit().toarray(), system.centre - system.A.apply(system.start), rcond=None
    )[0]
    monkeypatch.setattr(least_squares, "WORK_LIMIT", 0)
    monkeypatch.setattr(least_squares, "FEWEST_STEPS", 2)
    decoding = least_squares.decode(system, rng=np.random.default_rng(1))
    assert "solved by its normal equations" in decoding.notes
    assert np.abs(least_squares.solve(system, system.sd) - system.start - expected).max() < 1e-9
    monkeypatch.setattr(least_squares, "GRAM_MOST", 399)
    assert "not settled" in least_squares.decode(system, rng=np.random.default_rng(1)).notes[0]


def test_tables_without_full_rank_are_left_to_the_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    system = noisy(all_pairs(600, 20))  # 211 independent equations
    monkeypatch.setattr(least_squares, "WORK_LIMIT", 0)
    monkeypatch.setattr(least_squares, "FEWEST_STEPS", 2)
    assert least_squares._variance(system, system.sd) is None
    assert "not settled" in least_squares.decode(system, rng=np.random.default_rng(1)).notes[0]
