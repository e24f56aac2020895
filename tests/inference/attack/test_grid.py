"""Grids against the golden values and junction trees, however their people are numbered; what is no grid."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.errors import InputError
from dalenius.inference.attack.solvers import junction
from dalenius.inference.attack.solvers.grid import GridNetwork, log_odds, recognise
from dalenius.knowledge.correlation.model import CorrelationModel
from helpers.junction_trees import triangulate
from helpers.networks import alike


def edges_of(rows: int, columns: int) -> np.ndarray:
    at = np.arange(rows * columns).reshape(rows, columns)
    pairs = [(at[:-1], at[1:]), (at[:, :-1], at[:, 1:])]
    return np.concatenate([np.stack([a.ravel(), b.ravel()], axis=1) for a, b in pairs]).astype(np.int64)


def square(side: int, J: float) -> CorrelationModel:
    edges = edges_of(side, side)
    return CorrelationModel("id", np.arange(side**2), edges, np.full(len(edges), J), np.zeros(side**2))


def found(model: CorrelationModel) -> GridNetwork:
    grid = recognise(model)
    assert grid is not None
    return grid


@pytest.mark.parametrize(
    ("side", "J", "centre", "corner"),
    [
        (3, 0.3, 0.308082377887, 0.223630844034),
        (4, 0.3, 0.380135974203, 0.246638995481),
        (8, 0.3, 0.593960596087, 0.268128613873),
        (8, 0.6, 4.039099814146, 1.737005561831),
        (11, 0.3, 0.651076235480, None),
        (11, 0.6, 4.480400924886, None),
    ],
)
def test_golden_grids(side: int, J: float, centre: float, corner: float | None) -> None:
    nu = log_odds(found(square(side, J)), np.full(side**2, 0.05)).reshape(side, side)
    assert nu[side // 2, side // 2] == pytest.approx(centre, abs=1e-9)
    if corner is not None:
        assert [nu[0, 0], nu[0, -1], nu[-1, 0], nu[-1, -1]] == pytest.approx([corner] * 4, abs=1e-9)


@settings(deadline=None, max_examples=40)
@given(st.integers(2, 5), st.integers(2, 7), st.integers(0, 2**32 - 1))
def test_any_numbering_is_recognised_and_agrees_with_the_junction_tree(
    rows: int, cols: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    edges = rng.permutation(edges_of(rows, cols))
    number = rng.permutation(rows * cols)
    J, h = rng.normal(size=len(edges)), rng.normal(size=number.size)
    model = CorrelationModel("id", np.arange(number.size), number[edges], J, h)
    grid = found(model)
    assert sorted(grid.place.shape) == sorted((rows, cols))
    expected = junction.log_odds(triangulate(model), h)
    assert log_odds(grid, h) == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize(
    "model",
    [
        alike(4, [(0, 1), (1, 2), (2, 3)], 0.3),
        alike(5, [(i, (i + 1) % 5) for i in range(5)], 0.3),
        alike(6, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0), (0, 2)], 0.3),
        alike(6, [(0, 1), (1, 2), (0, 3), (1, 4), (2, 5), (3, 4), (3, 5)], 0.3),
        alike(
            9,
            [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 8), (1, 8), (4, 8), (5, 8)],
            0.3,
        ),
    ],
)
def test_what_is_no_grid(model: CorrelationModel) -> None:
    assert recognise(model) is None


def test_tall_grids_and_identical_neighbours_are_left_to_others() -> None:
    assert recognise(square(17, 0.3)) is None
    twins = square(3, 0.3)
    endless = np.where(np.arange(12) == 0, np.inf, 0.3)
    assert recognise(CorrelationModel("id", twins.ids, twins.edges, endless, twins.field)) is None


def test_one_field_a_person() -> None:
    with pytest.raises(InputError, match="must be 9"):
        log_odds(found(square(3, 0.3)), np.zeros(8))
