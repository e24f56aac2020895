"""How much is recovered at which noise, against the tables of the specification.

Each row there gives a mean and the standard deviation of one run; own runs are accepted within
``4 sd/sqrt(own runs) + 2 sd/sqrt(runs) + 0.005``. A wrong noise scale or a wrong sign must be rejected.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr

from dalenius.knowledge.view import View
from dalenius.reconstruction.attack.decoders import box, least_squares, posterior
from dalenius.reconstruction.attack.system.build import build
from dalenius.release.release import Block, Release
from dalenius.statistics.counts.subsets import HadamardQueries, random_subsets
from dalenius.statistics.tables import tables_of


def recovered(view: View, secrets: np.ndarray, decoder: str) -> float:
    """The share of people guessed right by one decoder, all others left out of the way."""
    system = build(view).systems[0]
    rng = np.random.default_rng(5)
    if decoder == "lmmse":
        share, _ = posterior.State(system).gaussian()  # the first round: the best linear estimate
    else:
        share = {"least-squares": least_squares, "box": box}[decoder].decode(system, rng=rng).share
    return float(np.mean((share >= 0.5) == secrets))


def subsets_runs(people, view, decoder: str, c: float, *, runs: int, n: int = 128, scale: float = 1.0):
    """Random 0/1 queries, four for each person, Gaussian noise of c sqrt(n)."""
    results = []
    for seed in range(runs):
        rng = np.random.default_rng(1000 + seed)
        roster = people(np.zeros((n, 0)))
        secrets = rng.integers(0, 2, n)
        asked = random_subsets(roster.ids, 4 * n, rng=rng)
        noise = f"gaussian:sigma={scale * c * n**0.5}"
        results.append(
            recovered(view([asked], roster, secrets, noise, seed=seed, prior=0.5), secrets, decoder)
        )
    return results


RANDOM_SUBSETS = [
    ("least-squares", 0.1, 1.0, 0.0, 40),
    ("least-squares", 0.2, 0.9838, 0.012, 40),
    ("least-squares", 0.3, 0.9270, 0.025, 40),
    ("least-squares", 0.5, 0.8088, 0.031, 40),
    ("least-squares", 1.0, 0.6648, 0.039, 40),
    ("least-squares", 4.0, 0.5410, 0.048, 40),
    ("lmmse", 0.1, 1.0, 0.0, 40),
    ("lmmse", 0.2, 0.9867, 0.009, 40),
    ("lmmse", 0.3, 0.9346, 0.021, 40),
    ("lmmse", 0.5, 0.8266, 0.033, 40),
    ("lmmse", 1.0, 0.6838, 0.040, 40),
    ("lmmse", 4.0, 0.5535, 0.043, 40),
    ("box", 0.2, 0.990, 0.009, 15),
    ("box", 0.5, 0.824, 0.031, 15),
    ("box", 1.0, 0.684, 0.040, 15),
]


@pytest.mark.parametrize(("decoder", "c", "mean", "sd", "runs"), RANDOM_SUBSETS)
def test_random_subsets(decoder, c, mean, sd, runs, people, view, accept):
    assert accept(subsets_runs(people, view, decoder, c, runs=8), mean, sd, runs)


@pytest.mark.parametrize("decoder", ["least-squares", "lmmse"])
@pytest.mark.parametrize("scale", [1 / 1.3, 1.3])
def test_noise_of_the_wrong_size_is_rejected(decoder, scale, people, view, accept):
    row = next(r for r in RANDOM_SUBSETS if r[:2] == (decoder, 0.3))
    assert not accept(subsets_runs(people, view, decoder, 0.3, runs=16, scale=scale), *row[2:])


@pytest.mark.parametrize(
    ("c", "mean", "sd"), [(0.25, 0.9630, 0.012), (0.5, 0.8159, 0.023), (1, 0.6685, 0.035)]
)
def test_the_curve_does_not_move_with_the_number_of_people(c, mean, sd, people, view, accept):
    assert accept(subsets_runs(people, view, "least-squares", c, runs=4, n=256), mean, sd, 15)


def tables_runs(people, view, decoder, c, *, n, d, k, runs, damage=None):
    """All cells of all tables of the secret with k of d fair bits."""
    results = []
    for seed in range(runs):
        rng = np.random.default_rng(2000 + seed)
        roster = people(rng.integers(0, 2, (n, d)))
        secrets = rng.integers(0, 2, n)
        asked = tables_of(roster.attributes.columns, k)
        seen = view([asked], roster, secrets, f"gaussian:sigma={c * n**0.5}", seed=seed, prior=0.5)
        results.append(recovered(damage(seen) if damage else seen, secrets, decoder))
    return results


TWO_WAY = [
    ("least-squares", 0.25, 0.9787, 0.014),
    ("least-squares", 0.5, 0.8513, 0.028),
    ("least-squares", 1, 0.7050, 0.050),
    ("least-squares", 4, 0.5537, 0.055),
    ("lmmse", 0.25, 0.9843, 0.013),
    ("lmmse", 0.5, 0.8857, 0.030),
    ("lmmse", 1, 0.7403, 0.047),
    ("lmmse", 4, 0.5810, 0.051),
]


@pytest.mark.parametrize(("decoder", "c", "mean", "sd"), TWO_WAY)
def test_two_way_tables(decoder, c, mean, sd, people, view, accept):
    assert accept(tables_runs(people, view, decoder, c, n=100, d=200, k=1, runs=6), mean, sd, 30)


def test_two_way_tables_of_more_attributes(people, view, accept):
    assert accept(
        tables_runs(people, view, "least-squares", 0.5, n=100, d=400, k=1, runs=4), 0.962, 0.019, 20
    )


THREE_WAY = [
    ("least-squares", 0.25, 0.9970, 0.003),
    ("least-squares", 0.5, 0.9200, 0.027),
    ("least-squares", 1, 0.7640, 0.036),
    ("lmmse", 0.25, 0.9978, 0.003),
    ("lmmse", 0.5, 0.9395, 0.021),
    ("lmmse", 1, 0.8055, 0.029),
]


@pytest.mark.parametrize(("decoder", "c", "mean", "sd"), THREE_WAY)
def test_three_way_tables(decoder, c, mean, sd, people, view, accept):
    assert accept(tables_runs(people, view, decoder, c, n=200, d=40, k=2, runs=4), mean, sd, 20)


def wrong_sign(view: View) -> View:
    """Counts of s=0 published as if the attacker should add them instead of taking them off the totals."""
    (block,) = view.release.blocks
    totals = block.statistic.operator(view.knowledge.roster).apply(np.ones(len(view.knowledge.roster)))
    answers = block.answers.copy()
    answers[:, 0] = totals - answers[:, 0]
    release = view.release
    damaged = Release(
        release.name, release.secret, (Block(block.statistic, block.values, answers),), release.mechanism
    )
    return View(damaged, view.knowledge)


@pytest.mark.parametrize("decoder", ["least-squares", "lmmse"])
def test_other_cells_with_the_wrong_sign_are_rejected(decoder, people, view, accept):
    row = next(r for r in TWO_WAY if r[:2] == (decoder, 0.5))
    got = tables_runs(people, view, decoder, 0.5, n=100, d=200, k=1, runs=4, damage=wrong_sign)
    assert not accept(got, *row[2:], 30)


@pytest.mark.parametrize("sigma", [2.0, 4.0, 8.0])
def test_hadamard_queries_recover_what_the_theory_says(sigma, people, attack):
    n, padded = 100, 128
    expected = float(ndtr(0.5 / (sigma * (2 / padded) ** 0.5)))
    own = []
    for seed in range(10):
        roster = people(np.zeros((n, 0)))
        secrets = np.random.default_rng(seed).integers(0, 2, n)
        options = {"decoder": "hadamard", "seed": seed, "prior": 0.5}
        got = attack([HadamardQueries(roster.ids)], roster, secrets, f"gaussian:sigma={sigma}", **options)
        own.append(np.mean(got.guess == secrets))
    allowed = 4 * (expected * (1 - expected) / (n * len(own))) ** 0.5 + 0.005
    assert abs(np.mean(own) - expected) < allowed


FOUR_VALUES = [(0.2, 0.9975, 0.004), (0.3, 0.959, 0.025), (0.5, 0.767, 0.054), (1.0, 0.512, 0.045)]


@pytest.mark.parametrize(("c", "mean", "sd"), FOUR_VALUES)
def test_secret_with_four_values(c, mean, sd, people, attack, accept):
    n, levels = 100, ("a", "b", "c", "d")
    own = []
    for seed in range(5):
        rng = np.random.default_rng(3000 + seed)
        roster = people(np.zeros((n, 0)))
        secrets = rng.integers(0, 4, n)
        asked = random_subsets(roster.ids, 4 * n, rng=rng)
        got = attack(
            [asked], roster, secrets, f"gaussian:sigma={c * n**0.5}",
            levels=levels, seed=seed, prior=np.full((n, 4), 0.25), decoder="least-squares",
        )  # fmt: skip
        own.append(np.mean(got.guess == secrets))
    assert accept(own, mean, sd, 20)
