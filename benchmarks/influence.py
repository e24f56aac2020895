"""Six certified bounds on a network of a million edges, against plain solvers that certify nothing.

Run with ``python -m benchmarks.influence``. Two networks: random contacts, and households of five. The peers
compute the same influences, then only what one bound needs: a direct sparse solution, which fills up, and the
series of powers summed until it stops changing. Ours gives all six, both spectral radii, and proves them.
CPU seconds count, so that other work on the machine weighs less. Then propagation from above beside the six
in a dense network of circles: for how many people it is the smaller bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy.sparse import eye_array
from scipy.sparse.linalg import spsolve

from benchmarks.common import Cost, best_by_turns, exponent, peak_megabytes
from dalenius.inference.attack.bounds.influence import bounds, network_influences
from dalenius.inference.attack.bounds.propagation import propagation_bound
from dalenius.knowledge.correlation.model import CorrelationModel

SIZES = (10_000, 100_000, 1_000_000)
DIRECT = 10_000
"""The most edges of a random network that a direct solution takes: it fills half the matrix."""

SECONDS_GOAL = 30.0
"""CPU seconds for all six at a million edges."""

MEGABYTES_GOAL = 1_000.0
GROWTH_GOAL = 1.3
DIRECT_GOAL = 3.0
"""How many times faster than the direct solution, where that is possible at all."""


CIRCLES, EACH, LINKS = 40, 100, 88_000
"""A dense network: 4,000 people who know 44 others, nine in ten of them of their own circle."""

AGREEMENTS = (0.501, 0.505, 0.51, 0.52, 0.55, 0.6)
DENSE_EPSILON = 0.1
DENSE_SECONDS_GOAL, TIGHTER_GOAL = 3.0, 0.9


@dataclass(frozen=True)
class Run:
    """One network: CPU seconds of each way, and our memory."""

    kind: str
    edges: int
    costs: dict[str, Cost]
    megabytes: float


def contacts(edges: int, rng: np.random.Generator) -> CorrelationModel:
    """Random pairs of half as many people, couplings of about 0.09 and weak opinions."""
    n = edges // 2
    pairs = np.sort(rng.integers(0, n, (edges + edges // 50, 2)), axis=1)
    pairs = pairs[pairs[:, 0] < pairs[:, 1]]
    key = np.unique(pairs[:, 0] * n + pairs[:, 1])
    key = rng.permutation(key)[:edges]
    coupling = rng.uniform(0.08, 0.1, key.size)
    return CorrelationModel(
        "id", np.arange(n).astype(str), np.c_[key // n, key % n], coupling, rng.normal(0, 0.2, n)
    )


def households(edges: int, rng: np.random.Generator) -> CorrelationModel:
    """Groups of five who all know each other: ten edges each."""
    inside = np.array([(i, j) for i in range(5) for j in range(i)])
    groups = edges // 10
    pairs = (5 * np.arange(groups)[:, np.newaxis, np.newaxis] + inside).reshape(-1, 2)
    n = 5 * groups
    return CorrelationModel(
        "id", np.arange(n).astype(str), pairs, rng.uniform(0.05, 0.15, len(pairs)), np.zeros(n)
    )


def circles(agreement: float, rng: np.random.Generator) -> CorrelationModel:
    """People who agree as often with everybody they know, link by link."""
    n = CIRCLES * EACH
    one = rng.integers(0, n, 2 * LINKS)
    inside = rng.random(one.size) < 0.9
    other = np.where(
        inside, one // EACH * EACH + rng.integers(0, EACH, one.size), rng.integers(0, n, one.size)
    )
    low, high = np.minimum(one, other), np.maximum(one, other)
    key = rng.permutation(np.unique((low * n + high)[low < high]))[:LINKS]
    coupling = np.full(key.size, np.log(agreement / (1 - agreement)) / 2)
    return CorrelationModel(
        "id", np.arange(n).astype(str), np.column_stack([key // n, key % n]), coupling, np.zeros(n)
    )


def dense(console: Console) -> None:
    """Propagation from above beside the six; fail if it is slow, or larger for too many people."""
    table = Table(
        title=f"{CIRCLES * EACH:,} people, {LINKS:,} links, epsilon {DENSE_EPSILON:g}: bounds on nu, median"
    )
    for heading in ("agreement", "best of six", "CPU s", "propagation", "CPU s", "smaller for"):
        table.add_column(heading, justify="right")
    for agreement in AGREEMENTS:
        model = circles(agreement, np.random.default_rng(1))
        epsilon = np.full(len(model), DENSE_EPSILON)
        six, above = bounds(model, epsilon).best, propagation_bound(model, epsilon)
        assert above is not None
        calls = {"six": partial(bounds, model, epsilon), "above": partial(propagation_bound, model, epsilon)}
        costs = best_by_turns(calls, repeats=2)
        smaller = float((above < six).mean())
        medians = [f"{np.median(found):.4g}" for found in (six, above)]
        spent = [f"{costs[name].cpu:.2f}" for name in ("six", "above")]
        table.add_row(f"{agreement:g}", medians[0], spent[0], medians[1], spent[1], f"{smaller:.0%}")
        assert smaller >= TIGHTER_GOAL
        assert costs["above"].cpu <= DENSE_SECONDS_GOAL
    console.print(table)


def direct(model: CorrelationModel, epsilon: np.ndarray) -> np.ndarray:
    """B-bin by two lines of SciPy."""
    gamma, gtilde = network_influences(model)
    return epsilon + gamma @ spsolve((eye_array(len(model)) - gtilde).tocsc(), epsilon)


def series(model: CorrelationModel, epsilon: np.ndarray) -> np.ndarray:
    """The bounds A-bin and B-bin by adding up powers until nothing changes any more."""
    sums = []
    gamma, gtilde = network_influences(model)
    for matrix in (gamma, gtilde):
        total, term = epsilon.copy(), epsilon
        while term.max() > 1e-14 * total.max():
            term = matrix @ term
            total += term
        sums.append(total)
    return np.minimum(sums[0], epsilon + gamma @ sums[1])


def measure(kind: str, edges: int) -> Run:
    """Time all ways on one network, and check that they agree and that ours is not below."""
    rng = np.random.default_rng(edges)
    model = {"contacts": contacts, "households": households}[kind](edges, rng)
    epsilon = rng.uniform(0.1, 0.5, len(model))
    calls = {"six bounds": lambda: bounds(model, epsilon), "series": lambda: series(model, epsilon)}
    if kind == "households" or edges <= DIRECT:
        calls["direct"] = lambda: direct(model, epsilon)
    costs = best_by_turns(calls, repeats=2)
    ours = bounds(model, epsilon).values["B-bin"]
    plain = series(model, epsilon)
    assert ours is not None
    assert (ours >= plain * (1 - 1e-13)).all(), "a certified bound is not below"
    assert np.allclose(ours, plain, rtol=1e-8), "and not needlessly above"
    return Run(kind, len(model.edges), costs, peak_megabytes(calls["six bounds"]))


def run() -> None:
    """Print the table; fail if a goal is missed."""
    measure("contacts", 1_000)
    runs = [measure(kind, edges) for kind in ("contacts", "households") for edges in SIZES]
    table = Table(title="bounds from influences, CPU seconds")
    for heading in ("network", "edges", "six bounds", "MB", "series", "direct", "direct / six"):
        table.add_column(heading, justify="right")
    for r in runs:
        ours, there = r.costs["six bounds"].cpu, r.costs.get("direct")
        table.add_row(
            r.kind,
            f"{r.edges:,}",
            f"{ours:.3f}",
            f"{r.megabytes:.0f}",
            f"{r.costs['series'].cpu:.3f}",
            "-" if there is None else f"{there.cpu:.3f}",
            "-" if there is None else f"{there.cpu / ours:.1f}",
        )
    console = Console()
    console.print(table)
    for kind in ("contacts", "households"):
        own = [r for r in runs if r.kind == kind]
        growth = exponent([r.edges for r in own], [r.costs["six bounds"] for r in own])
        console.print(f"{kind}: growth edges^{growth:.2f}")
        assert growth <= GROWTH_GOAL
        assert own[-1].costs["six bounds"].cpu <= SECONDS_GOAL
        assert own[-1].megabytes <= MEGABYTES_GOAL
    dense(console)
    small = next(r for r in runs if r.kind == "contacts")
    assert small.costs["direct"].cpu >= DIRECT_GOAL * small.costs["six bounds"].cpu


if __name__ == "__main__":
    run()
