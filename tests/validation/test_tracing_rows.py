"""A few rows of simulated tracing: they agree with the reference, and a planted fault does not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from dalenius.random import stream

ROOT = Path(__file__).parents[2]
QUICK = {
    "E1": 2_000,
    "E3": 1_000,
    "E9": 500,
    "E13": 75,
    "L1": 2_000,
    "L1b": 2_000,
    "A5 sd 1": 100,
    "D1 0.1": 300,
    "C1b": 200,
    "A5 known": 500,
    "G1c": 10_000,
    "G3": 1_000,
    "A3 shared sample": 150,
}


@pytest.fixture
def modules(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(ROOT)
    from validation import tracing_level, tracing_rows

    with threadpool_limits(1):
        yield tracing_rows, tracing_level


def test_rows_agree(modules):
    rows, _ = modules
    listed = [row for row in rows.rows() if row.name in QUICK]
    assert {row.name for row in listed} == set(QUICK)
    for row in listed:
        found = row.run(stream(2, row.name, row.what), QUICK[row.name])
        assert rows.agrees(row, found, QUICK[row.name]), (row.name, row.what, found)


def test_a_fault_does_not_agree(modules):
    """One pool used twice in place of the pooled test; signs by column where blocks are asked for."""
    rows, _ = modules
    named = {row.name: row for row in rows.rows()}
    for right, wrong, trials in (("E7", "C1", 400), ("L1b", "L1", 2000)):
        planted = replace(named[right], run=named[wrong].run)
        assert not rows.agrees(planted, planted.run(stream(2, wrong), trials), trials)


def test_levels_are_kept_and_an_inflated_calibration_is_not(modules):
    _, level = modules
    quick = [name for name in level.CALIBRATIONS if "999" not in name and "pooled:tail=exact" not in name]
    for name in quick:
        count = 200 if any(word in name for word in ("monte", "chernoff", "exact")) else 2_000
        p = level.p_values(name, count, seed=3)
        assert all(level.keeps(p, a) for a in level.LEVELS), name
    inflated = level.p_values("inflated", 100_000, seed=3)
    assert not any(level.keeps(inflated, a) for a in level.LEVELS)
    assert all(level.keeps(np.minimum(inflated * 1.3, 1), a) for a in level.LEVELS)


@pytest.mark.parametrize(
    ("n", "d", "a"),
    [
        (100, 100, 0.1),
        (100, 400, 0.05),
        pytest.param(200, 1600, 0.01, marks=pytest.mark.slow(beside="test_power_follows_its_law")),
    ],
)
def test_power_follows_its_law(modules, n, d, a):
    _, level = modules
    point = {"trials": 2000, "power": level.power(n, d, a, 2000), "law": level.law(n, d, a)}
    assert level.follows(point)
    assert not level.follows({**point, "law": level.law(n, 2 * d, a)})
