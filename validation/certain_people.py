"""Who is certain, beside CP-SAT's backbone; and several values, beside one linear program over all of them.

``python validation/certain_people.py [--people N ...] [--values C ...] [--mechanism M ...] [--certain]``

All two-column tables of made people are attacked, rounded to base 5 if nothing is said. CP-SAT (OR-tools,
in an environment of its own) finds one solution and then asks for one in which somebody has another value,
until there is none: those who never had are the backbone. It is given what following single rows leaves open,
one worker, and ``--seconds`` (300). The linear program minimises the distance from the middles of all
intervals, one value per person; HiGHS solves it; ``--certain`` leaves it out, as for thousands of people it
takes longer than the rest. CPU seconds count: those of the search for certain people, and CP-SAT's.
"""

from __future__ import annotations

import argparse
import itertools
import tempfile
import time
from pathlib import Path

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from dalenius.knowledge.view import Knowledge, View
from dalenius.matrices.answers import Counts
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.people.schema import CodedColumns, Column, Kind, Role, Roster
from dalenius.reconstruction.attack.attack import reconstruct
from dalenius.reconstruction.attack.cost import SEARCH, SECONDS
from dalenius.reconstruction.attack.search.settle import settle
from dalenius.reconstruction.attack.system.build import Problem, all_values, build
from dalenius.release.release import Block, Release
from dalenius.statistics.tables import tables_of
from environments import environment, run
from markdown import table

LEVELS = (2, 3, 4, 5, 7, 2, 3, 9, 12)

BACKBONE = """
import json, sys, time
import numpy as np
from ortools.sat.python import cp_model
rows = np.load(sys.argv[1])
start, member = rows["start"], rows["member"]
least, most = rows["least"], rows["most"]
model = cp_model.CpModel()
x = [model.NewIntVar(int(a), int(b), "") for a, b in zip(least, most)]
for j, (low, high) in enumerate(zip(rows["low"], rows["high"])):
    model.AddLinearConstraint(sum(x[i] for i in member[start[j]:start[j + 1]]), int(low), int(high))
solver = cp_model.CpSolver()
solver.parameters.num_workers = 1
begun, most_seconds = time.process_time(), float(sys.argv[2])
solver.parameters.max_time_in_seconds = most_seconds
if solver.Solve(model) not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
    taken = time.process_time() - begun
    print(json.dumps({"fixed": [], "seconds": taken, "left": int((least < most).sum())}))
    sys.exit()
first = [solver.Value(v) for v in x]
left = [i for i in range(len(x)) if least[i] < most[i]]
fixed = {i: first[i] for i in range(len(x)) if least[i] == most[i]}
while left and time.process_time() - begun < most_seconds:
    some = left[: max(1, len(left) // 4)]
    other = model.Clone()
    switches = []
    for i in some:
        switch = other.NewBoolVar("")
        other.Add(other.GetIntVarFromProtoIndex(x[i].Index()) != first[i]).OnlyEnforceIf(switch)
        switches.append(switch)
    other.AddBoolOr(switches)
    ended = solver.Solve(other)
    if ended in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        values = [solver.Value(other.GetIntVarFromProtoIndex(v.Index())) for v in x]
        left = [i for i in left if values[i] == first[i]]
    elif ended != cp_model.INFEASIBLE:
        break
    else:
        for i in some:
            fixed[i] = first[i]
            model.Add(x[i] == first[i])
        left = left[len(some):]
print(json.dumps({"fixed": sorted(fixed.items()), "seconds": time.process_time() - begun, "left": len(left)}))
"""


def made(
    people: int, values: int, protection: str = "rounding:base=5", seed: int = 1
) -> tuple[View, np.ndarray]:
    """Tables of people whose columns and secret hang together."""
    rng = np.random.default_rng(seed)
    common = rng.standard_normal((people, 2))
    codes, columns = [], []
    for j, size in enumerate(LEVELS):
        score = common @ rng.standard_normal(2) + rng.standard_normal(people)
        codes.append(np.searchsorted(np.quantile(score, np.arange(1, size) / size), score))
        columns.append(Column(f"a{j}", Role.PUBLIC, Kind.CATEGORICAL, tuple(map(str, range(size)))))
    coded = CodedColumns(tuple(columns), np.stack(codes, axis=1).astype(np.int32))
    roster = Roster("id", np.arange(people).astype(np.str_), coded)
    chances = common @ rng.standard_normal((2, values)) - 0.4 * np.arange(values)
    truth = (chances + rng.gumbel(size=chances.shape)).argmax(axis=1)
    asked, mechanism = tables_of(columns, 2), parse_mechanism(protection)
    operator = asked.operator(roster)
    counts = np.stack([operator.apply((truth == v).astype(np.float64)) for v in range(values)], axis=1)
    named = tuple(f"v{v}" for v in range(values))
    secret = Column("s", Role.SECRET, Kind.BINARY if values == 2 else Kind.CATEGORICAL, named)
    answers = mechanism.protect(Counts(counts, asked.table, asked.sensitivity(values)), rng=rng)
    release = Release("tables", secret, (Block(asked, named, answers),), str(mechanism))
    return View(release, Knowledge(roster)), truth


def certain(problem: Problem, least: np.ndarray, most: np.ndarray) -> int:
    """How many people such bounds give away."""
    sizes, values = problem.systems[0].sizes, len(problem.systems)
    away = (least.reshape(values, -1) == sizes).any(axis=0)
    if values == 1:
        away |= most == 0
    return int(sizes[away].sum())


def backbone(problem: Problem, folder: Path, seconds: float) -> tuple[str, float]:
    """CP-SAT's number of certain people and its CPU seconds; empty without it."""
    python = environment("ortools")
    if python is None:
        return "not installed", np.nan
    system = all_values(problem, settle(problem, 0.0).systems)
    open_, places = system.free()
    matrix = sparse.csr_array(open_.A.explicit())
    path = folder / "rows.npz"
    np.savez(path, start=matrix.indptr, member=matrix.indices, low=np.ceil(open_.low - 1e-6),
             high=np.floor(open_.high + 1e-6), least=open_.least, most=open_.most)  # fmt: skip
    said = run(python, BACKBONE, str(path), str(seconds))
    least, most = system.least.copy(), system.most.copy()
    for i, value in said["fixed"]:
        least[places[i]] = most[places[i]] = value
    found = f"{certain(problem, least, most):,}"
    return found if not said["left"] else f"{found}, and {said['left']:,} not decided", said["seconds"]


def coupled(problem: Problem, truth: np.ndarray) -> tuple[float, float]:
    """Share right and CPU seconds of one linear program over all values."""
    system = all_values(problem, problem.systems)
    A = sparse.csr_array(system.A.explicit())
    rows, unknowns = A.shape
    exact = system.low == system.high
    miss = sparse.eye_array(rows, format="csr")
    both = sparse.vstack([sparse.hstack([A, -miss]), sparse.hstack([-A, -miss])], format="csr")
    cost = np.concatenate([np.zeros(unknowns), np.where(exact, 10.0, 1.0)])
    sides = np.concatenate([system.centre, -system.centre])
    limits = [*zip(system.least, system.most, strict=True), *[(0, None)] * rows]
    begun = time.process_time()
    x = linprog(cost, A_ub=both, b_ub=sides, bounds=limits, method="highs-ipm").x[:unknowns]
    seconds = time.process_time() - begun
    share = x.reshape(len(problem.systems), -1) / problem.systems[0].sizes
    guess = (share[0] >= 0.5).astype(int) if len(share) == 1 else share.argmax(axis=0)
    return float((guess[problem.group] == truth).mean()), seconds


def main() -> None:
    """Print one line a size and number of values."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--people", type=int, nargs="+", default=[300, 500])
    parser.add_argument("--values", type=int, nargs="+", default=[2, 5, 7])
    parser.add_argument("--mechanism", nargs="+", default=["rounding:base=5"])
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--certain", action="store_true", help="Compare who is certain alone.")
    options = parser.parse_args()
    headings = "release", "people", "values", "certain", "CP-SAT", "CPU s", "CP-SAT, CPU s"
    say = table(*headings, *(() if options.certain else ("right", "LP", "LP, CPU s")))
    for values in (2, 3):
        reconstruct(made(60, values)[0], rng=np.random.default_rng(1))  # compile before the clock runs
        settle(build(made(60, values, "rounding:base=10")[0]), SEARCH * SECONDS)
    for case in itertools.product(options.mechanism, options.people, options.values):
        say(
            [
                *case[:1],
                *(f"{number:,}" for number in case[1:]),
                *compared(*case, options.seconds, options.certain),
            ]
        )


def compared(mechanism: str, people: int, values: int, seconds: float, only_certain: bool) -> list[str]:
    """The figures of one release."""
    view, truth = made(people, values, mechanism)
    problem = build(view)
    begun = time.process_time()
    found = settle(problem, SEARCH * SECONDS)
    own = time.process_time() - begun
    least, most = (np.stack(ends) for ends in zip(*((s.least, s.most) for s in found.systems), strict=True))
    secret = truth[None, :] if values == 2 else truth[None, :] == np.arange(values)[:, None]
    sums = np.zeros(least.shape, np.int64)
    np.add.at(sums.T, problem.group, secret.T)
    assert ((least <= sums) & (sums <= most)).all()
    with tempfile.TemporaryDirectory() as folder:
        peer, peer_seconds = backbone(problem, Path(folder), seconds)
    number = f"{certain(problem, least.ravel(), most.ravel()):,}"
    line = [number, peer, f"{own:.2f}", f"{peer_seconds:.2f}"]
    if only_certain:
        return line
    right = reconstruct(view, rng=np.random.default_rng(1)).guess == truth
    lp, lp_seconds = coupled(problem, truth)
    return [*line, f"{right.mean():.1%}", f"{lp:.1%}", f"{lp_seconds:.1f}"]


if __name__ == "__main__":
    main()
