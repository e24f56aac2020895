"""Attacks with a pool of reference people.

Dwork, Smith, Steinke, Ullman and Vadhan (2015), Proposition 26 (Theorem 17), and Dwork, Smith, Steinke and
Ullman (2017), Theorems 10 and 15.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dalenius.attacks.tracing.pooled import pooled
from dalenius.attacks.tracing.tails import cumulants
from dalenius.attacks.tracing.weights import Facts
from dalenius.referee.score import Tally
from dalenius.theorems.crowd import (
    OUTSIDERS,
    Mechanism,
    Records,
    Values,
    Verdict,
    Verdicts,
    control_rows,
    draw,
    everybody,
    exact,
    half,
    members_row,
    scores,
    simulate,
    soundness,
)
from dalenius.theorems.experiment import Experiment, Promised, Result, Row
from dalenius.theorems.settings import Parameter, Settings
from dalenius.theorems.simulate import refuse_above, repeat
from dalenius.theorems.tracing import DELTA, ENTRIES
from dalenius.theory import traceability
from dalenius.theory.count_mechanisms import sample_means
from dalenius.theory.priors import UNIFORM
from dalenius.theory.strong import gamma
from dalenius.theory.tracing_power import columns_needed, effect_optimal, effect_raw_exact, standard_threshold

NODES = 64
"""Population means at which the moments of one column are summed (Gauss and Legendre)."""

TESTED = 5
"""Members, and outsiders, whom the likelihood ratio test looks at in each run."""


@dataclass(frozen=True)
class Pool:
    """Figure 2: weights `q - w`, cut off at `limit`; one further person z is compared with."""

    limit: float
    threshold: Callable[[Values], float]

    def accuse(self, targets: Records, q: Values, w: Values, z: Records) -> Verdict:
        """Accuse whoever scores above the threshold."""
        v = np.clip(q - w, -self.limit, self.limit)
        return scores(targets, v, z) > self.threshold(v)

    def run(self, n: int, d: int, m: int, mechanism: Mechanism) -> Callable[[np.random.Generator], Verdicts]:
        """Return a run: draw everybody, publish, accuse."""

        def run(world: np.random.Generator) -> Verdicts:
            means = world.uniform(-1.0, 1.0, d)
            members, others = draw(means, n, world), draw(means, n, world)
            (z,) = draw(means, 1, world)
            w = _pool_means(means, m, world)
            q = mechanism(members, world)
            outside = self.accuse(draw(means, OUTSIDERS, world), q, w, z)
            unrelated = self.accuse(members, mechanism(others, world), w, z)
            return Verdicts(self.accuse(members, q, w, z), outside, unrelated)

        return run


def _pool_means(means: Values, m: int, rng: np.random.Generator) -> Values:
    """Draw the mean of m reference people, of whom the attack needs no more."""
    return np.asarray(2 * rng.binomial(m, (1 + means) / 2) / m - 1, np.float64)


def _norm(delta: float) -> Callable[[Values], float]:
    return lambda v: traceability.norm_threshold(float(np.linalg.norm(v)), delta)


# --- Proposition 26 --------------------------------------------------------------------------------


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
    from dalenius.theory.count_mechanisms import count_probabilities
    from dalenius.theory.priors import Atoms

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


def _at_full_size(settings: Settings, terms: PoolTerms, alpha: float, delta: float) -> tuple[Tally, ...]:
    """Count the runs that trace enough members at the statement's own d, sums drawn from their normal law."""
    n = settings.whole("n")
    mean, variance, shared = column_moments(n, terms.m, 2 * alpha)
    threshold = traceability.pool_threshold(terms.d, alpha, delta)
    common, own = math.sqrt(max(0.0, shared)), math.sqrt(variance - max(0.0, shared))

    def trial(world: np.random.Generator, attacker: np.random.Generator) -> Tally:
        spread = common * world.normal() + own * world.normal(size=n)
        accused = terms.d * mean + math.sqrt(terms.d) * spread > threshold
        return Tally(int(accused.sum() >= terms.traced), 1)

    return repeat(settings, "at full size", trial, (0.9, 1.0))


def run_pool(settings: Settings) -> Result:
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
    figure = Pool(2 * alpha, lambda v: traceability.pool_threshold(v.size, alpha, delta))
    printed = simulate(settings, "figure", figure.run(n, d, m, exact), (0.0, 0.45))
    sharper = simulate(settings, "norm", Pool(2 * alpha, _norm(delta)).run(n, d, m, exact), (0.45, 0.9))
    rows = [
        members_row(f"exact means, {d:,} columns, Figure 2", printed),
        members_row("the same, threshold from the norm of the weights", sharper),
    ]
    promised, terms = [sound], pool_terms(n, alpha, delta)
    facts = [
        "Nothing is promised about members at so few columns; the attack is sound all the same.",
        "One further reference person is compared with, the same for everybody in a run: accusations come "
        "in clumps.",
    ]
    if terms is None or not terms.accurate:
        facts.append(
            "Means of so few people are not that accurate, or not strong enough, for the statement at any d."
        )
    else:
        what = f"at least {terms.traced} accused with {terms.d:,} columns and {terms.m:,} references"
        enough = Promised(what, 1 - 2 * delta, "with enough accused", "at least", "on average")
        promised.insert(0, enough)
        rows.insert(
            0,
            Row(
                f"exact means, {terms.d:,} columns, normal sums",
                _at_full_size(settings, terms, alpha, delta),
                enough,
                "with enough accused",
            ),
        )
        facts.append(
            f"gamma is {terms.strength:.4g}. At the statement's own d nobody is written out: a score is a "
            f"sum of {terms.d:,} independent columns and drawn from the normal law with its exact mean, "
            "variance and covariance."
        )
    return Result(tuple(promised), (*rows, *control_rows(sharper, sound)), tuple(facts))


# --- the survey ------------------------------------------------------------------------------------


def run_interpolated(settings: Settings) -> Result:
    """Run Theorem 15 of the survey: weights `q - w`, a pool, and one person to compare with."""
    n, d, m, delta = settings.whole("n"), settings.whole("d"), settings.whole("m"), settings["delta"]
    refuse_above(
        "people x columns x runs",
        d * (2.0 * n + OUTSIDERS) * settings.runs,
        ENTRIES,
        "Use a smaller --n, --d or --runs.",
    )
    sound, attack = soundness(delta), Pool(math.inf, _norm(delta))
    plain = simulate(settings, "exact", attack.run(n, d, m, exact), (0.0, 0.5))
    sampled = simulate(settings, "half", attack.run(n, d, m, half), (0.5, 1.0))
    rows = (
        members_row("exact means", plain),
        members_row("means of one random half", sampled),
        *control_rows(plain, sound),
    )
    pool = effect_optimal(1, n, centring=m, comparing=1)
    many = columns_needed(pool, standard_threshold(delta), 0.8)
    single = columns_needed(effect_raw_exact(1, n), standard_threshold(delta), 0.8)
    facts = (
        "No constant is printed, and that of trace-26 is out of reach at these sizes; that somebody is "
        "traced is measured, not promised.",
        f"On exact means the best weights with this pool trace four in five members from about {many:,.0f} "
        f"columns, one reference person alone from about {single:,.0f}.",
    )
    return Result((sound,), rows, facts)


def _accused(targets: Records, q: Values, references: Values, n: int, delta: float) -> Verdict:
    """Test each target by the likelihood ratio; the tail is bounded, not approximated.

    `exp(K(s) - s T)` bounds the tail for every s; that of the normal law is close to the best.
    """
    facts = Facts(n=n, sigma=0.0)
    found = []
    for y in targets.astype(np.float64):
        place = pooled(y, q, references, "llr", facts)
        s = max(0.0, place.distance) / place.variance
        found.append(cumulants(place.law, place.v, s)[0] - s * place.t <= math.log(delta))
    return np.array(found, np.bool_)


def run_likelihood(settings: Settings) -> Result:
    """Run Theorem 10 of the survey: exact means and a pool as large as the data give everybody away."""
    n, m, delta = settings.whole("n"), settings.whole("m"), settings["delta"]
    threshold = standard_threshold(delta, "hoeffding")
    one = effect_optimal(1, n, centring=m, comparing=m)
    d = math.ceil(columns_needed(one, threshold, 1 - delta))
    refuse_above("columns x runs", d * settings.runs, 2e7, "Use a smaller --n or --runs.")
    sound, each = soundness(delta), everybody(delta)

    def run(world: np.random.Generator) -> Verdicts:
        means = world.uniform(-1.0, 1.0, d)
        members, others = draw(means, n, world), draw(means, n, world)
        up = world.binomial(m, (1 + means) / 2).astype(np.float64)
        references = np.stack([m - up, np.zeros(d), up])
        q = exact(members, world)
        few = members[:TESTED]
        return Verdicts(
            _accused(few, q, references, n, delta),
            _accused(draw(means, TESTED, world), q, references, n, delta),
            _accused(few, exact(others, world), references, n, delta),
        )

    runs = simulate(settings, "exact", run, (0.0, 1.0))
    rows = (members_row("exact means, likelihood ratio", runs, each), *control_rows(runs, sound))
    known = math.ceil(columns_needed(effect_optimal(1, n), threshold, 1 - delta))
    facts = (
        f"{d:,} columns, means uniform in [-1, 1]; with the population's means known it would take "
        f"{known:,}.",
        "False alarms are bounded by proof; that members are accused rests on the normal law of a sum of "
        "columns.",
    )
    return Result((each, sound), rows, facts)


_PEOPLE = Parameter("n", "number of people", 200, 2, 2000, "Ask about fewer people.", whole=True)
_D = Parameter("d", "number of columns", 4000, 1, 10**6, whole=True)

EXPERIMENTS = (
    Experiment(
        "trace-26",
        (
            _PEOPLE,
            _D,
            Parameter("m", "number of reference people", 189, 1, 10**6, whole=True),
            Parameter("alpha", "error that an answer rarely passes, in units of -1/+1", 0.33, 0.01, 1.0),
            DELTA,
        ),
        run_pool,
        runs=20,
        errata=(
            "Printed in Figure 2 and Theorem 17: answers in {-1, +1}. In [-1, 1] is meant.",
            "Printed: 2 ln(24 n/gamma)/alpha^2 references, from a bound on one side of an event that has "
            "two. It takes 48 in place of 24, and a law that is (alpha + 2 beta, gamma)-strong.",
            "Printed in Theorem 17: probability 1 - delta. The proof gives 1 - 2 delta.",
            "Printed: d > O(...). The constant is 1152, and d >= 64 (n + sqrt(ln(1/delta))) is needed, too.",
        ),
    ),
    Experiment(
        "exposed-10",
        (
            Parameter("n", "number of people", 40, 2, 2000, "Ask about fewer people.", whole=True),
            Parameter("m", "number of reference people", 1, 1, 10**6, whole=True, per_person=True),
            DELTA,
        ),
        run_likelihood,
        runs=40,
        errata=(
            "Printed: d = O(n log(1/delta)). From the normal law (t + z)^2 n (1 + n/m)(1 + 1/m), z the "
            "normal quantile of delta and t = sqrt(2 ln(1/delta)).",
            "Printed: given IN, a record is about a draw with the published means. Given the exact means "
            "alone it is exactly that.",
            "Printed later: all attacks need only the reference's mean. The same mean must not both centre "
            "and compare; here the target is counted into it.",
        ),
    ),
    Experiment(
        "exposed-15",
        (
            Parameter("n", "number of people", 100, 2, 2000, "Ask about fewer people.", whole=True),
            _D,
            Parameter("m", "number of reference people", 100, 1, 10**6, whole=True),
            DELTA,
        ),
        run_interpolated,
        runs=20,
        errata=(
            "Printed: m = O(log(d)/alpha^2) references and no truncation. The proof is for weights cut off "
            "at 2 alpha and O(log(n)/alpha^2); without the cut the threshold must use the norm of the "
            "weights.",
            "Printed: the reference's mean is all that is needed. A person outside it must be compared "
            "with, or outsiders shift by sum(1 - p^2)/m.",
        ),
    ),
)
