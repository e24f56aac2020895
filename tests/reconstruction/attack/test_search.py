"""Certain people are all found: beside integer programs, enumeration and towns one by one."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp

from dalenius.reconstruction.attack.linalg import programs as repeated
from dalenius.reconstruction.attack.search import _search_kernels as kernels
from dalenius.reconstruction.attack.search import around, search, search_steps
from dalenius.reconstruction.attack.search import search_steps as middle
from dalenius.reconstruction.attack.search.dive import Dive
from dalenius.reconstruction.attack.search.open_part import Open, make_board, reach_one
from dalenius.reconstruction.attack.search.parts import Part, Work
from dalenius.reconstruction.attack.search.settle import settle
from dalenius.reconstruction.attack.system.build import build
from dalenius.statistics.tables import tables_of

from .conftest import FIVE, attacked, certain_people


def backbone(seen):
    """Who is certain by integer programs alone, one or two per person: slow, and by another way."""
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


def test_an_exact_release_of_full_rank_gives_everybody_away(people, view):
    """300 people, 30 columns, all tables of two: no row alone settles anybody, all together do."""
    rng = np.random.default_rng(1)
    roster = people(rng.integers(0, 2, (300, 30)))
    secrets = rng.integers(0, 2, 300)
    got = attacked(view([tables_of(roster.attributes.columns, 2)], roster, secrets))
    assert got.certain.all()
    assert np.array_equal(got.guess, secrets)


@pytest.mark.parametrize(("n", "values", "seed"), [(70, 2, 1), (70, 2, 2), (50, 3, 1), (40, 5, 1)])
def test_nobody_is_missed_whom_integer_programs_find(rounded, n, values, seed):
    seen, secrets = rounded(n, values, seed)
    got = attacked(seen)
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
    got = attacked(seen)
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
        alone += int(attacked(seen).certain.sum())
        joined.append(secrets)
        town_codes.append(np.column_stack([np.full(40, town), codes]))
    roster = people(np.concatenate(town_codes))
    columns = roster.attributes.columns
    tables = [tables_of(columns, 3), *(tables_of([columns[0], columns[j]], 2) for j in (1, 2))]
    got = attacked(view(tables, roster, np.concatenate(joined), "rounding:base=3"))
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
