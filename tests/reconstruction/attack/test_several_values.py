"""Several values are decoded together: at least as well as one program over all of them, and calibrated."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog

from dalenius.reconstruction.attack.attack import reconstruct
from dalenius.reconstruction.attack.choose import choose
from dalenius.reconstruction.attack.cost import LOOKS, ComputeBudget, predict
from dalenius.reconstruction.attack.decoders.chains import rows_looked_at
from dalenius.reconstruction.attack.system.build import all_values, build
from dalenius.statistics.tables import tables_of

VALUES = ("a", "b", "c", "d", "e")


def published(people, view, seed, mechanism, n=120):
    rng = np.random.default_rng(seed)
    common = rng.standard_normal((n, 2))
    codes = []
    for size in (2, 3, 4, 5, 7, 9):
        score = common @ rng.standard_normal(2) + rng.standard_normal(n)
        codes.append(np.searchsorted(np.quantile(score, np.arange(1, size) / size), score))
    roster = people(np.stack(codes, axis=1))
    chances = common @ rng.standard_normal((2, 5)) - 0.4 * np.arange(5)
    secrets = (chances + rng.gumbel(size=chances.shape)).argmax(axis=1)
    tables = [tables_of(roster.attributes.columns, 2)]
    return view(tables, roster, secrets, mechanism, levels=VALUES, seed=seed), secrets


def by_one_program(seen):
    """Least absolute distance from the middles, one value per person."""
    problem = build(seen)
    system = all_values(problem, problem.systems)
    A = sparse.csr_array(system.A.explicit())
    m, n = A.shape
    miss = sparse.eye_array(m, format="csr")
    both = sparse.vstack([sparse.hstack([A, -miss]), sparse.hstack([-A, -miss])], format="csr")
    cost = np.concatenate([np.zeros(n), np.where(system.low == system.high, 10.0, 1.0)])
    sides = np.concatenate([system.centre, -system.centre])
    limits = [*zip(system.least, system.most, strict=True), *[(0, None)] * m]
    x = linprog(cost, A_ub=both, b_ub=sides, bounds=limits, method="highs").x[:n]
    return x.reshape(len(VALUES), -1).argmax(axis=0)[problem.group]


@pytest.mark.parametrize(
    "seeds",
    [
        (1,),
        pytest.param(
            (1, 2, 3), marks=pytest.mark.slow(beside="test_at_least_as_good_as_one_program_over_all_values")
        ),
    ],
)
def test_at_least_as_good_as_one_program_over_all_values(people, view, seeds):
    ours, theirs = [], []
    for seed in seeds:
        seen, secrets = published(people, view, seed, "rounding:base=5")
        got = reconstruct(seen, budget=ComputeBudget(30.0), rng=np.random.default_rng(1))
        ours.append((got.guess == secrets).mean())
        theirs.append((by_one_program(seen) == secrets).mean())
        assert np.array_equal(got.guess[got.certain], secrets[got.certain])
    assert np.mean(ours) >= np.mean(theirs)


@pytest.mark.parametrize(
    "seeds",
    [(0,), pytest.param((1, 2, 3), marks=pytest.mark.slow(beside="test_what_is_stated_is_right_as_often"))],
)
def test_what_is_stated_is_right_as_often(people, view, seeds):
    """Rounded and noisy; before, people held at 0.99 were right three times in four."""
    stated, right = [], []
    for seed in seeds:
        for mechanism in ("rounding:base=5", "gaussian:sigma=3"):
            seen, secrets = published(people, view, seed, mechanism, 80)
            got = reconstruct(seen, budget=ComputeBudget(20.0), rng=np.random.default_rng(1))
            stated.append(got.confidence[~got.certain])
            right.append((got.guess == secrets)[~got.certain])
    stated, right = np.concatenate(stated), np.concatenate(right)
    sampling = 2 * np.sqrt((stated * (1 - stated)).sum()) / stated.size
    assert stated.mean() - right.mean() <= 0.02 + sampling
    sure = stated >= 0.99
    assert (~right[sure]).sum() <= 2 + 2 * (1 - stated[sure]).sum()


def test_announced_is_the_sum_over_values(people, view):
    seen, _ = published(people, view, 1, "gaussian:sigma=3")
    systems = build(seen).systems
    alone = sum(predict("posterior", system).seconds for system in systems)
    taken = choose(systems, ComputeBudget(1e9, 1e12))
    assert taken.cost.seconds == pytest.approx(alone + rows_looked_at(systems) / LOOKS)
    assert "for each of 5 values" in taken.sentence
