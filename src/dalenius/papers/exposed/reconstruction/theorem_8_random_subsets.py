"""Theorem 8. Random subsets serve as well as chosen ones."""

from __future__ import annotations

from dalenius.papers.experiment import Result
from dalenius.papers.exposed.reconstruction.exhaustive_search import (
    SUBSETS,
    VOTE,
    most_confusable,
    pair_rows,
    promises,
    random_rows,
    random_world,
)
from dalenius.papers.settings import Settings
from dalenius.papers.simulated.people import RANDOM, baseline
from dalenius.papers.statement import Statement

STATEMENT = Statement(
    says=(
        "With high probability over the subsets the fraction of wrong bits vanishes when alpha is of "
        "smaller order than sqrt(log(m/n)/n). No explicit constant: for one matrix compute its partial "
        "discrepancy."
    ),
    assumptions=(
        "The m subsets are uniformly random, between 1.1 n and 2^n of them.",
        "Each count is off by at most alpha n; the errors may be chosen.",
        "The attacker's computing time is unlimited.",
    ),
    parameters=SUBSETS,
    runs=20,
    errata=("Printed: an order without a constant. We compute the promise for the subsets that were drawn.",),
)


def run(settings: Settings) -> Result:
    """Run Theorem 8: random subsets; no constant in print, so the promise is computed for this matrix."""
    from dalenius.theory.reconstruction.subset_counts import random_subsets_alpha_scale

    n, m, alpha = settings.whole("n"), settings.whole("m"), settings["alpha"]
    scale = random_subsets_alpha_scale(n, m)
    settings.progress(0.0, "integer programs")
    world = random_world(settings)
    within, x = most_confusable(world.matrix, world.error)
    each, vote = promises(within / n)
    rows = random_rows(settings, world, each, vote)
    if x is not None:
        rows += pair_rows(settings, world, x, each, vote)
    facts = (
        f"{m:,} random subsets are counted, each count off by at most {alpha * n:g}.",
        f"alpha is {alpha / scale:.2g} times sqrt(ln(m/n)/n) = {scale:.3g}, where recovery stops.",
        f"For these subsets (integer programming): every consistent secret is within {within} of {n} people.",
        VOTE,
    )
    return Result((each, vote), (*rows, baseline(settings, RANDOM, n)), facts)
