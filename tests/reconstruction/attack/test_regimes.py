"""Wild answers, too few answers, rounding and suppression, against the rows of the specification."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from dalenius.errors import InputError
from dalenius.knowledge.view import Knowledge, View
from dalenius.people.schema import Column, Kind, Role
from dalenius.reconstruction.attack.attack import reconstruct
from dalenius.reconstruction.attack.decoders import box, lp
from dalenius.reconstruction.attack.program import minimise
from dalenius.reconstruction.attack.search import parts
from dalenius.reconstruction.attack.system.build import build
from dalenius.release.release import Block, Release
from dalenius.statistics.tables import tables_of
from dalenius.theory.reconstruction.subset_counts import uniqueness_probability

ILL = Column("ill", Role.SECRET, Kind.BINARY, ("no", "yes"))

WILD = {
    "uniform": lambda B, s, rng: rng.uniform(0, s.size, len(B)),
    "turned": lambda B, s, rng: B @ (1 - s),
    "zero": lambda B, s, rng: np.zeros(len(B)),
}


def gross_view(people, subsets, how: str, fraction: float, seed: int) -> tuple[View, np.ndarray]:
    """320 counts about 80 people, wrong by at most 1, a fraction of them replaced; nothing is announced."""
    m, n = 320, 80
    rng = np.random.default_rng(4000 + seed)
    B, secrets = rng.integers(0, 2, (m, n)), rng.integers(0, 2, n)
    answers = B @ secrets + rng.uniform(-1, 1, m)
    bad = rng.permutation(m)[: int(fraction * m)]
    answers[bad] = WILD[how](B[bad], secrets, rng)
    release = Release("wild", ILL, (Block(subsets(B), ("yes",), answers[:, None]),), "unknown")
    return View(release, Knowledge(people(np.zeros((n, 0))), np.full((n, 2), 0.5))), secrets


GROSS = [
    ("uniform", 0.1, "least-squares", 0.646, 0.060),
    ("uniform", 0.1, "box", 0.664, 0.069),
    ("uniform", 0.1, "lp", 1.0, 0.0),
    ("turned", 0.1, "least-squares", 0.958, 0.060),
    ("turned", 0.1, "box", 0.968, 0.049),
    ("turned", 0.1, "lp", 1.0, 0.0),
    ("zero", 0.1, "least-squares", 0.701, 0.042),
    ("zero", 0.1, "box", 0.725, 0.059),
    ("zero", 0.1, "lp", 1.0, 0.0),
    ("uniform", 0.2, "least-squares", 0.590, 0.047),
    ("uniform", 0.2, "lp", 1.0, 0.0),
    ("uniform", 0.3, "lp", 0.998, 0.006),
]


@pytest.mark.parametrize(("how", "fraction", "decoder", "mean", "sd"), GROSS)
def test_gross_errors(how, fraction, decoder, mean, sd, people, subsets, accept):
    own = []
    for seed in range(4):
        seen, secrets = gross_view(people, subsets, how, fraction, seed)
        got = reconstruct(seen, decoder=decoder, rng=np.random.default_rng(1))
        own.append(np.mean(got.guess == secrets))
    assert accept(own, mean, sd, 20)


def test_linear_program_without_the_box(people, subsets, accept):
    own = []
    for seed in range(4):
        seen, secrets = gross_view(people, subsets, "uniform", 0.3, seed)
        solution, _ = lp.solve(build(seen).systems[0], box=False)
        own.append(np.mean((solution >= 0.5) == secrets))
    assert accept(own, 0.986, 0.019, 20)


@pytest.mark.parametrize("how", list(WILD))
def test_the_posterior_is_not_moved_by_wild_answers(how, people, subsets):
    """When nothing is announced about the noise, wild answers lose their weight: every fifth may be one."""
    for seed in range(3):
        seen, secrets = gross_view(people, subsets, how, 0.2, seed)
        got = reconstruct(seen, decoder="posterior", rng=np.random.default_rng(1))
        assert np.mean(got.guess == secrets) >= 0.98
        assert any("noise estimated" in note for note in got.notes)


def unique_in_the_box(rows: np.ndarray, secrets: np.ndarray, rng: np.random.Generator) -> bool:
    """Whether the exact answers leave one point of the box: a random direction has one value there."""
    A = sparse.csr_array(rows.astype(float))
    cost = rng.standard_normal(secrets.size)
    ends = [
        minimise(sign * cost, method="highs-ds", A_eq=A, b_eq=A @ secrets, bounds=(0, 1)).x
        for sign in (1, -1)
    ]
    return bool(np.abs(ends[0] - ends[1]).max() < 1e-6)


@pytest.mark.parametrize(("m", "share"), [(24, 0.10), (30, 0.65), (36, 1.0), (42, 1.0)])
def test_fewer_exact_answers_than_people(m, share, accept):
    n, own = 60, []
    for seed in range(40):
        rng = np.random.default_rng(5000 + seed)
        secrets = rng.integers(0, 2, n)
        rows = np.vstack([rng.integers(0, 2, (m - 1, n)), np.ones((1, n), int)])
        own.append(float(unique_in_the_box(rows, secrets, rng)))
    p = uniqueness_probability(n, m)
    assert accept(own, share, (p * (1 - p)) ** 0.5, 40)


def test_half_as_many_exact_answers_as_people_give_everybody_away(people, subsets, attack):
    n, m = 40, 28
    rng = np.random.default_rng(8)
    secrets = rng.integers(0, 2, n)
    asked = subsets(np.vstack([rng.integers(0, 2, (m - 1, n)), np.ones((1, n), int)]))
    got = attack([asked], people(np.zeros((n, 0))), secrets)
    assert got.method == "arithmetic"
    assert got.certain.all()
    assert np.array_equal(got.guess, secrets)


ROUNDING = [(3, 1.0, 0.0, 0.996, 0.01), (5, 0.946, 0.095, 0.950, 0.046), (10, 0.832, 0.131, 0.792, 0.108)]


def rounded(people, view, base: int, seed: int):
    """Two-way tables of 50 people with 50 fair bits, all cells rounded to the nearest multiple."""
    rng = np.random.default_rng(6000 + seed)
    roster = people(rng.integers(0, 2, (50, 50)))
    secrets = rng.integers(0, 2, 50)
    tables = tables_of(roster.attributes.columns, 1)
    return view([tables], roster, secrets, f"rounding:base={base}", prior=0.5), secrets


@pytest.mark.parametrize(("base", "lp_mean", "lp_sd", "box_mean", "box_sd"), ROUNDING)
def test_rounded_tables(base, lp_mean, lp_sd, box_mean, box_sd, people, view, accept):
    intervals, middles = [], []
    for seed in range(8):
        seen, secrets = rounded(people, view, base, seed)
        system = build(seen).systems[0]
        intervals.append(np.mean((lp.solve(system)[0] >= 0.5) == secrets))
        share = box.decode(system, rng=np.random.default_rng(1)).share
        middles.append(np.mean((share >= 0.5) == secrets))
    assert accept(intervals, lp_mean, lp_sd, 10)
    assert accept(middles, box_mean, box_sd, 10)


def test_intervals_and_whole_numbers_are_used_not_thrown_away(people, view):
    """The whole attack does at least as well on rounded tables as least squares on the middles."""
    whole, middles = [], []
    for seed in range(2):
        seen, secrets = rounded(people, view, 10, seed)
        got = reconstruct(seen, rng=np.random.default_rng(1))
        assert np.array_equal(got.guess[got.certain], secrets[got.certain])
        whole.append(np.mean(got.guess == secrets))
        share = box.decode(build(seen).systems[0], rng=np.random.default_rng(1)).share
        middles.append(np.mean((share >= 0.5) == secrets))
    assert np.mean(whole) >= np.mean(middles)


def test_rounding_read_with_the_wrong_base_is_noticed(people, view):
    """Answers rounded to 10 but announced as rounded to 2 contradict each other or the people."""
    seen, _ = rounded(people, view, 10, 0)
    release = seen.release
    wrong = Release(release.name, release.secret, release.blocks, "rounding:base=2")
    with pytest.raises(InputError, match=r"must (fit|be possible|be one)"):
        reconstruct(View(wrong, seen.knowledge), rng=np.random.default_rng(1))


@pytest.mark.parametrize(("below", "hidden"), [(10, 0.65), (5, 0.35)])
def test_suppression_of_small_cells_protects_nobody(below, hidden, people, view):
    """60 people, 16 attributes, all three-way tables: most cells hidden, and every secret certain."""
    rng = np.random.default_rng(7)
    roster = people(rng.integers(0, 2, (60, 16)))
    secrets = (rng.random(60) < 0.3).astype(int)
    seen = view([tables_of(roster.attributes.columns, 2)], roster, secrets, f"suppression:below={below}")
    assert np.isnan(seen.release.blocks[0].answers).mean() == pytest.approx(hidden, abs=0.1)
    got = reconstruct(seen, rng=np.random.default_rng(1))
    assert got.certain.all()
    assert np.array_equal(got.guess, secrets)


def test_suppressed_cells_that_are_read_as_anything_at_all_give_less(people, view):
    """That a cell was hidden is information: a reading that ignores it leaves the ranges wider."""
    rng = np.random.default_rng(7)
    roster = people(rng.integers(0, 2, (40, 5)))
    secrets = (rng.random(40) < 0.3).astype(int)
    seen = view([tables_of(roster.attributes.columns, 2)], roster, secrets, "suppression:below=9")
    release = seen.release
    blind = View(Release(release.name, release.secret, release.blocks, "exact"), seen.knowledge)
    informed = parts.propagate(build(seen).systems[0])
    ignorant = parts.propagate(build(blind).systems[0])
    assert (informed.most - informed.least <= ignorant.most - ignorant.least).all()
    assert (informed.most - informed.least).sum() < (ignorant.most - ignorant.least).sum()
