from __future__ import annotations

from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.errors import TooLargeError
from dalenius.matrices import operators
from dalenius.matrices import tables as table_rows
from dalenius.matrices.operators import HasSingle, SparseRows
from dalenius.matrices.tables import TableRows
from dalenius.reconstruction.attack.linalg.cgls import cgls
from dalenius.statistics import tables
from dalenius.statistics.tables import tables_of
from helpers.rosters import coded


@st.composite
def released(draw: st.DrawFn) -> tuple[np.ndarray, list[int], list[tuple[int, ...]]]:
    levels = draw(st.lists(st.integers(1, 4), min_size=1, max_size=5))
    people = draw(st.integers(0, 30))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    codes = np.stack([rng.integers(0, size, people) for size in levels], axis=1).astype(np.int32)
    all_sets = chain.from_iterable(combinations(range(len(levels)), k) for k in range(4))
    sets = draw(st.lists(st.sampled_from(list(all_sets)), min_size=1, max_size=8))
    orders = [tuple(draw(st.permutations(s))) for s in sets]  # a table may name its columns in any order
    return codes, levels, orders


@settings(deadline=None, max_examples=150)
@given(released(), st.integers(0, 2**32))
def test_products_agree_with_the_sparse_matrix(release, seed: int) -> None:
    codes, levels, sets = release
    implicit = TableRows(codes, levels, sets)
    written = SparseRows(implicit.explicit())
    rng = np.random.default_rng(seed)
    x, r = rng.standard_normal(implicit.shape[1]), rng.standard_normal(implicit.shape[0])
    assert implicit.shape == written.shape
    assert implicit.entries == written.entries
    for operator, off in ((implicit, 1e-10), (implicit.single(), 1e-3)):
        assert np.allclose(operator.apply(x), written.apply(x), rtol=0, atol=off)
        assert np.allclose(operator.apply_transpose(r), written.apply_transpose(r), rtol=0, atol=off)


@pytest.mark.parametrize("ways", [1, 2, 3])
def test_more_people_and_levels_than_one_chunk_or_panel(ways: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_rows, "CHUNK", 37)
    monkeypatch.setattr(table_rows, "PANEL", 3)
    rng = np.random.default_rng(ways)
    levels = [2, 5, 3, 2, 4, 2]
    codes = np.stack([rng.integers(0, size, 200) for size in levels], axis=1).astype(np.int32)
    implicit = TableRows(codes, levels, list(combinations(range(6), ways)))
    written = SparseRows(implicit.explicit())
    x, r = rng.standard_normal(200), rng.standard_normal(implicit.shape[0])
    assert np.allclose(implicit.apply(x), written.apply(x))
    assert np.allclose(implicit.apply_transpose(r), written.apply_transpose(r))


@pytest.mark.parametrize("ways", [0, 1, 2, 3])
def test_large_tables_become_implicit_and_mean_the_same(ways: int, monkeypatch: pytest.MonkeyPatch) -> None:
    roster = coded(np.random.default_rng(1).integers(0, 3, (50, 5), dtype=np.int32), [3] * 5)
    asked = tables_of(roster.attributes.columns, ways)
    written = asked.operator(roster)
    assert isinstance(written, SparseRows)
    monkeypatch.setattr(tables, "ENTRY_LIMIT", 10)
    implicit = asked.operator(roster)
    assert isinstance(implicit, TableRows)
    assert isinstance(implicit, HasSingle)
    assert (implicit.explicit() != written.matrix).nnz == 0


@pytest.mark.parametrize("limit", ["ways", "levels"])
def test_tables_that_cannot_be_implicit_are_written_out(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    roster = coded(np.random.default_rng(1).integers(0, 2, (50, 5), dtype=np.int32), [2] * 5)
    monkeypatch.setattr(tables, "ENTRY_LIMIT", 10)
    if limit == "levels":
        monkeypatch.setattr(tables, "LEVEL_LIMIT", 5)
    asked = tables_of(roster.attributes.columns, 4 if limit == "ways" else 2)
    assert isinstance(asked.operator(roster), SparseRows)


def test_too_many_entries_are_not_written_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operators, "EXPLICIT_LIMIT", 100)
    codes = np.zeros((40, 3), np.int32)
    with pytest.raises(TooLargeError, match="120 entries"):
        TableRows(codes, [2, 2, 2], [(0, 1), (0, 2), (1, 2)]).explicit()


def test_counts_of_people_are_whole_numbers_in_double_precision() -> None:
    rng = np.random.default_rng(5)
    codes = rng.integers(0, 2, (3_000, 20), dtype=np.int32)
    implicit = TableRows(codes, [2] * 20, list(combinations(range(20), 2)))
    counts = implicit.apply((rng.random(3_000) < 0.3).astype(np.float64))
    assert np.array_equal(counts, np.round(counts))
    assert counts.min() >= 0


@pytest.mark.parametrize(
    "ways",
    [
        2,
        pytest.param(
            3, marks=pytest.mark.slow(beside="test_the_preconditioner_saves_steps_and_changes_nothing")
        ),
    ],
)
def test_the_preconditioner_saves_steps_and_changes_nothing(ways: int) -> None:
    rng = np.random.default_rng(ways)
    levels = [2, 3] * (15 if ways == 2 else 6)
    codes = np.stack([rng.integers(0, size, 400) for size in levels], axis=1).astype(np.int32)
    A = TableRows(codes, levels, list(combinations(range(len(levels)), ways)))
    target = A.apply(rng.integers(0, 2, 400) - 0.5) + rng.standard_normal(A.shape[0])
    plain = cgls(A, target, np.ones(target.size), tolerance=1e-6)
    divided = cgls(A, target, np.ones(target.size), precondition=A.preconditioner(), tolerance=1e-6)
    assert np.abs(plain.x - divided.x).max() < 1e-4
    assert divided.iterations < 0.8 * plain.iterations


def test_the_preconditioner_is_a_symmetric_inverse_of_something_above_one() -> None:
    rng = np.random.default_rng(7)
    codes = np.stack([rng.integers(0, size, 60) for size in (2, 3, 2, 4)], axis=1).astype(np.int32)
    divide = TableRows(codes, [2, 3, 2, 4], list(combinations(range(4), 2))).preconditioner()
    matrix = np.stack([divide(column) for column in np.eye(60)])
    values = np.linalg.eigvalsh((matrix + matrix.T) / 2)
    assert np.allclose(matrix, matrix.T)
    assert values[0] > 0
    assert values[-1] < 1 + 1e-9


def test_one_way_tables_have_nothing_to_divide_by() -> None:
    codes = np.random.default_rng(8).integers(0, 2, (30, 4), dtype=np.int32)
    divide = TableRows(codes, [2] * 4, [(0,), (1,), ()]).preconditioner()
    assert np.array_equal(divide(np.arange(30.0)), np.arange(30.0))
