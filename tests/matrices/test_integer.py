"""The integer solver prints nothing, also where its own options do not silence it."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, OptimizeResult, milp

from dalenius.matrices.integer import solve_whole, unprinted


def repaired(solve: object) -> OptimizeResult:
    """A program of whole numbers whose first point misses a row by more than the tolerance."""
    rng = np.random.default_rng(150)
    n, m = int(rng.integers(5, 15)), int(rng.integers(2, 6))
    point = rng.integers(0, 3, n)
    rows = rng.integers(-3, 4, (m, n)) * 10.0 ** rng.integers(0, 6, (m, 1))
    whole = np.ones(n)
    if rng.random() < 0.6:
        whole[-3:] = 0
    constraints = LinearConstraint(rows, rows @ point, rows @ point)
    options = {"node_limit": 200}
    return solve(  # type: ignore[operator, no-any-return]
        rng.normal(size=n), integrality=whole, bounds=Bounds(0, 50), constraints=constraints, options=options
    )


def test_a_line_that_no_option_silences_is_dropped(capfd: pytest.CaptureFixture[str]) -> None:
    loud = repaired(milp)
    if not capfd.readouterr().out:
        pytest.skip("this HiGHS is silent of itself")
    print("before", end=" ")
    quiet = repaired(solve_whole)
    print("after")
    assert capfd.readouterr() == ("before after\n", "")
    assert np.array_equal(quiet.x, loud.x)


def test_what_another_thread_prints_is_not_lost(capfd: pytest.CaptureFixture[str]) -> None:
    wait = threading.Event()
    other = threading.Thread(target=wait.wait)
    other.start()
    with unprinted():
        print("another thread", flush=True)
    wait.set()
    other.join()
    assert capfd.readouterr().out == "another thread\n"
