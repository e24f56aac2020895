"""Theorem 15. More accuracy and more reference people: fewer attributes."""

from __future__ import annotations

import math

from dalenius.papers.experiment import Result
from dalenius.papers.settings import Parameter, Settings
from dalenius.papers.simulated.crowd import (
    DELTA,
    ENTRIES,
    OUTSIDERS,
    control_rows,
    exact,
    half,
    members_row,
    simulate,
    soundness,
)
from dalenius.papers.simulated.people import refuse_above
from dalenius.papers.simulated.reference_pool import COLUMNS, ReferencePool, norm_threshold
from dalenius.papers.statement import Statement
from dalenius.theory.tracing.power import columns_needed, effect_optimal, effect_raw_exact, standard_threshold

STATEMENT = Statement(
    says=(
        "The weights q - w, w the mean of the pool, trace somebody with d of the order of alpha^2 n^2 "
        "log(1/delta); an outsider is accused with probability at most delta at the threshold 2 ||q - w|| "
        "sqrt(ln(1/delta)). Constants: trace-26."
    ),
    assumptions=(
        "The population's means are drawn from a strong law; answers are off by at most alpha.",
        "The attacker holds the target's record, a pool of about log(n)/alpha^2 reference records and "
        "one more.",
    ),
    parameters=(
        Parameter("n", "number of people", 100, 2, 2000, "Ask about fewer people.", whole=True),
        COLUMNS,
        Parameter("m", "number of reference people", 100, 1, 10**6, whole=True),
        DELTA,
    ),
    runs=20,
    errata=(
        "Printed: m = O(log(d)/alpha^2) references and no truncation. The proof is for weights cut off "
        "at 2 alpha and O(log(n)/alpha^2); without the cut the threshold must use the norm of the "
        "weights.",
        "Printed: the reference's mean is all that is needed. A person outside it must be compared "
        "with, or outsiders shift by sum(1 - p^2)/m.",
    ),
)


def run(settings: Settings) -> Result:
    """Run Theorem 15 of the survey: weights `q - w`, a pool, and one person to compare with."""
    n, d, m, delta = settings.whole("n"), settings.whole("d"), settings.whole("m"), settings["delta"]
    refuse_above(
        "people x columns x runs",
        d * (2.0 * n + OUTSIDERS) * settings.runs,
        ENTRIES,
        "Use a smaller --n, --d or --runs.",
    )
    sound, attack = soundness(delta), ReferencePool(math.inf, norm_threshold(delta))
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
