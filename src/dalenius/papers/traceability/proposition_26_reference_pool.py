"""Proposition 26. Accurate answers and a pool of reference people give several people away."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dalenius.findings.tally import Tally
from dalenius.papers.experiment import PromisedShare, Result, SimulatedRow
from dalenius.papers.settings import Parameter, Settings
from dalenius.papers.simulated.crowd import (
    DELTA,
    ENTRIES,
    OUTSIDERS,
    control_rows,
    exact,
    members_row,
    simulate,
    soundness,
)
from dalenius.papers.simulated.people import refuse_above, repeat
from dalenius.papers.simulated.reference_pool import COLUMNS, ReferencePool, norm_threshold
from dalenius.papers.statement import Statement
from dalenius.theory.tracing import traceability
from dalenius.theory.tracing.count_mechanisms import sample_means
from dalenius.theory.tracing.priors import UNIFORM
from dalenius.theory.tracing.strong_distributions import gamma

NODES = 64
"""Population means at which the moments of one column are summed (Gauss and Legendre)."""

STATEMENT = Statement(
    says=(
        "With d >= max(1152 alpha^2 n^2 ln(1/delta)/gamma^2, 64 (n + sqrt(ln(1/delta)))) columns, at least "
        "gamma^2/(256 alpha^2) members are accused with probability at least 1 - 2 delta; an outsider with "
        "at most delta. Stated as Theorem 17, too."
    ),
    assumptions=(
        "The population's means are drawn from an (alpha + 2 beta, gamma)-strong law.",
        "Every answer is off by more than alpha with probability at most beta <= gamma/(24 n).",
        "The attacker holds 2 ln(48 n/gamma)/alpha^2 reference records and one more.",
    ),
    parameters=(
        Parameter("n", "number of people", 200, 2, 2000, "Ask about fewer people.", whole=True),
        COLUMNS,
        Parameter("m", "number of reference people", 189, 1, 10**6, whole=True),
        Parameter("alpha", "error that an answer rarely passes, in units of -1/+1", 0.33, 0.01, 1.0),
        DELTA,
    ),
    runs=20,
    errata=(
        "Printed in Figure 2 and Theorem 17: answers in {-1, +1}. In [-1, 1] is meant.",
        "Printed: 2 ln(24 n/gamma)/alpha^2 references, from a bound on one side of an event that has "
        "two. It takes 48 in place of 24, and a law that is (alpha + 2 beta, gamma)-strong.",
        "Printed in Theorem 17: probability 1 - delta. The proof gives 1 - 2 delta.",
        "Printed: d > O(...). The constant is 1152, and d >= 64 (n + sqrt(ln(1/delta))) is needed, too.",
    ),
)


def run(settings: Settings) -> Result:
    """Run Proposition 26: accurate answers and a pool of references give several people away."""
    n, d, m = settings.whole("n"), settings.whole("d"), settings.whole("m")
    alpha, delta = settings["alpha"], settings["delta"]
    refuse_above(
        "people x columns x runs",
        d * (2.0 * n + OUTSIDERS) * settings.runs,
        ENTRIES,
        "Use a smaller --n, --d or --runs.",
    )
    sound = soundness(delta)
    figure = ReferencePool(2 * alpha, lambda v: traceability.pool_threshold(v.size, alpha, delta))
    printed = simulate(settings, "figure", figure.run(n, d, m, exact), (0.0, 0.45))
    sharper = simulate(
        settings, "norm", ReferencePool(2 * alpha, norm_threshold(delta)).run(n, d, m, exact), (0.45, 0.9)
    )
    rows = (
        members_row(f"exact means, {d:,} columns, Figure 2", printed),
        members_row("the same, threshold from the norm of the weights", sharper),
        *control_rows(sharper, sound),
    )
    facts = (
        "Nothing is promised about members at so few columns; the attack is sound all the same.",
        "One further reference person is compared with, the same for everybody in a run: accusations come "
        "in clumps.",
    )
    terms = pool_terms(n, alpha, delta)
    if terms is None or not terms.accurate:
        short = (
            "Means of so few people are not that accurate, or not strong enough, for the statement at any d."
        )
        return Result((sound,), rows, (*facts, short))
    full = _at_full_size(settings, terms, alpha, delta)
    said = (
        f"gamma is {terms.strength:.4g}. At the statement's own d nobody is written out: a score is a sum of "
        f"{terms.d:,} independent columns and drawn from the normal law with its exact mean, variance and "
        "covariance."
    )
    enough = () if full.promise is None else (full.promise,)
    return Result((*enough, sound), (full, *rows), (*facts, said))


def _at_full_size(settings: Settings, terms: PoolTerms, alpha: float, delta: float) -> SimulatedRow:
    """Count the runs that trace enough members at the statement's own d, sums drawn from their normal law."""
    n = settings.whole("n")
    what = f"at least {terms.traced} accused with {terms.d:,} columns and {terms.m:,} references"
    enough = PromisedShare(what, 1 - 2 * delta, "with enough accused", "at least", "on average")
    mean, variance, shared = column_moments(n, terms.m, 2 * alpha)
    threshold = traceability.pool_threshold(terms.d, alpha, delta)
    common, own = math.sqrt(max(0.0, shared)), math.sqrt(variance - max(0.0, shared))

    def trial(world: np.random.Generator, attacker: np.random.Generator) -> Tally:
        spread = common * world.normal() + own * world.normal(size=n)
        accused = terms.d * mean + math.sqrt(terms.d) * spread > threshold
        return Tally(int(accused.sum() >= terms.traced), 1)

    tallies = repeat(settings, "at full size", trial, (0.9, 1.0))
    return SimulatedRow(f"exact means, {terms.d:,} columns, normal sums", tallies, enough, enough.counts)


@dataclass(frozen=True)
class PoolTerms:
    """What Proposition 26 asks for and promises at these n, alpha and delta, exact means."""

    strength: float
    d: int
    m: int
    traced: int
    accurate: bool


def pool_terms(n: int, alpha: float, delta: float) -> PoolTerms | None:
    """Return the terms; None if the law of means is not strong enough for this alpha.

    Examples
    --------
    >>> pool_terms(200, 0.33, 0.05).accurate, pool_terms(200, 0.1, 0.05).accurate, pool_terms(9, 0.7, 0.05)
    (True, False, None)
    """
    strength = gamma(UNIFORM, alpha)
    if strength <= 0:
        return None
    failure = traceability.pool_failure_rate(n, strength)
    strength -= 2 * failure
    # Hoeffding for the mean of n people, both sides
    accurate = 2 * math.exp(-(alpha**2) * n / 2) <= traceability.pool_failure_rate(n, strength)
    d = math.ceil(traceability.columns_with_pool(n, delta, strength, alpha))
    m = traceability.references_needed(n, strength, alpha)
    return PoolTerms(strength, d, m, traceability.traced_with_pool(strength, alpha), accurate)


def column_moments(n: int, m: int, limit: float) -> tuple[float, float, float]:
    """Return mean, variance and covariance of two members' terms `(x - z) clip(q - w)` in one column.

    Exact means, uniform law: summed over population means, counts of members and counts of references.

    Examples
    --------
    >>> mean, _, _ = column_moments(20, 50, 2.0)
    >>> round(mean * 20, 9)  # without a cut it is gamma_eff / n
    0.666666667
    """
    from dalenius.theory.tracing.count_mechanisms import count_probabilities
    from dalenius.theory.tracing.priors import Atoms

    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    q, w = sample_means(n), sample_means(m)
    v = np.clip(q[:, None] - w, -limit, limit)
    together = (n * q**2 - 1) / (n - 1)  # E[x x'] of two members, given their mean
    mean = square = product = 0.0
    for p, weight in zip(nodes.tolist(), (weights / 2).tolist(), strict=True):
        law = Atoms([p])
        of_q, of_w = count_probabilities(n, law), count_probabilities(m, law)
        first, second = v @ of_w, v**2 @ of_w
        mean += weight * float(of_q @ ((q - p) * first))
        square += weight * float(of_q @ ((2 - 2 * q * p) * second))
        product += weight * float(of_q @ ((together - 2 * q * p + 1) * second))
    return mean, square - mean**2, product - mean**2
