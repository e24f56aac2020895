"""Theorem 3.4. What epsilon is worth to people whose bits go together, at worst."""

from __future__ import annotations

import numpy as np

from dalenius.errors import SolveError
from dalenius.findings.tally import Tally
from dalenius.inference.attack.beliefs.beliefs import RandomisedResponse, after_answers
from dalenius.inference.attack.beliefs.totals import totals
from dalenius.inference.attack.nu import inferential_privacy
from dalenius.inference.attack.worst_mechanism import worst_case as by_program
from dalenius.knowledge.correlation.joint import from_model
from dalenius.knowledge.correlation.model import CorrelationModel, Floats
from dalenius.papers.experiment import Computed, Result, SimulatedRow
from dalenius.papers.inferential_privacy.related_people import (
    AGREEMENT,
    ATTAINED,
    TOO_FAR,
    alike,
    all_the_way,
    at_once,
    family,
    too_far,
    worst_case,
)
from dalenius.papers.settings import Parameter, Settings
from dalenius.papers.simulated.people import refuse_above
from dalenius.papers.statement import Statement
from dalenius.random import stream
from dalenius.theory.inference import coupling_of, nu_of_clique, nu_of_pair

IN_PROGRAM = 8
"""The most people that the linear program takes in a second or two."""

ALL_RELATED = 4
"""People of a family in which everybody is related to everybody."""

STATEMENT = Statement(
    says=(
        "No output moves anybody's log-odds by more than nu: what the same prior says when every person's "
        "own log-odds are moved by their epsilon, all the same way. Some mechanism moves them that far: an "
        "event of probability proportional to exp(-sum eps_i |x_i - z|), such as the same answer from "
        "everybody in randomised response."
    ),
    assumptions=(
        "Everybody has one bit; the attacker's prior is positively affiliated, such as a tree of "
        "relatives who rather agree.",
        "The release is differentially private, with an epsilon for each person.",
    ),
    parameters=(
        Parameter("n", "number of people", 7, 2, 2000, "Ask about fewer people.", whole=True),
        AGREEMENT,
        Parameter("epsilon", "mean privacy of a person", 0.5, 1e-6, 20.0),
    ),
    runs=50,
    errata=(
        "Printed: that a maximally biased mechanism exists is shown for equal epsilons. Randomised "
        "response is one for any: all answers equal z with probability prod e^(-eps_i |x_i - z|)/(1 + "
        "e^(-eps_i)).",
        "Printed in Remark 3.7: fields of plus and minus epsilon. Half of it, as Equation 19 has it.",
    ),
)


def run(settings: Settings) -> Result:
    """Run Theorem 3.4: nobody moves further than nu, and one answer from everybody moves them that far."""
    n, mean = settings.whole("n"), settings["epsilon"]
    refuse_above("people x runs", float(n) * settings.runs, 2e6, "Use a smaller --n or --runs.")

    def drawn(world: np.random.Generator) -> tuple[CorrelationModel, Floats, Floats]:
        model, epsilon = family(settings, world), world.uniform(0, 2 * mean, n)
        return model, epsilon, worst_case(model, epsilon)

    def one_run(world: np.random.Generator) -> tuple[Tally, ...]:
        model, epsilon, nu = drawn(world)
        bits = totals(model, np.zeros(n, np.bool_)).draw(1, rng=world)[0]
        answers = RandomisedResponse(epsilon).publish(bits, rng=world)
        shift = after_answers(model, answers, epsilon).shift
        same = [np.abs(after_answers(model, np.full(n, z), epsilon).shift) for z in (0.0, 1.0)]
        return too_far(shift, nu), all_the_way(np.maximum(*same), nu), too_far(shift, epsilon)

    beyond, alike, further = at_once(settings, "answers", one_run, (0.0, 0.9))
    rows = (
        SimulatedRow("randomised response: beyond nu", beyond, TOO_FAR, "moved too far"),
        SimulatedRow("everybody's answer the same: to nu", alike, ATTAINED, "moved all the way"),
        SimulatedRow("randomised response: beyond their own epsilon", further, None, "moved too far"),
    )
    model, epsilon, nu = drawn(stream(settings.seed, settings.id, "answers", 0, "world"))
    worst = int((nu / epsilon).argmax())
    computed = (
        Computed("nu of one person, at least their epsilon", nu[worst], epsilon[worst], "at least"),
        Computed("the same, at most the sum of all epsilons", nu[worst], float(epsilon.sum()), "at most"),
        *_closed_forms(settings["agreement"], mean),
    )
    facts = (
        f"Every run draws a tree of {n:,} people, a prior about each, and an epsilon for each between 0 and "
        f"{2 * mean:g}; linked people alone would agree with probability {settings['agreement']:g}.",
        "Computed for the person of the first run whose nu is the largest multiple of their epsilon.",
    )
    gap, said = _by_program(model, epsilon, nu)
    return Result((TOO_FAR, ATTAINED), rows, (*facts, *said), (*computed, *gap))


def _by_program(
    model: CorrelationModel, epsilon: Floats, nu: Floats
) -> tuple[tuple[Computed, ...], tuple[str, ...]]:
    """Look for a worse mechanism, if there are few enough people."""
    if nu.size > IN_PROGRAM:
        return (), (f"With --n up to {IN_PROGRAM} a linear program looks for a worse mechanism.",)
    try:
        gap = float(np.abs(by_program(from_model(model), epsilon).nu - nu).max())
    except SolveError as error:
        return (), (f"No linear program: {error}",)
    return (Computed("gap to the worst mechanism, by linear program", gap, 0.0, "equal", 1e-6),), ()


def _closed_forms(agreement: float, epsilon: float) -> tuple[Computed, Computed]:
    """Hold the solvers against the two smallest families, which have closed forms."""
    J = coupling_of(agreement)
    pair, group = (float(inferential_privacy(alike(people, J), epsilon).nu[0]) for people in (2, ALL_RELATED))
    return (
        Computed(f"one of two, both with epsilon {epsilon:g}", pair, nu_of_pair(agreement, epsilon, epsilon)),
        Computed(
            f"one of {ALL_RELATED} who are all related", group, nu_of_clique(ALL_RELATED, J, 0.0, epsilon)
        ),
    )
