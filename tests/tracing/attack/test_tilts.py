"""The curves of many records: the compiled loop against sums written out, and how few points are needed."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dalenius.tracing.attack.attack import trace
from dalenius.tracing.attack.score_test import ScoreTest
from dalenius.tracing.attack.tails import saddlepoint as tilts
from dalenius.tracing.attack.tails.record_law import Law


@pytest.mark.parametrize("alone", [0, 10**9])
def test_curves_are_logarithms_of_means_and_their_derivatives(alone, monkeypatch):
    monkeypatch.setattr(tilts, "ALONE", alone)
    rng = np.random.default_rng(1)
    chance = rng.random((3, 2, 5))
    chance[0, 0, 1] = chance[2, 1, 3] = chance[1, 1, 3] = 0  # values that cannot be taken, a sure column
    chance /= chance.sum(axis=0)
    values = np.array([-1.0, 0.0, 1.0]).reshape(3, 1, 1)
    v, x = rng.normal(size=(2, 5)), rng.choice([-1.0, 0.0, 1.0], (2, 5))
    points = np.array([-3.0, 0.0, 0.7, 2000.0])
    made = tilts._curves(Law(values, chance), v, x, points).reshape(4, 3, 2, 5)
    for k, s in enumerate(points[:3]):
        for r in range(2):
            for j in range(5):
                steps = v[r, j] * (values[:, 0, 0] - x[r, j])
                tilted = chance[:, r, j] * np.exp(s * steps)
                mean = tilted @ steps / tilted.sum()
                want = [math.log(tilted.sum()), mean, tilted @ (steps - mean) ** 2 / tilted.sum()]
                np.testing.assert_allclose(made[k, :, r, j], want, rtol=1e-12, atol=1e-14)
    # far out only the largest step that can be taken is left
    steps = np.where(chance > 0, v * (values - x), -np.inf)
    top = steps.max(axis=0)
    at_top = np.where(steps == top, chance, 0).sum(axis=0)
    np.testing.assert_allclose(made[3, 0], 2000 * top + np.log(at_top), rtol=1e-12)
    np.testing.assert_allclose(made[3, 1], top, rtol=1e-12, atol=1e-12)


def test_records_share_a_few_points(world, monkeypatch):
    """A grid about as wide as a standard deviation serves everybody, also those whose minimum is near 0."""
    asked = []
    add = tilts.Curves.add
    monkeypatch.setattr(tilts.Curves, "add", lambda self, points: (asked.extend(points), add(self, points)))
    w = world(5, d=2000, n=100, m=100, targets=200, kind="genotype")
    trace(
        w.view(w.outsiders), rng=np.random.default_rng(1), test=ScoreTest(weights="llr", calibration="pooled")
    )
    assert len(asked) == len(set(asked)) <= 40
