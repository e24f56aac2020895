"""Example of Section 1. Zeus and his descendants: close relatives, or the dragnet."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.special import expit

from dalenius.findings.tally import Tally, count
from dalenius.inference.attack.beliefs.beliefs import RandomisedResponse
from dalenius.knowledge.correlation.model import Floats
from dalenius.papers.experiment import Computed, PromisedShare, Result, Side, SimulatedRow
from dalenius.papers.inferential_privacy.related_people import (
    TOO_FAR,
    at_once,
    children_in_words,
    complete_tree,
    draw_complete_tree,
    generations,
    people_of,
    refuse_large,
    too_far,
    worst_case,
)
from dalenius.papers.settings import Parameter, Settings
from dalenius.papers.statement import Statement
from dalenius.report.picture import BLUE, GREY, PURPLE, RED, draw
from dalenius.theory import inference as theory

SIDES: tuple[Side, Side] = ("at least", "at most")

STATEMENT = Statement(
    says=(
        "nu of Zeus is u after so many steps of u = eps + d f(J, u), J = atanh(2p - 1). If d (2p - 1) < 1 "
        "each further generation adds less; above, it adds more until everything that can be known is "
        "known."
    ),
    assumptions=(
        "Zeus's bit is a fair coin; every child has the parent's bit with probability p, d children each.",
        "The release has the same epsilon for everybody.",
    ),
    parameters=(
        Parameter("d", "number of children of everybody", 2, 1, 1000, whole=True),
        Parameter("depth", "number of generations below Zeus", 5, 1, 3000, whole=True),
        Parameter("agreement", "probability that a child has the parent's bit", 0.7, 0.5001, 0.9999),
        Parameter("epsilon", "privacy of everybody", 0.1, 1e-9, 20.0),
    ),
    runs=1000,
)


def run(settings: Settings) -> Result:
    """Run Zeus's family tree: whom nu comes from, by generation."""
    children, depth, agreement, epsilon = _sizes(settings)
    n, J = people_of(children, depth), theory.coupling_of(agreement)
    refuse_large(children, depth, settings.runs, 2e7)
    generation = generations(children, depth)
    nu = worst_case(complete_tree(children, depth, J), np.full(n, epsilon))
    zeus = [theory.nu_of_root(children, k, J, epsilon) for k in range(depth + 1)]
    middle = [float(nu[generation == k].mean()) for k in range(depth + 1)]
    spread = children * (2 * agreement - 1)
    computed = (
        Computed(f"nu of Zeus, all {n:,} people", float(nu[0]), zeus[-1]),
        Computed("Zeus without anybody else", zeus[0], epsilon),
        Computed("Zeus with his children alone", zeus[1] if depth else zeus[0], epsilon, "at least"),
        Computed("the worst-off of all", float(nu.max()), float(nu[0]), "at least"),
        Computed(
            "the worst-off, against all trees of this degree",
            float(nu.max()),
            theory.nu_of_bounded_degree(children + 1, J, epsilon),
            "at most",
        ),
    )
    facts = (
        f"d (2p - 1) = {spread:.4g}, below 1: each further generation adds less, close relatives decide."
        if spread < 1
        else f"d (2p - 1) = {spread:.4g}, not below 1: the many distant relatives decide.",
        f"Zeus with 0, 1, 2, ... generations: {_list(zeus)}; each adds {_list(np.diff(zeus))}.",
        f"nu by generation, Zeus first: {_list(middle)}. Inner people have one relative more than Zeus.",
    )
    rows, promised = _simulated(settings, nu)
    pictures = {
        "infer-zeus-depth.svg": lambda: _by_depth(children, max(depth, 10), agreement, epsilon),
        "infer-zeus-position.svg": lambda: _by_position(middle, children, agreement, epsilon),
    }
    return Result(promised, rows, facts, computed, pictures)


def _sizes(settings: Settings) -> tuple[int, int, float, float]:
    return settings.whole("d"), settings.whole("depth"), settings["agreement"], settings["epsilon"]


def _list(values: list[float] | Floats) -> str:
    return ", ".join(f"{value:.4g}" for value in values)


def _simulated(settings: Settings, nu: Floats) -> tuple[tuple[SimulatedRow, ...], tuple[PromisedShare, ...]]:
    children, depth, agreement, epsilon = _sizes(settings)
    J, last = theory.coupling_of(agreement), generations(children, depth) == depth
    response = RandomisedResponse(np.full(nu.size, epsilon))
    read = response.reader(complete_tree(children, depth, J))

    def one_run(world: np.random.Generator) -> tuple[Tally, ...]:
        bits = draw_complete_tree(children, depth, J, 0.0, world)
        answers = response.publish(bits, rng=world)
        after = read(answers)
        guessed = np.array([answers[0] == bits[0]]), np.array([(after[0] < 0) == bits[0]])
        return too_far(after, nu), count(bits[last] == bits[0]), count(guessed[0]), count(guessed[1])

    beyond, like, own, everybody = at_once(settings, "family", one_run, (0.0, 1.0))
    same = (1 + (2 * agreement - 1) ** depth) / 2
    rows = [SimulatedRow("randomised response: beyond nu", beyond, TOO_FAR, "moved too far")]
    for what, tallies, value in (
        ("last generation, guessed to be like Zeus", like, same),
        ("Zeus, from his own answer", own, float(expit(epsilon))),
    ):
        least, most = (PromisedShare(what, value, "right", side, "on average") for side in SIDES)
        rows += [
            SimulatedRow(f"{what}: not less", tallies, least, "right"),
            SimulatedRow(f"{what}: not more", tallies, most, "right"),
        ]
    rows.append(SimulatedRow("Zeus, from everybody's answers", everybody, None, "right"))
    return tuple(rows), tuple(row.promise for row in rows if row.promise is not None)


def _by_depth(children: int, depth: int, agreement: float, epsilon: float) -> str:
    """Draw nu of Zeus by how many generations of descendants are in the data, for several agreements."""
    steps = np.arange(depth + 1)
    critical = (1 + 1 / children) / 2
    # one agreement on the other side of the critical one, as far from it
    other = min(max(2 * critical - agreement, 0.51), 0.99)
    shown = {agreement: RED if agreement > critical else BLUE, other: BLUE if agreement > critical else RED}

    def paint(axes: Any) -> None:
        for p, colour in sorted(shown.items(), reverse=True):
            J = theory.coupling_of(p)
            nu = [theory.nu_of_root(children, int(k), J, epsilon) for k in steps]
            spread = children * (2 * p - 1)
            axes.plot(
                steps,
                nu,
                color=colour,
                lw=2,
                marker="o",
                ms=4,
                label=f"agreement {p:.4g}: d (2p - 1) = {spread:.3g}",
            )
        J = theory.coupling_of(critical) if critical < 1 else math.inf
        if math.isfinite(J):
            nu = [theory.nu_of_root(children, int(k), J, epsilon) for k in steps]
            axes.plot(
                steps, nu, color=PURPLE, lw=1.4, ls="-.", label=f"agreement {critical:.4g}, the critical one"
            )
        axes.axhline(epsilon, color=GREY, ls="--", lw=1, label=f"unrelated: nu = epsilon = {epsilon:g}")
        axes.set(xlim=(-0.02 * depth, 1.02 * depth), ylim=(0, None))
        axes.set_xlabel("generations of descendants in the data")
        axes.set_ylabel("nu of Zeus (equivalent epsilon)")
        axes.set_title(f"{children_in_words(children)} each: close relatives, or the dragnet", fontsize=10)
        axes.legend(frameon=False, fontsize=9, loc="upper left")

    return draw(paint)


def _by_position(nu: Sequence[float], children: int, agreement: float, epsilon: float) -> str:
    """Draw nu by generation in one family: Zeus, those in between, the last."""

    def paint(axes: Any) -> None:
        steps = np.arange(len(nu))
        axes.bar(steps, nu, color=BLUE, width=0.62)
        for at, value in zip(steps, nu, strict=True):
            axes.text(at, value, f"{value:.3g}", ha="center", va="bottom", fontsize=9)
        axes.axhline(epsilon, color=GREY, ls="--", lw=1, label=f"unrelated: nu = epsilon = {epsilon:g}")
        counts = [children ** int(step) for step in steps]
        axes.set_xticks(steps, [f"{k or 'Zeus'}\n({c:,})" for k, c in zip(steps, counts, strict=True)])
        axes.set_ylim(0, 1.22 * max(nu))
        axes.set_xlabel("generation below Zeus (people in it)")
        axes.set_ylabel("nu (equivalent epsilon)")
        axes.set_title(
            f"{children_in_words(children)} each, agreement {agreement:g}: inner people are worse off",
            fontsize=10,
        )
        axes.legend(frameon=False, fontsize=9, loc="upper right")

    return draw(paint, width=max(6.4, 0.7 * len(nu)))
