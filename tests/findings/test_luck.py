"""Luck from matches outside the data: by hand, against the exact mean, and enclosed at every weight."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom

from dalenius.findings.luck import likeliest_luck, luck_estimators
from dalenius.theory.isolation import isolation, isolation_without_replacement

SEEN = np.array([0, 0, 1, 1, 1, 2, 5])


def mean(values: np.ndarray, control: int, w: float) -> float:
    return float(binom.pmf(np.arange(values.size), control, w) @ values)


def test_by_hand_and_as_draws_without_replacement() -> None:
    assert luck_estimators(2, 3, SEEN, 0.1).low.tolist() == pytest.approx([0, 2 / 3, 2 / 3, 0])
    values = luck_estimators(50, 200, SEEN, 0.1).high
    for c in (1, 2, 7, 30):
        assert values[c] == pytest.approx(isolation_without_replacement(200, 50, c))


@pytest.mark.parametrize("control", [100, 130, 1000])
@pytest.mark.parametrize("w", [1e-4, 0.003, 0.01, 0.05, 0.3])
def test_a_control_as_large_as_the_data_is_unbiased(control: int, w: float) -> None:
    values = luck_estimators(100, control, SEEN, 0.1)
    assert mean(values.low, control, w) == pytest.approx(isolation(100, w), abs=1e-9)
    assert values.low is values.high


@pytest.mark.parametrize("control", [3, 40, 250, 499])
def test_a_smaller_one_encloses_luck_at_every_weight(control: int) -> None:
    found = luck_estimators(500, control, SEEN, 0.1)
    for w in (0.0, 1e-5, 3e-4, 0.0013, 0.002, 0.0041, 0.01, 0.05):
        truth = isolation(500, w)
        assert mean(found.low, control, w) - 1e-5 <= truth <= mean(found.high, control, w) + 1e-5


def test_what_is_enclosed_widens_as_the_control_shrinks() -> None:
    likely = np.concatenate(([0.1], np.full(9, 0.1)))
    gaps = []
    for control in (490, 300, 150, 60):
        found = luck_estimators(500, control, SEEN, 0.05)
        w = np.array([0.2, 0.5, 1, 1.5, 2, 2.5, 3, 4, 5, 6]) / 500
        gaps.append(
            sum(
                p * (mean(found.high, control, x) - mean(found.low, control, x))
                for p, x in zip(likely, w, strict=True)
            )
        )
    assert gaps == sorted(gaps)
    assert gaps[0] < 0.05
    assert gaps[-1] > 0.2


@pytest.mark.parametrize("control", [400, 250, 100])
def test_the_likeliest_luck_does_not_move_with_the_control(control: int) -> None:
    """Conditions of very different weights: the mean over controls, in place of the middle of an interval."""
    rng = np.random.default_rng(3)
    n, weights = 500, rng.gamma(0.7, 1.0, size=4000) / 500
    truth = np.mean(n * weights * (1 - weights) ** (n - 1))
    found = [likeliest_luck(n, control, rng.binomial(control, weights)) for _ in range(12)]
    assert abs(np.mean(found) - truth) < 4 * np.std(found) / math.sqrt(11) + 0.004
    # planted: weights taken as all the same, as their mean has them
    assert abs(n * weights.mean() * math.exp(-n * weights.mean()) - truth) > 0.05
