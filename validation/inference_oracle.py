"""Beliefs of related people against pgmpy, a library of graphical models with no code of this package.

Run: python -m validation.inference_oracle

A tree of 200 people with couplings of both signs, and a small pedigree with loops; biases and epsilons are
drawn at random. pgmpy runs belief propagation on its own junction tree, in an environment of its own that is
made on demand (a minute). Log-odds before and after, and nu, must agree to 1e-9 for everybody. Exit code 1
if they do not, 2 if pgmpy cannot be installed.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from validation.environments import environment, run

from dalenius.inference.attack.beliefs.solver import solver
from dalenius.inference.attack.solvers import forest
from dalenius.knowledge.correlation.model import CorrelationModel
from dalenius.knowledge.correlation.pedigree import read_pedigree
from dalenius.knowledge.correlation.signs import fix_signs
from dalenius.people.examples.families import write_family

Floats = NDArray[np.float64]
Beliefs = Callable[[Floats], Floats]

CLOSE = 1e-9
TREE, FAMILY = 200, 40

PGMPY = """
import json, math, sys, time
import numpy as np
from pgmpy.factors.discrete import DiscreteFactor
from pgmpy.inference import BeliefPropagation
from pgmpy.models import DiscreteMarkovNetwork

asked = json.load(open(sys.argv[1]))
start = time.process_time()
result = []
for field in asked["fields"]:
    network = DiscreteMarkovNetwork([(f"p{a}", f"p{b}") for a, b in asked["edges"]])
    for (a, b), J in zip(asked["edges"], asked["coupling"]):
        table = np.exp([[J, -J], [-J, J]])
        network.add_factors(DiscreteFactor([f"p{a}", f"p{b}"], [2, 2], table))
    for v, h in enumerate(field):
        network.add_factors(DiscreteFactor([f"p{v}"], [2], np.exp([h, -h])))
    propagation = BeliefPropagation(network)
    propagation.calibrate()
    odds = [None] * len(field)
    for clique, belief in propagation.get_clique_beliefs().items():
        for name in clique:
            if odds[int(name[1:])] is None:
                own = belief.marginalize([other for other in clique if other != name], inplace=False)
                odds[int(name[1:])] = math.log(own.values[0] / own.values[1])
    result.append(odds)
print(json.dumps({"odds": result, "cpu": time.process_time() - start}))
"""


def main() -> None:
    """Print how far both are apart; fail if it is further than the digits allow."""
    console = Console()
    python = environment("pgmpy")
    if python is None:
        console.print("pgmpy cannot be installed here: nothing was compared")
        sys.exit(2)
    table = Table(title="largest difference from pgmpy")
    for heading in ("network", "people", "edges", "log-odds", "nu", "pgmpy CPU s", "ours"):
        table.add_column(heading, justify="right")
    far = []
    for name, (model, prepare) in cases().items():
        rng = np.random.default_rng(7)
        model = replace(model, field=rng.normal(scale=0.4, size=len(model)))
        model, epsilon = fix_signs(model).model, rng.uniform(0, 1, len(model))
        fields = [model.field + epsilon / 2, model.field, model.field - epsilon / 2]
        start = time.process_time()
        beliefs = prepare(model)
        own = np.array([beliefs(field) for field in fields])
        spent = time.process_time() - start
        theirs, cpu = ask(python, model, fields)
        apart = float(np.abs(own - theirs).max()), float(np.abs(nu(own) - nu(theirs)).max())
        sizes = f"{len(model):,}", f"{len(model.edges):,}"
        table.add_row(name, *sizes, *(f"{x:.1e}" for x in apart), f"{cpu:.1f}", f"{spent:.3f}")
        far += [name] * (max(apart) > CLOSE)
    console.print(table)
    if far:
        sys.exit(f"further apart than {CLOSE:g}: {', '.join(far)}")


def cases() -> dict[str, tuple[CorrelationModel, Callable[[CorrelationModel], Beliefs]]]:
    """The networks, each with the solver that is meant for it."""
    with tempfile.TemporaryDirectory() as folder:
        family = read_pedigree(write_family(Path(folder), FAMILY), agreement={"parent": 0.75}).model
    sizes = np.bincount(family.components())
    largest = np.flatnonzero(family.components() == sizes.argmax())
    return {"tree": (tree(), by_forest), "pedigree": (family.take(largest), by_junction)}


def tree() -> CorrelationModel:
    """A random recursive tree whose people agree, or differ, more or less."""
    rng, child = np.random.default_rng(3), np.arange(1, TREE)
    edges = np.stack([(rng.random(TREE - 1) * child).astype(np.int64), child], axis=1)
    coupling = rng.normal(0.3, 0.5, TREE - 1)
    return CorrelationModel("id", np.arange(TREE).astype(str), edges, coupling, np.zeros(TREE))


def by_forest(model: CorrelationModel) -> Beliefs:
    """Two passes."""
    planted = forest.plant(model)
    assert planted is not None
    return lambda field: forest.log_odds(planted, field)


def by_junction(model: CorrelationModel) -> Beliefs:
    """One calibration of each group with loops: what the product takes for them."""
    return solver(model)


def nu(log_odds: Floats) -> Floats:
    """The larger shift (Theorem 3.4) of log-odds after, before, and after the opposite."""
    up, before, down = log_odds
    return np.maximum(up - before, before - down)


def ask(python: Path, model: CorrelationModel, fields: list[Floats]) -> tuple[Floats, float]:
    """Log-odds that pgmpy finds, and its CPU seconds."""
    question = {
        "edges": model.edges.tolist(),
        "coupling": model.coupling.tolist(),
        "fields": [field.tolist() for field in fields],
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "question.json")
        path.write_text(json.dumps(question))
        answer = run(python, PGMPY, str(path))
    return np.array(answer["odds"]), float(answer["cpu"])


if __name__ == "__main__":
    main()
