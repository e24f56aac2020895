"""Singling out, linking and inferring of one file against anonymeter: same rows, same run, several controls.

Run with ``python -m benchmarks.three_questions``. 8,000 people of a made survey, of whom a quarter stand in
the released file as they are; controls of 8,000 to 500 other people. The peer runs in an environment of its
own, made on demand, and measures its own CPU seconds, without imports and reading; where it cannot be
installed only ours is measured. Both try 1,000 conditions; ours links and infers about everybody, so the
peer does so about as many people as it can, those of the control. Goals: a tenth of its CPU seconds for all
three questions, and what linking and inferring gain must not move with the size of the control by more than
luck.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from pyarrow import csv
from rich.console import Console
from rich.table import Table
from validation.environments import environment, run

from benchmarks.common import cost
from dalenius.people.rows.rows import Rows
from dalenius.people.sealed import SealedRows
from dalenius.singling_out.released.files import TripleRows
from dalenius.singling_out.released.questions import Halves, QuestionsAsked, run_questions
from dalenius.singling_out.released.triple import TripleSettings
from validation import perturbed

PEOPLE, SHARE, ATTACKS = 8000, 0.25, 1000
CONTROLS = (8000, 4000, 2000, 500)
SECRET, LINK = "pay", "age,work,job,country/schooling,hours,kin,origin"
RATIO_GOAL = 10.0
DRIFT_GOAL = 0.05
"""By which an advantage may move between controls: two standard errors of five hundred people."""

ANONYMETER = """
import json, sys, time
import pandas as pd
from anonymeter.evaluators import InferenceEvaluator, LinkabilityEvaluator, SinglingOutEvaluator
original, released, control = (pd.read_csv(path) for path in sys.argv[1:4])
attacks, secret, halves = int(sys.argv[4]), sys.argv[5], [half.split(",") for half in sys.argv[6].split("/")]
people = min(len(original), len(control))
start = time.process_time()
single = SinglingOutEvaluator(
    original, released, n_attacks=min(attacks, people), n_cols=4, control=control, seed=1
)
single.evaluate(mode="multivariate")
link = LinkabilityEvaluator(
    original, released, aux_cols=tuple(halves), n_attacks=people, n_neighbors=1, control=control
)
link.evaluate(n_jobs=1)
known = [name for name in original.columns if name != secret]
infer = InferenceEvaluator(
    original, released, aux_cols=known, secret=secret, n_attacks=people, control=control
)
infer.evaluate(n_jobs=1)
spent = time.process_time() - start
risks = [float(one.risk(confidence_level=0.95).value) for one in (single, link, infer)]
print(json.dumps({"cpu": spent, "risks": risks}))
"""


class Asked(NamedTuple):
    """What all three questions cost, and what linking and inferring gain."""

    cpu: float
    single: float
    link: float
    infer: float


def main() -> None:
    """Print the table; fail if a goal is missed."""
    rng = np.random.default_rng(1)
    original, others, outside = (perturbed.people(PEOPLE, rng) for _ in range(3))
    released = perturbed.with_copies(others, original, round(SHARE * PEOPLE))
    ours(original.slice(0, 500), released.slice(0, 500), outside.slice(0, 500))  # compiles before the clock
    table = Table(title=f"{PEOPLE:,} people, {SHARE:.0%} copied, {ATTACKS:,} attacks: advantage or risk")
    for heading in ("control", "", "single out", "link", "infer", "CPU s"):
        table.add_column(heading, justify="right")
    own: list[Asked] = []
    peers: list[Asked] = []
    with tempfile.TemporaryDirectory() as folder:
        for size in CONTROLS:
            own.append(ours(original, released, outside.slice(0, size)))
            _row(table, f"{size:,}", "ours", own[-1])
            if (peer := theirs(Path(folder), original, released, outside.slice(0, size))) is not None:
                peers.append(peer)
                _row(table, "", "anonymeter", peer)
    Console().print(table)
    if missed := judged(own, peers):
        sys.exit("; ".join(missed))


def _row(table: Table, size: str, who: str, asked: Asked) -> None:
    table.add_row(size, who, *(f"{x:.3f}" for x in asked[1:]), f"{asked.cpu:.2f}")


def judged(own: list[Asked], peers: list[Asked]) -> list[str]:
    """Which goals are missed."""
    missed = []
    for name in ("link", "infer"):
        drift = max(getattr(one, name) for one in own) - min(getattr(one, name) for one in own)
        if drift > DRIFT_GOAL:
            missed.append(f"{name} moves by {drift:.3f} with the control; goal {DRIFT_GOAL:g}")
    if peers:
        ratio = sum(peer.cpu for peer in peers) / sum(one.cpu for one in own)
        Console().print(f"{ratio:.1f} times fewer CPU seconds than anonymeter")
        if ratio < RATIO_GOAL:
            missed.append(f"{ratio:.1f} times anonymeter; goal {RATIO_GOAL:g}")
    return missed


def ours(original: Any, released: Any, control: Any) -> Asked:
    """Ask all three questions."""
    own, rows, apart = map(Rows.of_table, (original, released, control))
    how = QuestionsAsked(SECRET, Halves.parse(LINK), conditions=TripleSettings(attacks=ATTACKS, seed=1))
    found: list[Any] = []
    spent = cost(lambda: found.append(run_questions(TripleRows(SealedRows(own), rows, apart), how)))
    asked = found[0]
    links, inferred = asked.links[1].success.advantage.value, asked.inferred[0].success.advantage.value
    return Asked(spent.cpu, asked.triple.worst.advantage.value, links, inferred)


def theirs(folder: Path, *tables: Any) -> Asked | None:
    """Let the peer ask them; ``None`` where it cannot be had."""
    python = environment("anonymeter")
    if python is None:
        return None
    paths = [folder / f"{name}.csv" for name in ("original", "released", "control")]
    for path, table in zip(paths, tables, strict=True):
        csv.write_csv(table, path)
    said = run(python, ANONYMETER, *map(str, paths), str(ATTACKS), SECRET, LINK)
    return Asked(said["cpu"], *said["risks"])


if __name__ == "__main__":
    main()
