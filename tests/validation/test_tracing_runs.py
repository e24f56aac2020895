"""A few runs of whole releases: they say what the reference says, and a planted fault does not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from dalenius.random import stream

ROOT = Path(__file__).parents[2]
QUICK = {"A4 exact": 30, "M1": 40, "gamma population": 100, "gamma column samples": 100, "constant": 150}


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(ROOT)
    from validation import tracing_runs

    with threadpool_limits(1):
        yield tracing_runs


def test_quick_cases_agree(runs):
    named = {case.name: case for case in runs.cases()}
    for name, count in QUICK.items():
        found = named[name].simulate(stream(2, name), count)
        for line in named[name].lines:
            assert runs.agrees(line, found[line.quantity]), (name, line, found[line.quantity].mean())


def test_another_mechanism_does_not_agree(runs):
    """Exact means score unlike the population's; one reference for all spreads unlike fifty."""
    named = {case.name: case for case in runs.cases()}
    exact = named["gamma exact"].simulate(stream(2, "planted"), 60)["gamma"]
    assert not runs.agrees(named["gamma population"].lines[0], exact)
    found = named["M1"].simulate(stream(2, "planted", "M1"), 60)
    spread = named["M1"].lines[3]
    assert spread.spread
    assert spread.quantity == "many"
    assert not runs.agrees(spread, found["one"])


def test_standard_errors_of_means_and_of_standard_deviations(runs):
    draws = np.random.default_rng(3).normal(5, 2, (400, 250))
    means = np.array([runs.estimate(own, spread=False) for own in draws])
    sds = np.array([runs.estimate(own, spread=True) for own in draws])
    for found in (means, sds):
        assert found[:, 1].mean() / np.sqrt(250) == pytest.approx(found[:, 0].std(), rel=0.1)
    assert sds[:, 0].mean() == pytest.approx(2, rel=0.01)
