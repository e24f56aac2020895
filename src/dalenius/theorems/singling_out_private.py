"""Cohen and Nissim (2022), Theorem 5.4 and Claim 5.6: differential privacy limits singling out."""

from __future__ import annotations

import numpy as np

from dalenius.attacks.singling_out.count_plans import NumberPlan
from dalenius.attacks.singling_out.counts import CountsAttack
from dalenius.findings.interval import clopper_pearson
from dalenius.mechanisms.noise import Geometric
from dalenius.random import stream
from dalenius.records.counts import Sensitivity
from dalenius.referee.score import Tally
from dalenius.release.count_desk import OpenCounts
from dalenius.theorems.experiment import Experiment, Result, Row
from dalenius.theorems.isolating import isolates, rounds, row
from dalenius.theorems.settings import Parameter, Settings
from dalenius.theorems.simulate import refuse_above
from dalenius.theorems.singling_out_counts import strings
from dalenius.theory import isolation as luck
from dalenius.theory import singling_out as theory


def run_private(settings: Settings) -> Result:
    """Run Theorem 5.4: the counts of Theorem 4.6 with noise."""
    n, bits, numbers = strings(settings)
    epsilon, point = settings["epsilon"], 0.5**bits
    limit = isolates("any private release", theory.private_success_limit(n, epsilon, 0.0, point), "at most")
    below = -(-(2**bits) // n)
    noisy = CountsAttack(NumberPlan(bits, below, noisy=True), numbers.weigh)
    laplace = rounds(
        settings, "laplace", numbers, OpenCounts(f"laplace:epsilon={epsilon:g}"), noisy, (0.0, 0.35)
    )
    geometric = rounds(
        settings, "geometric", numbers, OpenCounts(f"geometric:epsilon={epsilon:g}"), noisy, (0.35, 0.7)
    )
    plain = CountsAttack(NumberPlan(bits, below), numbers.weigh)
    exact = rounds(settings, "exact", numbers, OpenCounts(), plain, (0.7, 1.0))
    hits = sum(trial.matches == 1 for trial in exact)
    low = clopper_pearson(hits, len(exact), 0.95).low
    rows = (
        row("counts with Laplace noise", laplace, limit, point),
        row("counts with geometric noise", geometric, limit, point),
        row("the same counts without noise", exact, None, point),
    )
    facts = (
        f"{bits + 1} counts of uniform strings of {bits} bits, epsilon {epsilon:g} for all of them together. "
        f"Luck at weight 2^-{bits}: {luck.isolation(n, point):.3g}; the limit is at most e^"
        f"{theory.private_luck_epsilon(n, epsilon, point):.4g} times that.",
        f"Read backwards: whatever published the exact counts is not private with any epsilon below "
        f"{theory.implied_epsilon(low, n, point):.3g}.",
    )
    return Result((limit,), rows, facts)


def run_heavy(settings: Settings) -> Result:
    """Run Claim 5.6: conditions that many people meet, and exactly one row."""
    n, epsilon, heavy = settings.whole("n"), settings["epsilon"], settings["weight"]
    cells = 10 * n
    refuse_above("n x runs", n * settings.runs, 2e7, "Use a smaller --n or --runs.")
    limit = isolates("any private release", theory.private_success_limit_high(n, epsilon, heavy), "at most")
    # a replaced row leaves one cell and enters another
    noise = Geometric(None, epsilon).resolve(Sensitivity(2.0, 2.0))
    hidden, plain = [], []
    for run in range(settings.runs):
        settings.progress(run / settings.runs, "histograms")
        world, mechanism, attacker = (
            stream(settings.seed, settings.id, run, part) for part in ("data", "mechanism", "attack")
        )
        true = np.bincount(world.integers(cells, size=n), minlength=cells)
        noisy = true + noise.draw(noise.known_scale(), true.shape, mechanism)
        hidden.append(_isolates_heavily(true, noisy, heavy, attacker))
        plain.append(_isolates_heavily(true, true.astype(np.float64), heavy, attacker))
    rows = (
        Row("histogram with geometric noise", tuple(hidden), limit, "that isolate"),
        Row("the same histogram without noise", tuple(plain), None, "that isolate"),
    )
    facts = (
        f"A histogram of {cells:,} cells is published; the attack accepts the cells that look empty and one "
        f"that looks as if one row were in it. Luck at weight {heavy:g}: {luck.isolation(n, heavy):.3g}.",
    )
    return Result((limit,), rows, facts)


def _isolates_heavily(
    true: np.ndarray[tuple[int], np.dtype[np.int64]],
    seen: np.ndarray[tuple[int], np.dtype[np.float64]],
    weight: float,
    rng: np.random.Generator,
) -> Tally:
    """Accept the emptiest cells, as many as the weight asks for, and one with about one row."""
    order = rng.permutation(seen.size)
    order = order[np.argsort(seen[order], kind="stable")]
    wanted = int(np.ceil(weight * seen.size))
    accepted = order[:wanted]
    rest = order[wanted:]
    one = rest[np.argmin(np.abs(seen[rest] - 1))]
    return Tally(int(true[accepted].sum() + true[one] == 1), 1)


EXPERIMENTS = (
    Experiment(
        "pso-5.4",
        (
            Parameter("n", "number of rows", 50, 4, 5000, "Ask about fewer rows.", whole=True),
            Parameter("m", "number of bits of a row", 10, 3, 50, "Use at most 50 bits.", whole=True),
            Parameter("epsilon", "privacy of all counts together", 1.0, 1e-3, 50.0),
        ),
        run_private,
        runs=500,
        errata=(
            "Printed: delta' negligible. It is n delta: success is at most n (e^epsilon w + delta), with w "
            "the largest realisable weight up to the limit.",
        ),
    ),
    Experiment(
        "pso-5.6",
        (
            Parameter("n", "number of rows", 2000, 4, 100_000, "Ask about fewer rows.", whole=True),
            Parameter("epsilon", "privacy of the histogram", 1.0, 1e-3, 20.0),
            Parameter("weight", "least weight of a condition", 0.15, 1e-6, 0.9),
        ),
        run_heavy,
        runs=200,
        errata=(
            "Printed: negligible success for weights of larger order than log(n)/n. Made explicit for delta "
            "= 0: 2 n ln(n) exp(-(n epsilon/2)(e^(-2 epsilon) (1 - 1/n) w - 3/n)) (ours, from its proof).",
        ),
    ),
)
