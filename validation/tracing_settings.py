"""The tests whose rates `tracing_rows` counts: each draws people, releases and references anew."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri
from validation.tracing_people import batches, draw, person, prior, release, total
from validation.tracing_releases import MECHANISMS, printed

from dalenius.mechanisms.means import sensitivity_of_means
from dalenius.mechanisms.stages.noise import Gaussian
from dalenius.tracing.attack.calibrations import flips, thresholds
from dalenius.tracing.attack.score_test import distances, homer_t
from dalenius.tracing.attack.tails import record_law
from dalenius.tracing.attack.tails.tails import kearns_saul_proxy
from dalenius.tracing.attack.weights import WEIGHTS, Facts

Values = NDArray[np.float64]
Rates = tuple[int, int]
Run = Callable[[np.random.Generator, int], Rates]
"""From randomness and a number of trials to the members and the outsiders accused."""

LEVEL = 0.05


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
                law = record_law.hardy_weinberg(w.p) if alleles == 2 else record_law.two_point(w.p)
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
            law = record_law.two_point(plus / (m + 1))
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
            counts = np.moveaxis(rng.multinomial(m, chances), -1, 0) + (
                w.y == record_law.CODES[:, None, None]
            )
            law, plus = record_law.multiset(counts.astype(np.float64)), counts[2] - counts[0]
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
        from dalenius.tracing.attack.calibrations.conformal import full_scores, held_out_scores, rank

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
