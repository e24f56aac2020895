"""Decoding all tables of many columns, never writing the matrix out: CPU time, memory, growth, the peer.

Run with ``python -m benchmarks.tables``; ``--full`` adds 102,400 people with 700 columns. CPU seconds count,
not those on the clock, from codes to guesses. Every cell of every table has Gaussian noise.
"""

from __future__ import annotations

import resource
import sys
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.common import Cost, cost
from dalenius.matrices.answers import Vector
from dalenius.matrices.operators import single
from dalenius.matrices.tables import TableRows
from dalenius.reconstruction.attack.linalg.cgls import LeastSquares, cgls

SIGMA = 3.0


@dataclass(frozen=True)
class Case:
    """Tables of ``ways`` of so many yes/no columns about so many people; seconds and gigabytes allowed."""

    people: int
    columns: int
    ways: int
    seconds: float
    gigabytes: float


CASES = (
    Case(2_048, 110, 2, 10.0, 1.0),
    Case(20_000, 60, 3, 60.0, 1.0),
    Case(51_200, 500, 2, 25.0, 1.0),
)
FULL = Case(102_400, 700, 2, 90.0, 2.0)
RATIO_GOAL = 20.0
"""How many times faster than the matrix written out and LAPACK, at the smallest case."""


def decode(codes: np.ndarray, case: Case, target: Vector) -> LeastSquares:
    """Everything from codes to the solution."""
    A = TableRows(codes, [2] * case.columns, list(combinations(range(case.columns), case.ways)))
    return cgls(single(A), target, np.ones(target.size), precondition=A.preconditioner())


def written_out(codes: np.ndarray, case: Case, target: Vector) -> Vector:
    """The peer: the matrix as float64 and LAPACK."""
    A = TableRows(codes, [2] * case.columns, list(combinations(range(case.columns), case.ways)))
    return np.asarray(np.linalg.lstsq(A.explicit().toarray(), target, rcond=None)[0])


def instance(case: Case) -> tuple[np.ndarray, Vector, Vector]:
    """Codes, noisy cells less what a prior of one half expects, and the secrets."""
    rng = np.random.default_rng(case.people)
    codes = rng.integers(0, 2, (case.people, case.columns), dtype=np.int32)
    secret = rng.integers(0, 2, case.people).astype(np.float64)
    A = TableRows(codes, [2] * case.columns, list(combinations(range(case.columns), case.ways)))
    cells = A.apply(secret - 0.5)
    return codes, cells + SIGMA * rng.standard_normal(cells.size), secret


def run(full: bool = False) -> None:
    """Print the table; fail if a goal is missed."""
    table = Table(title=f"All tables of yes/no columns, noise of sd {SIGMA:g} in every cell")
    for heading in (
        "people",
        "columns",
        "ways",
        "cells",
        "steps",
        "CPU s",
        "peak GB",
        "wrong",
        "written out",
    ):
        table.add_column(heading, justify="right")
    missed, spent = [], {}
    for case in (*CASES, FULL) if full else CASES:
        codes, target, secret = instance(case)
        found: list[LeastSquares] = []
        spent[case] = cost(lambda c=codes, k=case, y=target, out=found: out.append(decode(c, k, y)))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        wrong = ((found[0].x >= 0) != (secret > 0.5)).mean()
        table.add_row(
            f"{case.people:,}",
            f"{case.columns}",
            f"{case.ways}",
            f"{target.size:,}",
            f"{found[0].iterations}",
            f"{spent[case].cpu:.2f}",
            f"{peak:.2f}",
            f"{wrong:.4f}",
            f"{target.size * case.people * 8e-9:,.1f} GB",
        )
        if spent[case].cpu > case.seconds or peak > case.gigabytes:
            missed.append(f"goal {case.seconds:g} CPU s and {case.gigabytes:g} GB at {case.people:,} people")
    console = Console()
    console.print(table)
    if full:
        console.print(f"growth from 500 to 700 columns: (people x cells)^{_growth(spent):.2f}")
    ratio = _ratio(console)
    assert not missed, "; ".join(missed)
    assert ratio >= RATIO_GOAL, f"goal {RATIO_GOAL:g} times the matrix written out; got {ratio:.0f}"


def _growth(spent: dict[Case, Cost]) -> float:
    """The power of people times pairs of columns that CPU seconds grow with."""
    one, other = CASES[-1], FULL
    work = [case.people * case.columns**2 for case in (one, other)]
    return float(np.log(spent[other].cpu / spent[one].cpu) / np.log(work[1] / work[0]))


def _ratio(console: Console) -> float:
    """How many times faster the smallest case is than with the matrix written out; the guesses must agree."""
    case = CASES[0]
    codes, target, _ = instance(case)
    found, expected = decode(codes, case, target), []
    ours = min(cost(lambda: decode(codes, case, target)).cpu for _ in range(5))
    peer = cost(lambda: expected.append(written_out(codes, case, target)))
    assert np.abs(found.x - expected[0]).max() < 1e-3
    console.print(
        f"{case.people:,} people: {ours:.3f} CPU s, written out {peer.cpu:.1f}: ratio {peer.cpu / ours:.0f}"
    )
    return peer.cpu / ours


if __name__ == "__main__":
    run(full="--full" in sys.argv)
