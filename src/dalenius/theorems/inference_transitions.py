"""Ghosh and Kleinberg (2016), Theorem A.2: a little more agreement, or epsilon, and nu jumps."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from dalenius.attacks.inference.beliefs import RandomisedResponse
from dalenius.attacks.inference.beliefs_solver import solver
from dalenius.knowledge.correlation.model import CorrelationModel, Floats
from dalenius.referee.score import Tally
from dalenius.report.inference_theorem_pictures import jump, transition
from dalenius.theorems.experiment import Computed, Experiment, Promised, Result, Row
from dalenius.theorems.inference_networks import (
    TOO_FAR,
    at_once,
    complete_tree,
    draw_complete_tree,
    people_of,
    random_tree,
    refuse_large,
    too_far,
    tree,
    worst_case,
)
from dalenius.theorems.settings import Parameter, Settings
from dalenius.theorems.simulate import refuse_above
from dalenius.theory import inference as theory


def run_agreement(settings: Settings) -> Result:
    """Run Theorem A.2(a): above a critical agreement no epsilon makes nu small in all trees of a degree."""
    n, degree, epsilon = settings.whole("n"), settings.whole("degree"), settings["epsilon"]
    refuse_above("people^2 x runs", float(n) ** 2 * settings.runs, 2e9, "Use a smaller --n or --runs.")
    both = sorted((settings["weak"], settings["coupling"]))
    limit = {J: theory.nu_of_bounded_degree(degree, J, epsilon) for J in both}
    promise = Promised("anybody in such a tree, beyond the nu of Corollary A.6", 0.0, "moved too far")

    def run(world: np.random.Generator) -> tuple[Tally, ...]:
        parents = random_tree(n, world, degree)
        worst = {J: worst_case(tree(parents, J, 0.0), np.full(n, epsilon)) for J in both}
        return tuple(too_far(worst[J], np.full(n, limit[J])) for J in both)

    counted = at_once(settings, "trees", run, (0.0, 0.9))
    rows = tuple(
        Row(f"worst mechanism on random trees, J = {J:.4g}", tallies, promise, "moved too far")
        for J, tallies in zip(both, counted, strict=True)
    )
    critical, floor = math.atanh(1 / (degree - 1)), theory.least_enforceable_nu(degree, both[1])
    facts = (
        f"d = {degree - 1}: below J = {critical:.6g}, agreement {(1 + math.tanh(critical)) / 2:.4f}, nu "
        "falls with epsilon; above, distant relatives add up faster than agreement is lost on the way.",
        f"At J = {both[1]:.4g} no epsilon keeps everybody in all trees of degree {degree} below {floor:.6g}."
        if floor
        else f"At J = {both[1]:.4g} every nu can be had.",
        "The limits are approached by people deep inside large trees, never attained.",
    )
    picture = {"infer-A2a.svg": lambda: transition(degree, *both)}
    return Result((promise,), rows, facts, _agreement_numbers(degree, epsilon, limit), picture)


def _agreement_numbers(degree: int, epsilon: float, limit: dict[float, float]) -> tuple[Computed, ...]:
    """What all trees promise beside one large tree, and the two sides of the critical strength."""
    critical, depth = math.atanh(1 / (degree - 1)), _depth(degree)
    people = np.full(people_of(degree - 1, depth), epsilon)
    computed = [Computed("the critical J, atanh(1/d)", critical)]
    for J, most in limit.items():
        inside = float(worst_case(complete_tree(degree - 1, depth, J), people).max())
        computed += [
            Computed(f"nu of all such trees, J = {J:.4g}", most, epsilon, "at least"),
            Computed(f"a person inside a tree of {people.size:,}, J = {J:.4g}", inside, most, "at most"),
        ]
        if critical > J:
            slope = theory.slope_limit(degree, J)
            computed.append(Computed(f"nu/epsilon, J = {J:.4g}", most / epsilon, slope, "at most"))
        if critical < J:
            floor = theory.least_enforceable_nu(degree, J)
            tiny = theory.nu_of_bounded_degree(degree, J, 1e-9)
            computed.append(Computed(f"nu at epsilon 1e-9, J = {J:.4g}", tiny, floor, "at least"))
    return tuple(computed)


def _depth(degree: int) -> int:
    """How deep a complete tree of this degree with up to 200,000 people is."""
    depth = 1
    while people_of(degree - 1, depth + 1) <= LARGE:
        depth += 1
    return depth


def run_epsilon(settings: Settings) -> Result:
    """Run Theorem A.2(b): epsilon 0.19 or 0.2, and nu is 0.2 or 20."""
    children, depth, J, field, both = _tree_and_epsilons(settings)
    n = people_of(children, depth)
    refuse_large(children, depth, settings.runs, 2e7)
    model = complete_tree(children, depth, J, field)
    nu = [worst_case(model, np.full(n, epsilon)) for epsilon in both]
    root = [theory.nu_of_root(children, depth, J, epsilon, field) for epsilon in both]
    computed = [
        Computed(f"nu of the root at epsilon {epsilon:g}, all {n:,} people", float(exact[0]), closed)
        for epsilon, exact, closed in zip(both, nu, root, strict=True)
    ]
    if dict(settings.values) == _PAPERS:
        computed.append(Computed("nu at epsilon 0.19: 0.2 in the paper", float(nu[0][0]), 0.2, "at most"))
        computed.append(Computed("nu at epsilon 0.2: 20 in the paper", float(nu[1][0]), 20.0, "at least"))
    counted = at_once(settings, "answers", _answers(model, settings, nu), (0.2, 1.0))
    rows = tuple(
        Row(f"randomised response, epsilon {epsilon:g}: beyond nu", tallies, TOO_FAR, "moved too far")
        for epsilon, tallies in zip(both, counted, strict=True)
    )
    before = theory.tree_log_odds(children, depth, J, field)
    facts = (
        f"The prior is lopsided: a field of {field:g} on everybody makes the log-odds of the root "
        f"{before:.4g}. An epsilon above {2 * abs(field):g} outweighs everybody's field at once.",
        f"nu/epsilon is {root[0] / both[0]:.4g} at {both[0]:g} and {root[1] / both[1]:.4g} at {both[1]:g}: "
        f"epsilon is {both[1] / both[0]:.4g} times, nu {root[1] / root[0]:.4g} times as large.",
    )
    picture = {"infer-A2b.svg": lambda: jump(children, depth, J, field, both)}
    return Result((TOO_FAR,), rows, facts, tuple(computed), picture)


def _tree_and_epsilons(settings: Settings) -> tuple[int, int, float, float, tuple[float, float]]:
    both = (settings["epsilon"], settings["epsilon"] + settings["step"])
    return settings.whole("d"), settings.whole("depth"), settings["coupling"], settings["field"], both


def _answers(
    model: CorrelationModel, settings: Settings, nu: list[Floats]
) -> Callable[[np.random.Generator], tuple[Tally, ...]]:
    """Publish everybody's answer with either epsilon, and count whose log-odds move too far."""
    children, depth, J, field, both = _tree_and_epsilons(settings)
    solve = solver(model)
    before = solve(model.field)

    def run(world: np.random.Generator) -> tuple[Tally, ...]:
        bits = draw_complete_tree(children, depth, J, field, world)
        tallies = []
        for epsilon, most in zip(both, nu, strict=True):
            response = RandomisedResponse(np.full(bits.size, epsilon))
            after = response.read(model, solve)(response.publish(bits, rng=world))
            tallies.append(too_far(after - before, most))
        return tuple(tallies)

    return run


LARGE = 200_000
"""People of a tree in which somebody comes close to the limit of all trees."""

_A2B = (
    Parameter("d", "number of children of everybody", 3, 1, 1000, whole=True),
    Parameter("depth", "number of generations below the root", 12, 1, 3000, whole=True),
    Parameter("coupling", "strength J of an edge", 1.7, 1e-6, 100.0),
    Parameter("field", "half the log-odds of 0 of everybody alone", 0.0975, -100.0, 100.0),
    Parameter("epsilon", "privacy of everybody, the smaller", 0.19, 1e-9, 20.0),
    Parameter("step", "how much more the larger is", 0.01, 1e-9, 20.0),
)

_PAPERS = {parameter.name: parameter.default for parameter in _A2B}

EXPERIMENTS = (
    Experiment(
        "infer-A2a",
        (
            Parameter(
                "n", "number of people of a random tree", 1000, 2, 5000, "Ask about fewer people.", whole=True
            ),
            Parameter("degree", "most relatives of anybody", 3, 3, 1000, whole=True),
            Parameter("weak", "strength J of an edge, the weaker", 0.5, 1e-3, 20.0),
            Parameter("coupling", "strength J of an edge, the stronger", 0.6, 1e-3, 20.0),
            Parameter("epsilon", "privacy of everybody", 0.01, 1e-9, 20.0),
        ),
        run_agreement,
        runs=20,
        errata=(
            "Printed in Definition A.1: nu is enforceable if nu <= nu(eps, D). The other way round.",
            "Printed: nu = Theta(eps/delta) for delta < eps << 1. For eps << delta^(3/2): near the critical "
            "J nu goes with eps^(1/3).",
            "Printed in A.2.1: the square lattice is critical at ln(1 + sqrt 2). At half of it, 0.4407, in "
            "these units.",
        ),
    ),
    Experiment(
        "infer-A2b",
        _A2B,
        run_epsilon,
        runs=3,
        errata=(
            "Printed: for all J large enough. Here are numbers: 797,161 people, J = 1.7, found by search; "
            "the smallest complete tree found has 4,095 (d = 2, depth 11, J = 2.75, field 0.0984).",
        ),
    ),
)
