"""Least squares on packed bits against SciPy's LAPACK: CPU time, ratio, the same guesses, growth and memory.

Run with ``python -m benchmarks.least_squares``; ``--full`` adds 100,000 people with 200,000 questions, which
take minutes and five gigabytes. CPU seconds count, not those on the clock: the best of several, and the
transpose of the bits is made within them.
"""

from __future__ import annotations

import resource
import sys

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy.linalg import lstsq

from benchmarks.common import Cost, best_by_turns, cost, exponent
from dalenius.matrices.answers import Vector
from dalenius.matrices.operators import BitRows, single
from dalenius.reconstruction.attack.linalg.cgls import LeastSquares, cgls

SIZES = (1024, 2048, 4096, 8192)
PEER = 4096
"""People at which LAPACK runs along: a minute."""

RATIO_GOAL = 400.0
SECONDS_GOAL, MEMORY_GOAL = 90.0, 6.0
"""CPU seconds and gigabytes for 100,000 people."""

NOISE = 0.2
"""Standard deviation of the noise, in units of the root of the number of people."""


def instance(people: int, answers: int) -> tuple[BitRows, Vector, Vector]:
    """Noisy counts of random subsets less what a prior of one half expects, and the secrets."""
    rng = np.random.default_rng(people)
    A = BitRows(rng.integers(0, 256, (answers, people // 8), np.uint8), people)
    secret = rng.integers(0, 2, people).astype(np.float64)
    counts = A.apply(secret - 0.5) + NOISE * people**0.5 * rng.standard_normal(answers)
    return A, counts, secret


def solve(A: BitRows, target: Vector) -> LeastSquares:
    """Everything from packed bits to the solution."""
    return cgls(single(A), target, np.ones(target.size))


def lapack(A: BitRows, target: Vector) -> Vector:
    """The peer, with the matrix as float64."""
    return np.asarray(lstsq(A.rows(0, A.shape[0]).astype(np.float64), target, lapack_driver="gelsy")[0])


def run(full: bool = False) -> None:
    """Print the table; fail if a goal is missed."""
    console = Console()
    table = Table(title="Least squares, 4 random questions a person")
    for heading in (
        "people",
        "steps",
        "wall / CPU s",
        "gelsy, wall / CPU s",
        "CPU ratio",
        "wrong",
        "same guesses",
    ):
        table.add_column(heading, justify="right")
    solve(*instance(256, 1024)[:2])  # compile before the clock runs
    costs: list[Cost] = []
    for people in SIZES:
        A, target, secret = instance(people, 4 * people)
        found = solve(A, target)
        costs.append(best_by_turns({"ours": lambda A=A, y=target: solve(A, y)}, 5)["ours"])
        wrong = ((found.x >= 0) != (secret > 0.5)).mean()
        row = [f"{people:,}", f"{found.iterations}", f"{costs[-1].cpu:.4f}", "", "", f"{wrong:.4f}", ""]
        if people == PEER:
            expected: list[Vector] = []
            peer = cost(lambda A=A, y=target, out=expected: out.append(lapack(A, y)))
            ratio = peer.cpu / costs[-1].cpu
            same = np.array_equal(found.x >= 0, expected[0] >= 0)
            row[3], row[4], row[6] = f"{peer.cpu:.1f}", f"{ratio:.0f}", "yes" if same else "no"
        table.add_row(*row)
    console.print(table)
    console.print(f"growth: people^{exponent(SIZES, costs):.2f} (the bits grow like people^2)")
    if full:
        large(console)
    assert same, "other guesses than LAPACK's"
    assert ratio >= RATIO_GOAL, f"goal {RATIO_GOAL:g} times gelsy; got {ratio:.0f}"


def large(console: Console) -> None:
    """100,000 people, 200,000 questions: time and memory of the whole process."""
    A, target, secret = instance(100_000, 200_000)
    found: list[LeastSquares] = []
    spent = cost(lambda: found.append(solve(A, target)))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    wrong = ((found[0].x >= 0) != (secret > 0.5)).mean()
    console.print(
        f"100,000 people, 200,000 questions: {found[0].iterations} steps, {spent.cpu:.1f} CPU s "
        f"({spent.wall:.1f} on the clock), peak memory {peak:.2f} GB, wrong {wrong:.4f}"
    )
    assert spent.cpu <= SECONDS_GOAL, f"goal {SECONDS_GOAL:g} CPU s"
    assert peak <= MEMORY_GOAL, f"goal {MEMORY_GOAL:g} GB"


if __name__ == "__main__":
    run(full="--full" in sys.argv)
