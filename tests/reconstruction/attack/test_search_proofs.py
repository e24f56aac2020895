"""What is proved holds whatever a solver says: bounds, ends and elimination beside all that fits."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from dalenius.errors import InputError
from dalenius.reconstruction.attack import program as certificate
from dalenius.reconstruction.attack.linalg import programs
from dalenius.reconstruction.attack.linalg.programs import Repeated
from dalenius.reconstruction.attack.program import Solution, proved_ends, proved_minima, proved_minimum
from dalenius.reconstruction.attack.search import search
from dalenius.reconstruction.attack.search.rank import determined

from .conftest import attacked


@settings(max_examples=100, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_a_proved_minimum_is_never_above_the_true_one(seed):
    """Whatever the multipliers: random ones, wild ones, with ends that are not there."""
    rng = np.random.default_rng(seed)
    m, n = rng.integers(1, 6), rng.integers(1, 5)
    A = rng.integers(-2, 3, (m, n)) * rng.choice([1.0, 0.1, 1e6])
    x = rng.integers(0, 3, n)
    low, high = A @ x - rng.integers(0, 3, m), A @ x + rng.integers(0, 3, m)
    low[rng.random(m) < 0.2], high[rng.random(m) < 0.2] = -np.inf, np.inf
    cost = rng.standard_normal(n)
    y = rng.standard_normal(m) * 10.0 ** rng.integers(-3, 4)
    y[rng.random(m) < 0.1] = np.nan
    matrix = sparse.csr_array(A)
    ends = low, high, np.zeros(n, np.int64), np.full(n, 2)
    points = np.array(list(itertools.product(range(3), repeat=int(n))))
    inside = ((points @ A.T >= low - 1e-9) & (points @ A.T <= high + 1e-9)).all(axis=1)
    bound = proved_minimum(matrix, *ends, cost, y)
    assert bound <= (points[inside] @ cost).min() + 1e-9
    both = proved_minima(matrix, *ends, np.stack([cost, -cost], axis=1), np.stack([y, y], axis=1))
    assert both[0] == pytest.approx(bound)


def fitting(rng):
    """Few unknowns in rows with intervals, multipliers of any kind, and all whole numbers that fit."""
    m, n = int(rng.integers(1, 6)), int(rng.integers(1, 5))
    A = rng.integers(-2, 3, (m, n)) * rng.choice([1.0, 0.1, 1e6])
    x = rng.integers(0, 3, n)
    low, high = A @ x - rng.integers(0, 3, m), A @ x + rng.integers(0, 3, m)
    low[rng.random(m) < 0.2], high[rng.random(m) < 0.2] = -np.inf, np.inf
    y = rng.integers(-2, 3, m) * rng.choice([1.0, 0.3, 1e3]) + rng.choice([0.0, 1e-3]) * rng.standard_normal(
        m
    )
    y[rng.random(m) < 0.1] = np.nan
    points = np.array(list(itertools.product(range(3), repeat=n)))
    inside = ((points @ A.T >= low - 1e-9) & (points @ A.T <= high + 1e-9)).all(axis=1)
    return (sparse.csr_array(A), low, high, np.zeros(n, np.int64), np.full(n, 2), y), points[inside]


def cut_off(seeds):
    """How many ends multipliers moved, and how many of them leave out something that fits."""
    moved, wrong = 0, 0
    for seed in seeds:
        rows, points = fitting(np.random.default_rng(seed))
        least, most = proved_ends(*rows)
        moved += int((least > 0).sum() + (most < 2).sum())
        wrong += int((least > points.min(axis=0)).sum() + (most < points.max(axis=0)).sum())
    return moved, wrong


def test_proved_ends_cut_off_nothing_that_fits_and_a_bound_that_does_is_seen(monkeypatch):
    """Whatever the multipliers; planted: a bound that is better than what holds, by a hundredth and by 1."""
    moved, wrong = cut_off(range(400))
    assert moved > 100
    assert wrong == 0
    honest = certificate._proved
    for better in (0.01, 1.0):
        monkeypatch.setattr(certificate, "_proved", lambda *rows, by=better: honest(*rows) + by)
        assert cut_off(range(400))[1] > 0


def test_ends_give_way_by_what_rounding_can_have_done():
    """Multipliers that leave an unknown no room but what additions lose: none is taken, and it stays open."""
    A = sparse.csr_array(np.array([[1.0] * 30]))
    ends = np.array([3.0]), np.array([3.0]), np.zeros(30, np.int64), np.full(30, 10**6)
    least, most = proved_ends(A, *ends, np.array([-1.0 / 3.0]))
    assert (least == 0).all()
    assert (most >= 3).all()


def test_a_pull_that_is_nothing_but_rounding_moves_no_end(monkeypatch):
    """Rows that cancel up to the last bit; planted: a bound that leaves no room, so that any pull does."""
    A = sparse.csr_array(np.array([[0.1], [0.2], [-0.3]]))
    nothing = np.zeros(3)
    rows = A, nothing, nothing, np.array([0]), np.array([5]), np.ones(3)
    assert A.T @ np.ones(3) != 0
    monkeypatch.setattr(certificate, "_proved", lambda *rows: np.zeros(1))
    least, most = proved_ends(*rows)
    assert (least[0], most[0]) == (0, 5)
    assert proved_ends(*rows[:5], np.array([1.0, 1.0, 0.0]))[0][0] == 5  # a true pull does


def test_a_bound_gives_way_by_what_rounding_can_have_done():
    """Terms of a billion that cancel: in floating point the sum is off, and the bound is below the truth."""
    A = sparse.csr_array(np.array([[0.1] * 30]))
    ends = np.array([3.0]), np.array([3.0]), np.zeros(30, np.int64), np.full(30, 10**6)
    bound = proved_minimum(A, *ends, np.full(30, 0.1), np.array([1.0 + 1e-12]))
    assert 2.9 < bound < 3.0


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_what_elimination_determines_is_what_all_solutions_agree_on(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 7))
    A = rng.integers(0, 2, (int(rng.integers(1, n + 2)), n)).astype(np.float64)
    x = rng.integers(0, 2, n)
    found, values = determined(sparse.csr_array(A), A @ x, np.zeros(n, np.int64), np.ones(n, np.int64))
    assert np.array_equal(values, x[found])
    # over real numbers: a unit vector in the row space
    rank = np.linalg.matrix_rank(A)
    inside = [i for i in range(n) if np.linalg.matrix_rank(np.vstack([A, np.eye(n)[i]])) == rank]
    assert set(inside) <= set(found.tolist())


def test_a_solver_that_lies_makes_nobody_certain(rounded, monkeypatch):
    """Planted fault: every program claims a wonderful optimum, with multipliers that prove nothing."""

    def lie(A, low, high, least, most, cost, method, steps=None):
        return Solution(1e9, least * 1.0, np.random.default_rng(1).standard_normal(low.size), 1)

    def lie_again(self, cost, steps=None):
        return lie(self.A, self.low, self.high, self.least, self.most, cost, "")

    seen, secrets = rounded(60, 2, levels=(2, 3, 4, 5, 7))
    honest = attacked(seen)

    def lie_inside(A, low, high, least, most, steps):
        return lie(A, low, high, least, most, None, "")

    monkeypatch.setattr(programs, "middle", lie_inside)
    monkeypatch.setattr(Repeated, "solve", lie_again)
    monkeypatch.setattr(search, "shave", lambda board, work: None)  # so that programs are asked
    lied_to = attacked(seen)
    assert 0 < lied_to.certain.sum() <= honest.certain.sum() < 60
    assert np.array_equal(lied_to.guess[lied_to.certain], secrets[lied_to.certain])


def test_contradictions_are_found_by_all_rows_together(people, subsets, view):
    """Three pairs with one each: no two answers contradict each other, all three do, in whole numbers."""
    from dalenius.knowledge.view import Knowledge, View
    from dalenius.release.release import Block, Release

    roster = people(np.zeros((3, 0)))
    made = view([subsets([[1, 1, 0], [0, 1, 1], [1, 0, 1]])], roster, np.array([1, 0, 1]))
    answers = np.array([[1.0], [1.0], [1.0]])
    block = Block(made.release.blocks[0].statistic, made.release.blocks[0].values[-1:], answers)
    impossible = View(Release("x", made.release.secret, (block,), "exact"), Knowledge(roster))
    with pytest.raises(InputError, match="contradict"):
        attacked(impossible)
