"""The pass over many records says of each what the plain functions say of it alone."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.knowledge.tracing import KnownMeans, ReferenceMeans
from dalenius.people.traits.content_order import order_of_content
from dalenius.tracing.attack.attack import trace
from dalenius.tracing.attack.calibrations import conformal_targets, flips, thresholds
from dalenius.tracing.attack.calibrations.conformal import full_scores, rank
from dalenius.tracing.attack.calibrations.pooled import known, pooled
from dalenius.tracing.attack.score_test import ScoreTest, distances, homer_t
from dalenius.tracing.attack.tails import column_sums as streams
from dalenius.tracing.attack.tails.outsider import pooled_sums, pooled_values
from dalenius.tracing.attack.tails.reference_p_value import stand
from dalenius.tracing.attack.tails.tails import TAILS
from dalenius.tracing.attack.weights import WEIGHTS, Facts

SIZES = st.tuples(
    st.integers(0, 10**6),
    st.integers(1, 40),
    st.integers(2, 30),
    st.integers(1, 20),
    st.sampled_from([0, 0.2]),
)


def rng():
    return np.random.default_rng(5)


def counts_of(z):
    return np.stack([(z == c).sum(axis=0) for c in (-1, 0, 1)]).astype(np.float64)


def alike(said, tail, alone):
    """Equal; the saddlepoint to interpolation, the certified bound from above."""
    alone = np.array(alone)
    if tail == "chernoff":
        assert (said >= alone - 1e-9).all()
        assert (said <= alone + 0.01).all()
    else:
        np.testing.assert_allclose(said, alone, rtol=1e-9, atol=1e-5 if tail == "saddlepoint" else 1e-9)


@pytest.mark.parametrize("tail", TAILS)
@pytest.mark.parametrize("kind", ["binary", "genotype"])
@given(sizes=SIZES, weights=st.sampled_from(["raw", "clip", "corr", "opt", "llr"]))
@settings(max_examples=12, deadline=None)
def test_pooled(tail, kind, sizes, weights, world):
    seed, d, n, m, missing = sizes
    # sums of very few attributes are no matter for a saddlepoint, and exact tails are for few
    d = {"exact": min(d, 12), "saddlepoint": max(d, 12)}.get(tail, d)
    w = world(seed, d=d, n=n, m=m, targets=8, kind=kind, missing=missing)
    targets = np.vstack([w.members[:2], w.outsiders])
    facts = Facts(n, 0.0, 0.1, 2 if kind == "genotype" else 1)
    said = trace(
        w.view(targets),
        rng=rng(),
        test=ScoreTest(weights=weights, calibration=f"pooled:tail={tail}", alpha=0.1),
    )
    places = [pooled(y, w.q, counts_of(w.reference), weights, facts) for y in targets]
    np.testing.assert_allclose(said.score, [x.distance for x in places], rtol=1e-9, atol=1e-9)
    alike(said.log_p, tail, [x.log_p(tail) for x in places])
    # variants of a genome are not independent, so nothing about them is proved this way
    assert said.rigorous == (kind == "binary" and tail not in {"saddlepoint", "normal"})
    if tail == "saddlepoint":
        alike(said.certificate, "chernoff", [x.log_p("chernoff") for x in places])


@pytest.mark.parametrize("tail", TAILS)
@pytest.mark.parametrize("kind", ["binary", "genotype"])
def test_known_means(tail, kind, world):
    w = world(3, d=18, n=10, kind=kind, missing=0.1)
    hwe = kind == "genotype"
    calibration = f"known-p:tail={tail}" + ",hwe=yes" * hwe
    said = trace(
        w.view(w.outsiders, KnownMeans(w.p)),
        rng=rng(),
        test=ScoreTest(weights="llr", calibration=calibration),
    )
    facts = Facts(10, 0.0, None, 1 + hwe)
    alike(said.log_p, tail, [known(y, w.q, w.p, "llr", facts, hwe=hwe).log_p(tail) for y in w.outsiders])


@pytest.mark.parametrize("tail", ["chernoff", "kearns-saul", "hoeffding"])
def test_reference_means_of_genotypes_bound_every_law_with_that_mean(tail, world):
    w = world(4, d=60, kind="genotype")
    means = ReferenceMeans(w.reference.mean(axis=0), 60)
    view = w.view(w.members, means)
    said = trace(view, rng=rng(), test=ScoreTest(weights="corr", calibration=f"pooled:tail={tail}"))
    null = pooled_sums(w.q, w.reference.sum(axis=0), 60, WEIGHTS["corr"], Facts(40, alleles=2))
    alike(said.log_p, tail, [stand(y, null).log_p(tail) for y in w.members])
    with_people = trace(
        w.view(w.members), rng=rng(), test=ScoreTest(weights="corr", calibration=f"pooled:tail={tail}")
    )
    assert (said.log_p >= with_people.log_p - 1e-4).all()


def test_reference_means_of_bits_are_as_good_as_their_people(world):
    w = world(4, d=60)
    means = ReferenceMeans(w.reference.mean(axis=0), 60)
    said = [
        trace(w.view(w.members, given), rng=rng(), test=ScoreTest(weights="llr", calibration="pooled")).log_p
        for given in (means, *[w.view(w.members).reference])
    ]
    np.testing.assert_allclose(*said, atol=1e-6)


@pytest.mark.parametrize("tail", TAILS)
def test_pooled_real_values(tail, World):
    draw = np.random.default_rng(7)
    z, y, q = draw.normal(size=(5, 6)), draw.normal(size=(4, 6)), draw.normal(size=6) / 3
    z[0, 0] = y[1, 2] = np.nan
    w = World(q, y, y, z, q, "real", 9)
    said = trace(w.view(y), rng=rng(), test=ScoreTest(weights="corr", calibration=f"pooled:tail={tail}"))
    null = pooled_values(q, z, WEIGHTS["corr"], Facts(9))
    alike(said.log_p, tail, [stand(row, null).log_p(tail) for row in y])


def one_reference(view, seed=5):
    """The person that the attack compares with, and the mean of the others, dividing as it does."""
    z = view.reference.values(slice(None)).astype(np.float64)[order_of_content(view.reference)]
    order = np.random.default_rng(seed).permutation(len(z))
    rest = z[order[1:]]
    return z[order[0]], np.nansum(rest, axis=0), (~np.isnan(rest)).sum(axis=0)


@pytest.mark.parametrize("tail", flips.FLIP_TAILS)
@given(sizes=SIZES, weights=st.sampled_from(["raw", "llr"]))
@settings(max_examples=8, deadline=None)
def test_flip(tail, sizes, weights, world):
    seed, d, n, m, missing = sizes
    w = world(seed, d=min(d, 15), n=n, m=m + 1, targets=6, missing=missing)
    view = w.view(w.outsiders)
    said = trace(view, rng=rng(), test=ScoreTest(weights=weights, calibration=f"flip:tail={tail}"))
    z, total, seen = one_reference(view)
    with np.errstate(invalid="ignore", divide="ignore"):
        v = WEIGHTS[weights](w.q, np.where(seen > 0, total / seen, 0), total / (seen + 2), Facts(n))
    if weights != "raw":
        v = np.where(seen > 0, v, 0)
    a = np.nan_to_num((w.outsiders - z) * v)
    np.testing.assert_allclose(said.score, a.sum(axis=1), atol=1e-12)
    if tail in flips.MOMENTS:
        want = flips.MOMENTS[tail](a.sum(axis=1), np.sqrt((a**2).sum(axis=1)))
    elif tail == "monte-carlo":
        generator = rng()
        generator.permutation(m + 1)
        order = order_of_content(view.targets)
        want = flips.monte_carlo(a[order], draws=9_999, rng=generator)[np.argsort(order)]
    else:
        want = [getattr(flips, tail)(row) for row in a]
    alike(said.log_p, tail, want)


@pytest.mark.parametrize("tail", ["bd", "exact", "saddlepoint"])
def test_blocks(tail, world, monkeypatch):
    w = world(11, d=30, missing=0.1)
    view = w.view(w.outsiders)
    said = trace(view, rng=rng(), test=ScoreTest(weights="raw", calibration=f"flip:tail={tail},blocks=4"))
    z, _, _ = one_reference(view)
    a = np.nan_to_num((w.outsiders - z) * w.q)
    sums = np.stack([[row[i : i + 4].sum() for i in range(0, 30, 4)] for row in a])
    if tail == "bd":
        want = flips.log_bd(sums.sum(axis=1), np.sqrt((sums**2).sum(axis=1)))
    else:
        want = [getattr(flips, tail)(row) for row in sums]
    alike(said.log_p, tail, want)
    labels = np.arange(30) // 4
    again = trace(
        view, rng=rng(), test=ScoreTest(weights="raw", calibration=f"flip:tail={tail}", blocks=labels)
    )
    np.testing.assert_array_equal(again.log_p, said.log_p)
    assert "blocks" in again.assumptions[0]


@given(sizes=SIZES)
@settings(max_examples=15, deadline=None)
def test_norm_and_paper(sizes, world):
    seed, d, n, m, missing = sizes
    w = world(seed, d=d, n=n, m=m, targets=6, missing=missing)
    view = w.view(w.outsiders)
    said = trace(view, rng=rng(), test=ScoreTest(weights="raw", calibration="norm"))
    seen = (~np.isnan(w.reference)).sum(axis=0)
    mean = np.nansum(w.reference, axis=0) / np.maximum(seen, 1)
    for i, y in enumerate(w.outsiders):
        use = ~np.isnan(y) & (seen > 0)
        score = ((y - mean) * w.q)[use].sum()
        spread = (w.q**2 * (1 + 1 / np.maximum(seen, 1)))[use].sum()
        assert said.log_p[i] == pytest.approx(float(thresholds.log_p(score, spread)), abs=1e-9)
    for rule in ("fig1", "proof"):
        said = trace(view, rng=rng(), test=ScoreTest(calibration=f"paper:rule={rule}"))
        z, _, _ = one_reference(view)
        use = ~np.isnan(w.outsiders - z)
        want = thresholds.log_p(
            np.nan_to_num((w.outsiders - z) * w.q).sum(axis=1),
            thresholds.figure_spread(rule, use.sum(axis=1)),
        )
        np.testing.assert_allclose(said.log_p, want, atol=1e-9)
    homer = trace(view, rng=rng(), test=ScoreTest(preset="homer"))
    for i, y in enumerate(w.outsiders):
        use = ~np.isnan(y) & (seen > 0)
        each = distances(y, w.q, mean)[use]
        want = float(homer_t(each.sum(), (each**2).sum(), np.array(float(use.sum()))))
        assert homer.score[i] == pytest.approx(want, abs=1e-6)
    assert not homer.rigorous


@pytest.mark.parametrize("kind", ["binary", "genotype", "real"])
@given(sizes=SIZES, weights=st.sampled_from(["raw", "clip", "corr", "opt", "llr"]))
@settings(max_examples=10, deadline=None)
def test_full_conformal(kind, sizes, weights, world):
    seed, d, n, m, missing = sizes
    if kind == "real" and weights in {"opt", "llr"}:
        weights = "corr"
    w = world(seed, d=d, n=n, m=m, targets=5, kind="genotype" if kind == "real" else kind, missing=missing)
    w.kind = kind
    facts = Facts(n, 0.0, 0.1, 2 if kind == "genotype" else 1)
    view = w.view(w.outsiders)
    said = trace(
        view, rng=rng(), test=ScoreTest(weights=weights, calibration="conformal:how=full", alpha=0.1)
    )
    z = w.reference[order_of_content(view.reference)]
    places, gaps = np.argsort(order_of_content(view.targets)), np.isnan(z)
    hidden = gaps[rng().integers(m, size=5)] if gaps.any() else np.zeros((5, d), np.bool_)
    for i, y in enumerate(w.outsiders):
        # the target lacks what a reference lacks, and the references what the target lacks
        mine = np.where(hidden[places[i]], np.nan, y)
        pool = np.where(np.isnan(y), np.nan, z)
        # differences of real values are in units of the spread among everybody who is compared
        spread = np.sqrt(np.ma.masked_invalid(np.vstack([mine, pool])).var(axis=0).filled(0.0))
        unit = np.where(spread > 0, spread, 1.0) if (kind, weights) == ("real", "corr") else 1.0
        scores = full_scores(mine / unit, pool / unit, w.q / unit, weights, facts)
        assert said.score[i] == pytest.approx(scores[0], abs=1e-9)
        assert said.p_value[i] == pytest.approx(rank(scores[:1], scores[1:])[0])


def test_wide_data_are_worked_on_in_pieces(world, monkeypatch):
    w = world(12, d=100, missing=0.1)
    view = w.view(w.outsiders)
    both = ("pooled", "conformal:how=full")
    whole = [trace(view, rng=rng(), test=ScoreTest(weights="llr", calibration=c)) for c in both]
    monkeypatch.setattr(streams, "WIDTH", 7)
    monkeypatch.setattr(conformal_targets, "WIDTH", 7)
    for said in whole:
        again = trace(
            w.view(w.outsiders), rng=rng(), test=ScoreTest(weights="llr", calibration=said.calibration)
        )
        np.testing.assert_allclose(again.log_p, said.log_p, atol=1e-9)


def test_far_out_and_at_the_ends(World):
    """Every value as the weights want it: the largest score, whose tail is a product; and its opposite."""
    q = np.linspace(0.1, 0.9, 40)
    z = np.where(np.arange(30)[:, None] < 15, 1.0, -1.0) * np.ones((30, 40))
    targets = np.stack([np.ones(40), -np.ones(40), np.r_[-1, np.ones(39)]])
    w = World(q, targets, targets, z, q, "binary", 50)
    said = trace(w.view(targets), rng=rng(), test=ScoreTest(weights="raw", calibration="pooled"))
    assert said.log_p[0] == pytest.approx(40 * math.log(16 / 31))
    assert said.certificate[0] == pytest.approx(40 * math.log(16 / 31))
    assert said.log_p[1] == said.certificate[1] == 0
    place = pooled(targets[2], q, counts_of(z), "raw", Facts(50))
    assert said.certificate[2] == pytest.approx(place.log_p("chernoff"), abs=0.05)
    assert said.certificate[2] >= place.log_p("chernoff") - 1e-9
