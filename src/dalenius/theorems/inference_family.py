"""Ghosh and Kleinberg (2016), Section 1: Zeus and his descendants, close relatives against the dragnet."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from dalenius.attacks.inference.beliefs import RandomisedResponse
from dalenius.knowledge.correlation.model import Floats
from dalenius.referee.score import Tally, count
from dalenius.report.inference_theorem_pictures import by_depth, by_position
from dalenius.theorems.experiment import Computed, Experiment, Promised, Result, Row, Side
from dalenius.theorems.inference_networks import (
    TOO_FAR,
    at_once,
    complete_tree,
    draw_complete_tree,
    generations,
    people_of,
    refuse_large,
    too_far,
    worst_case,
)
from dalenius.theorems.settings import Parameter, Settings
from dalenius.theory import inference as theory

SIDES: tuple[Side, Side] = ("at least", "at most")


def run_zeus(settings: Settings) -> Result:
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
        "infer-zeus-depth.svg": lambda: by_depth(children, max(depth, 10), agreement, epsilon),
        "infer-zeus-position.svg": lambda: by_position(middle, children, agreement, epsilon),
    }
    return Result(promised, rows, facts, computed, pictures)


def _sizes(settings: Settings) -> tuple[int, int, float, float]:
    return settings.whole("d"), settings.whole("depth"), settings["agreement"], settings["epsilon"]


def _list(values: list[float] | Floats) -> str:
    return ", ".join(f"{value:.4g}" for value in values)


def _simulated(settings: Settings, nu: Floats) -> tuple[tuple[Row, ...], tuple[Promised, ...]]:
    children, depth, agreement, epsilon = _sizes(settings)
    J, last = theory.coupling_of(agreement), generations(children, depth) == depth
    response = RandomisedResponse(np.full(nu.size, epsilon))
    read = response.reader(complete_tree(children, depth, J))

    def run(world: np.random.Generator) -> tuple[Tally, ...]:
        bits = draw_complete_tree(children, depth, J, 0.0, world)
        answers = response.publish(bits, rng=world)
        after = read(answers)
        guessed = np.array([answers[0] == bits[0]]), np.array([(after[0] < 0) == bits[0]])
        return too_far(after, nu), count(bits[last] == bits[0]), count(guessed[0]), count(guessed[1])

    beyond, like, own, everybody = at_once(settings, "family", run, (0.0, 1.0))
    same = (1 + (2 * agreement - 1) ** depth) / 2
    rows = [Row("randomised response: beyond nu", beyond, TOO_FAR, "moved too far")]
    for what, tallies, value in (
        ("last generation, guessed to be like Zeus", like, same),
        ("Zeus, from his own answer", own, float(expit(epsilon))),
    ):
        least, most = (Promised(what, value, "right", side, "on average") for side in SIDES)
        rows += [
            Row(f"{what}: not less", tallies, least, "right"),
            Row(f"{what}: not more", tallies, most, "right"),
        ]
    rows.append(Row("Zeus, from everybody's answers", everybody, None, "right"))
    return tuple(rows), tuple(row.promise for row in rows if row.promise is not None)


EXPERIMENTS = (
    Experiment(
        "infer-zeus",
        (
            Parameter("d", "number of children of everybody", 2, 1, 1000, whole=True),
            Parameter("depth", "number of generations below Zeus", 5, 1, 3000, whole=True),
            Parameter("agreement", "probability that a child has the parent's bit", 0.7, 0.5001, 0.9999),
            Parameter("epsilon", "privacy of everybody", 0.1, 1e-9, 20.0),
        ),
        run_zeus,
        runs=1000,
    ),
)
