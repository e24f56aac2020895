"""Theorem 4.2. Weak enough influence keeps nu within a multiple of epsilon."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from dalenius.findings.tally import Tally
from dalenius.inference.attack.beliefs.beliefs import RandomisedResponse
from dalenius.inference.attack.bounds.influence import bounds, network_influences
from dalenius.knowledge.correlation.model import CorrelationModel, Floats
from dalenius.papers.experiment import Computed, PromisedShare, Result, SimulatedRow
from dalenius.papers.inferential_privacy.related_people import (
    complete_tree,
    draw_complete_tree,
    refuse_large,
    too_far,
    worst_case,
)
from dalenius.papers.settings import Parameter, Settings
from dalenius.papers.simulated.people import repeat
from dalenius.papers.statement import Statement
from dalenius.report.picture import BLUE, GREY, RED, draw, plain_numbers

SHOWN = ("group", "paper", "A", "A-bin", "B", "B-bin")

WITHIN = PromisedShare("beliefs about anybody, beyond the best bound", 0.0, "moved too far")

BELOW_ROOT = 1
"""A child of the root: nobody has more relatives."""

DENSE = 2000
"""People up to which the norm of a whole matrix is computed."""

STATEMENT = Statement(
    says=(
        "nu is at most 2 Phi eps, Phi the sum of the powers of Gamma. Sharper, and proven here: eps + Phi "
        "eps; for bits Phi eps; with influences on odds, 2 eps + Gamma Phit eps, and for bits eps + Gamma "
        "Phit eps."
    ),
    assumptions=(
        "Every combination of values has a positive probability.",
        "gamma_ij is half the most that person j can change the logarithm of a probability about person "
        "i, everybody else being fixed; its matrix has spectral radius below 1.",
    ),
    parameters=(
        Parameter("d", "number of children of everybody", 6, 1, 1000, whole=True),
        Parameter("depth", "number of generations below the root", 3, 1, 30, whole=True),
        Parameter("slack", "1 - d tanh J", 0.1, 1e-6, 0.999999),
        Parameter("epsilon", "privacy of everybody", 0.01, 1e-9, 20.0),
    ),
    runs=20,
    errata=(
        "Printed: the spectral norm of Gamma must be below 1. The spectral radius is enough: only the "
        "powers of a non-negative matrix must vanish.",
        "Printed in the proof: e^(2 eps) where e^eps holds, which doubles the bound; for independent "
        "people it then says 2 epsilon.",
        "Printed: gamma = J on the edges of a tree. That is true of the odds-ratio influence; gamma "
        "also depends on a person's other relatives, and the row-sum condition fails on the very "
        "example of tightness.",
        "Definition 4.1 needs every combination to be possible: for three identical people no two "
        "contexts differ in one person, and 0 influence would promise 2 epsilon where nu is 3 epsilon.",
    ),
)


def run(settings: Settings) -> Result:
    """Run Theorem 4.2 on the tree that is to show it tight: six bounds beside the exact nu."""
    children, depth = settings.whole("d"), settings.whole("depth")
    slack, epsilon = settings["slack"], settings["epsilon"]
    refuse_large(children, depth, settings.runs, 2e6)
    J = math.atanh((1 - slack) / children)
    model = complete_tree(children, depth, J)
    everybody = np.full(len(model), epsilon)
    nu, found = worst_case(model, everybody), bounds(model, everybody)
    exact = float(nu[BELOW_ROOT] / epsilon)
    values = {
        name: float(bound[BELOW_ROOT] / epsilon)
        for name in SHOWN
        if (bound := found.values[name]) is not None and math.isfinite(bound[BELOW_ROOT])
    }
    gap = float((found.best - nu).min() / epsilon)
    computed = (
        Computed("nu/epsilon of a child of the root, exact", exact, 1.0, "at least"),
        *(Computed(f"bound {name}", value, exact, "at least") for name, value in values.items()),
        Computed("least gap between the best bound and nu, of all people", gap, 0.0, "at least"),
    )
    facts = (
        f"A complete tree of {len(model):,} people, {children} children each, with d tanh J = {1 - slack:g}: "
        f"J = {J:.6g}. paper is the theorem as printed; A and B are ours, -bin for people with two values.",
        *found.notes,
        *_norms(model),
    )
    picture = {"infer-4.2.svg": lambda: _bars(exact, values, slack)}
    rows = _beyond(settings, model, nu, found.best)
    return Result((WITHIN,), rows, facts, computed, picture)


def _norms(model: CorrelationModel) -> tuple[str, ...]:
    """What the printed conditions say, where a dense matrix is small enough."""
    if len(model) > DENSE:
        return ()
    gamma, gtilde = (matrix.toarray() for matrix in network_influences(model))
    return (
        f"Spectral norm of Gamma {np.linalg.norm(gamma, 2):.4f} (printed condition: below 1), row sums up to "
        f"{gamma.sum(axis=1).max():.4f}; of the odds-ratio influences {gtilde.sum(axis=1).max():.4f}.",
    )


def _beyond(
    settings: Settings, model: CorrelationModel, nu: Floats, best: Floats
) -> tuple[SimulatedRow, ...]:
    children, depth, J = settings.whole("d"), settings.whole("depth"), float(model.coupling[0])
    response = RandomisedResponse(np.full(nu.size, settings["epsilon"]))
    read = response.reader(model)

    def trial(world: np.random.Generator, attacker: np.random.Generator) -> Tally:
        bits = draw_complete_tree(children, depth, J, 0.0, world)
        return too_far(read(response.publish(bits, rng=world)), best)

    answers, worst = repeat(settings, "answers", trial, (0.0, 0.9)), (too_far(nu, best),)
    return (
        SimulatedRow("randomised response: beyond the best bound", answers, WITHIN, "moved too far"),
        SimulatedRow(
            "the worst mechanism: beyond the best bound", worst, WITHIN, "moved too far", drawn=False
        ),
    )


def _bars(exact: float, bounds: Mapping[str, float], slack: float) -> str:
    """Draw six bounds on nu beside the exact one, in multiples of epsilon."""
    names = ["exact", *sorted(bounds, key=lambda name: bounds[name])]
    values = [exact, *(bounds[name] for name in names[1:])]
    words = {"paper": "Theorem 4.2, as printed", "group": "group privacy", "exact": "exact (Theorem 3.4)"}

    def paint(axes: Any) -> None:
        colours = [RED if name == "exact" else GREY if name in words else BLUE for name in names]
        axes.barh(range(len(names)), values, color=colours, height=0.62)
        for at, value in enumerate(values):
            axes.text(1.04 * value, at, f"{value:.4g}", va="center", fontsize=9)
        axes.set_yticks(range(len(names)), [words.get(name, f"bound {name}") for name in names])
        axes.invert_yaxis()
        axes.set(xscale="log", xlim=(1, 2.2 * max(values)))
        plain_numbers(axes.xaxis)
        axes.tick_params(axis="y", length=0)
        axes.set_xlabel("nu in multiples of epsilon, child of the root")
        axes.set_title(f"A tree with d tanh J = {1 - slack:g}: how tight the bounds are", fontsize=10)

    return draw(paint, width=7.0, height=3.6)
