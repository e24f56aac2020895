"""Certain people are all found, by proofs that do not rest on a solver's tolerance, and the rest is said."""

from __future__ import annotations

import itertools
import re
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp

import dalenius
from dalenius.errors import InputError
from dalenius.reconstruction.attack import program as certificate
from dalenius.reconstruction.attack.attack import reconstruct
from dalenius.reconstruction.attack.linalg import programs
from dalenius.reconstruction.attack.linalg import programs as repeated
from dalenius.reconstruction.attack.linalg.programs import Repeated
from dalenius.reconstruction.attack.program import (
    Solution,
    UnsolvedError,
    proved_ends,
    proved_minima,
    proved_minimum,
)
from dalenius.reconstruction.attack.search import _search_kernels as kernels
from dalenius.reconstruction.attack.search import around, search, search_steps
from dalenius.reconstruction.attack.search import search_steps as middle
from dalenius.reconstruction.attack.search import search_steps as whole_point
from dalenius.reconstruction.attack.search.dive import Dive
from dalenius.reconstruction.attack.search.open_part import Open, make_board, reach_one
from dalenius.reconstruction.attack.search.parts import SET_UP, Part, Work
from dalenius.reconstruction.attack.search.rank import determined
from dalenius.reconstruction.attack.search.settle import settle
from dalenius.reconstruction.attack.system.build import build
from dalenius.statistics.tables import tables_of

FIVE = ("a", "b", "c", "d", "e")


def certain_people(problem, systems):
    sizes = problem.systems[0].sizes
    least = np.stack([system.least for system in systems])
    most = np.stack([system.most for system in systems])
    certain = (least == sizes).any(axis=0)
    return (certain | (most[0] == 0) if len(systems) == 1 else certain)[problem.group]


def attack(seen, **options):
    return reconstruct(seen, rng=np.random.default_rng(1), **options)


@pytest.fixture(scope="module")
def rounded(people, view):
    """All two-column tables of made people, rounded to base 5."""

    def make(n, values, seed=1, levels=(2, 3, 4, 5, 7, 2, 3, 9), mechanism="rounding:base=5"):
        rng = np.random.default_rng(seed)
        common = rng.standard_normal((n, 2))
        codes = []
        for size in levels:
            score = common @ rng.standard_normal(2) + rng.standard_normal(n)
            codes.append(np.searchsorted(np.quantile(score, np.arange(1, size) / size), score))
        roster = people(np.stack(codes, axis=1))
        chances = common @ rng.standard_normal((2, values)) - 0.4 * np.arange(values)
        secrets = (chances + rng.gumbel(size=chances.shape)).argmax(axis=1)
        named = ("no", "yes") if values == 2 else FIVE[:values]
        tables = [tables_of(roster.attributes.columns, 2)]
        return view(tables, roster, secrets, mechanism, levels=named, seed=seed), secrets

    return make


def backbone(seen):
    """Who is certain by integer programs alone, one or two a person: slow, and by another way."""
    problem = build(seen)
    blocks = [system.A.explicit() for system in problem.systems]
    n, values = blocks[0].shape[1], len(blocks)
    sizes = problem.systems[0].sizes
    A = sparse.block_diag(blocks, format="csr")
    low = np.concatenate([system.low for system in problem.systems])
    high = np.concatenate([system.high for system in problem.systems])
    if values > 1:
        A = sparse.vstack([A, sparse.hstack([sparse.eye_array(n)] * values)], format="csr")
        low, high = np.concatenate([low, sizes]), np.concatenate([high, sizes])
    most = np.tile(sizes, values)

    def point(least, most):
        limits = {"bounds": Bounds(least, most), "constraints": LinearConstraint(A, low, high)}
        return milp(np.zeros(most.size), integrality=np.ones(most.size), **limits).x

    first = np.rint(point(0 * most, most)).astype(int)
    candidates = np.flatnonzero((first == most) | ((first == 0) & (values == 1)))
    seen_other = np.zeros(most.size, bool)
    certain = np.zeros(n, bool)
    for i in candidates:
        if seen_other[i]:
            continue
        least_i, most_i = 0 * most, most.copy()
        least_i[i], most_i[i] = (1, most[i]) if first[i] == 0 else (0, most[i] - 1)
        other = point(least_i, most_i)
        if other is None:
            certain[i % n] = True
        else:
            seen_other |= np.rint(other) != first
    return certain[problem.group]


# completeness


def test_an_exact_release_of_full_rank_gives_everybody_away(people, view):
    """300 people, 30 columns, all tables of two: no row alone settles anybody, all together do."""
    rng = np.random.default_rng(1)
    roster = people(rng.integers(0, 2, (300, 30)))
    secrets = rng.integers(0, 2, 300)
    got = attack(view([tables_of(roster.attributes.columns, 2)], roster, secrets))
    assert got.certain.all()
    assert np.array_equal(got.guess, secrets)


@pytest.mark.parametrize(("n", "values", "seed"), [(70, 2, 1), (70, 2, 2), (50, 3, 1), (40, 5, 1)])
def test_nobody_is_missed_whom_integer_programs_find(rounded, n, values, seed):
    seen, secrets = rounded(n, values, seed)
    got = attack(seen)
    expected = backbone(seen)
    assert expected.any()
    assert np.array_equal(got.certain, expected)
    assert np.array_equal(got.guess[got.certain], secrets[got.certain])


def test_values_settle_each_other(rounded):
    """A value that others exclude is one that its own tables need not give away."""
    seen, secrets = rounded(120, 4, levels=(2, 3, 4, 5, 7))
    problem = build(seen)
    alone = [settle_one(problem, v) for v in range(4)]
    one_by_one = np.any([system.least == system.sizes for system in alone], axis=0)[problem.group]
    got = attack(seen)
    assert (got.certain >= one_by_one).all()
    assert got.certain.sum() > one_by_one.sum()
    assert np.array_equal(got.guess[got.certain], secrets[got.certain])


def settle_one(problem, v):
    from dataclasses import replace

    return settle(replace(problem, systems=problem.systems[v : v + 1]), 3.0).systems[0]


def test_parts_that_share_no_row_are_settled_as_if_alone(people, view):
    """Eight towns published together, each with tables of its own, are as certain as one by one."""
    rng = np.random.default_rng(3)
    joined, alone, town_codes = [], 0, []
    for town in range(8):
        codes, secrets = rng.integers(0, 3, (40, 2)), (rng.random(40) < 0.3).astype(int)
        roster = people(codes)
        seen = view([tables_of(roster.attributes.columns, k) for k in (1, 2)], roster, secrets,
                    "rounding:base=3")  # fmt: skip
        alone += int(attack(seen).certain.sum())
        joined.append(secrets)
        town_codes.append(np.column_stack([np.full(40, town), codes]))
    roster = people(np.concatenate(town_codes))
    columns = roster.attributes.columns
    tables = [tables_of(columns, 3), *(tables_of([columns[0], columns[j]], 2) for j in (1, 2))]
    got = attack(view(tables, roster, np.concatenate(joined), "rounding:base=3"))
    assert got.certain.sum() == alone > 0


@st.composite
def small_cases(draw):
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    n, values = draw(st.integers(2, 6)), draw(st.sampled_from([2, 2, 3]))
    members = rng.integers(0, 2, (draw(st.integers(1, 7)), n))
    mechanism = draw(st.sampled_from(["exact", "rounding:base=3", "bounded:error=1", "suppression:below=3"]))
    return members, rng.integers(0, values, n), values, mechanism, seed


@settings(max_examples=60, deadline=None)
@given(case=small_cases())
def test_certain_is_exactly_what_all_secrets_that_fit_agree_on(case, people, subsets, view):
    """Both ways: nobody else, and nobody left out; and chances are shares of what fits."""
    members, secrets, values, mechanism, seed = case
    levels = ("no", "yes") if values == 2 else FIVE[:values]
    seen = view([subsets(members)], people(np.zeros((secrets.size, 0))), secrets, mechanism,
                levels=levels, seed=seed)  # fmt: skip
    problem = build(seen)
    systems = problem.systems
    fitting = []
    for vector in itertools.product(range(values), repeat=secrets.size):
        having = [
            np.bincount(problem.group, np.array(vector) == v, systems[0].unknowns) for v in range(values)
        ]
        sums = [system.A.apply(h) for system, h in zip(systems, having[-len(systems) :], strict=True)]
        if all(((a >= s.low) & (a <= s.high)).all() for s, a in zip(systems, sums, strict=True)):
            fitting.append(vector)
    fitting = np.array(fitting)
    agree = (fitting == fitting[0]).all(axis=0)
    found = settle(problem, 30.0)
    assert np.array_equal(certain_people(problem, found.systems), agree)
    assert not any("may be certain" in note for note in found.notes)


def small_part(rng):
    """Few sums of one to three people, counts in intervals and sometimes weighted rows, and all that fits."""
    sizes = rng.choice([1, 1, 1, 2, 3], int(rng.integers(2, 7)))
    m, n = int(rng.integers(1, 10)), sizes.size
    A, truth = (rng.random((m, n)) < 0.5).astype(np.float64), rng.integers(0, sizes + 1)
    whole = rng.random(m) < rng.choice([0.7, 1.0])
    A[~whole] *= rng.choice([0.37, 1.9, -1.3, 2.71], (int((~whole).sum()), n))
    reach = np.where(whole, rng.integers(0, 3, m), rng.random(m) + 1e-3)
    low, high = A @ truth - reach, A @ truth + np.where(whole, rng.integers(0, 3, m), reach)
    low[rng.random(m) < 0.1], high[rng.random(m) < 0.1] = -np.inf, np.inf
    sizes = sizes.astype(np.int64)
    made = Part(sparse.csr_array(A), low, high, whole, 0 * sizes, sizes, sizes, bool(rng.random() < 0.6))
    points = np.array(list(itertools.product(*(range(size + 1) for size in sizes))))
    inside = (points @ A.T >= low - 1e-9) & (points @ A.T <= high + 1e-9)
    return made, points[inside.all(axis=1)]


@pytest.mark.parametrize("seed", range(40))
def test_whatever_the_search_may_do_it_proves_nothing_false_and_misses_nobody_silently(seed, monkeypatch):
    """Every way of the search switched off or cut short at random, with any budget, beside enumeration."""
    rng = np.random.default_rng(seed)
    for module, name, choices in (
        (search, "FIRST_STEPS", [0, 150]), (search, "SIDE_LIMIT", [0, 5_000]), (search, "DIVE_SHARE", [0, 1]),
        (search, "ONE_BY_ONE", [2, 1_200, 1_200]), (search_steps, "SHAVE_SHARE", [0.0, 0.2]),
        (search, "LARGEST_SHARE", [0.0, 0.3, 0.3]), (search, "INTEGER_UNKNOWNS", [0, 1_200]),
        (around, "STEPS", [0, 3, 40]), (middle, "MIDDLE_STEPS", [0, 2, 5, 17, 17]),
        (around, "BRANCHES", [1, 5, 400]), (around, "NEAR", [0, 1, 3]),
    ):  # fmt: skip
        monkeypatch.setattr(module, name, rng.choice(choices).item())
    for _ in range(5):
        made, fitting = small_part(rng)
        found = search.search_part(made, Work(rng.choice([0.0, 0.005, 0.03, 30.0, 30.0]).item()))
        assert (found.board.least <= fitting.min(axis=0)).all()
        assert (found.board.most >= fitting.max(axis=0)).all()
        agreed = (fitting == fitting[0]).all(axis=0)
        away = agreed & ((fitting[0] == made.sizes) | (made.both & (fitting[0] == 0)))
        assert not (away & (found.board.least < found.board.most) & ~found.undecided).any()
        if found.solution is not None:
            assert (fitting == found.solution).all(axis=1).any()


@pytest.mark.parametrize("seed", range(20))
def test_near_a_solution_another_value_is_found_or_there_is_none(seed):
    """Beside enumeration, for every sum and every other value; and everything is taken back."""
    rng = np.random.default_rng(seed)
    ended = set()
    for _ in range(5):
        made, _ = small_part(rng)
        board = make_board(made)
        points = np.array(list(itertools.product(*(range(size + 1) for size in made.sizes))))
        fitting = np.array([point for point in points if fits_counts(made, point)])
        before = board.least.copy(), board.most.copy()
        asked = [(at, value) for at, size in enumerate(made.sizes) for value in range(size + 1)]
        for i, value in asked:
            how, found = reach_one(board, fitting[0], 1_000, i, value, value)
            there = (fitting[:, i] == value).any()
            assert how == (kernels.FOUND if there else kernels.NONE)
            assert not there or (found[i] == value and (fitting == found).all(axis=1).any())
            assert np.array_equal((board.least, board.most), before)
            ended.add(how)
    assert ended == {kernels.FOUND, kernels.NONE}


def fits_counts(made, point):
    """Whether whole numbers meet the counting rows of a part, which are all that this search sees."""
    sums = (made.A @ point)[made.whole]
    return bool(((sums >= made.low[made.whole] - 1e-9) & (sums <= made.high[made.whole] + 1e-9)).all())


@pytest.mark.parametrize("door", [True, False])
def test_dives_find_whole_numbers_that_meet_all_rows(rounded, monkeypatch, door):
    if not door:
        monkeypatch.setattr(repeated, "open_highs", lambda: None)
    (system,) = build(rounded(80, 2, mechanism="rounding:base=10")[0]).systems
    rows = sparse.csr_array(system.A.explicit())
    ends = system.low, system.high, system.counting, system.least, system.most, system.sizes
    made = Part(rows, *ends, both=True)
    board = make_board(made)
    assert kernels.settle(board)
    work = Work(30.0)
    with work.share(0.2) as own:
        found = Dive(Open.of(made, board), board, own).run()
    assert found is not None
    assert made.fits(found, board)
    assert work.left == pytest.approx(24.0 + own.left)
    assert 24.0 < work.left < 30.0


def test_dives_use_no_more_than_their_share(rounded, monkeypatch):
    """Planted: a program that would take all steps there are."""
    monkeypatch.setattr(Repeated, "solve", lambda self, cost, steps: give_up(steps))
    (system,) = build(rounded(80, 2, mechanism="rounding:base=10")[0]).systems
    ends = system.low, system.high, system.counting, system.least, system.most, system.sizes
    made = Part(sparse.csr_array(system.A.explicit()), *ends, both=True)
    work = Work(10.0)
    monkeypatch.setattr(search, "FIRST_STEPS", 0)
    monkeypatch.setattr(search, "whole_point", lambda *ends: (None, 0))
    assert search._any_solution(made, make_board(made), work) is None
    assert work.left == pytest.approx((1 - search.DIVE_SHARE) * 10, abs=0.1)


# soundness


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


def large(rounded):
    """Tables of 400 people whose secrets are one part of 1,499 open sums, which single rows do not settle."""
    seen, secrets = rounded(400, 4)
    return build(seen), secrets


def test_large_parts_are_searched_and_one_program_proves_all_that_programs_prove(rounded, monkeypatch):
    problem, secrets = large(rounded)
    sizes = []
    honest = search.make_board
    monkeypatch.setattr(search, "make_board", lambda made: sizes.append(made.sizes.size) or honest(made))
    found = settle(problem, 12.0)
    assert max(sizes) > 1_200
    certain = certain_people(problem, found.systems)
    alone = certain_people(problem, settle(problem, 0.0).systems)
    assert alone.sum() < 40
    assert certain.sum() > 380
    values = np.argmax(np.stack([system.most for system in found.systems])[:, problem.group], axis=0)
    assert np.array_equal(values[certain], secrets[certain])


def test_large_parts_are_found_alike_whatever_the_clock_says(rounded, monkeypatch):
    problem, _ = large(rounded)
    found = []
    for rate, seconds in ((1e-4, 12.0), (1.0, 12.0), (1e-4, 0.6), (1.0, 0.6)):
        for name in ("process_time", "perf_counter", "monotonic", "time"):
            monkeypatch.setattr(time, name, Hands(rate))
        found.append(settle(problem, seconds))
        monkeypatch.undo()
    for one, two in (found[:2], found[2:]):
        assert one.notes == two.notes
        for a, b in zip(one.systems, two.systems, strict=True):
            assert np.array_equal(a.least, b.least)
            assert np.array_equal(a.most, b.most)
    assert not any("not searched" in note for note in found[0].notes)
    assert any("not searched" in note for note in found[2].notes)


def test_a_large_part_that_would_use_up_the_work_is_said_not_to_be_searched(rounded, monkeypatch):
    """No program is asked that is foretold to take more than its share, so none is begun here."""
    problem, _ = large(rounded)
    monkeypatch.setattr(middle, "settle_by_middle", None)
    monkeypatch.setattr(search, "settle_by_middle", None)
    monkeypatch.setattr(search, "LARGEST_SHARE", 1e-9)
    found = settle(problem, 12.0)
    assert "open people were not searched by linear programs" in found.notes[0]


def test_a_solver_that_lies_makes_nobody_certain(rounded, monkeypatch):
    """Planted fault: every program claims a wonderful optimum, with multipliers that prove nothing."""

    def lie(A, low, high, least, most, cost, method, steps=None):
        return Solution(1e9, least * 1.0, np.random.default_rng(1).standard_normal(low.size), 1)

    def lie_again(self, cost, steps=None):
        return lie(self.A, self.low, self.high, self.least, self.most, cost, "")

    seen, secrets = rounded(60, 2, levels=(2, 3, 4, 5, 7))
    honest = attack(seen)

    def lie_inside(A, low, high, least, most, steps):
        return lie(A, low, high, least, most, None, "")

    monkeypatch.setattr(programs, "middle", lie_inside)
    monkeypatch.setattr(Repeated, "solve", lie_again)
    monkeypatch.setattr(search, "shave", lambda board, work: None)  # so that programs are asked
    lied_to = attack(seen)
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
        attack(impossible)


# the budget


def test_who_was_not_searched_is_said(rounded):
    seen, _ = rounded(80, 2, mechanism="rounding:base=10")
    problem = build(seen)
    found = settle(problem, 0.0)
    full = settle(problem, 30.0)
    assert "open people were not searched by linear programs" in found.notes[0]
    assert certain_people(problem, found.systems).sum() <= certain_people(problem, full.systems).sum()
    assert not any("not searched" in note for note in full.notes)


class Hands:
    """A clock that runs as fast as it is told."""

    def __init__(self, rate):
        self.rate, self.read = rate, 0

    def __call__(self):
        self.read += 1
        return self.rate * self.read


@pytest.mark.parametrize("seconds", [0.005, 0.01, 30.0])
def test_the_same_is_found_whatever_the_clock_says(rounded, monkeypatch, seconds):
    """A hundred times faster or slower, out of work early or never: the same bounds, and the same words."""
    seen, _ = rounded(150, 2, mechanism="rounding:base=10")
    problem = build(seen)
    found = []
    for rate in (1e-4, 1e-2, 1.0):
        for name in ("process_time", "perf_counter", "monotonic", "time"):
            monkeypatch.setattr(time, name, Hands(rate))
        found.append(settle(problem, seconds))
        monkeypatch.undo()
    for other in found[1:]:
        assert other.notes == found[0].notes
        for one, two in zip(found[0].systems, other.systems, strict=True):
            assert np.array_equal(one.least, two.least)
            assert np.array_equal(one.most, two.most)
    assert any("open people were not searched" in note for note in found[0].notes) == (seconds < 30)


def test_more_work_never_finds_less_and_open_people_are_counted(rounded):
    seen, secrets = rounded(150, 2, mechanism="rounding:base=10")
    problem = build(seen)
    before = np.zeros(secrets.size, bool)
    for seconds in (0.0, 0.01, 0.02, 0.03, 0.1, 30.0):
        found = settle(problem, seconds)
        certain = certain_people(problem, found.systems)
        assert (certain >= before).all()
        before = certain
        for note in found.notes:
            if "not searched" in note:
                missed, people = (int(word.replace(",", "")) for word in note.split()[:3:2])
                assert 0 < missed <= people == (~certain).sum()


def test_nothing_reads_a_clock_or_sets_a_solver_one():
    """A clock inside a solver cannot be patched, so nobody may set one; a screen may have one."""
    folder = Path(dalenius.__file__).parent
    for path in sorted(folder.glob("**/*.py")):
        text = path.read_text(encoding="utf-8")
        assert "time_limit" not in text, path.name
        reads = re.search(r"^\s*(import time|from time import)\b", text, re.MULTILINE)
        screens = (folder / "console" / "progress.py", folder / "console" / "notebook.py")
        assert not reads or path in screens, path.name


def test_a_budget_is_spent_by_steps():
    work = Work(1.0)
    solved = work.solved(1_000, 1e6, lambda steps: Solution(0.0, np.zeros(1), np.zeros(1), steps // 2))
    assert solved.steps == 500
    assert work.left == pytest.approx(0.5 - SET_UP)
    with pytest.raises(UnsolvedError):
        work.solved(1_000, 1e6, lambda steps: give_up(steps))
    assert work.left == 0


def give_up(steps):
    raise UnsolvedError("no more steps", steps)


@pytest.mark.parametrize("door", [True, False])
def test_a_solver_keeps_to_its_steps(rounded, monkeypatch, door):
    """Both ways to it: started from the program before, and from nothing."""
    if not door:
        monkeypatch.setattr(repeated, "open_highs", lambda: None)
    (system,) = build(rounded(80, 2, mechanism="rounding:base=10")[0]).systems
    program = Repeated(
        sparse.csr_array(system.A.explicit()), system.low, system.high, system.least, system.most
    )
    cost = np.random.default_rng(1).standard_normal(system.unknowns)
    with pytest.raises(UnsolvedError) as caught:
        program.solve(cost, 3)
    assert caught.value.steps <= 4
    whole = program.solve(cost)
    assert whole.steps > 4
    assert program.solve(cost, 10_000).value == pytest.approx(whole.value)


@pytest.mark.parametrize("door", [True, False])
def test_whole_numbers_are_found_again_in_the_same_steps(rounded, monkeypatch, door):
    if not door:
        monkeypatch.setattr(whole_point, "open_highs", lambda: None)
    (system,) = build(rounded(80, 2, mechanism="rounding:base=5")[0]).systems
    rows = sparse.csr_array(system.A.explicit())
    ends = rows, system.low, system.high, system.least, system.most
    point, steps = whole_point.whole_point(*ends, 100_000)
    again, steps_again = whole_point.whole_point(*ends, 100_000)
    assert point.tolist() == again.tolist()
    assert steps == steps_again
    assert ((rows @ point >= system.low) & (rows @ point <= system.high)).all()


def test_too_many_entries_are_not_written_out(rounded, monkeypatch):
    from dalenius.reconstruction.attack.search import settle as module

    seen, _ = rounded(80, 2, mechanism="rounding:base=10")
    monkeypatch.setattr(module, "ENTRY_LIMIT", 10)
    monkeypatch.setattr(module, "all_values", None)  # must not be reached
    found = settle(build(seen), 30.0)
    assert "not searched" in found.notes[0]
