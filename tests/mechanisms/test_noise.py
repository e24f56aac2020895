"""The seeded samplers against the distributions they claim, and against OpenDP's."""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from dalenius.errors import InputError, MissingExtraError, UnsupportedError
from dalenius.matrices.answers import Counts, Sensitivity
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.mechanisms.stages.opendp import draw_with_opendp

VANISHING = 1e-9
"""A true sampler fails with at most this probability; OpenDP takes no seed, so it must be tiny."""


def zeros(rows: int) -> Counts:
    return Counts(np.zeros((rows, 2), dtype=np.int64), np.arange(rows), Sensitivity(2, 2))


def drawn(text: str, rows: int, seed: int = 5) -> np.ndarray:
    return parse_mechanism(text).protect(zeros(rows), rng=np.random.default_rng(seed)).ravel()


CLAIMS: list[tuple[str, Callable[[float], stats.distributions.rv_frozen]]] = [
    ("gaussian:sigma", lambda scale: stats.norm(scale=scale)),
    ("laplace:scale", lambda scale: stats.laplace(scale=scale)),
    ("geometric:scale", lambda scale: stats.dlaplace(1 / scale)),
]


@pytest.mark.parametrize(("kind", "claim"), CLAIMS)
@pytest.mark.parametrize("scale", [0.7, 3.0])
def test_noise_has_the_claimed_distribution(kind: str, claim: Callable, scale: float) -> None:
    sample = drawn(f"{kind}={scale}", 50_000)

    def p_value(candidate: float) -> float:
        law = claim(candidate)
        if not kind.startswith("geometric"):
            return float(stats.kstest(sample, law.cdf).pvalue)
        edges = np.arange(-4, 5)
        seen = [np.sum(sample < -4), *(np.sum(sample == k) for k in edges), np.sum(sample > 4)]
        expected = np.array([law.cdf(-5), *law.pmf(edges), law.sf(4)])
        return float(stats.chisquare(seen, sample.size * expected / expected.sum()).pvalue)

    assert p_value(scale) > VANISHING
    assert p_value(scale * 1.2) < VANISHING
    assert p_value(scale / 1.2) < VANISHING


def test_noise_is_independent_between_answers_and_repeats_with_its_seed() -> None:
    sample = drawn("gaussian:sigma=1", 20_000)
    assert abs(np.corrcoef(sample[::2], sample[1::2])[0, 1]) < 6 / np.sqrt(20_000)
    assert np.array_equal(sample, drawn("gaussian:sigma=1", 20_000))
    assert not np.array_equal(sample, drawn("gaussian:sigma=1", 20_000, seed=6))


@pytest.mark.parametrize("text", ["gaussian:sigma={}", "laplace:scale={}", "geometric:scale={}"])
def test_seeded_noise_and_opendp_agree(text: str) -> None:
    scale = 3.0
    world = draw_with_opendp(parse_mechanism(text.format(scale)), zeros(10_000)).ravel()
    assert stats.ks_2samp(world, drawn(text.format(scale), 10_000), method="asymp").pvalue > VANISHING
    for wrong in (scale * 1.3, scale / 1.3):
        assert stats.ks_2samp(world, drawn(text.format(wrong), 10_000), method="asymp").pvalue < VANISHING
    assert abs(world.mean()) < 6.2 * world.std() / np.sqrt(world.size)


def test_opendp_adds_to_the_counts_and_takes_no_seed() -> None:
    values = np.arange(6).reshape(3, 2) * 1000
    counts = Counts(values, np.arange(3), Sensitivity(2, 2))
    mechanism = parse_mechanism("gaussian:rho=0.5").resolve(counts.sensitivity)
    first, second = draw_with_opendp(mechanism, counts), draw_with_opendp(mechanism, counts)
    assert first.shape == (3, 2)
    assert np.all(np.abs(first - values) < 100)
    assert not np.array_equal(first, second)


@pytest.mark.parametrize("text", ["exact", "rounding:base=5", "gaussian:sigma=4 | rounding:base=5"])
def test_opendp_draws_noise_alone(text: str) -> None:
    with pytest.raises(UnsupportedError, match="one alone; the mechanism is"):
        draw_with_opendp(parse_mechanism(text), zeros(1))


def test_opendp_needs_a_scale() -> None:
    with pytest.raises(InputError, match="laplace: scale must be known"):
        draw_with_opendp(parse_mechanism("laplace:epsilon=1"), zeros(1))


def test_a_missing_opendp_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opendp.prelude", None)
    with pytest.raises(MissingExtraError, match=r"needs the package opendp; install dalenius\[dp\]"):
        draw_with_opendp(parse_mechanism("laplace:scale=1"), zeros(1))
