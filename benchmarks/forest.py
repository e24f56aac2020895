"""Nu of everybody in a tree against plain loops: same tree, same run, same numbers.

Run with ``python -m benchmarks.forest``. The plain loop makes the two passes over lists as the formulas are
written, in log-odds; a second one in odds, as our kernels do, so without logarithms until the end. Both get
people numbered with parents first. Also: ten million people, and what it takes to read, relabel and
plant a network before that. CPU seconds count: other work on the machine does not.
"""

from __future__ import annotations

import math
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import csv
from rich.console import Console
from rich.table import Table

from benchmarks.common import best_by_turns, cost, exponent, peak_megabytes
from dalenius.inference.attack.solvers.forest import Forest, odds_shift, plant
from dalenius.knowledge.correlation.couplings import strengths
from dalenius.knowledge.correlation.model import CorrelationModel
from dalenius.knowledge.correlation.network import read_network
from dalenius.knowledge.correlation.signs import fix_signs

AGREEMENT, EPSILON = 0.75, 0.1
SIZES = (1_000_000, 3_000_000, 10_000_000)
SECONDS_GOAL = 0.3
RATIO_GOAL = 100.0

Parents = Callable[[int], np.ndarray]


def recursive(n: int) -> np.ndarray:
    """Everybody's parent is anybody before them."""
    return (np.random.default_rng(1).random(n - 1) * np.arange(1, n)).astype(np.int64)


def binary(n: int) -> np.ndarray:
    """Two children each, generation by generation."""
    return (np.arange(1, n) - 1) // 2


TREES: dict[str, Parents] = {"random recursive": recursive, "binary": binary}


def planted(parents: Parents, n: int) -> Forest:
    """A tree ready for propagation."""
    edges = np.stack([parents(n), np.arange(1, n)], axis=1)
    names = np.zeros(n, "U1")  # nobody is asked for their name here
    model = CorrelationModel("id", names, edges, strengths(np.full(n - 1, AGREEMENT)), np.zeros(n))
    forest = plant(model)
    assert forest is not None
    return forest


def ours(forest: Forest) -> Callable[[], np.ndarray]:
    """Nu of everybody, ready to run."""
    field, epsilon = np.zeros(len(forest)), np.full(len(forest), EPSILON)
    return lambda: odds_shift(forest, field, epsilon)


def plain(parent: list[int], coupling: list[float], epsilon: list[float]) -> list[float]:
    """The formulas as they are written: what has been heard goes up, what is known comes down."""
    total, said = epsilon.copy(), [0.0] * len(parent)
    for v in range(len(parent) - 1, -1, -1):
        if parent[v] >= 0:
            said[v] = message(coupling[v], total[v])
            total[parent[v]] += said[v]
    for v in range(len(parent)):
        if parent[v] >= 0:
            total[v] += message(coupling[v], total[parent[v]] - said[v])
    return total


def message(J: float, u: float) -> float:
    """What log-odds say across an edge."""
    return math.log((math.exp(J + u) + math.exp(-J)) / (math.exp(J) + math.exp(u - J)))


def in_odds(parent: list[int], coupling: list[float], epsilon: list[float]) -> list[float]:
    """The same with products of odds: four operations a message."""
    total, said = [math.exp(e) for e in epsilon], [1.0] * len(parent)
    strength = [math.exp(2 * J) for J in coupling]
    for v in range(len(parent) - 1, -1, -1):
        if parent[v] >= 0:
            a, r = strength[v], total[v]
            said[v] = (a * r + 1.0) / (r + a)
            total[parent[v]] *= said[v]
    for v in range(len(parent)):
        if parent[v] >= 0:
            a, r = strength[v], total[parent[v]] / said[v]
            total[v] *= (a * r + 1.0) / (r + a)
    return [math.log(r) for r in total]


def main() -> None:
    """Print all tables; fail if a goal is missed."""
    console = Console()
    missed = [*against_a_loop(console), *growth(console)]
    preparation(console)
    if missed:
        sys.exit("; ".join(missed))


def against_a_loop(console: Console) -> list[str]:
    """A million people, both kinds of trees."""
    n, missed = SIZES[0], []
    table = Table(title=f"nu of {n:,} people, CPU s")
    for heading in ("tree", "ours", "plain loop", "times", "loop in odds", "times"):
        table.add_column(heading, justify="right")
    for name, parents in TREES.items():
        call = ours(planted(parents, n))
        lists = [-1, *parents(n).tolist()], strengths(np.full(n, AGREEMENT)).tolist(), [EPSILON] * n
        quick, ratios, row = best_by_turns({"ours": call}, 30)["ours"], [], []
        for loop in (plain, in_odds):
            assert np.allclose(call(), loop(*lists), atol=1e-9, rtol=0), "not the same numbers"
            slow = best_by_turns({"loop": lambda loop=loop, lists=lists: loop(*lists)}, 3)["loop"]
            ratios.append(slow.cpu / quick.cpu)
            row += [f"{slow.cpu:.2f}", f"{ratios[-1]:.0f}"]
        table.add_row(name, f"{quick.cpu:.4f}", *row)
        if ratios[0] < RATIO_GOAL:
            missed.append(f"{name} tree: {ratios[0]:.0f} times a plain loop; goal {RATIO_GOAL:g}")
    console.print(table)
    return missed


def growth(console: Console) -> list[str]:
    """Up to ten million people."""
    missed = []
    table = Table(title="nu of everybody, after planting: CPU s (on the clock)")
    for heading in ("tree", *(f"{n:,}" for n in SIZES), "power of n", "peak MB", "forest MB"):
        table.add_column(heading, justify="right")
    for name, parents in TREES.items():
        spent = []
        for n in SIZES:
            forest = planted(parents, n)
            spent.append(best_by_turns({"ours": ours(forest)}, 7)["ours"])
        peak = peak_megabytes(ours(forest))
        held = sum(part.nbytes for part in vars(forest).values() if isinstance(part, np.ndarray)) / 1e6
        cells = [f"{c.cpu:.3f} ({c.wall:.3f})" for c in spent]
        table.add_row(name, *cells, f"{exponent(SIZES, spent):.2f}", f"{peak:,.0f}", f"{held:,.0f}")
        if spent[-1].cpu > SECONDS_GOAL:
            missed.append(f"{name}, ten million: {spent[-1].cpu:.2f} CPU s; goal {SECONDS_GOAL:g}")
    console.print(table)
    return missed


def preparation(console: Console) -> None:
    """What comes before: reading a file, relabelling, planting."""
    n = 1_000_001
    names = np.array([f"p{i}" for i in range(n)])
    rng = np.random.default_rng(2)
    parents = recursive(n)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "edges.csv")
        agreement = np.round(rng.uniform(0.2, 0.9, n - 1), 3)
        csv.write_csv(pa.table({"a": names[parents], "b": names[1:], "agreement": agreement}), path)
        found = []
        read = cost(lambda: found.append(read_network(path).model))
    signed = []
    relabel = cost(lambda: signed.append(fix_signs(found[0]).model))
    root = cost(lambda: plant(signed[0]))
    console.print(
        f"a million edges: {read.cpu:.2f} CPU s to read, {relabel.cpu:.2f} to fix the signs of "
        f"{int((found[0].coupling < 0).sum()):,} that rather differ, {root.cpu:.2f} to plant"
    )


if __name__ == "__main__":
    main()
