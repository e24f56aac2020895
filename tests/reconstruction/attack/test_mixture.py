"""Noise of unknown size: found out while attacking, whatever its shape, and without false confidence."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from dalenius.findings.explanation import calibration_error
from dalenius.knowledge.view import Knowledge, View
from dalenius.people.schema import Column, Kind, Role
from dalenius.reconstruction.attack.attack import reconstruct
from dalenius.reconstruction.attack.system.mixture import ErrorMixture
from dalenius.release.release import Block, Release

Noise = Callable[[np.random.Generator, np.ndarray, int], np.ndarray]


def outcome(people, subsets, noise: Noise, *, n: int, m: int, runs: int) -> tuple[float, float]:
    """Accuracy and calibration error of the posterior decoder when it is told nothing about the noise."""
    confidence, right = [], []
    for seed in range(runs):
        rng = np.random.default_rng(4000 + seed)
        secrets = rng.integers(0, 2, n)
        asked = subsets(rng.random((m, n)) < 0.5)
        answers = noise(rng, asked.members.apply(secrets.astype(float)), n)
        release = Release(
            "test", Column("ill", Role.SECRET, Kind.BINARY, ("no", "yes")),
            (Block(asked, ("yes",), answers[:, None]),), "unknown",
        )  # fmt: skip
        view = View(release, Knowledge(people(np.zeros((n, 0)))))
        claims = reconstruct(view, decoder="posterior", rng=rng)
        confidence.append(claims.confidence)
        right.append(claims.guess == secrets)
    hit = np.concatenate(right)
    return float(hit.mean()), calibration_error(np.concatenate(confidence), hit)


def replaced(share: float) -> Noise:
    """Small errors, and a share of the answers replaced by anything at all."""

    def noise(rng: np.random.Generator, counts: np.ndarray, n: int) -> np.ndarray:
        wild = rng.random(counts.size) < share
        return np.where(wild, rng.uniform(0, n, counts.size), counts + rng.uniform(-1, 1, counts.size))

    return noise


SHAPES: dict[str, tuple[Noise, float]] = {
    "gaussian": (lambda rng, counts, n: counts + rng.normal(0, 4, counts.size), 0.89),
    "laplace": (lambda rng, counts, n: counts + rng.laplace(0, 3, counts.size), 0.91),
    "heavy tails": (lambda rng, counts, n: counts + 2 * rng.standard_t(3, counts.size), 0.96),
    "rounding": (lambda rng, counts, n: 10 * np.round(counts / 10), 0.95),
    "a tenth replaced": (replaced(0.1), 0.999),
    "three tenths replaced": (replaced(0.3), 0.999),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_noise_of_unknown_size_is_found_out(shape, people, subsets):
    noise, least = SHAPES[shape]
    accuracy, error = outcome(people, subsets, noise, n=128, m=512, runs=10)
    assert accuracy >= least
    assert error < 0.05


def test_fewer_answers_than_people_give_no_false_confidence(people, subsets):
    accuracy, error = outcome(people, subsets, SHAPES["gaussian"][0], n=128, m=96, runs=10)
    assert accuracy > 0.68
    assert error < 0.05


@pytest.mark.parametrize("size", [2.0, 20.0])
def test_the_size_is_fitted_beside_wild_errors(size):
    rng = np.random.default_rng(1)
    errors = rng.normal(0, size, 2_000)
    errors[:200] *= 30
    mixture = ErrorMixture(errors, 0.5)
    weight = mixture.fit(errors**2)
    assert mixture.size == pytest.approx(size, rel=0.1)
    assert weight[200:].mean() == pytest.approx(1 / size**2, rel=0.15)
    assert np.median(weight[:200]) < 0.02 / size**2


def test_an_error_that_all_answers_share_flips_nobody(people, subsets):
    def shifted(rng: np.random.Generator, counts: np.ndarray, n: int) -> np.ndarray:
        return counts + rng.normal(-0.4, 3, counts.size)

    accuracy, _ = outcome(people, subsets, shifted, n=100, m=3_000, runs=4)
    assert accuracy == 1
