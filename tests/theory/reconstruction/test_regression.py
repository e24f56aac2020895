"""What the theorems about regressions promise."""

from __future__ import annotations

import numpy as np
import pytest

from dalenius.errors import InputError
from dalenius.theory.reconstruction.regression import (
    coefficient_error_in_counts,
    coefficient_tolerance,
    regression_wrong_bound,
    single_column_accuracy,
)


def test_the_bound_holds_for_chosen_errors() -> None:
    rng = np.random.default_rng(1)
    U = rng.choice([-1.0, 1.0], (24, 96))
    sigma = float(np.linalg.svd(U.T, compute_uv=False)[-1])
    left = np.linalg.svd(U.T, full_matrices=False)[0][:, -1]
    norms = (U * U).sum(axis=0)
    for h in (0.002, 0.01, 0.02):
        bound = regression_wrong_bound(norms, h, sigma)
        for way in (-1, 1):
            secret = rng.integers(0, 2, 24)
            theta = U.T @ secret / norms + way * h * np.sign(left)
            guess = np.linalg.lstsq(U.T, norms * theta, rcond=None)[0] >= 0.5
            assert (guess != secret).sum() <= bound


def test_tolerance_inverts_the_bound_and_logistic_bears_four_times_as_much() -> None:
    norms, sigma = np.full(200, 50.0), 4.0
    h = coefficient_tolerance(norms, sigma, 5.0)
    assert regression_wrong_bound(norms, h, sigma) == pytest.approx(5.0)
    assert coefficient_tolerance(norms, sigma, 5.0, curvature=0.25) == pytest.approx(4 * h)
    assert coefficient_tolerance(norms, sigma, 5.0, curvature=2.0, gap=4.0) == pytest.approx(2 * h)
    assert coefficient_error_in_counts(50.0, 0.1) == pytest.approx(5.0)


@pytest.mark.parametrize(
    ("c", "options", "expected"),
    [
        (4.0, {"curvature": 0.25}, 0.9332),
        (2.0, {"curvature": 0.25, "second_moment": 1.0}, 0.9584),
        (1.0, {}, 0.9332),
        (2.0, {}, 0.7734),
    ],
)
def test_the_prediction_at_the_sizes_of_the_tables(
    c: float, options: dict[str, float], expected: float
) -> None:
    assert single_column_accuracy(100, 400, c / 10, **options) == pytest.approx(expected, abs=2e-4)


def test_sizes_that_make_no_sense() -> None:
    for call in (
        lambda: single_column_accuracy(100, 100, 0.1),
        lambda: regression_wrong_bound([1.0], 0.1, 0.0),
        lambda: coefficient_tolerance([], 1.0, 1.0),
        lambda: coefficient_error_in_counts(-1.0, 0.1),
    ):
        with pytest.raises(InputError):
            call()
