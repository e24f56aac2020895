"""Rounding to decimals: what is published, and what it says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.errors import InputError
from dalenius.matrices.answers import Counts, Sensitivity
from dalenius.mechanisms.parse import parse_mechanism


@given(st.lists(st.floats(-1e4, 1e4), min_size=1, max_size=20), st.integers(0, 9))
def test_the_true_number_is_inside(values: list[float], digits: int) -> None:
    mechanism = parse_mechanism(f"rounding:digits={digits}")
    truth = np.array(values)[:, None]
    counts = Counts(truth, np.arange(len(values)), Sensitivity(1, 1))
    published = mechanism.protect(counts, rng=np.random.default_rng(1))
    error = mechanism.error(published, counts=False)
    slack = 1e-12 * (1 + np.abs(truth))
    assert (error.low - slack <= truth).all()
    assert (truth <= error.high + slack).all()
    assert error.high - error.low == pytest.approx(np.full_like(truth, 10.0**-digits), rel=1e-5)
    assert error.centre == pytest.approx(published)


def test_counts_stay_what_they_are() -> None:
    mechanism = parse_mechanism("rounding:digits=2")
    error = mechanism.error(np.array([[7.0]]), np.array([9.0]))
    assert (error.low[0, 0], error.high[0, 0]) == (7, 7)


def test_noise_before_rounding_keeps_both() -> None:
    error = parse_mechanism("gaussian:sigma=0.1 | rounding:digits=1").error(np.array([[0.3]]), counts=False)
    assert error.sd[0, 0] == pytest.approx((0.01 + 0.01 / 12) ** 0.5)
    assert np.isinf(error.low[0, 0])


def test_it_is_written_as_it_is_read() -> None:
    assert str(parse_mechanism("rounding:digits=3")) == "rounding:digits=3"
    counts = Counts(np.array([[-0.01]]), np.arange(1), Sensitivity(1, 1))
    zero = parse_mechanism("rounding:digits=1").protect(counts, rng=np.random.default_rng(1))
    assert not np.signbit(zero[0, 0])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("rounding:digits=16", "must be at most 15"),
        ("rounding:digits=-1", "must be at least 0"),
        ("rounding:digits=1.5", "must be a whole number"),
        ("rounding:digits=2,base=5", "option 'base'"),
    ],
)
def test_digits_that_make_no_sense(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        parse_mechanism(text)


def test_a_number_with_more_decimals_is_refused() -> None:
    with pytest.raises(
        InputError, match=r"'age'.* must be one that rounding:digits=2 can publish; got 0\.123"
    ):
        parse_mechanism("rounding:digits=2").error(np.array([[0.123]]), labels=lambda: ["age"], counts=False)
