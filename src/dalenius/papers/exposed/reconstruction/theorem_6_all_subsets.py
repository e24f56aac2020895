"""Theorem 6. All subset counts, roughly right, give everybody away."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from dalenius.papers.experiment import Result
from dalenius.papers.exposed.reconstruction.exhaustive_search import (
    ALPHA,
    LARGER,
    VOTE,
    pair_rows,
    promises,
    random_rows,
    world_of,
)
from dalenius.papers.settings import Parameter, Settings
from dalenius.papers.simulated.people import RANDOM, baseline, refuse_above
from dalenius.papers.statement import Statement

STATEMENT = Statement(
    says=(
        "Every secret consistent with the release is wrong about at most 4 alpha n people; at most a "
        "tenth when alpha is 1/40 or less. Finding one may take 2^n steps."
    ),
    assumptions=(
        "The count of every subset of people is published.",
        "Each is off by at most alpha n; the errors may be chosen.",
    ),
    parameters=(
        Parameter("n", "number of people", 8, 2, 14, LARGER, whole=True),
        replace(ALPHA, default=0.07),
    ),
    runs=20,
    errata=(
        "Printed in the proof: the query for everybody with bit 1 limits the mistakes at bit 0. It "
        "limits those at bit 1; the sum, and the theorem, stand.",
    ),
)


def run(settings: Settings) -> Result:
    """Run Theorem 6: every subset count, each off by at most alpha n."""
    from dalenius.theory.reconstruction.rounding import blatantly_nonprivate
    from dalenius.theory.reconstruction.subset_counts import (
        all_subsets_blatant_alpha,
        all_subsets_error_bound,
    )

    n, alpha = settings.whole("n"), settings["alpha"]
    refuse_above("4^n x runs", 4.0**n * settings.runs, 4.0**12 * 100, "Use a smaller --n or --runs.")
    subsets = (np.arange(1, 1 << n)[:, None] >> np.arange(n)[::-1]) & 1
    world = world_of(subsets.astype(np.bool_), alpha * n)
    each, vote = promises(all_subsets_error_bound(alpha))
    # among x with as many +1 as -1 the largest answer is half the people: nothing is farther apart
    side = min(n // 2, math.floor(2 * alpha * n + 1e-9))
    x = np.zeros(n, np.int8)
    x[:side], x[side : 2 * side] = 1, -1
    rows = (
        *random_rows(settings, world, each, vote),
        *pair_rows(settings, world, x, each, vote),
        baseline(settings, RANDOM, n),
    )
    facts = (
        f"{(1 << n) - 1:,} counts are published, each off by at most {alpha * n:g}.",
        VOTE,
        f"Blatant non-privacy, at most a tenth wrong (Definition 3), is "
        f"{'' if blatantly_nonprivate(each.value) else 'not '}shown: it is up to alpha = "
        f"{all_subsets_blatant_alpha():g}.",
    )
    return Result((each, vote), rows, facts)
