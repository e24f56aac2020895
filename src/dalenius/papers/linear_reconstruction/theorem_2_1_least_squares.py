"""Theorem 2.1. Least squares against small errors everywhere."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from dalenius.findings.tally import Tally
from dalenius.papers.experiment import PromisedShare, Result, SimulatedRow
from dalenius.papers.linear_reconstruction.counted_subsets import counted_subsets
from dalenius.papers.settings import Parameter, Settings
from dalenius.papers.simulated import adversarial_errors
from dalenius.papers.simulated.people import CONSTRUCTED, RANDOM, baseline, coins, once, refuse_above, repeat
from dalenius.papers.statement import Statement

_N = Parameter("n", "number of people", 64, 2, 1000, "Ask about fewer people, or run exposed-7.", whole=True)

_M = Parameter("m", "number of random subsets", 4, 2, 100_000, whole=True, per_person=True)

STATEMENT = Statement(
    says=(
        "Rounded least squares has at most 4 ||e||^2 / sigma^2, hence at most 4 m beta^2 / sigma^2, "
        "wrong bits. With independent noise of standard deviation tau the expected number is at most "
        "4 n tau^2 / sigma^2."
    ),
    assumptions=(
        "The release is linear in the secret bits: z = b + A s + e, with A and b known.",
        "A has rank n and least singular value sigma.",
        "Every error is at most beta in counts; the errors may be chosen.",
    ),
    parameters=(_N, _M, Parameter("beta", "largest error of a count", 0.75, 0.0, 1e6)),
    runs=20,
    errata=(
        "Printed: the left inverse lists the reciprocal singular values in the wrong order; as printed "
        "it does not invert.",
        "Printed: m > n and O(4 m beta^2)/sigma^2. m >= n suffices, and 4 is the exact constant.",
        "Printed: one bound for all errors. For independent errors m may be replaced by n (ours).",
    ),
)


def run(settings: Settings) -> Result:
    """Run Theorem 2.1: every count off by at most beta."""
    from dalenius.theory.reconstruction.least_squares import (
        inverse_gram_diagonal,
        least_squares_expected_wrong_bound,
        least_squares_wrong_bound,
    )

    n, m, beta = settings.whole("n"), settings.whole("m"), settings["beta"]
    refuse_above("m x n^2 x runs", m * n**2 * settings.runs, 4e9, "Use a smaller --n, --m or --runs.")
    system = counted_subsets(settings, "least-squares")
    always = PromisedShare("any errors", min(1.0, least_squares_wrong_bound(m, beta, system.sigma_min) / n))
    trace = inverse_gram_diagonal(system.matrix)
    expected = least_squares_expected_wrong_bound(beta / math.sqrt(3), trace) / n
    average = PromisedShare("independent errors, even in +-beta", min(1.0, expected), holds="on average")
    aimed = adversarial_errors.least_squares(system.matrix, beta)

    def random(world: np.random.Generator, attacker: np.random.Generator) -> Tally:
        secret = coins(n, world)
        return system.mistakes(secret, world.uniform(-beta, beta, m), attacker)

    def constructed(world: np.random.Generator, attacker: np.random.Generator) -> Tally:
        return system.mistakes(aimed.secret, aimed.errors, attacker)

    rows = (
        SimulatedRow("random errors, even in +-beta", repeat(settings, RANDOM, random, (0.1, 0.9)), average),
        SimulatedRow("constructed errors", once(settings, CONSTRUCTED, constructed), always, drawn=False),
        baseline(settings, RANDOM, n),
    )
    facts = (
        f"{m:,} random subsets are counted, each count off by at most {beta:g}; sigma_min is "
        f"{system.sigma_min:.4g}.",
        "The constructed errors are the best that a search found; they need not be the worst there are.",
        *_further(n, m, beta),
    )
    return Result((always, average), rows, facts)


def _further(n: int, m: int, beta: float) -> Iterator[str]:
    """Say what is expected of random subsets, and how few exact answers would do."""
    from dalenius.theory.reconstruction.subset_counts import (
        answers_for_uniqueness,
        random_subsets_accuracy,
        random_subsets_sigma_min,
    )

    yield (
        f"The sigma_min to be expected of random subsets is {random_subsets_sigma_min(n, m):.4g} (Bai and "
        "Yin 1993)."
    )
    if beta > 0 and m > n:
        share = 1 - random_subsets_accuracy(n, m, beta / math.sqrt(3))
        yield f"Independent errors this large should leave a share of {share:.2g} wrong (normal law)."
    yield (
        f"If answers were exact about {answers_for_uniqueness(n, 0.99):,} would do, the total among them, by "
        "one linear program (Wendel 1962, with probability 0.99)."
    )
