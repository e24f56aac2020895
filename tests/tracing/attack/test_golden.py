"""Numbers computed by two independent routes (exact rationals, 40-digit arithmetic), to 1e-9."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import ndtr

from dalenius.theory.tracing.power import BD_CONSTANT, standard_threshold
from dalenius.theory.tracing.traceability import (
    figure_threshold,
    norm_threshold,
    pool_threshold,
    proof_threshold,
    real_threshold,
)
from dalenius.tracing.attack.calibrations import flips, thresholds
from dalenius.tracing.attack.calibrations.conformal import full_scores, rank
from dalenius.tracing.attack.calibrations.pooled import pooled
from dalenius.tracing.attack.multiple_testing import rejected
from dalenius.tracing.attack.score_test import distances, homer_t
from dalenius.tracing.attack.tails import record_law, tails
from dalenius.tracing.attack.weights import WEIGHTS, Facts


def close(got, want):
    assert got == pytest.approx(want, rel=1e-9, abs=1e-9)


Y = np.array([1, 1, -1, 1, -1, 1, 1, 1, 1, 1, -1, 1.0])
Z = np.array([1, -1, 1, -1, -1, -1, 1, -1, -1, 1, 1, -1.0])
Q = np.array([0.6, 0.4, -0.5, 0.2, -0.8, 0.35, 0.1, -0.25, 0.7, 0.9, -0.15, 0.05])
LEVEL = 0.05


def weights(name, q, centre, smooth=None, **facts):
    return WEIGHTS[name](q, centre, centre if smooth is None else smooth, Facts(**facts))


def test_one_reference():
    a = (Y - Z) * weights("raw", Q, np.zeros(12))
    score, length = a.sum(), math.sqrt((a**2).sum())
    close([score, length, np.linalg.norm(Q)], [4.2, 2.14476105895, 1.72336879396])
    spread = thresholds.norm_spread(Q, 1)
    close(figure_threshold(12, LEVEL), 16.9584874992)
    close(proof_threshold(12, LEVEL), 11.9914615094)
    close(norm_threshold(float(np.linalg.norm(Q)), LEVEL), 5.96567677718)
    close(length * standard_threshold(LEVEL, "hoeffding"), 5.24983208462)
    close(length * standard_threshold(LEVEL, "bd"), 4.61382563859)
    close(np.exp(thresholds.log_p(score, spread)), 0.226536661813)
    close(np.exp(flips.log_hoeffding(score, length)), 0.146989914361)
    close(np.exp(flips.log_bd(score, length)), 0.0797834607656)
    close(np.exp(flips.log_normal(score, length)), 0.0250997502283)
    close(np.exp(flips.saddlepoint(a)), 0.0210598333874)
    close(np.exp(flips.exact(a)), 0.02734375)


def test_likelihood_ratio_with_known_means():
    y = np.array([1, 1, 1, -1, -1, 1, -1, 1.0])
    q = np.array([0.3, -0.4, 0.7, 0.1, -0.2, 1, -0.5, 0.6])
    p = np.array([0.1, -0.2, 0.4, -0.1, 0, 0.8, -0.3, 0.2])
    v = weights("llr", q, p, n=10)
    close(
        v,
        [
            0.209184256472, -0.22091637614, 0.4436515975, 0.200670695462, -0.202732554054, 0.373607200915,
            -0.239786540131, 0.490414626506,
        ],
    )  # fmt: skip
    law, t = record_law.two_point(p), float(y @ v)
    close([t, p @ v, math.sqrt(law.variance() @ v**2)], [1.53778970398, 0.691399918402, 0.818493761306])
    close(t + 0.5 * np.log((1 - np.clip(q, -0.9, 0.9) ** 2) / (1 - p**2)).sum(), 0.540029025347)
    want = {
        "normal": 0.150548880949, "saddlepoint": 0.157756870423, "chernoff": 0.538474685255,
        "kearns-saul": 0.621645618207, "hoeffding": 0.642034744992, "exact": 0.168054075,
    }  # fmt: skip
    close([math.exp(tails.TAILS[name](t, law, v)) for name in want], list(want.values()))
    d = distances(y, q, p)
    close(d, [0.1, -0.1, 0.15, -0.1, 0.1, 0.1, 0.1, 0.2])
    t = homer_t(d.sum(), (d**2).sum(), 8.0)
    close([t, ndtr(-t)], [1.76789741066, 0.0385390278863])


def test_genotypes_with_known_means():
    y = np.array([0, 1, 2, 1, 2, 0]) - 1.0
    q = 2 * np.array([0.1, 0.45, 0.8, 0.3, 0.6, 0.05]) - 1
    p = 2 * np.array([0.2, 0.4, 0.7, 0.35, 0.5, 0.15]) - 1
    v = weights("llr", q, p, n=20, alleles=2)
    law, t = record_law.hardy_weinberg(p), float(y @ v)
    sd = math.sqrt(law.variance() @ v**2)
    close([t, p @ v, sd, (t - p @ v) / sd], [2.96522974884, 1.57656198973, 0.911995712335, 1.52266917522])
    close(t + np.log((1 - q**2) / (1 - p**2)).sum(), 1.04045219136)
    close(math.exp(tails.normal(t, law, v)), 0.0639207467886)


def test_pool_and_clipped_weights():
    w = np.array([0.4, 0.5, -0.1, 0.1, -0.5, 0.1, 0.2, -0.3, 0.2, 0.8, 0.1, 0])
    v = weights("clip", Q, w, alpha=0.1)
    close(v, [0.2, -0.1, -0.2, 0.1, -0.2, 0.2, -0.1, 0.05, 0.2, 0.1, -0.2, 0.05])
    a = (Y - Z) * v
    score, length = a.sum(), math.sqrt((a**2).sum())
    spread = thresholds.norm_spread(v, 1)
    close(score, 1.8)
    close(pool_threshold(12, 0.1, LEVEL), 2.39829230187)
    close(norm_threshold(float(np.linalg.norm(v)), LEVEL), 1.84800833111)
    close(length * standard_threshold(LEVEL, "hoeffding"), 2.10563144089)
    close(length * standard_threshold(LEVEL, "bd"), 1.85053848786)
    close(np.exp(thresholds.log_p(score, spread)), 0.0583027939468)
    close(np.exp(flips.log_bd(score, length)), 0.0578477328116)
    close(math.exp(flips.exact(a)), 0.0234375)


@pytest.mark.parametrize(
    ("rule", "cut"),
    [
        ("fig1", figure_threshold(12, LEVEL)),
        ("proof", proof_threshold(12, LEVEL)),
        ("fig2", pool_threshold(12, 0.1, LEVEL)),
    ],
)
def test_the_p_value_at_a_threshold_is_its_level(rule, cut):
    spread = thresholds.figure_spread(rule, 12, alpha=0.1)
    close(thresholds.log_p(np.array(cut), spread), math.log(LEVEL))


def test_real_values():
    y, z = np.array([0.3, -1.2, 0.8, 2.1, -0.4]), np.array([-0.5, 0.2, 0.1, 1, 0.9])
    q, sd = np.array([0.5, -0.6, 0.2, 1, -0.3]), np.array([0.5, 1, 0.7, 0.9, 0.4])
    a = (y - z) * q
    close(a.sum(), 2.87)
    for rule, want in (("fig3", 7.74045512041), ("fig3-half", 6.78614042442)):
        cut = real_threshold(5, 1, LEVEL, printed=rule == "fig3")
        close(cut, want)
        spread = thresholds.figure_spread(rule, 5, sd=1)
        close(thresholds.log_p(np.array(cut), spread, rule), math.log(LEVEL))
    null = math.sqrt(2 * (sd**2 * q**2).sum())
    close([null, ndtr(-a.sum() / null)], [1.59154013459, 0.0356717558401])
    close(flips.log_normal(a.sum(), null), math.log(0.0356717558401))
    close(np.exp(flips.log_bd(a.sum(), np.linalg.norm(a))), 0.0883007470754)


ZSUM = np.array([1, -3, 5, -1, -7, 3, 1, -5, 7, 5, -1, 3.0])
POOLED = {
    "raw": (2.61, 1.36495421169, 1.91215205437, 0.0279283468804, 0.0129382122551, 0.0572554404658,
            0.25912053632, 0.31764585452, 0.0162316224),
    "corr": (2.45, 1.19025207414, 2.05838750734, 0.0197764749952, 0.0263911340712, 0.117540392169,
             0.145059692951, 0.15861781195, 0.0313475616),
    "opt": (2.72451190476, 1.26373475861, 2.15592068368, 0.0155449295438, 0.01900995828, 0.0806997874382,
            0.127389059742, 0.144510759109, 0.01999617408),
    "llr": (2.92064631859, 1.40698085773, 2.07582519872, 0.0189550604503, 0.0173314416112, 0.072043318022,
            0.158494116083, 0.18320881273, 0.019069344),
}  # fmt: skip


@pytest.mark.parametrize("name", POOLED)
def test_pooled(name):
    counts = np.stack([(9 - ZSUM) / 2, 0 * ZSUM, (9 + ZSUM) / 2])
    found = pooled(Y, Q, counts, name, Facts(n=20))
    sd = math.sqrt(found.variance)
    order = ("normal", "saddlepoint", "chernoff", "kearns-saul", "hoeffding", "exact")
    p = [math.exp(found.log_p(tail)) for tail in order]
    close([found.distance, sd, found.distance / sd, *p], POOLED[name])


def test_full_conformal():
    y = np.array([1, 1, -1, 1, -1, 1.0])
    z = np.array(
        [
            [1, 1, -1, -1, 1, -1], [-1, 1, 1, 1, -1, -1], [1, -1, -1, 1, 1, 1], [-1, -1, 1, -1, 1, 1],
            [1, 1, 1, 1, -1, -1], [1, -1, 1, -1, -1, 1], [-1, 1, -1, 1, 1, 1.0],
        ]
    )  # fmt: skip
    q = np.array([0.4, 0.6, -0.2, 0.5, -0.1, 0.3])
    scores = full_scores(y, z, q, "corr", Facts())
    close(
        scores,
        [
            1.72244897959, 1.13469387755, 1.13469387755, 0.857142857143, -0.187755102041, 1.31428571429,
            0.220408163265, 1.31428571429,
        ],
    )  # fmt: skip
    close(rank(scores[:1], scores[1:]), [0.125])


def test_many_targets():
    p = np.array([0.001, 0.009, 0.012, 0.02, 0.2, 0.9])
    assert [int(rejected(p, 0.05, how).sum()) for how in ("bonferroni", "holm", "bh")] == [1, 3, 4]
    assert rejected(p, 0.05, "bh").tolist() == [True] * 4 + [False] * 2


class Portable:
    """A member among 40 people, 300 attributes, 60 references, from a generator of one line."""

    def __init__(self, seed=12345, d=300, n=40, m=60):
        self.state, self.n, self.m = seed, n, m
        self.first = None
        p = np.array([-0.9 + 1.8 * self.draw() for _ in range(d)])
        self.p = p
        self.y = np.array([self.bit(x) for x in p])
        self.z0 = np.array([self.bit(x) for x in p])
        self.q = np.array(
            [(a + sum(self.bit(x) for _ in range(n - 1))) / n for a, x in zip(self.y, p, strict=True)]
        )
        self.zsum = np.array([sum(self.bit(x) for _ in range(m)) for x in p])

    def draw(self):
        self.state = (1664525 * self.state + 1013904223) % 2**32
        self.first = self.first or self.state / 2**32
        return self.state / 2**32

    def bit(self, p):
        return 1.0 if self.draw() < (1 + p) / 2 else -1.0


@pytest.fixture(scope="module")
def portable():
    return Portable()


def test_portable_inputs(portable):
    got = [
        portable.first,
        portable.p.sum(),
        portable.y.sum(),
        portable.z0.sum(),
        portable.q.sum(),
        portable.zsum.sum(),
    ]
    close(got, [0.0204026857391, 1.49828816419, -12, -20, 2.7, 68])


def test_portable_one_reference(portable):
    a = (portable.y - portable.z0) * portable.q
    score, length = a.sum(), np.linalg.norm(a)
    close([score, length], [14.8, 9.55405673])
    close(np.exp(thresholds.log_p(score, thresholds.norm_spread(portable.q, 1))), 0.510272732033)
    close(np.exp(flips.log_bd(score, length)), 0.192884705246)
    close(np.exp(flips.log_normal(score, length)), 0.0606812223747)
    close(math.exp(flips.exact(a, step=1 / 20)), 0.0621068180611)
    close(math.exp(flips.saddlepoint(a)), 0.0608287801244)


@pytest.mark.parametrize(
    ("name", "want"),
    [
        ("corr", (1.63582342409, 0.0509382740618, 0.0518179055591, 0.266228831443)),
        ("opt", (1.91354185992, 0.02783935999, 0.0298866522392, 0.17680205936)),
        ("llr", (1.9649008761, 0.0247128556609, 0.0231874503105, 0.135715949128)),
    ],
)
def test_portable_pooled(portable, name, want):
    counts = np.stack([(60 - portable.zsum) / 2, 0 * portable.zsum, (60 + portable.zsum) / 2])
    found = pooled(portable.y, portable.q, counts, name, Facts(n=40))
    p = [math.exp(found.log_p(tail)) for tail in ("normal", "saddlepoint", "chernoff")]
    close([found.distance / math.sqrt(found.variance), *p], want)
    if name == "llr":
        low, high = tails.exact_bracket(found.t, found.law, found.v)
        # two rounded-outward brackets of one number: they overlap, and are about as tight
        assert low <= 0.0232199665285
        assert high >= 0.0231451991734
        assert high <= 1.01 * low


def test_portable_others(portable):
    v = weights("llr", portable.q, portable.p, n=40)
    limit = np.clip(portable.q, -(1 - 1 / 40), 1 - 1 / 40)
    close(portable.y @ v + 0.5 * np.log((1 - limit**2) / (1 - portable.p**2)).sum(), 0.255204304494)
    d = distances(portable.y, portable.q, portable.zsum / 60)
    close(homer_t(d.sum(), (d**2).sum(), 300.0), 1.06269514082)


def test_scalars():
    want = [2.44774683068, 2.15120729618, 2.73216467957, 4.98203305639]
    got = [standard_threshold(*x) for x in ((0.05, "hoeffding"), (0.05, "bd"), (0.01, "bd"), (1e-6, "bd"))]
    close(got, want)
    close(BD_CONSTANT, 3.178655565887)
