"""Theorem 10. Exact means and a pool of reference people give everybody away."""

from __future__ import annotations

import math

import numpy as np

from dalenius.papers.experiment import Result
from dalenius.papers.settings import Parameter, Settings
from dalenius.papers.simulated.crowd import (
    DELTA,
    Records,
    Values,
    Verdict,
    Verdicts,
    control_rows,
    draw,
    everybody,
    exact,
    members_row,
    simulate,
    soundness,
)
from dalenius.papers.simulated.people import refuse_above
from dalenius.papers.statement import Statement
from dalenius.theory.tracing.power import (
    columns_needed,
    effect_of_relative,
    effect_optimal,
    power,
    standard_threshold,
)
from dalenius.tracing.attack.calibrations.pooled import pooled
from dalenius.tracing.attack.tails.tails import cumulants
from dalenius.tracing.attack.weights import Facts

TESTED = 5
"""Members, and outsiders, whom the likelihood ratio test looks at in each run."""

STATEMENT = Statement(
    says=(
        "The likelihood ratio test accuses an outsider with probability at most delta, and a member with "
        "probability at least 1 - delta once d is about (t + z)^2 n (1 + n/m): of the order of n "
        "log(1/delta) with as many references as people."
    ),
    assumptions=(
        "The exact means of d independent attributes of n people are published.",
        "The attacker holds the target's record and m records of the same population.",
    ),
    parameters=(
        Parameter("n", "number of people", 40, 2, 2000, "Ask about fewer people.", whole=True),
        Parameter("m", "number of reference people", 1, 1, 10**6, whole=True, per_person=True),
        DELTA,
    ),
    runs=40,
    errata=(
        "Printed: d = O(n log(1/delta)). From the normal law (t + z)^2 n (1 + n/m)(1 + 1/m), z the "
        "normal quantile of delta and t = sqrt(2 ln(1/delta)).",
        "Printed: given IN, a record is about a draw with the published means. Given the exact means "
        "alone it is exactly that.",
        "Printed later: all attacks need only the reference's mean. The same mean must not both centre "
        "and compare; here the target is counted into it.",
    ),
)


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


def run(settings: Settings) -> Result:
    """Run Theorem 10 of the survey: exact means and a pool as large as the data give everybody away."""
    n, m, delta = settings.whole("n"), settings.whole("m"), settings["delta"]
    threshold = standard_threshold(delta, "hoeffding")
    one = effect_optimal(1, n, centring=m, comparing=m)
    d = math.ceil(columns_needed(one, threshold, 1 - delta))
    refuse_above("columns x runs", d * settings.runs, 2e7, "Use a smaller --n or --runs.")
    sound, each = soundness(delta), everybody(delta)

    def one_run(world: np.random.Generator) -> Verdicts:
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

    runs = simulate(settings, "exact", one_run, (0.0, 1.0))
    rows = (members_row("exact means, likelihood ratio", runs, each), *control_rows(runs, sound))
    relative = effect_of_relative(one * math.sqrt(d), 0.5)
    known = math.ceil(columns_needed(effect_optimal(1, n), threshold, 1 - delta))
    facts = (
        f"{d:,} columns, means uniform in [-1, 1]; with the population's means known it would take "
        f"{known:,}.",
        "False alarms are bounded by proof; that members are accused rests on the normal law of a sum of "
        "columns.",
        "An accusation says that somebody is not independent of the data: a parent or child of a member "
        f"would be accused with probability {power(relative, threshold).item():.3g}.",
    )
    return Result((each, sound), rows, facts)
