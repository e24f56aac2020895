"""Dwork, Smith, Steinke and Ullman (2017), Claim 1 and Theorem 7: rounding, and the Hadamard attack."""

from __future__ import annotations

import math

import numpy as np

from dalenius.records.roster import Roster
from dalenius.referee.score import Tally
from dalenius.statistics.subsets import HadamardQueries
from dalenius.theorems import hardest
from dalenius.theorems.experiment import Experiment, Promised, Result, Row
from dalenius.theorems.settings import Parameter, Settings
from dalenius.theorems.simulate import (
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

PEOPLE_AND_RUNS = 1 << 24
"""About a minute: each run sorts and transforms everybody once."""

RANDOM, CONSTRUCTED = "random errors", "constructed errors"


def _hadamard_trial(roster: Roster, constructed: bool, error: float) -> Trial:
    queries = HadamardQueries(roster.ids)
    matrix = queries.operator(roster)
    n = len(roster)

    def trial(world: np.random.Generator, attacker: np.random.Generator) -> Tally:
        secret = coins(n, world)
        if constructed:
            found = hardest.hadamard(n, error, secret)
            errors, secret = found.errors, found.secret
        else:
            errors = error * world.choice([-1.0, 1.0], matrix.shape[0])
        answers = matrix.apply(secret.astype(np.float64)) + errors
        return wrong(
            attack(view_of(roster, queries, answers, UNANNOUNCED), "hadamard", attacker), roster, secret
        )

    return trial


def run_hadamard(settings: Settings) -> Result:
    """Run Theorem 7: chosen counts, each off by at most alpha n."""
    from dalenius.theory.hadamard import hadamard_error_bound, hadamard_query_count

    n, alpha = settings.whole("n"), settings["alpha"]
    refuse_above("people x runs", n * settings.runs, PEOPLE_AND_RUNS, "Use a smaller --n or --runs.")
    promise = Promised("the rounded transform", hadamard_error_bound(n, alpha))
    roster = people(n)
    random = repeat(settings, RANDOM, _hadamard_trial(roster, False, alpha * n), (0.0, 0.9))
    chosen = once(settings, CONSTRUCTED, _hadamard_trial(roster, True, alpha * n))
    rows = (
        Row("random errors of +-alpha n", random, promise),
        Row("constructed errors: flat spectrum", chosen, promise, drawn=False),
        baseline(settings, RANDOM, n),
    )
    facts = (
        f"{hadamard_query_count(n):,} counts are published, each off by at most {alpha * n:g}.",
        "The constructed errors move blocks of 4^t people by one half each, along sequences whose "
        f"transform is flat: near the bound where 4 alpha n, here {4 * alpha * n:g}, is just above a power "
        "of two, about a third of it just below.",
    )
    return Result((promise,), rows, facts)


def _rounding_trial(roster: Roster, constructed: bool, tau: float) -> Trial:
    queries = HadamardQueries(roster.ids)
    n = len(roster)

    def trial(world: np.random.Generator, attacker: np.random.Generator) -> Tally:
        secret = coins(n, world)
        if constructed:
            # a wrong bit costs at least a quarter of the squared distance: spend exactly that on each
            caught = min(n, math.floor(4 * tau**2 * n / (1 + hardest.MARGIN) ** 2))
            push = np.where(np.arange(n) < caught, 0.5 * (1 + hardest.MARGIN), 0.0)
        else:
            push = world.normal(size=n)
            push *= tau * math.sqrt(n) / np.linalg.norm(push)
        estimate = secret + np.where(secret == 0, 1, -1) * push
        answers = queries.operator(roster).apply(estimate)
        return wrong(
            attack(view_of(roster, queries, answers, UNANNOUNCED), "hadamard", attacker), roster, secret
        )

    return trial


def run_rounding(settings: Settings) -> Result:
    """Run Claim 1: an estimate at distance tau sqrt(n) from the secrets, rounded."""
    from dalenius.theory.rounding import rounding_wrong_bound

    n, tau = settings.whole("n"), settings["tau"]
    refuse_above("people x runs", n * settings.runs, PEOPLE_AND_RUNS, "Use a smaller --n or --runs.")
    promise = Promised("the rounded estimate", min(1.0, rounding_wrong_bound(tau**2 * n) / n))
    roster = people(n)
    random = repeat(settings, RANDOM, _rounding_trial(roster, False, tau), (0.0, 0.9))
    chosen = once(settings, CONSTRUCTED, _rounding_trial(roster, True, tau))
    rows = (
        Row("random directions", random, promise),
        Row("constructed: one half each, the rest exact", chosen, promise, drawn=False),
        baseline(settings, RANDOM, n),
    )
    facts = (
        f"Every estimate is {tau:g} away from the secrets in root mean square.",
        "The estimate reaches the attack through exact answers to Hadamard queries about it.",
    )
    return Result((promise,), rows, facts)


_N = Parameter("n", "number of people", 4096, 1, 1 << 22, "Ask about fewer people.", whole=True)

EXPERIMENTS = (
    Experiment(
        "exposed-1",
        (_N, Parameter("tau", "distance of estimate and secret, in root mean square", 0.25, 0.0, 10.0)),
        run_rounding,
        runs=20,
        errata=("None: the claim stands as printed, and is tight.",),
    ),
    Experiment(
        "exposed-7",
        (_N, Parameter("alpha", "largest error of an answer, as a fraction of n", 0.001, 0.0, 1.0)),
        run_hadamard,
        runs=20,
        errata=(
            "Printed: 2n queries. It takes 2N - 1 with N the power of two from n upward; 2n - 1 if n is one.",
            "Printed: the constant 16 covers padding to a power of two. Padding costs queries, not accuracy; "
            "the factor 4 between 4 and 16 comes from asking plus and minus people apart.",
            "Printed in the proof: at most 4 alpha^2 n wrong bits. The fraction is bounded by this.",
            "Printed after the theorem: a constant number of unbounded errors. A constant fraction is meant.",
        ),
    ),
)
