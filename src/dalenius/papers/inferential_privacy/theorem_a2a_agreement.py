"""Theorem A.2(a). Above a critical agreement no epsilon makes nu small."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dalenius.findings.tally import Tally
from dalenius.papers.experiment import Computed, PromisedShare, Result, SimulatedRow
from dalenius.papers.inferential_privacy.related_people import (
    at_once,
    complete_tree,
    people_of,
    random_tree,
    too_far,
    tree,
    worst_case,
)
from dalenius.papers.settings import Parameter, Settings
from dalenius.papers.simulated.people import refuse_above
from dalenius.papers.statement import Statement
from dalenius.report.picture import BLUE, GREY, PURPLE, RED, draw, plain_numbers
from dalenius.theory import inference as theory

LARGE = 200_000
"""People of a tree in which somebody comes close to the limit of all trees."""

STATEMENT = Statement(
    says=(
        "nu in all such trees is (Delta u - eps)/(Delta - 1), Delta = d + 1 and u the solution of u = eps + "
        "d f(J, u). If d tanh J < 1 it is at most eps (Delta/(1 - d tanh J) - 1)/(Delta - 1); if d tanh J > "
        "1 it stays above a constant however small epsilon is."
    ),
    assumptions=(
        "Relatives form any tree in which nobody has more than d + 1 of them, and agree with strength J.",
        "Everybody alone is a fair coin; the release has the same epsilon for everybody.",
    ),
    parameters=(
        Parameter(
            "n", "number of people of a random tree", 1000, 2, 5000, "Ask about fewer people.", whole=True
        ),
        Parameter("degree", "most relatives of anybody", 3, 3, 1000, whole=True),
        Parameter("weak", "strength J of an edge, the weaker", 0.5, 1e-3, 20.0),
        Parameter("coupling", "strength J of an edge, the stronger", 0.6, 1e-3, 20.0),
        Parameter("epsilon", "privacy of everybody", 0.01, 1e-9, 20.0),
    ),
    runs=20,
    errata=(
        "Printed in Definition A.1: nu is enforceable if nu <= nu(eps, D). The other way round.",
        "Printed: nu = Theta(eps/delta) for delta < eps << 1. For eps << delta^(3/2): near the critical "
        "J nu goes with eps^(1/3).",
        "Printed in A.2.1: the square lattice is critical at ln(1 + sqrt 2). At half of it, 0.4407, in "
        "these units.",
    ),
)


def run(settings: Settings) -> Result:
    """Run Theorem A.2(a): above a critical agreement no epsilon makes nu small in all trees of a degree."""
    n, degree, epsilon = settings.whole("n"), settings.whole("degree"), settings["epsilon"]
    refuse_above("people^2 x runs", float(n) ** 2 * settings.runs, 2e9, "Use a smaller --n or --runs.")
    both = sorted((settings["weak"], settings["coupling"]))
    limit = {J: theory.nu_of_bounded_degree(degree, J, epsilon) for J in both}
    promise = PromisedShare("anybody in such a tree, beyond the nu of Corollary A.6", 0.0, "moved too far")

    def one_run(world: np.random.Generator) -> tuple[Tally, ...]:
        parents = random_tree(n, world, degree)
        worst = {J: worst_case(tree(parents, J, 0.0), np.full(n, epsilon)) for J in both}
        return tuple(too_far(worst[J], np.full(n, limit[J])) for J in both)

    counted = at_once(settings, "trees", one_run, (0.0, 0.9))
    rows = tuple(
        SimulatedRow(f"worst mechanism on random trees, J = {J:.4g}", tallies, promise, "moved too far")
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
    picture = {"infer-A2a.svg": lambda: _picture(degree, *both)}
    return Result((promise,), rows, facts, _numbers(degree, epsilon, limit), picture)


def _numbers(degree: int, epsilon: float, limit: dict[float, float]) -> tuple[Computed, ...]:
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


def _picture(degree: int, weak: float, strong: float) -> str:
    """Draw nu in all trees of a degree against epsilon, for agreements below and above the critical one."""
    epsilon = np.geomspace(1e-4, 1, 81)
    critical = math.atanh(1 / (degree - 1))
    shown = ((strong, RED, "-"), (critical, PURPLE, "-."), (weak, BLUE, "-"))

    def paint(axes: Any) -> None:
        for J, colour, line in shown:
            nu = [theory.nu_of_bounded_degree(degree, J, float(eps)) for eps in epsilon]
            name = f"J = {J:.4g}" + (", the critical one" if critical == J else "")
            axes.plot(epsilon, nu, color=colour, ls=line, lw=2, label=name)
            floor = theory.least_enforceable_nu(degree, J)
            if floor > 0:
                axes.axhline(floor, color=colour, lw=0.9, ls=":", label=f"never below {floor:.4g}")
        axes.plot(epsilon, epsilon, color=GREY, ls="--", lw=1, label="unrelated: nu = epsilon")
        axes.set(xscale="log", yscale="log", xlim=(epsilon[0], epsilon[-1]))
        plain_numbers(axes.xaxis, axes.yaxis)
        axes.set_xlabel("epsilon of everybody")
        axes.set_ylabel("nu (equivalent epsilon)")
        axes.set_title(f"All trees in which nobody has more than {degree} relatives", fontsize=10)
        axes.legend(frameon=False, fontsize=9, loc="lower right")

    return draw(paint)
