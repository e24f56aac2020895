"""Theorem 2.2. Linear programming survives a fraction of wild answers."""

from __future__ import annotations

import math

import numpy as np

from dalenius.findings.tally import Tally
from dalenius.papers.experiment import PromisedShare, Result, SimulatedRow
from dalenius.papers.linear_reconstruction.counted_subsets import CountedSubsets, counted_subsets
from dalenius.papers.settings import Parameter, Settings
from dalenius.papers.simulated import adversarial_errors
from dalenius.papers.simulated.people import CONSTRUCTED, RANDOM, baseline, coins, once, refuse_above, repeat
from dalenius.papers.statement import Statement

STATEMENT = Statement(
    says=(
        "The rounded solution of least absolute error has at most "
        "16 m beta^2 / (sigma^2 (a - 2 sqrt g)^2) wrong bits; none if beta is 0."
    ),
    assumptions=(
        "The release is linear in the secret bits: z = b + A s + e, with A and b known.",
        "A has least singular value sigma > 0, and ||A x||_1 >= a sqrt(m) ||A x||_2 for all x.",
        "A fraction g < a^2/4 of the errors is arbitrary, all others are at most beta in counts.",
    ),
    parameters=(
        Parameter(
            "n",
            "number of people",
            24,
            2,
            60,
            "Its certificate takes one linear program for each answer; krs-2.1 takes more.",
            whole=True,
        ),
        Parameter(
            "m",
            "number of random subsets",
            4,
            2,
            200,
            "Its certificate takes one linear program for each answer.",
            whole=True,
            per_person=True,
        ),
        Parameter("gross", "fraction of the answers that is wild", 0.05, 0.0, 1.0),
        Parameter("beta", "largest error of the other counts", 0.0, 0.0, 1e6),
    ),
    runs=20,
    errata=(
        "Printed: O(beta sqrt(m n)/sigma) and an unspecified fraction. The explicit form is never larger "
        "where it says anything: 16 m beta^2 / (sigma^2 (a - 2 sqrt g)^2) for g < a^2/4.",
        "Printed: a linear program with n variables and m constraints. It has n + m and 2m, or the dual.",
    ),
)


def run(settings: Settings) -> Result:
    """Run Theorem 2.2: a fraction of the counts wild, the others off by at most beta."""
    n, m, beta = settings.whole("n"), settings.whole("m"), settings["beta"]
    wild = math.floor(settings["gross"] * m + 1e-9)
    refuse_above("n x m x runs", n * m * settings.runs, 2e6, "Use a smaller --n, --m or --runs.")
    system = counted_subsets(settings, "lp")
    settings.progress(0.0, "certificate of the matrix")
    promise, said = _promise(system, beta, wild)
    aimed = adversarial_errors.wild(system.matrix, beta, wild)

    def random(world: np.random.Generator, attacker: np.random.Generator) -> Tally:
        secret = coins(n, world)
        errors = world.uniform(-beta, beta, m)
        rows = world.permutation(m)[:wild]
        errors[rows] = world.uniform(0, n, wild) - system.matrix[rows] @ secret
        return system.mistakes(secret, errors, attacker)

    def constructed(world: np.random.Generator, attacker: np.random.Generator) -> Tally:
        return system.mistakes(aimed.secret, aimed.errors, attacker)

    rows = (
        SimulatedRow(
            "random errors, wild answers anywhere", repeat(settings, RANDOM, random, (0.3, 1.0)), promise
        ),
        SimulatedRow("constructed errors", once(settings, CONSTRUCTED, constructed), promise, drawn=False),
        baseline(settings, RANDOM, n),
    )
    fact = f"{m:,} random subsets are counted: {wild} wild answers, the others off by at most {beta:g}."
    return Result(() if promise is None else (promise,), rows, (fact, *said))


def _promise(system: CountedSubsets, beta: float, wild: int) -> tuple[PromisedShare | None, tuple[str, ...]]:
    """Take the smaller of two proven bounds: the theorem's with a certified constant, and tau1's own."""
    from dalenius.theory.reconstruction.lp import (
        gross_errors_tolerated,
        lp_gross_fraction_limit,
        lp_wrong_bound,
        lp_wrong_bound_from_tau1,
        section_lower_bound,
        tau1,
    )

    m, n = system.matrix.shape
    certificate = tau1(system.matrix)
    section, tolerated = section_lower_bound(m, certificate), gross_errors_tolerated(certificate)
    bounds = []
    if wild / m < lp_gross_fraction_limit(section):
        bounds.append(lp_wrong_bound(m, beta, system.sigma_min, section, wild / m))
    if wild <= tolerated:
        bounds.append(lp_wrong_bound_from_tau1(m, beta, system.sigma_min, certificate, wild))
    said = (
        f"sigma_min is {system.sigma_min:.4g}; a is at least {section:.3g}, certified by {m} linear "
        f"programs, so the theorem covers {lp_gross_fraction_limit(section):.2%} wild answers and the "
        f"certificate itself {tolerated} of {m}.",
    )
    if not bounds:
        return None, (
            *said,
            f"Nothing is promised with {wild} wild answers; what happens is measured all the same.",
        )
    return PromisedShare("LP decoding", min(1.0, min(bounds) / n)), said
