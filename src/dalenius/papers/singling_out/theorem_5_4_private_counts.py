"""Theorem 5.4. Differential privacy limits singling out."""

from __future__ import annotations

from dalenius.findings.tally import clopper_pearson
from dalenius.papers.experiment import Result
from dalenius.papers.settings import Parameter, Settings
from dalenius.papers.singling_out.composition.theorem_4_6_counts import strings
from dalenius.papers.singling_out.isolation_rows import isolates, rounds, row
from dalenius.papers.statement import Statement
from dalenius.release.desk.count_desk import OpenCounts
from dalenius.singling_out.attack.counts.counts import CountsAttack
from dalenius.singling_out.attack.counts.plans import NumberPlan
from dalenius.theory import isolation as luck
from dalenius.theory import singling_out as theory

STATEMENT = Statement(
    says=(
        "No attack isolates somebody with a condition of weight at most w with probability above n "
        "(e^epsilon w + delta); nothing is said unless w is below e^-epsilon / n."
    ),
    assumptions=(
        "The rows are drawn independently from one law.",
        "The release is (epsilon, delta)-differentially private.",
    ),
    parameters=(
        Parameter("n", "number of rows", 50, 4, 5000, "Ask about fewer rows.", whole=True),
        Parameter("m", "number of bits of a row", 10, 3, 50, "Use at most 50 bits.", whole=True),
        Parameter("epsilon", "privacy of all counts together", 1.0, 1e-3, 50.0),
    ),
    runs=500,
    errata=(
        "Printed: delta' negligible. It is n delta: success is at most n (e^epsilon w + delta), with w "
        "the largest realisable weight up to the limit.",
    ),
)


def run(settings: Settings) -> Result:
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
