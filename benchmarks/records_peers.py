"""Peers of the attack on records that are no library here: CP-SAT, and a small RAP-Rank of our own.

CP-SAT runs in an environment of its own. RAP-Rank is **our re-implementation**, small: people are rows of
probabilities over the levels of every column, moved by gradients (Adam) until the tables they give come near
the published ones; records are drawn from them, and ranked by how often several such models draw them. All
cells count in every step, and there are fewer rows, steps and models than its authors used: more of each
would raise what it finds.
"""

from __future__ import annotations

import string
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from validation.environments import environment, run

from dalenius.records.cells.release import PublishedRecords

Floats = NDArray[np.float64]
Record = tuple[int, ...]

MODELS, ROWS, STEPS, RATE = 5, 200, 300, 0.1
DRAWN = 20
"""Records that are drawn from each row of each model."""

ONE_SOLUTION = """
import json, sys, time
import numpy as np
from ortools.sat.python import cp_model
rows = np.load(sys.argv[1])
begun = time.process_time()
start, member, count = rows["start"].tolist(), rows["member"].tolist(), rows["count"].tolist()
model = cp_model.CpModel()
x = [model.NewIntVar(0, int(most), "") for most in rows["most"]]
for j, value in enumerate(count):
    model.Add(cp_model.LinearExpr.Sum([x[i] for i in member[start[j]:start[j + 1]]]) == value)
solver = cp_model.CpSolver()
solver.parameters.num_workers = 1
said = solver.Solve(model)
took = time.process_time() - begun
print(json.dumps({"found": said in (cp_model.OPTIMAL, cp_model.FEASIBLE), "seconds": took}))
"""


def cp_sat(rows: sparse.csr_array, counts: Floats, most: Floats) -> float | None:
    """CPU seconds until CP-SAT has one solution, its model built in Python; ``None`` without it."""
    python = environment("ortools")
    if python is None:
        return None
    with tempfile.TemporaryDirectory() as place:
        path = Path(place, "rows.npz")
        np.savez(path, start=rows.indptr, member=rows.indices, count=counts.astype(np.int64), most=most)
        answer = run(python, ONE_SOLUTION, str(path))
    if not answer["found"]:
        raise RuntimeError("CP-SAT found no solution of tables that have one")
    return float(answer["seconds"])


def rap_rank(tables: PublishedRecords, people: int, *, rng: np.random.Generator) -> list[Record]:
    """Records, those first that models of the tables draw most often."""
    seen: Counter[Record] = Counter()
    for _ in range(MODELS):
        model = _Relaxed(tables, people, rng)
        for step in range(1, STEPS + 1):
            model.step(step)
        seen.update(model.draw(rng))
    return [record for record, _ in seen.most_common()]


class _Relaxed:
    """Rows of probabilities, and the tables that they should give."""

    def __init__(self, tables: PublishedRecords, people: int, rng: np.random.Generator) -> None:
        sizes = tables.columns.sizes
        self.logits = [rng.normal(0.0, 1.0, (ROWS, size)) for size in sizes]
        self.first = [np.zeros_like(each) for each in self.logits]
        self.second = [np.zeros_like(each) for each in self.logits]
        self.tables = []
        for grid in tables.grids:
            target = np.zeros(grid.size)
            target[grid.places] = grid.low / people
            groups = []
            for group in grid.groups:
                member = np.zeros((group.size, int(group.max()) + 1))
                member[np.flatnonzero(group >= 0), group[group >= 0]] = 1.0
                groups.append(member)
            self.tables.append((grid.columns, groups, target.reshape(grid.sizes)))

    def probabilities(self) -> list[Floats]:
        """What every row has, column by column."""
        found = []
        for logits in self.logits:
            high = np.exp(logits - logits.max(axis=1, keepdims=True))
            found.append(high / high.sum(axis=1, keepdims=True))
        return found

    def step(self, number: int) -> None:
        """Move all rows a little towards the tables."""
        shares = self.probabilities()
        slopes = [np.zeros_like(each) for each in shares]
        for columns, groups, target in self.tables:
            parts = [shares[at] @ member for at, member in zip(columns, groups, strict=True)]
            names = string.ascii_lowercase[: len(parts)]
            rows = ",".join(f"z{name}" for name in names)
            error = np.einsum(f"{rows}->{names}", *parts, optimize=True) / ROWS - target
            for own, at in enumerate(columns):
                others = [part for j, part in enumerate(parts) if j != own]
                words = ",".join([names, *(f"z{name}" for j, name in enumerate(names) if j != own)])
                back = np.einsum(f"{words}->z{names[own]}" if others else f"{words}->{names[own]}",
                                 error, *others, optimize=True)  # fmt: skip
                slopes[at] += np.broadcast_to(back, parts[own].shape) @ groups[own].T
        for at, (share, slope) in enumerate(zip(shares, slopes, strict=True)):
            inner = share * (slope - (share * slope).sum(axis=1, keepdims=True))
            self.first[at] = 0.9 * self.first[at] + 0.1 * inner
            self.second[at] = 0.999 * self.second[at] + 0.001 * inner**2
            one, two = self.first[at] / (1 - 0.9**number), self.second[at] / (1 - 0.999**number)
            self.logits[at] -= RATE * one / (np.sqrt(two) + 1e-12)

    def draw(self, rng: np.random.Generator) -> list[Record]:
        """Records of the rows, several of each."""
        columns = []
        for share in self.probabilities():
            ends = np.cumsum(share, axis=1)[:, None, :]
            columns.append((rng.random((ROWS, DRAWN, 1)) > ends[:, :, :-1]).sum(axis=2).ravel())
        return [tuple(record) for record in np.stack(columns, axis=1).tolist()]
