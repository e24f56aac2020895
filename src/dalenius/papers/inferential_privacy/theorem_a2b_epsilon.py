"""Theorem A.2(b). Epsilon 0.19 or 0.2: nu 0.2 or 20."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dalenius.findings.tally import Tally
from dalenius.inference.attack.beliefs.beliefs import RandomisedResponse
from dalenius.inference.attack.beliefs.solver import solver
from dalenius.knowledge.correlation.model import CorrelationModel, Floats
from dalenius.papers.experiment import Computed, Result, SimulatedRow
from dalenius.papers.inferential_privacy.related_people import (
    TOO_FAR,
    at_once,
    children_in_words,
    complete_tree,
    draw_complete_tree,
    people_of,
    refuse_large,
    too_far,
    worst_case,
)
from dalenius.papers.settings import Parameter, Settings
from dalenius.papers.statement import Statement
from dalenius.report.picture import BLUE, GREY, RED, draw, plain_numbers
from dalenius.theory import inference as theory

STATEMENT = Statement(
    says=(
        "For any two epsilons and any 1 < r < R there are such trees with nu < r epsilon at the smaller and "
        "nu > R epsilon at the larger one."
    ),
    assumptions=(
        "A complete tree of relatives who agree strongly; the attacker's prior about everybody is "
        "tilted by a field h with 2 h between the two epsilons.",
    ),
    parameters=(
        Parameter("d", "number of children of everybody", 3, 1, 1000, whole=True),
        Parameter("depth", "number of generations below the root", 12, 1, 3000, whole=True),
        Parameter("coupling", "strength J of an edge", 1.7, 1e-6, 100.0),
        Parameter("field", "half the log-odds of 0 of everybody alone", 0.0975, -100.0, 100.0),
        Parameter("epsilon", "privacy of everybody, the smaller", 0.19, 1e-9, 20.0),
        Parameter("step", "how much more the larger is", 0.01, 1e-9, 20.0),
    ),
    runs=3,
    errata=(
        "Printed: for all J large enough. Here are numbers: 797,161 people, J = 1.7, found by search; "
        "the smallest complete tree found has 4,095 (d = 2, depth 11, J = 2.75, field 0.0984).",
    ),
)


def run(settings: Settings) -> Result:
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
    if dict(settings.values) == {parameter.name: parameter.default for parameter in STATEMENT.parameters}:
        computed.append(Computed("nu at epsilon 0.19: 0.2 in the paper", float(nu[0][0]), 0.2, "at most"))
        computed.append(Computed("nu at epsilon 0.2: 20 in the paper", float(nu[1][0]), 20.0, "at least"))
    counted = at_once(settings, "answers", _answers(model, settings, nu), (0.2, 1.0))
    rows = tuple(
        SimulatedRow(
            f"randomised response, epsilon {epsilon:g}: beyond nu", tallies, TOO_FAR, "moved too far"
        )
        for epsilon, tallies in zip(both, counted, strict=True)
    )
    before = theory.tree_log_odds(children, depth, J, field)
    facts = (
        f"The prior is lopsided: a field of {field:g} on everybody makes the log-odds of the root "
        f"{before:.4g}. An epsilon above {2 * abs(field):g} outweighs everybody's field at once.",
        f"nu/epsilon is {root[0] / both[0]:.4g} at {both[0]:g} and {root[1] / both[1]:.4g} at {both[1]:g}: "
        f"epsilon is {both[1] / both[0]:.4g} times, nu {root[1] / root[0]:.4g} times as large.",
    )
    picture = {"infer-A2b.svg": lambda: _picture(children, depth, J, field, both)}
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

    def one_run(world: np.random.Generator) -> tuple[Tally, ...]:
        bits = draw_complete_tree(children, depth, J, field, world)
        tallies = []
        for epsilon, most in zip(both, nu, strict=True):
            response = RandomisedResponse(np.full(bits.size, epsilon))
            after = response.read(model, solve)(response.publish(bits, rng=world))
            tallies.append(too_far(after - before, most))
        return tuple(tallies)

    return one_run


def _picture(children: int, depth: int, coupling: float, field: float, both: tuple[float, float]) -> str:
    """Draw nu of the root of complete trees against epsilon, around the epsilon where it jumps."""
    reach = 3 * (both[1] - both[0])
    epsilon = np.linspace(max(both[0] - reach, 0.0), both[1] + reach, 401)
    depths = sorted({max(1, depth // 3), max(1, 2 * depth // 3), depth})

    def paint(axes: Any) -> None:
        for below, shade in zip(depths, np.linspace(0.35, 1.0, len(depths)), strict=True):
            nu = [theory.nu_of_root(children, below, coupling, float(eps), field) for eps in epsilon]
            people = sum(children**generation for generation in range(below + 1))
            axes.plot(
                epsilon, nu, color=RED, alpha=shade, lw=2, label=f"{below} generations, {people:,} people"
            )
        axes.plot(epsilon, epsilon, color=GREY, ls="--", lw=1, label="unrelated: nu = epsilon")
        for eps in both:
            nu_there = theory.nu_of_root(children, depth, coupling, eps, field)
            axes.plot([eps], [nu_there], "o", color=BLUE, ms=6, zorder=3)
            left = eps == both[0]
            axes.annotate(
                f"epsilon {eps:g}: nu {nu_there:.3g}",
                (eps, nu_there),
                xytext=(-8 if left else 8, 10 if left else -14),
                textcoords="offset points",
                ha="right" if left else "left",
                color=BLUE,
                fontsize=9,
            )
        axes.set(yscale="log", xlim=(epsilon[0], epsilon[-1]))
        plain_numbers(axes.yaxis)
        axes.set_xlabel("epsilon of everybody")
        axes.set_ylabel("nu of the root (equivalent epsilon)")
        axes.set_title(f"{children_in_words(children)} each, J = {coupling:g}, field {field:g}", fontsize=10)
        axes.legend(frameon=False, fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2)

    return draw(paint)
