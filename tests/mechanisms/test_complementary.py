"""Complementary suppression: totals no longer give small cells away, and the tests can tell if they did."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from dalenius.errors import InputError
from dalenius.matrices.answers import Counts, Sensitivity
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.mechanisms.stages.suppression import hide_more

SHAPES = st.tuples(st.integers(2, 6), st.integers(2, 5))


def follows(hidden: np.ndarray) -> np.ndarray:
    """Which hidden cells are fixed by the totals of rows and columns: those that no solution can move."""
    rows, columns = hidden.shape
    at, to = np.nonzero(hidden)
    equations = np.zeros((rows + columns, at.size))
    equations[at, np.arange(at.size)] = 1
    equations[rows + to, np.arange(at.size)] = 1
    _, sizes, directions = np.linalg.svd(equations)
    rank = int((sizes > 1e-9).sum())
    fixed = np.zeros_like(hidden)
    fixed[at, to] = np.abs(directions[rank:]).max(axis=0, initial=0.0) < 1e-9
    return fixed


@settings(max_examples=60)
@given(hnp.arrays(np.int64, SHAPES, elements=st.integers(0, 40)), st.integers(2, 12))
def test_no_small_cell_follows_from_the_totals(values: np.ndarray, below: int) -> None:
    table = values.astype(np.float64)
    primary = (table < below) & (table > 0)
    hidden = hide_more(table, primary)
    assert (hidden >= primary).all()
    assert not (follows(hidden) & primary).any()


def test_without_it_a_small_cell_does_follow() -> None:
    table = np.array([[2.0, 30.0], [40.0, 20.0]])
    assert follows(table < 5)[0, 0]


def test_a_bridge_between_two_cycles_is_closed() -> None:
    """Two hidden cells in every row and column, and yet one of them follows: the second rule."""
    primary = np.zeros((4, 4), bool)
    primary[[0, 0, 1, 1, 2, 2, 3, 3, 1], [0, 1, 0, 1, 2, 3, 2, 3, 2]] = True
    assert follows(primary)[1, 2]
    assert not (follows(hide_more(np.full((4, 4), 9.0), primary)) & primary).any()


def test_a_hidden_cell_may_be_anything_and_a_visible_one_keeps_its_limits() -> None:
    error = parse_mechanism("suppression:below=10,complementary=yes").error(
        np.array([[np.nan, 0.0, 12.0]]), np.array([40.0])
    )
    assert error.low.tolist() == [[0, 0, 12]]
    assert error.high.tolist() == [[40, 0, 12]]


@pytest.mark.parametrize(
    ("text", "published", "low", "high"),
    [
        ("rounding:base=5,how=down", 10, 10, 14),
        ("rounding:base=5,how=up", 10, 6, 10),
        ("rounding:base=5,how=up", 0, 0, 0),
        ("topcode:at=100", 100, 100, 130),
        ("topcode:at=100", 99, 99, 99),
    ],
)
def test_intervals(text: str, published: float, low: float, high: float) -> None:
    error = parse_mechanism(text).error(np.array([[published]]), np.array([130.0]))
    assert (error.low.item(), error.high.item()) == (low, high)


def test_above_the_top_code_nothing_is_published() -> None:
    with pytest.raises(InputError, match="topcode:at=100 can publish"):
        parse_mechanism("topcode:at=100").error(np.array([[101.0]]))


def test_each_table_is_protected_by_itself() -> None:
    counts = Counts(np.array([[2, 30], [40, 20], [50, 60]]), np.array([0, 0, 1]), Sensitivity(2, 2))
    mechanism = parse_mechanism("suppression:below=5,complementary=yes")
    published = mechanism.protect(counts, rng=np.random.default_rng(1))
    assert np.isnan(published).tolist() == [[True, True], [True, True], [False, False]]
    assert str(mechanism) == "suppression:below=5,complementary=yes"
