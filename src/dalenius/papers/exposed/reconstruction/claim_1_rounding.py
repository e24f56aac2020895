"""Claim 1. Rounding a close estimate gives few wrong bits."""

from __future__ import annotations

import math

import numpy as np

from dalenius.findings.tally import Tally
from dalenius.papers.experiment import PromisedShare, Result, SimulatedRow
from dalenius.papers.exposed.reconstruction.theorem_7_hadamard import PEOPLE_AND_RUNS, N
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

STATEMENT = Statement(
    says="At most 4 times the squared Euclidean distance between estimate and secret bits are wrong.",
    assumptions=("The secret is a vector of bits.", "The estimate is rounded at 1/2."),
    parameters=(N, Parameter("tau", "distance of estimate and secret, in root mean square", 0.25, 0.0, 10.0)),
    runs=20,
    errata=("None: the claim stands as printed, and is tight.",),
)


def _rounding_trial(roster: Roster, constructed: bool, tau: float) -> Trial:
    queries = HadamardQueries(roster.ids)
    n = len(roster)

    def trial(world: np.random.Generator, attacker: np.random.Generator) -> Tally:
        secret = coins(n, world)
        if constructed:
            # a wrong bit costs at least a quarter of the squared distance: spend exactly that on each
            caught = min(n, math.floor(4 * tau**2 * n / (1 + adversarial_errors.MARGIN) ** 2))
            push = np.where(np.arange(n) < caught, 0.5 * (1 + adversarial_errors.MARGIN), 0.0)
        else:
            push = world.normal(size=n)
            push *= tau * math.sqrt(n) / np.linalg.norm(push)
        estimate = secret + np.where(secret == 0, 1, -1) * push
        answers = queries.operator(roster).apply(estimate)
        return wrong(
            attack(view_of(roster, queries, answers, UNANNOUNCED), "hadamard", attacker), roster, secret
        )

    return trial


def run(settings: Settings) -> Result:
    """Run Claim 1: an estimate at distance tau sqrt(n) from the secrets, rounded."""
    from dalenius.theory.reconstruction.rounding import rounding_wrong_bound, rounding_wrong_bound_l1

    n, tau = settings.whole("n"), settings["tau"]
    refuse_above("people x runs", n * settings.runs, PEOPLE_AND_RUNS, "Use a smaller --n or --runs.")
    promise = PromisedShare("the rounded estimate", min(1.0, rounding_wrong_bound(tau**2 * n) / n))
    roster = people(n)
    random = repeat(settings, RANDOM, _rounding_trial(roster, False, tau), (0.0, 0.9))
    chosen = once(settings, CONSTRUCTED, _rounding_trial(roster, True, tau))
    rows = (
        SimulatedRow("random directions", random, promise),
        SimulatedRow("constructed: one half each, the rest exact", chosen, promise, drawn=False),
        baseline(settings, RANDOM, n),
    )
    total = sum(tally.hits for tally in chosen) / 2
    facts = (
        f"Every estimate is {tau:g} away from the secrets in root mean square.",
        "The estimate reaches the attack through exact answers to Hadamard queries about it.",
        f"The constructed estimate is off by {total:g} in all. A wrong bit costs one half of that sum, which "
        f"so allows {rounding_wrong_bound_l1(total):g} of them.",
    )
    return Result((promise,), rows, facts)
