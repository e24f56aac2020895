"""Theorem 7. A linear number of chosen counts, recovered by a fast transform."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from dalenius.findings.tally import Tally
from dalenius.papers.experiment import PromisedShare, Result, SimulatedRow
from dalenius.papers.settings import Parameter, Settings
from dalenius.papers.simulated import adversarial_errors
from dalenius.papers.simulated.people import (
    CONSTRUCTED,
    RANDOM,
    UNANNOUNCED,
    Trial,
    attack,
    baseline,
    coins,
    once,
    people,
    refuse_above,
    repeat,
    view_of,
    wrong,
)
from dalenius.papers.statement import Statement
from dalenius.people.schema import Roster
from dalenius.statistics.counts.subsets import HadamardQueries

PEOPLE_AND_RUNS = 1 << 24
"""About a minute: each run sorts and transforms everybody once."""

N = Parameter("n", "number of people", 4096, 1, 1 << 22, "Ask about fewer people.", whole=True)

STATEMENT = Statement(
    says=(
        "With 2N - 1 counts, N the power of two from n upward, at most a fraction 16 alpha^2 n of the "
        "bits is wrong, in N log N steps. Asking only the plus counts: 36 alpha^2 n. Asking with "
        "coefficients -1 and +1: 4 alpha^2 n. Padding to N costs queries, not accuracy."
    ),
    assumptions=(
        "The attacker chooses the subsets: plus and minus people of each Hadamard row.",
        "Each count is off by at most alpha n; the errors may be chosen.",
    ),
    parameters=(N, Parameter("alpha", "largest error of an answer, as a fraction of n", 0.001, 0.0, 1.0)),
    runs=20,
    errata=(
        "Printed: 2n queries. It takes 2N - 1 with N the power of two from n upward; 2n - 1 if n is one.",
        "Printed: the constant 16 covers padding to a power of two. Padding costs queries, not accuracy; "
        "the factor 4 between 4 and 16 comes from asking plus and minus people apart.",
        "Printed in the proof: at most 4 alpha^2 n wrong bits. The fraction is bounded by this.",
        "Printed after the theorem: a constant number of unbounded errors. A constant fraction is meant.",
    ),
)


def _trial(roster: Roster, constructed: bool, error: float) -> Trial:
    queries = HadamardQueries(roster.ids)
    matrix = queries.operator(roster)
    n = len(roster)

    def trial(world: np.random.Generator, attacker: np.random.Generator) -> Tally:
        secret = coins(n, world)
        if constructed:
            found = adversarial_errors.hadamard(n, error, secret)
            errors, secret = found.errors, found.secret
        else:
            errors = error * world.choice([-1.0, 1.0], matrix.shape[0])
        answers = matrix.apply(secret.astype(np.float64)) + errors
        return wrong(
            attack(view_of(roster, queries, answers, UNANNOUNCED), "hadamard", attacker), roster, secret
        )

    return trial


def run(settings: Settings) -> Result:
    """Run Theorem 7: chosen counts, each off by at most alpha n."""
    from dalenius.theory.reconstruction.subset_counts import (
        hadamard_error_bound,
        hadamard_query_count,
    )

    n, alpha = settings.whole("n"), settings["alpha"]
    refuse_above("people x runs", n * settings.runs, PEOPLE_AND_RUNS, "Use a smaller --n or --runs.")
    promise = PromisedShare("the rounded transform", hadamard_error_bound(n, alpha))
    roster = people(n)
    random = repeat(settings, RANDOM, _trial(roster, False, alpha * n), (0.0, 0.9))
    chosen = once(settings, CONSTRUCTED, _trial(roster, True, alpha * n))
    rows = (
        SimulatedRow("random errors of +-alpha n", random, promise),
        SimulatedRow("constructed errors: flat spectrum", chosen, promise, drawn=False),
        baseline(settings, RANDOM, n),
    )
    facts = (
        f"{hadamard_query_count(n):,} counts are published, each off by at most {alpha * n:g}.",
        "The constructed errors move blocks of 4^t people by one half each, along sequences whose "
        f"transform is flat: near the bound where 4 alpha n, here {4 * alpha * n:g}, is just above a power "
        "of two, about a third of it just below.",
        *_further(n, alpha),
    )
    return Result((promise,), rows, facts)


def _further(n: int, alpha: float) -> Iterator[str]:
    """Say how large alpha may be for blatant non-privacy, and what independent errors should do."""
    from dalenius.theory.reconstruction.rounding import blatantly_nonprivate
    from dalenius.theory.reconstruction.subset_counts import (
        hadamard_accuracy,
        hadamard_blatant_alpha,
        hadamard_error_bound,
    )

    shown = "" if blatantly_nonprivate(hadamard_error_bound(n, alpha)) else "not "
    yield (
        f"Blatant non-privacy, at most a tenth wrong (Definition 3), is {shown}shown: it is up to alpha = "
        f"{hadamard_blatant_alpha(n):.4g}."
    )
    if alpha > 0:
        # a signed answer is the difference of two counts
        share = 1 - hadamard_accuracy(n, math.sqrt(2) * alpha)
        yield f"Independent errors this large should leave a share of {share:.2g} wrong (normal law)."
