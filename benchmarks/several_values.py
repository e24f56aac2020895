"""Seven values decoded together against one coupled linear program by HiGHS, on the same releases in one run.

The program is the usual one: a share of every value for every person, that add up to one, and the least sum
of absolute misses of all published counts; rows of intervals miss only outside them. Run with
``python -m benchmarks.several_values``. CPU seconds of the whole attack are compared, with its search for
certain people, and peak memory. Fails if the program is right about more people under some mechanism.
"""

from __future__ import annotations

import sys
import time
from functools import partial

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from scipy import sparse
from scipy.optimize import linprog
from threadpoolctl import threadpool_limits

from benchmarks.common import peak_megabytes
from dalenius.knowledge.view import Knowledge, View
from dalenius.matrices.answers import Counts
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.people.schema import CodedColumns, Column, Kind, Role, Roster
from dalenius.reconstruction.attack.attack import reconstruct
from dalenius.reconstruction.attack.cost import ComputeBudget
from dalenius.reconstruction.attack.system.build import all_values, build
from dalenius.release.release import Block, Release
from dalenius.statistics.tables import tables_of

PEOPLE, VALUES = 300, tuple("abcdefg")
LEVELS = (2, 3, 4, 5, 7)
MECHANISMS = (
    "exact",
    "rounding:base=3",
    "rounding:base=5",
    "rounding:base=10",
    "suppression:below=5",
    "gaussian:sigma=0.5",
    "gaussian:sigma=2",
    "laplace:scale=1.5",
)
SEEDS = (1, 2, 3)
BUDGET = ComputeBudget(20.0)


def release(mechanism: str, seed: int) -> tuple[View, NDArray[np.intp]]:
    """All tables of two public columns with the secret, and the secrets behind them."""
    rng = np.random.default_rng(seed)
    common = rng.standard_normal((PEOPLE, 2))
    columns, codes = [], []
    for number, size in enumerate(LEVELS):
        score = common @ rng.standard_normal(2) + rng.standard_normal(PEOPLE)
        codes.append(np.searchsorted(np.quantile(score, np.arange(1, size) / size), score))
        columns.append(Column(f"c{number}", Role.PUBLIC, Kind.CATEGORICAL, tuple(map(str, range(size)))))
    score = common @ rng.standard_normal((2, len(VALUES))) - 0.3 * np.arange(len(VALUES))
    secrets = (score + rng.gumbel(size=score.shape)).argmax(axis=1)
    public = CodedColumns(tuple(columns), np.stack(codes, axis=1).astype(np.int32))
    roster = Roster("id", np.array([f"p{i:03}" for i in range(PEOPLE)]), public)
    tables = tables_of(public.columns, 2)
    counts = tables.operator(roster).explicit() @ np.eye(len(VALUES))[secrets]
    part = tables.sensitivity(len(VALUES))
    chain = parse_mechanism(mechanism).applied().resolve(part)
    printed = chain.protect(Counts(counts.astype(np.int64), tables.table, part), rng=rng)
    secret = Column("secret", Role.SECRET, Kind.CATEGORICAL, VALUES)
    made = Release("bench", secret, (Block(tables, VALUES, printed),), str(chain))
    return View(made, Knowledge(roster, None)), secrets


def coupled(view: View) -> NDArray[np.intp]:
    """The value with the largest share, by one linear program over all values."""
    problem = build(view)
    system = all_values(problem, problem.systems)
    matrix = sparse.csr_array(system.A.explicit())
    m, n = matrix.shape
    low = np.where(system.sd > 0, system.centre, system.low)
    high = np.where(system.sd > 0, system.centre, system.high)
    each = sparse.eye_array(m, format="csr")
    rows = sparse.vstack([sparse.hstack([matrix, -each]), sparse.hstack([-matrix, -each])], format="csr")
    solved = linprog(
        np.concatenate([np.zeros(n), np.ones(m)]),
        A_ub=rows,
        b_ub=np.concatenate([high, -low]),
        bounds=[*zip(system.least, system.most, strict=True), *[(0, None)] * m],
        method="highs-ipm",
    )
    share = np.asarray(solved.x[:n]).reshape(len(VALUES), -1)
    return np.asarray(share.argmax(axis=0)[problem.group], np.intp)


def own(view: View) -> NDArray[np.intp]:
    """The attack's guesses."""
    return reconstruct(view, budget=BUDGET, rng=np.random.default_rng(1)).guess


def measure(mechanism: str) -> tuple[float, float, float, float, float, float]:
    """Shares right, CPU seconds and peak megabytes, ours and the program's."""
    right, seconds = np.zeros(2), np.zeros(2)
    for seed in SEEDS:
        view, secrets = release(mechanism, seed)
        for at, attack in enumerate((own, coupled)):
            start = time.process_time()
            found = attack(view)
            seconds[at] += time.process_time() - start
            right[at] += (found == secrets).mean() / len(SEEDS)
    peaks = [peak_megabytes(partial(attack, view)) for attack in (own, coupled)]
    return right[0], right[1], seconds[0], seconds[1], peaks[0], peaks[1]


def run(mechanisms: tuple[str, ...]) -> None:
    """Print one row a mechanism; fail where the program is right about more people."""
    own(release("gaussian:sigma=2", 9)[0])  # compiled once
    table = Table(title=f"{len(VALUES)} values, {PEOPLE} people, {len(SEEDS)} releases each")
    for heading in ("mechanism", "right", "LP right", "CPU s", "LP CPU s", "LP / own", "MB", "LP MB"):
        table.add_column(heading, justify="left" if heading == "mechanism" else "right", no_wrap=True)
    worse = []
    with threadpool_limits(1):
        for mechanism in mechanisms:
            right, theirs, seconds, their_seconds, peak, their_peak = measure(mechanism)
            ratio = their_seconds / seconds
            table.add_row(
                mechanism,
                *(f"{100 * share:.1f}%" for share in (right, theirs)),
                *(f"{number:.3g}" for number in (seconds, their_seconds, ratio)),
                *(f"{number:.0f}" for number in (peak, their_peak)),
            )
            if right < theirs:
                worse.append(mechanism)
    Console(width=110).print(table)
    assert not worse, f"the coupled program is right about more people: {', '.join(worse)}"


if __name__ == "__main__":
    run(tuple(sys.argv[1:]) or MECHANISMS)
