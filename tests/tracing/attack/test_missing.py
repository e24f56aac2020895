"""Values that are missing on either side neither accuse nor hide anybody."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from dalenius.knowledge.tracing import TracingView
from dalenius.people.traits.traits import coded_from_values
from dalenius.release.means import MeansRelease
from dalenius.tracing.attack.attack import trace
from dalenius.tracing.attack.calibrations import masked
from dalenius.tracing.attack.calibrations.masked import (
    Corrected,
    WrittenOut,
    affordable,
    components_of,
    masked_pools,
    pool_scores,
)
from dalenius.tracing.attack.diagnostics import missing_alarms
from dalenius.tracing.attack.genomes.adjusted import adjusted
from dalenius.tracing.attack.genomes.ancestry import similarities
from dalenius.tracing.attack.score_test import ScoreTest
from dalenius.tracing.attack.tails.remainders import partial_correlations

N, M, OUT, D = 60, 120, 120, 1500


@pytest.fixture(scope="module")
def people() -> np.ndarray:
    """Two populations; runs of three neighbours are inherited together half of the time."""
    rng = np.random.default_rng(4)
    base = rng.uniform(0.15, 0.85, D)
    shift = np.clip(base + rng.normal(0, 0.08, D), 0.05, 0.95)
    values = []
    for frequency in (base, shift):
        alleles = rng.random((2, 200, D)) < frequency
        for j in range(1, D):
            if j % 3:
                same = rng.random((2, 200)) < 0.5
                alleles[:, :, j] = np.where(same, alleles[:, :, j - 1], alleles[:, :, j])
        values.append(alleles.sum(axis=0) - 1.0)
    return np.concatenate(values)[rng.permutation(400)][: N + M + OUT]


def view_of(
    people: np.ndarray, hide_targets: float = 0, hide_references: float = 0, seed: int = 1
) -> TracingView:
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(people))
    members, references = order[:N], order[N : N + M]
    targets = np.concatenate([members, order[N + M :]])
    names = np.array([f"rs{j}" for j in range(D)])

    def made(who: np.ndarray, prefix: str, share: float):
        values = people[who].copy()
        values[rng.random(values.shape) < share] = np.nan
        return coded_from_values("id", np.char.add(prefix, who.astype(str)), names, values, "genotype")

    release = MeansRelease("r", names, people[members].mean(axis=0), "genotype", N, "exact", 0.0)
    return TracingView(release, made(targets, "t", hide_targets), made(references, "r", hide_references))


HIDDEN = [(0.05, 0), (0.2, 0), (0.5, 0), (0, 0.2), (0.1, 0.3)]
TESTS = [("opt", "adjusted"), ("llr", "conformal:how=held-out"), ("llr", "conformal:how=full")]


@pytest.mark.parametrize(("weights", "calibration"), TESTS)
def test_the_level_is_kept_with_values_missing_on_either_side(
    people: np.ndarray, weights: str, calibration: str
) -> None:
    small = {0.05: 0, 0.1: 0}
    found = 0
    for seed, (theirs, ours) in enumerate(HIDDEN):
        view = view_of(people, theirs, ours, seed)
        said = trace(
            view, rng=np.random.default_rng(seed), test=ScoreTest(weights=weights, calibration=calibration)
        )
        outsiders = said.p_value[N:]
        for level in small:
            small[level] += int((outsiders <= level).sum())
        found += int((said.p_value[:N] <= 0.05).sum())
        assert not said.rigorous, "whether values are missing at random is not known"
        assert any("missing does not depend" in text for text in (*said.assumptions, *said.notes))
    # five releases, whose outsiders share references: the number accused varies more than binomially
    asked = len(HIDDEN) * OUT
    for level, count in small.items():
        assert count <= 2 * binom.ppf(0.99, asked, level) - asked * level, (level, count / asked)
    assert found > 0.3 * len(HIDDEN) * N


def test_without_anything_missing_pools_are_the_same(people: np.ndarray) -> None:
    view = view_of(people)
    whole = adjusted(view)
    assert whole.rigorous
    rng = np.random.default_rng(1)
    pools = list(masked_pools(view.release, view.reference, view.targets, rng=rng))
    assert [pool.target for pool in pools] == list(range(view.targets.n))
    scores, effect = partial_correlations(similarities(*_parts(view)), slice(0, 5))
    for t in range(5):
        mine, added = pool_scores(pools[t])
        np.testing.assert_allclose(mine, scores[t], rtol=2e-3, atol=2e-3)
        assert added == pytest.approx(effect[t], rel=1e-3)


def _parts(view: TracingView):
    return view.release, view.reference, view.targets


@pytest.mark.parametrize("share", [0.02, 0.055])
def test_few_columns_are_taken_out_as_many_are(people: np.ndarray, share: float) -> None:
    """Corrected for few columns, products and inverse are those without the columns."""
    view = view_of(people, hide_targets=share)
    pool = next(masked_pools(*_parts(view), rng=np.random.default_rng(1)))
    assert isinstance(pool.among, Corrected)
    products, inverse = pool.among.times(np.eye(M)), pool.among.solve(np.eye(M))
    np.testing.assert_allclose(inverse, np.linalg.inv(products + M * np.eye(M)), atol=2e-4 * inverse.max())
    np.testing.assert_allclose(np.diag(inverse), pool.among.diagonal)


def test_corrected_and_written_out_pools_say_the_same(
    people: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = view_of(people, hide_targets=0.05)
    said = []
    for most, kind in ((0.7, Corrected), (0.0, WrittenOut)):
        monkeypatch.setattr(masked, "CORRECTED", most)
        pool = next(masked_pools(*_parts(view), rng=np.random.default_rng(1)))
        assert isinstance(pool.among, kind)
        start = np.linalg.qr(np.random.default_rng(2).normal(size=(M + 1, 2)))[0]
        components = components_of(pool, start)
        said.append((pool_scores(pool)[0], components @ components.T, adjusted(view).p_value))
    for one, other in zip(*said, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-3)


def test_what_rounding_would_spoil_is_written_out() -> None:
    """Columns that say one thing, of which few are left: nearly all of that direction would be taken back."""
    rng = np.random.default_rng(5)
    z = np.repeat(rng.choice([-1.0, 1.0], (1700, 1)), 1200, axis=1).astype(np.float32)
    gone = np.arange(1200) >= 1
    among = masked._AllColumns(z).without(gone)
    assert isinstance(among, WrittenOut)
    np.testing.assert_allclose(among.products, z[:, :1] @ z[:, :1].T)
    few = masked._AllColumns(z).without(np.arange(1200) >= 1150)
    assert isinstance(few, Corrected)


def test_pools_that_would_take_days_are_of_fewer_columns() -> None:
    """A pool is inverted in as many steps as its references to the third: for each target, that is days."""
    complete, lacking = 1e9, masked._columns_in_time(10_000, 1_000, 0.01)
    assert masked._columns_in_time(10_000, 1_000, 0.0) > complete
    assert lacking == pytest.approx(100_000)
    assert 2 * 10_000 * (lacking * 0.01) ** 2 * 1_000 <= masked.MOST_WORK * 1.001


def test_columns_that_are_missing_least_are_kept_where_all_are_too_many(
    people: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = view_of(people, hide_targets=0.2)
    assert affordable(view.reference, view.targets) is None
    monkeypatch.setattr(masked, "MOST_VALUES", 300 * M)
    kept = affordable(view.reference, view.targets)
    assert kept.size == 300
    gone = view.targets.counts()[:, 3]
    assert gone[kept].mean() < gone.mean()
    said = trace(view, rng=np.random.default_rng(1))
    assert any("Only the 300 of 1,500 columns" in note for note in said.notes)


def test_heterozygous_calls_missing_more_often_are_noticed(people: np.ndarray) -> None:
    plain = view_of(people, hide_targets=0.1)
    assert missing_alarms(plain.targets, plain.reference) == []
    values = plain.targets.values(slice(None))
    rng = np.random.default_rng(3)
    values[(values == 0) & (rng.random(values.shape) < 0.2)] = np.nan
    some = coded_from_values("id", plain.targets.ids, plain.targets.names, values, "genotype")
    (alarm,) = missing_alarms(some, plain.reference)
    assert "fewer heterozygous calls" in alarm
