from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from dalenius.matrices.answers import Counts, Sensitivity
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.mechanisms.stages.controlled import round_table

SHAPES = st.tuples(st.integers(1, 7), st.integers(1, 5))


def adjacent(rounded: np.ndarray, values: np.ndarray, base: int, slack: float = 0.0) -> bool:
    """Whether each number became one of the multiples around it, and multiples stayed."""
    multiples = np.array_equal(rounded % base, np.zeros_like(rounded))
    return multiples and bool(np.all(np.abs(rounded - values) < base + slack))


def additive(rounded: np.ndarray, values: np.ndarray, base: int, slack: float = 0.0) -> bool:
    return all(
        adjacent(np.asarray(rounded.sum(axis=axis)), np.asarray(values.sum(axis=axis)), base, slack)
        for axis in (0, 1, None)
    ) and adjacent(rounded, values, base, slack)


@given(hnp.arrays(np.int64, SHAPES, elements=st.integers(0, 60)), st.integers(2, 12), st.integers(0, 2**32))
def test_controlled_rounding_keeps_all_totals(values: np.ndarray, base: int, seed: int) -> None:
    table = values.astype(np.float64)
    rounded = round_table(table, base, rng=np.random.default_rng(seed))
    assert additive(rounded, table, base)


@given(hnp.arrays(np.float64, SHAPES, elements=st.floats(-50, 50)), st.integers(2, 12), st.integers(0, 2**32))
def test_controlled_rounding_of_noisy_numbers(values: np.ndarray, base: int, seed: int) -> None:
    rounded = round_table(values, base, rng=np.random.default_rng(seed))
    assert additive(rounded, values, base, slack=1e-4)


def test_random_rounding_alone_is_not_additive() -> None:
    values = np.full((6, 6), 2.0)
    counts = Counts(values.astype(np.int64), np.zeros(6, dtype=np.int64), Sensitivity(2, 2))
    mechanism = parse_mechanism("rounding:base=5,how=random")
    assert not additive(mechanism.protect(counts, rng=np.random.default_rng(1)), values, 5)


def test_each_table_is_controlled_by_itself() -> None:
    rng = np.random.default_rng(2)
    counts = rng.integers(0, 40, (60, 2))
    table = rng.integers(0, 9, 60)
    mechanism = parse_mechanism("rounding:base=5,how=controlled")
    rounded = mechanism.protect(Counts(counts, table, Sensitivity(2, 2)), rng=rng)
    for one in range(9):
        assert additive(rounded[table == one], counts[table == one].astype(np.float64), 5)


def test_suppressed_cells_stay_suppressed() -> None:
    table = np.array([[np.nan, 12.0], [13.0, 14.0]])
    rounded = round_table(table, 5, rng=np.random.default_rng(1))
    assert np.array_equal(np.isnan(rounded), np.isnan(table))
    assert additive(np.nan_to_num(rounded), np.nan_to_num(table), 5)


TIES = {
    "": [0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12],
    ",ties=up": [0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12],
    ",ties=away": [0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12],
    ",ties=even": [0, 0, 0, 4, 4, 4, 8, 8, 8, 8, 8, 12],
}


@pytest.mark.parametrize("ties", TIES)
def test_where_halves_go(ties: str) -> None:
    counts = Counts(np.arange(12)[:, None], np.arange(12), Sensitivity(1, 1))
    rounded = parse_mechanism(f"rounding:base=4{ties}").protect(counts, rng=np.random.default_rng(1))
    assert rounded[:, 0].tolist() == TIES[ties]


def test_halves_below_zero() -> None:
    """After noise numbers may be negative, where up and away are not the same."""
    counts = Counts(np.array([[-6.0], [-2.0], [2.0]]), np.arange(3), Sensitivity(1, 1))
    rng = np.random.default_rng(1)
    for ties, expected in {"up": [-4, 0, 4], "away": [-8, -4, 4], "even": [-8, 0, 0]}.items():
        rounded = parse_mechanism(f"rounding:base=4,ties={ties}").protect(counts, rng=rng)
        assert rounded[:, 0].tolist() == expected


def test_a_publisher_says_where_halves_go() -> None:
    assert str(parse_mechanism("rounding:base=10").applied()) == "rounding:base=10,ties=up"
    assert str(parse_mechanism("rounding:base=10,ties=even").applied()) == "rounding:base=10,ties=even"
    assert str(parse_mechanism("rounding:base=10,how=down").applied()) == "rounding:base=10,how=down"
    assert str(parse_mechanism("rounding:base=5").applied()) == "rounding:base=5"  # counts have no ties there


@pytest.mark.parametrize("base", [2, 4, 10])
def test_other_tools_round_to_even(base: int) -> None:
    """What numpy prints is inside what is read, with and without the rule being said."""
    counts = np.arange(0, 100)
    published = (np.round(counts / base) * base)[:, None]
    for ties in ("", ",ties=even", ",ties=unknown"):
        error = parse_mechanism(f"rounding:base={base}{ties}").error(published.astype(np.float64))
        assert np.all((error.low[:, 0] <= counts) & (counts <= error.high[:, 0]))
    error = parse_mechanism(f"rounding:base={base},ties=up").error(published.astype(np.float64))
    assert not np.all((error.low[:, 0] <= counts) & (counts <= error.high[:, 0]))


def unbiased(rounded: np.ndarray, values: np.ndarray, base: int) -> bool:
    """Whether averages over the first axis agree with the values, to six standard errors."""
    rest = values % base
    sd = np.sqrt(rest * (base - rest) / len(rounded))
    return bool(np.all(np.abs(rounded.mean(axis=0) - values) <= 6 * sd))


@pytest.mark.parametrize("how", ["random", "controlled"])
def test_rounding_is_unbiased_in_every_entry(how: str) -> None:
    rng = np.random.default_rng(3)
    values = np.array([[3, 5, 1], [4, 8, 2], [0, 7, 11]])
    draws = 6000
    counts = Counts(np.tile(values, (draws, 1)), np.repeat(np.arange(draws), 3), Sensitivity(2, 2))
    rounded = {
        name: parse_mechanism(f"rounding:base=5,how={name}").protect(counts, rng=rng).reshape(draws, 3, 3)
        for name in (how, "nearest")
    }
    assert unbiased(rounded[how], values, 5)
    assert not unbiased(rounded["nearest"], values, 5)
    assert not unbiased(rounded[how] + 0.2, values, 5)
    assert not unbiased(rounded[how] - 0.2, values, 5)
