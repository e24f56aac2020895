"""Tracing that keeps its level and power under linkage and population structure."""

import numpy as np
import pytest
from scipy import stats
from validation.two_populations import common_variants

from dalenius.errors import InputError, TooLargeError, UnsupportedError
from dalenius.knowledge.tracing import ReferenceMeans, TracingView
from dalenius.people.traits.traits import coded_from_values
from dalenius.release.means import MeansRelease
from dalenius.tracing.attack import choose
from dalenius.tracing.attack.attack import trace
from dalenius.tracing.attack.genomes import ancestry, pruning
from dalenius.tracing.attack.genomes.adjusted import adjusted
from dalenius.tracing.attack.genomes.ancestry import similarities
from dalenius.tracing.attack.score_test import ScoreTest
from dalenius.tracing.attack.tails.remainders import partial_correlations, studentised

N, M = 120, 200


@pytest.fixture(scope="module")
def genomes():
    """500 people of two populations that parted 4,000 generations ago, linked variants."""
    return common_variants(250, range(1, 19), rate=3e-9)


def view_of(values, members, references, targets, n=None):
    names = np.arange(values.shape[1]).astype(str)
    everyone = coded_from_values("id", np.arange(len(values)).astype(str), names, values, "genotype")
    means = values[members].mean(axis=0)
    release = MeansRelease("r", names, means, "genotype", n or len(members), "exact", 0.0)
    return TracingView(release, everyone.take(targets), everyone.take(references))


def deal(values, rng):
    order = rng.permutation(len(values))
    members, references, outsiders = np.split(order, [N, N + M])
    return view_of(values, members, references, np.concatenate([members, outsiders]))


@pytest.fixture(scope="module")
def rounds(genomes):
    rng = np.random.default_rng(2)
    return [deal(genomes, rng) for _ in range(3)]


def test_level_and_power_on_simulated_genomes(rounds):
    rng = np.random.default_rng(3)
    found = [adjusted(view) for view in rounds]
    split = [
        trace(v, rng=rng, test=ScoreTest(weights="llr", calibration="conformal:how=held-out")) for v in rounds
    ]
    wrong = np.concatenate([f.p_value[N:] for f in found])
    power = np.mean([f.p_value[:N] <= 0.01 for f in found])
    before = np.mean([f.p_value[:N] <= 0.01 for f in split])
    # 540 outsiders: 1% is 5 of them.
    assert np.mean(wrong <= 0.01) < 0.02
    assert np.mean(wrong <= 0.1) == pytest.approx(0.1, abs=0.06)
    assert power > 2 * before
    assert all(f.rigorous for f in found)


def test_in_sample_scores_fail_the_same_check(rounds):
    # What the pool's symmetry is for: references that centre the weights are ranked among themselves.
    view = rounds[0]
    records = view.reference.values(slice(None)), view.targets.values(slice(None))
    weights = view.release.means - records[0].mean(axis=0)
    references, targets = (r @ weights for r in records)
    p = (1 + (references[:, None] >= targets).sum(axis=0)) / (M + 1)
    assert np.mean(p[N:] <= 0.01) > 0.05


def test_members_score_as_expected_and_a_child_half(genomes, rounds):
    view, found = rounds[0], adjusted(rounds[0])
    assert np.median(found.score[:N]) == pytest.approx(np.median(found.expected), rel=0.2)
    assert np.median(found.score[N:]) == pytest.approx(0, abs=0.3)
    rng = np.random.default_rng(5)
    position = view.targets.ids.astype(int)
    members, outsiders = position[:N], position[N:]
    # A child takes a haplotype from either parent; at random a site, which keeps the mean.
    one, two = genomes[members[:50]], genomes[outsiders[:50]]
    gamete = lambda g: np.where(g == 0, rng.integers(0, 2, g.shape), (g + 1) / 2)  # noqa: E731
    child = gamete(one) + gamete(two) - 1
    references = view.reference.ids.astype(int)
    values = np.vstack([genomes, child])
    family = adjusted(view_of(values, members, references, np.arange(len(genomes), len(values))))
    assert np.median(family.score / family.expected) == pytest.approx(0.5, abs=0.2)
    # Two unit normals half of the expected score apart are told from each other with this chance.
    right = stats.norm.cdf(np.median(found.expected) / 4)
    assert np.mean(found.member_odds[:N] > 0) == pytest.approx(right, abs=0.15)
    assert np.mean(family.member_odds < 0) == pytest.approx(right, abs=0.2)


def test_absent_ancestry_is_reported(genomes):
    rng = np.random.default_rng(8)
    here, there = rng.permutation(250), 250 + rng.permutation(250)
    members = np.concatenate([here[:60], there[:60]])
    found = adjusted(view_of(genomes, members, here[60:200], there[60:120]))
    assert np.mean(found.p_value <= 0.05) > 0.5
    assert found.strange > 1.15
    assert not found.rigorous
    said = trace(view_of(genomes, members, here[60:200], there[60:120]), rng=rng)
    assert any("ancestry that the references lack" in doubt for doubt in said.doubts)
    assert not said.accused(0.05).any(), "nobody is accused where the level is doubted"


def test_scores_are_those_of_the_pool_written_out(rounds):
    view = rounds[0]
    similar = similarities(view.release, view.reference, view.targets)
    scores, _ = partial_correlations(similar, slice(2, 4))
    for t, row in zip((2, 3), scores, strict=True):
        pool = np.block(
            [
                [similar.references, similar.across[:, [t]]],
                [similar.across[:, [t]].T, similar.own[[t], None]],
            ]
        )
        inverse = np.linalg.inv(pool + M / similar.columns * np.eye(M + 1))
        np.testing.assert_allclose(row, inverse.sum(axis=1) / np.sqrt(np.diag(inverse)), rtol=1e-8)


def test_the_pool_does_not_know_who_is_the_target(rounds):
    # Target and one reference change places: everybody keeps the score, so ranks are exchangeable.
    view = rounds[0]
    everyone = np.vstack([view.reference.values(slice(None)), view.targets.values(slice(0, None))[N : N + 1]])
    swapped = everyone.copy()
    swapped[[0, M]] = swapped[[M, 0]]
    names, ids = view.release.names, np.arange(M + 1).astype(str)
    pools = [coded_from_values("id", ids, names, values, "genotype") for values in (everyone, swapped)]
    results = []
    for pool in pools:
        similar = similarities(view.release, pool.take(np.arange(M)), pool.take(np.array([M])))
        results.append(partial_correlations(similar, slice(0, 1))[0][0])
    results[1][[0, M]] = results[1][[M, 0]]
    np.testing.assert_allclose(results[0], results[1], atol=1e-5)  # products are in single precision


def test_studentised_remainders_are_those_of_deleted_regressions():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(1, 30))
    columns = np.linalg.qr(np.column_stack([np.ones(30), rng.normal(size=(30, 3))]))[0][:, 1:]
    found, _, used = studentised(scores, columns[None], choose=False)
    assert used.tolist() == [3]
    design = np.column_stack([np.ones(30), columns])
    for i in (0, 29):
        rest = np.arange(30) != i
        slope = np.linalg.lstsq(design[rest], scores[0, rest], rcond=None)[0]
        left = scores[0, rest] - design[rest] @ slope
        sd = np.sqrt((left**2).sum() / (29 - 4))
        widen = np.sqrt(1 + design[i] @ np.linalg.inv(design[rest].T @ design[rest]) @ design[i])
        assert found[0, i] == pytest.approx((scores[0, i] - design[i] @ slope) / (sd * widen))


def test_the_number_of_components_is_that_of_least_prediction_error():
    rng = np.random.default_rng(1)
    columns = np.linalg.qr(np.column_stack([np.ones(200), rng.normal(size=(200, 6))]))[0][:, 1:]
    scores = (columns[:, :2] @ np.array([30.0, -20.0]) + rng.normal(size=200))[None]
    _, _, used = studentised(scores, columns[None], choose=True)
    assert used[0] in (2, 3)


def test_tails(rounds):
    view = rounds[0]
    rank, student = adjusted(view), adjusted(view, tail="student")
    assert rank.p_value.min() == pytest.approx(1 / (M + 1))
    assert student.p_value.min() < 1e-3
    assert not student.rigorous
    np.testing.assert_allclose(np.exp(student.log_p), student.p_value, rtol=1e-6)
    assert stats.spearmanr(rank.p_value[N:], student.p_value[N:]).statistic > 0.98


def test_bad_input(rounds):
    view = rounds[0]
    with pytest.raises(InputError, match="components"):
        adjusted(view, components=-1)
    with pytest.raises(InputError, match="tail"):
        adjusted(view, tail="cauchy")
    few = TracingView(view.release, view.targets, view.reference.take(np.arange(5)))
    with pytest.raises(UnsupportedError, match="at least 20"):
        adjusted(few)
    means = TracingView(view.release, view.targets, ReferenceMeans(view.release.means, 50))
    with pytest.raises(UnsupportedError, match="pooled"):
        adjusted(means)


def test_trace_runs_it_for_genotypes_and_says_why(rounds):
    view, rng = rounds[0], np.random.default_rng(0)
    said = trace(view, rng=rng)
    assert (said.weights, said.calibration, said.rigorous) == ("opt", "adjusted", True)
    assert "share ancestors" in said.notes[0]
    np.testing.assert_allclose(said.p_value, adjusted(view).p_value)
    low = trace(view, rng=rng, test=ScoreTest(calibration="adjusted:tail=student,components=2"))
    assert not low.rigorous
    assert low.p_value.min() < 1 / (M + 1)
    assert trace(view, rng=rng, test=ScoreTest(weights="llr")).calibration == "conformal"
    with pytest.raises(UnsupportedError, match="opt alone"):
        trace(view, rng=rng, test=ScoreTest(weights="llr", calibration="adjusted"))


def test_trace_does_not_call_it_proved_where_ancestry_is_absent(genomes):
    here, there = np.arange(250), np.arange(250, 500)
    members = np.concatenate([here[:60], there[:60]])
    view = view_of(genomes, members, here[60:200], there[60:120])
    assert not trace(view, rng=np.random.default_rng(0)).rigorous


def test_so_many_people_that_every_two_cannot_be_compared(genomes, monkeypatch):
    """``auto`` takes ranks and says why; whoever asks for it is told what it would compare."""
    view = deal(genomes[:, :500], np.random.default_rng(4))
    pairs = ancestry.pairs_compared(view.reference, view.targets)
    assert pairs == M * (M + N + 500 - N - M)
    assert choose.choose(view, independent=False)[1] == "adjusted"
    for module in (choose, ancestry):
        monkeypatch.setattr(module, "MOST_PAIRS", pairs - 1)
    _, calibration, why = choose.choose(view, independent=False)
    assert calibration.startswith("conformal")
    assert f"compares every two of them ({pairs:,} pairs)" in why
    with pytest.raises(TooLargeError, match="got 200 references and 300 targets"):
        adjusted(view)


def test_too_many_products_are_made_on_fewer_variants(genomes, monkeypatch):
    """Which are left out depends on sizes alone: the ranks are those on the variants that stay."""
    view = deal(genomes[:, :500], np.random.default_rng(4))
    pairs = ancestry.pairs_compared(view.reference, view.targets)
    assert (
        f"{pairs:,} pairs of people on 500 variants: some seconds"
        in choose.choose(view, independent=False)[2]
    )
    monkeypatch.setattr(pruning, "MOST_PRODUCTS", 200 * pairs)
    found = adjusted(view)
    assert found.notes[0].startswith("Relatedness and ancestry by 200 of 500 variants, spread evenly")
    monkeypatch.undo()
    columns = np.linspace(0, 499, 200).round().astype(int)
    parts = [part.select(columns) for part in (view.release, view.targets, view.reference)]
    alone = adjusted(TracingView(*parts))
    assert np.array_equal(found.p_value, alone.p_value)
    assert not any("spread evenly" in note for note in alone.notes)
