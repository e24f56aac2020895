"""Rates of tracing tests in simulated populations, beside those of a reference that shares no code with this.

Run: python -m validation.tracing_rows [--share 1.0] [--only E1 E2]

Each row draws populations, releases and references anew, asks about one member and one outsider, and counts
who is accused. A row agrees when its rates differ from the reference's by at most four standard errors of
both together. Exit code 1 if one does not. ``--share`` scales the numbers of trials.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from scipy.special import ndtri
from validation.tracing_people import batches, draw, person, prior, release, total
from validation.tracing_releases import MECHANISMS, printed

from dalenius.attacks.tracing import flips, laws, thresholds
from dalenius.attacks.tracing.homer import distances, homer_t
from dalenius.attacks.tracing.tails import kearns_saul_proxy
from dalenius.attacks.tracing.weights import WEIGHTS, Facts
from dalenius.mechanisms.means import sensitivity_of_means
from dalenius.mechanisms.noise import Gaussian
from dalenius.random import stream

Values = NDArray[np.float64]
Rates = tuple[int, int]
Run = Callable[[np.random.Generator, int], Rates]
"""From randomness and a number of trials to the members and the outsiders accused."""

LEVEL = 0.05


@dataclass(frozen=True)
class Row:
    """A setting, the reference's rates with their standard errors, and how many trials to run."""

    name: str
    what: str
    run: Run
    trials: int
    tpr: float | None
    fpr: float | None
    tpr_se: float = 0.0
    fpr_se: float = 0.0


def known(weights: str, tail: str, n: int, d: int, alleles: int = 1, sigma: float = 0.0) -> Run:
    """Means known: the normal approximation, or Hoeffding's bound; noise on the release, not cut off."""
    publish = printed(Gaussian(sigma / 2)) if sigma else MECHANISMS["exact"]

    def run(rng: np.random.Generator, trials: int) -> Rates:
        found = [0, 0]
        for size in batches(trials, d):
            w = draw(rng, size, d, n, alleles=alleles)
            for i, exact in enumerate(w.releases()):
                q = publish(rng, exact, w.p)
                v = WEIGHTS[weights](q, w.p, w.p, Facts(n, sigma, None, alleles))
                law = laws.hardy_weinberg(w.p) if alleles == 2 else laws.two_point(w.p)
                distance = ((w.y - w.p) * v).sum(axis=1)
                if tail == "normal":
                    log_p = flips.log_normal(distance, np.sqrt((v**2 * law.variance()).sum(axis=1)))
                else:
                    log_p = thresholds.log_p(distance, (v**2).sum(axis=1))
                found[i] += int((log_p <= math.log(LEVEL)).sum())
        return found[0], found[1]

    return run


def homer(n: int, d: int) -> Run:
    """Homer's statistic with the population's means as reference."""

    def run(rng: np.random.Generator, trials: int) -> Rates:
        found = [0, 0]
        for size in batches(trials, d):
            w = draw(rng, size, d, n)
            for i, q in enumerate(w.releases()):
                each = distances(w.y, q, w.p)
                t = homer_t(each.sum(axis=1), (each**2).sum(axis=1), np.full(size, float(d)))
                found[i] += int((t >= -ndtri(LEVEL)).sum())
        return found[0], found[1]

    return run


def pooled(weights: str, tail: str, m: int, n: int = 100, d: int = 1000) -> Run:
    """Given the column totals of m references and the target."""

    def run(rng: np.random.Generator, trials: int) -> Rates:
        found = [0, 0]
        for size in batches(trials, d):
            w = draw(rng, size, d, n)
            plus = w.y + total(rng, w.p, m)
            law = laws.two_point(plus / (m + 1))
            spread = law.variance() if tail == "normal" else kearns_saul_proxy(law)
            for i, q in enumerate(w.releases()):
                v = WEIGHTS[weights](q, plus / (m + 1), plus / (m + 3), Facts(n))
                distance, proxy = ((w.y - law.mean()) * v).sum(axis=1), (v**2 * spread).sum(axis=1)
                log_p = (
                    flips.log_normal(distance, np.sqrt(proxy))
                    if tail == "normal"
                    else thresholds.log_p(distance, proxy)
                )
                found[i] += int((log_p <= math.log(LEVEL)).sum())
        return found[0], found[1]

    return run


def pooled_genotypes(m: int, n: int, d: int) -> Run:
    """The same for genotypes, whose columns hold three values."""

    def run(rng: np.random.Generator, trials: int) -> Rates:
        found = [0, 0]
        for size in batches(trials, d):
            w = draw(rng, size, d, n, alleles=2)
            f = (1 + w.p) / 2
            chances = np.stack([(1 - f) ** 2, 2 * f * (1 - f), f**2], axis=-1)
            counts = np.moveaxis(rng.multinomial(m, chances), -1, 0) + (w.y == laws.CODES[:, None, None])
            law, plus = laws.multiset(counts.astype(np.float64)), counts[2] - counts[0]
            for i, q in enumerate(w.releases()):
                v = WEIGHTS["opt"](q, plus / (m + 1), plus / (m + 3), Facts(n, alleles=2))
                sd = np.sqrt((v**2 * law.variance()).sum(axis=1))
                log_p = flips.log_normal(((w.y - law.mean()) * v).sum(axis=1), sd)
                found[i] += int((log_p <= math.log(LEVEL)).sum())
        return found[0], found[1]

    return run


def same_pool_twice(m: int, n: int = 100, d: int = 1000) -> Run:
    """The fault of using one pool to centre the weights and to compare with."""

    def run(rng: np.random.Generator, trials: int) -> Rates:
        found = [0, 0]
        for size in batches(trials, d):
            w = draw(rng, size, d, n)
            plus = total(rng, w.p, m)
            mean, smooth = plus / m, plus / (m + 2)
            for i, q in enumerate(w.releases()):
                v = WEIGHTS["opt"](q, mean, smooth, Facts(n))
                sd = np.sqrt((v**2 * (1 - smooth**2)).sum(axis=1))
                log_p = flips.log_normal(((w.y - mean) * v).sum(axis=1), sd)
                found[i] += int((log_p <= math.log(LEVEL)).sum())
        return found[0], found[1]

    return run


def one_reference(
    mechanism: str, spread: str | float, tail: str, n: int = 20, d: int = 3200, alleles: int = 1
) -> Run:
    """Raw weights against a single reference person."""

    def run(rng: np.random.Generator, trials: int) -> Rates:
        found = [0, 0]
        for size in batches(trials, d):
            w = draw(rng, size, d, n, spread, alleles=alleles)
            z = person(rng, w.p, alleles)
            for i, q in enumerate(w.releases()):
                v = MECHANISMS[mechanism](rng, q, w.p)
                a = (w.y - z) * v
                score = a.sum(axis=1)
                if tail == "norm":
                    log_p = thresholds.log_p(score, 2 * (v**2).sum(axis=1))
                elif tail == "proof":
                    log_p = thresholds.log_p(score, thresholds.figure_spread("proof", d))
                else:
                    log_p = flips.MOMENTS[tail](score, np.sqrt((a**2).sum(axis=1)))
                found[i] += int((log_p <= math.log(LEVEL)).sum())
        return found[0], found[1]

    return run


def gaussian(sd: float, tail: str, n: int = 20, d: int = 3200) -> Run:
    """Real values, the mean cut off at -1 and 1, one reference person."""

    def run(rng: np.random.Generator, trials: int) -> Rates:
        found = [0, 0]
        for size in batches(trials, d):
            mu = prior(rng, (size, d), 1.0)
            y, z = (mu + sd * rng.standard_normal(mu.shape) for _ in range(2))
            others = (n - 1) * mu + sd * math.sqrt(n - 1) * rng.standard_normal(mu.shape)
            outside = mu + sd / math.sqrt(n) * rng.standard_normal(mu.shape)
            for i, mean in enumerate(((y + others) / n, outside)):
                q = np.clip(mean, -1, 1)
                a = (y - z) * q
                score = a.sum(axis=1)
                if tail == "fig3":
                    log_p = thresholds.log_p(score, thresholds.figure_spread("fig3", d, sd=sd))
                elif tail == "known-sd":
                    log_p = flips.log_normal(score, sd * np.sqrt(2 * (q**2).sum(axis=1)))
                else:
                    log_p = flips.MOMENTS[tail](score, np.sqrt((a**2).sum(axis=1)))
                found[i] += int((log_p <= math.log(LEVEL)).sum())
        return found[0], found[1]

    return run


def gaussian_known(weights: str, n: int = 100, d: int = 1000) -> Run:
    """Real values with known means and spread 1: the correlation, or the likelihood ratio of being inside.

    Inside, ``y`` given the mean ``q`` is normal around it with variance ``1 - 1/n``. The ratio is compared
    with the normal law that has its mean and variance given ``q``.
    """

    def run(rng: np.random.Generator, trials: int) -> Rates:
        found, left = [0, 0], 1 - 1 / n
        for size in batches(trials, d):
            y, others = rng.standard_normal((2, size, d))
            outside = rng.standard_normal((size, d)) / math.sqrt(n)
            for i, q in enumerate(((y + math.sqrt(n - 1) * others) / n, outside)):
                if weights == "corr":
                    distance, variance = (y * q).sum(axis=1), (q**2).sum(axis=1)
                else:
                    ratio = y**2 / 2 - (y - q) ** 2 / (2 * left)
                    distance = (ratio - 1 / 2 + (1 + q**2) / (2 * left)).sum(axis=1)
                    variance = ((1 - 1 / left) ** 2 / 2 + (q / left) ** 2).sum(axis=1)
                log_p = flips.log_normal(distance, np.sqrt(variance))
                found[i] += int((log_p <= math.log(LEVEL)).sum())
        return found[0], found[1]

    return run


def oracle(rho: float, n: int = 50, d: int = 20) -> Run:
    """Everybody else is known, and the two records in question, which differ in every column."""
    noise = Gaussian(None, rho).resolve(sensitivity_of_means(np.full(d, n)))

    def run(rng: np.random.Generator, trials: int) -> Rates:
        found = [0, 0]
        for size in batches(trials, d):
            apart = rng.choice([-1.0, 1.0], (size, d))
            for i, present in enumerate((apart, -apart)):
                q = printed(noise)(rng, present / n, present)
                score = ((q + apart / n) * apart).sum(axis=1)
                log_p = flips.log_normal(score, np.full(size, 2 * noise.known_scale() * math.sqrt(d)))
                found[i] += int((log_p <= math.log(LEVEL)).sum())
        return found[0], found[1]

    return run


def linked(per_block: bool) -> Run:
    """320 blocks of ten identical columns: signs by column, which is wrong, and by block."""

    def run(rng: np.random.Generator, trials: int) -> Rates:
        hits = 0
        for size in batches(trials, 320):
            w = draw(rng, size, 320, 20, 1.0)
            a = (w.y - person(rng, w.p)) * w.q_out
            score, squares = 10 * a.sum(axis=1), (a**2).sum(axis=1) * (100 if per_block else 10)
            hits += int((flips.log_normal(score, np.sqrt(squares)) <= math.log(LEVEL)).sum())
        return 0, hits

    return run


def drifted(sd: float, m: int | None) -> Run:
    """The reference's means differ from the target's and the data's; weights raw, or centred by m people."""

    def run(rng: np.random.Generator, trials: int) -> Rates:
        hits, d, n = 0, 2000, 50
        for size in batches(trials, d):
            p = prior(rng, (size, d), 0.8)
            w = release(rng, np.clip(p + sd * rng.standard_normal(p.shape), -1, 1), n)
            v = w.q_out if m is None else w.q_out - total(rng, p, m) / m
            a = (w.y - person(rng, p)) * v
            hits += int((flips.log_normal(a.sum(axis=1), np.linalg.norm(a, axis=1)) <= math.log(LEVEL)).sum())
        return 0, hits

    return run


def ranked(
    held_out: int | None, fault: bool = False, copies: int = 1, m: int = 99, n: int = 100, d: int = 1000
) -> Run:
    """Ranks among references: full, held-out, or the fault of ranking in-sample."""

    def run(rng: np.random.Generator, trials: int) -> Rates:
        from dalenius.attacks.tracing.conformal import full_scores, held_out_scores, rank

        found, columns = [0, 0], d // copies
        for _ in range(trials):
            w = draw(rng, 1, columns, n)
            z = np.repeat(person(rng, np.repeat(w.p, m, axis=0)), copies, axis=1)
            y = np.repeat(w.y[0], copies)
            for i, q in enumerate(w.releases()):
                q = np.repeat(q[0], copies)
                if fault:
                    mean = z.mean(axis=0)
                    own, others = (y - mean) @ (q - mean), (z - mean) @ (q - mean)
                elif held_out is None:
                    scores = full_scores(y, z, q, "corr", Facts())
                    own, others = scores[0], scores[1:]
                else:
                    mean = z[:held_out].mean(axis=0)
                    own, others = (y - mean) @ (q - mean), held_out_scores(z[held_out:], q - mean, mean)
                found[i] += int(rank(np.array([own]), others)[0] <= LEVEL)
        return found[0], found[1]

    return run


def relative() -> Run:
    """Somebody half of whose values are those of a member by descent; means known."""

    def run(rng: np.random.Generator, trials: int) -> Rates:
        hits, n, d = 0, 100, 1000
        for size in batches(trials, d):
            w = draw(rng, size, d, n)
            kin = np.where(rng.random(w.p.shape) < 0.5, w.y, person(rng, w.p))
            v = WEIGHTS["opt"](w.q_in, w.p, w.p, Facts(n))
            sd = np.sqrt((v**2 * (1 - w.p**2)).sum(axis=1))
            hits += int((flips.log_normal(((kin - w.p) * v).sum(axis=1), sd) <= math.log(LEVEL)).sum())
        return hits, 0

    return run


def rows() -> list[Row]:
    """Every row, with the rates that the reference has for it."""
    e, one = 0.0025, 20_000
    listed = [
        Row(
            "E1",
            "llr, means known, normal; n=100 d=300",
            known("llr", "normal", 100, 300),
            40_000,
            0.5255,
            0.0503,
            e,
            0.0011,
        ),
        Row(
            "E2",
            "the same; n=100 d=1000",
            known("llr", "normal", 100, 1000),
            40_000,
            0.9395,
            0.0474,
            0.0012,
            0.0011,
        ),
        Row(
            "E3",
            "the same; n=50 d=500",
            known("llr", "normal", 50, 500),
            40_000,
            0.9408,
            0.0476,
            0.0012,
            0.0011,
        ),
        Row(
            "E4",
            "llr, means known, Hoeffding; n=100 d=1000",
            known("llr", "hoeffding", 100, 1000),
            40_000,
            0.4663,
            0.0007,
            e,
            0.0001,
        ),
        Row(
            "E5",
            "corr, means known, normal; n=100 d=1000",
            known("corr", "normal", 100, 1000),
            40_000,
            0.9152,
            0.0490,
            0.0014,
            0.0011,
        ),
        Row(
            "E6", "Homer, means known; n=100 d=1000", homer(100, 1000), 40_000, 0.8601, 0.0493, 0.0017, 0.0011
        ),
        Row(
            "E7",
            "opt, pooled normal; m=100",
            pooled("opt", "normal", 100),
            40_000,
            0.7210,
            0.0521,
            0.0022,
            0.0011,
        ),
        Row(
            "E8",
            "llr, pooled normal; m=100",
            pooled("llr", "normal", 100),
            40_000,
            0.7395,
            0.0511,
            0.0022,
            0.0011,
        ),
        Row(
            "E9",
            "corr, pooled normal; m=100",
            pooled("corr", "normal", 100),
            40_000,
            0.6894,
            0.0509,
            0.0023,
            0.0011,
        ),
        Row(
            "E10",
            "opt, pooled normal; m=400",
            pooled("opt", "normal", 400),
            20_000,
            0.8789,
            0.0500,
            0.0023,
            0.0015,
        ),
        Row(
            "E11",
            "opt, pooled Kearns-Saul; m=100",
            pooled("opt", "kearns-saul", 100),
            40_000,
            0.2413,
            0.0020,
            0.0021,
            0.0002,
        ),
        Row("E12", "corr, conformal full; m=99", ranked(None), 3_000, 0.6763, 0.0507, 0.0085, 0.0040),
        Row("E13", "corr, conformal held-out, 50 and 49", ranked(50), 3_000, 0.4627, 0.0437, 0.0091, 0.0037),
        Row(
            "E14",
            "genotypes, llr, means known; n=100 d=1000",
            known("llr", "normal", 100, 1000, 2),
            20_000,
            0.9377,
            0.0484,
            0.0017,
            0.0015,
        ),
        Row(
            "E15",
            "genotypes, opt, pooled; n=100 m=100 d=1000",
            pooled_genotypes(100, 100, 1000),
            4_000,
            0.7288,
            0.0473,
            0.0070,
            0.0034,
        ),
        Row("C1", "fault: one pool twice; m=100", same_pool_twice(100), 4_000, 0.9965, 0.7420, 0.001, 0.0069),
        Row("C1b", "the same; m=400", same_pool_twice(400), 4_000, None, 0.1810, 0, 0.0061),
        Row(
            "C2",
            "fault: ranked in-sample; m=99",
            ranked(None, fault=True),
            3_000,
            0.9937,
            0.6817,
            0.0015,
            0.0085,
        ),
        Row("R1", "relative, half by descent; means known", relative(), 20_000, 0.4679, None, 0.0035),
        Row(
            "L1",
            "10 identical columns a block, signs by column",
            linked(False),
            20_000,
            None,
            0.3031,
            0,
            0.0032,
        ),
        Row("L1b", "the same, signs by block", linked(True), 20_000, None, 0.0514, 0, 0.0016),
        Row("L2", "the same data, conformal; m=99", ranked(None, copies=10), 2_000, None, 0.0498, 0, 0.0034),
    ]
    for sd, fpr in ((0.0, 0.0515), (0.02, 0.0526), (0.05, 0.0763), (0.1, 0.2020)):
        listed.append(
            Row(f"D1 {sd:g}", "drift, one reference, signs", drifted(sd, None), 10_000, None, fpr, 0, 0.0040)
        )
    for sd, fpr in ((0.0, 0.0532), (0.02, 0.0573), (0.05, 0.1419), (0.1, 0.6434)):
        listed.append(
            Row(f"D2 {sd:g}", "the same, centred by 200", drifted(sd, 200), 10_000, None, fpr, 0, 0.0048)
        )
    table = {
        ("exact", 1.0): (0.0016, 0.3452, 0.8509, 0.9099, 0.9681, 0.0001, 0.0070, 0.0151, 0.0493),
        ("round", 1.0): (0.0037, 0.3255, 0.8261, 0.8954, 0.9614, 0.0002, 0.0078, 0.0163, 0.0511),
        ("noise", 1.0): (0.0027, 0.2495, 0.6539, 0.7566, 0.8882, 0.0001, 0.0085, 0.0166, 0.0514),
        ("sign", 1.0): (0.2521, 0.2726, 0.4933, 0.6047, 0.7795, 0.0014, 0.0066, 0.0161, 0.0526),
        ("column samples", 1.0): (0.0091, 0.2391, 0.6328, 0.7385, 0.8722, 0.0002, 0.0069, 0.0167, 0.0497),
        ("population", 1.0): (0.0, 0.0001, 0.0071, 0.0170, 0.0528, 0.0001, 0.0087, 0.0166, 0.0514),
        ("half sign", "two-point"): (0.0, 0.0085, 0.0240, 0.0455, 0.1178, 0.0026, 0.0077, 0.0164, 0.0506),
        ("exact", "two-point"): (0.0155, 0.6642, 0.8230, 0.8905, 0.9576, 0.0021, 0.0072, 0.0169, 0.0523),
    }
    for (mechanism, spread), rates in table.items():
        for tail, tpr, fpr in zip(
            ("proof", "norm", "hoeffding", "bd", "normal"), rates[:5], (None, *rates[5:]), strict=True
        ):
            name = f"A3 {mechanism}{'' if spread == 1.0 else ' two-point'}"
            listed.append(
                Row(name, tail, one_reference(mechanism, spread, tail), one // 4, tpr, fpr, 0.0036, 0.0016)
            )
    listed.append(
        Row(
            "A3 shared sample",
            "bd; of 5 people with the target in place of TPR, without in place of FPR",
            one_reference("exact", 1.0, "bd", n=5),
            5_000,
            1.0,
            0.0168,
            0.0036,
            0.0016,
        )
    )
    listed.append(
        Row(
            "A3 genotypes",
            "bd",
            one_reference("exact", 1.0, "bd", alleles=2),
            5_000,
            0.6463,
            0.0150,
            0.0048,
            0.0016,
        )
    )
    for sd, rates5 in ((1.0, (0.1496, 0.9203, 0.7301, 0.8170)), (0.5, (0.0051, 0.4994, 0.2084, 0.3042))):
        fprs = {"known-sd": 0.0506 if sd == 1 else 0.0477, "bd": 0.0165 if sd == 1 else 0.0148}
        for tail, tpr in zip(("fig3", "known-sd", "hoeffding", "bd"), rates5, strict=True):
            listed.append(
                Row(f"A5 sd {sd:g}", tail, gaussian(sd, tail), 5_000, tpr, fprs.get(tail), 0.0036, 0.0016)
            )
    for weights, tpr, fpr in (("llr", 0.9386, 0.0466), ("corr", 0.9385, 0.0474)):
        what = f"{weights}, real values, means known; n=100 d=1000"
        listed.append(Row("A5 known", what, gaussian_known(weights), one, tpr, fpr, 0.0017, 0.0015))
    for name, rho, tpr, fpr, se in (
        ("G1", 0.01, 0.0664, 0.0500, 0.0006),
        ("G1b", 0.1, 0.1165, 0.0499, 0.0007),
        ("G1c", 0.5, 0.2592, 0.0504, 0.0010),
    ):
        what = f"Gaussian noise, both records known; rho={rho:g}"
        listed.append(Row(name, what, oracle(rho), 200_000, tpr, fpr, se, 0.0005))
    for name, d, sigma, trials, tpr, fpr, se in (
        ("G2", 500, 0.1, 20_000, 0.7731, 0.0503, 0.0030),
        ("G3", 500, 0.5, 20_000, 0.1855, 0.0519, 0.0027),
        ("G4", 2000, 0.5, 10_000, 0.4329, 0.0509, 0.0035),
        ("G5", 8000, 1.0, 4_000, 0.4488, 0.0508, 0.0035),
    ):
        what = f"Gaussian noise, opt, means known; n=50 d={d} sigma={sigma:g}"
        run = known("opt", "normal", 50, d, sigma=sigma)
        listed.append(Row(name, what, run, trials, tpr, fpr, se, 0.0016))
    return listed


def allowed(want: float, error: float, trials: int) -> float:
    """How far a rate may be from the reference's: four standard errors of both.

    A rate of nothing has no spread to estimate: at least that of one hit in all trials is taken.
    """
    spread = max(want * (1 - want), 1 / trials) / trials
    return 4 * math.sqrt(error**2 + spread)


def agrees(row: Row, found: Rates, trials: int) -> bool:
    """Whether both rates are as the reference has them."""
    pairs = ((row.tpr, row.tpr_se, found[0]), (row.fpr, row.fpr_se, found[1]))
    return all(
        want is None or abs(hits / trials - want) <= allowed(want, se, trials) for want, se, hits in pairs
    )


def main() -> int:
    """Run the rows and print them as a table in Markdown."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--only", nargs="*")
    asked = parser.parse_args()
    console, wrong = Console(width=200), 0
    console.print("| row | test | trials | TPR, reference | TPR | FPR, reference | FPR | agrees |")
    console.print("|---|---|---|---|---|---|---|---|")
    for row in rows():
        if asked.only and row.name not in asked.only:
            continue
        trials = max(100, int(row.trials * asked.share))
        found = row.run(stream(1, row.name, row.what), trials)
        good = agrees(row, found, trials)
        wrong += not good
        show = [
            ("" if want is None else f"{want:.4f}", "" if want is None else f"{hits / trials:.4f}")
            for want, hits in ((row.tpr, found[0]), (row.fpr, found[1]))
        ]
        cells = [row.name, row.what, f"{trials:,}", *show[0], *show[1], "yes" if good else "NO"]
        console.print(f"| {' | '.join(cells)} |", highlight=False, markup=False)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
