"""Neighbours decorrelated: what linkage repeats counts once, the rank stays exact, and gaps are refused."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from dalenius.errors import DaleniusError, InputError
from dalenius.knowledge.tracing import TracingView
from dalenius.people.traits.traits import CodedTraits, coded_from_values
from dalenius.release.means import MeansRelease
from dalenius.tracing.attack.attack import trace
from dalenius.tracing.attack.genomes.adjusted import adjusted
from dalenius.tracing.attack.genomes.ancestry import similarities
from dalenius.tracing.attack.genomes.whitening import halved, whitened
from dalenius.tracing.attack.score_test import ScoreTest

N, M, OUT, D, ALONE = 40, 120, 300, 900, 300


def people(values: np.ndarray, prefix: str) -> CodedTraits:
    ids = np.array([f"{prefix}{i}" for i in range(len(values))])
    names = np.array([f"rs{j}" for j in range(values.shape[1])])
    return coded_from_values("id", ids, names, values, "genotype")


@pytest.fixture(scope="module")
def view() -> TracingView:
    """A third of the variants stand alone, the others are 20 stretches of 30 that hardly differ."""
    rng = np.random.default_rng(4)
    share = rng.uniform(0.2, 0.8, D)
    share[ALONE:] = np.repeat(rng.uniform(0.3, 0.7, (D - ALONE) // 30), 30)
    values = rng.binomial(2, share, (N + M + OUT, D)) - 1.0
    stretch = np.repeat(values[:, ALONE::30], 30, axis=1)
    values[:, ALONE:] = np.where(rng.random(stretch.shape) < 0.02, values[:, ALONE:], stretch)
    targets = people(np.concatenate([values[:N], values[N + M :]]), "t")
    release = MeansRelease("r", targets.names, values[:N].mean(axis=0), "genotype", N, "exact", 0.0)
    return TracingView(release, targets, people(values[N : N + M], "r"))


def test_blocks_of_one_change_nothing_by_brute_force(view: TracingView) -> None:
    half, learn = halved(view, np.random.default_rng(1))
    found, plain = whitened(half, learn, 1), similarities(half.release, half.reference, half.targets)
    assert found.across == pytest.approx(plain.across, abs=1e-5)
    assert found.own == pytest.approx(plain.own, abs=1e-5)
    one = adjusted(view, whiten=1, rng=np.random.default_rng(1))
    assert one.score == pytest.approx(adjusted(half).score, abs=1e-3)


def test_stretches_count_once_and_the_level_is_kept(view: TracingView) -> None:
    white = trace(view, ScoreTest("opt", "adjusted:whiten=30"), rng=np.random.default_rng(1)).p_value
    plain = adjusted(halved(view, np.random.default_rng(1))[0]).p_value  # as many people in the pool
    assert (white[:N] <= 0.05).mean() > (plain[:N] <= 0.05).mean() + 0.1
    for level in (0.05, 0.2):
        assert (white[N:] <= level).sum() <= binom.ppf(0.999, OUT, level)
    assert white.min() >= 1 / (M // 2 + 1) - 1e-12


def test_learning_from_the_pool_itself_would_break_the_rank(view: TracingView) -> None:
    """A planted fault: in blocks wider than the pool, who is learnt from looks ordinary, targets do not."""
    half, _ = halved(view, np.random.default_rng(1))
    faulty = whitened(half, half.reference, 300)
    honest = whitened(half, halved(view, np.random.default_rng(1))[1], 300)
    inside, outside = np.diag(faulty.references).mean(), faulty.own[N:].mean()
    assert outside > 1.5 * inside
    assert honest.own[N:].mean() == pytest.approx(np.diag(honest.references).mean(), rel=0.05)


def test_gaps_and_other_widths_are_refused(view: TracingView) -> None:
    values = view.targets.values(slice(None)).astype(np.float64)
    values[0, 0] = np.nan
    asked = TracingView(view.release, people(values, "t"), view.reference)
    with pytest.raises(DaleniusError, match="without missing values"):
        adjusted(asked, whiten=30)
    with pytest.raises(InputError, match="whiten"):
        trace(view, ScoreTest("opt", "adjusted:whiten=1"), rng=np.random.default_rng(1))
