"""k, l and t of a file against pyCANON, and the triple's attack against anonymeter: same data, same run.

Run with ``python -m benchmarks.anonymity``; with ``full`` after it the triple's attack also meets the example
census, whose coarse columns take anonymeter many minutes. The peers run in environments of their own, made on
demand; where that is not possible, only ours is measured. CPU seconds count; each peer measures itself,
without imports and reading. The goal is about the question that both ask, rows read to conditions counted;
everything that the triple asks of the same rows (near rows, copies, copies in disguise, rows alike in a few
columns, the order of the file) is timed beside it. Also: Mondrian and Datafly on a million rows.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import csv
from rich.console import Console
from rich.table import Table
from validation.environments import environment, run

from benchmarks.common import cost
from dalenius.mechanisms.anonymise.parse import anonymise
from dalenius.people.examples.census import census
from dalenius.people.opening import read_rows
from dalenius.people.rows.equivalence import anonymity
from dalenius.people.rows.rows import Rows
from dalenius.people.sealed import sealed_rows
from dalenius.singling_out.referee.counted_conditions import BothSides, CountedConditions
from dalenius.singling_out.released.triple import TripleSettings, conditions_asked, single_out_triple

ROWS = 100_000
QUASI, SENSITIVE = ["age", "sex", "zip", "origin"], "work"
SECONDS_GOAL = 1.0
RATIO_GOAL = 5.0
ATTACKS, COLUMNS, WIDTH = 1000, 10, 4

PYCANON = """
import json, sys, time
import pandas as pd
from pycanon import anonymity
frame = pd.read_csv(sys.argv[1], dtype=str)
quasi, sensitive = sys.argv[2].split("+"), [sys.argv[3]]
out = {}
for name, call in (
    ("k", lambda: anonymity.k_anonymity(frame, quasi)),
    ("l", lambda: anonymity.l_diversity(frame, quasi, sensitive)),
    ("t", lambda: anonymity.t_closeness(frame, quasi, sensitive)),
):
    start = time.process_time()
    value = call()
    out[name] = [float(value), time.process_time() - start]
print(json.dumps(out))
"""

ANONYMETER = """
import json, sys, time
import pandas as pd
from anonymeter.evaluators import SinglingOutEvaluator
original, synthetic, control = (pd.read_csv(path) for path in sys.argv[1:4])
attacks, width = map(int, sys.argv[4:])
evaluator = SinglingOutEvaluator(original, synthetic, attacks, n_cols=width, control=control, seed=1)
start = time.process_time()
evaluator.evaluate(mode="multivariate")
spent = time.process_time() - start
found = evaluator.results()
print(json.dumps({"cpu": spent, "success": found.n_success, "control": float(found.n_control)}))
"""


def main() -> None:
    """Print both tables; fail if a goal is missed."""
    console = Console()
    with tempfile.TemporaryDirectory() as folder:
        missed = [*measures(console, Path(folder)), *attack(console, Path(folder))]
    recoding(console)
    if missed:
        sys.exit("; ".join(missed))


def measures(console: Console, folder: Path) -> list[str]:
    """k, l and t of a file that Mondrian made."""
    drawn = Rows.of_table(census(ROWS).select([*QUASI, SENSITIVE]))
    path = folder / "released.csv"
    anonymise(drawn, QUASI, "mondrian:k=5", np.random.default_rng(1)).write(path)
    released = read_rows(path, [*QUASI, SENSITIVE])
    found: list[Any] = []
    ours = cost(lambda: found.append(anonymity(released, QUASI, [SENSITIVE])))
    values = [found[0].k, found[0].sensitive[0].distinct, found[0].sensitive[0].equal]
    table = Table(title=f"k, l, t of {ROWS:,} rows in {found[0].classes:,} classes: value (CPU s)")
    for heading in ("", "k", "l", "t", "all three"):
        table.add_column(heading, justify="right")
    table.add_row("ours", *(f"{x:.4g}" for x in values), f"{ours.cpu:.3f} s")
    python = environment("pycanon")
    if python:
        peer = run(python, PYCANON, str(path), "+".join(QUASI), SENSITIVE)
        total = sum(spent for _, spent in peer.values())
        table.add_row("pyCANON", *(f"{v:.4g} ({s:.1f} s)" for v, s in peer.values()), f"{total:.1f} s")
        table.add_row("", "", "", "", f"{total / ours.cpu:.0f} times")
        assert np.allclose(values, [v for v, _ in peer.values()]), "pyCANON finds other values"
    console.print(table)
    return [] if ours.cpu < SECONDS_GOAL else [f"k, l, t took {ours.cpu:.2f} CPU s; goal {SECONDS_GOAL:g}"]


def numbers(seed: int) -> Any:
    """Ten columns of numbers with three decimals, any two correlated by 0.2; the goal is about these."""
    rng = np.random.default_rng(seed)
    common = rng.normal(size=ROWS)
    return pa.table({f"x{j}": np.round(common / 2 + rng.normal(size=ROWS), 3) for j in range(COLUMNS)})


def people(seed: int) -> Any:
    """The example census: two columns of numbers, seven of labels, most rows not alone on four of them."""
    return census(ROWS, seed)


def attack(console: Console, folder: Path) -> list[str]:
    """Original, synthetic and control rows drawn alike; conditions on four columns."""
    table = Table(title=f"{ATTACKS:,} attacks on {ROWS:,} rows")
    for heading in ("", "singled out", "by luck", "CPU s", "times less"):
        table.add_column(heading, justify="right")
    ratio = race(table, folder, numbers)
    if "full" in sys.argv[1:]:
        race(table, folder, people)
    console.print(table)
    if ratio is None or ratio >= RATIO_GOAL:
        return []
    return [f"{ratio:.1f} times anonymeter; goal {RATIO_GOAL:g}"]


def race(table: Table, folder: Path, draw: Callable[[int], Any]) -> float | None:
    """Attack the same rows with both; return how many times less CPU the same question takes here."""
    name = str(draw.__doc__).partition(",")[0].partition(" with")[0]
    paths = [folder / f"{draw.__name__}-{seed}.csv" for seed in (1, 2, 3)]
    for seed, path in enumerate(paths):
        csv.write_csv(draw(seed), path)
    rows = [read_rows(path) for path in paths]
    few = [own.take(np.arange(500)) for own in rows]
    single_out_triple(few[0], few[1], few[2], how=TripleSettings(attacks=10))  # compile before the clock runs
    how = TripleSettings(attacks=ATTACKS, columns=WIDTH)
    python = environment("anonymeter")
    peer = run(python, ANONYMETER, *map(str, paths), str(ATTACKS), str(WIDTH)) if python else None
    table.add_section()
    table.add_row(name)
    if peer:
        table.add_row("anonymeter", f"{peer['success']}", f"{peer['control']:.0f}", f"{peer['cpu']:.2f}", "")
    found: list[CountedConditions] = []
    alone = cost(lambda: found.append(_same_question(rows, how)))
    rows = [
        read_rows(path) for path in paths
    ]  # nothing that was indexed for the question alone is used again
    whole = cost(lambda: found.append(single_out_triple(rows[0], rows[1], rows[2], how=how).asked))
    for what, asked, spent in zip(("the same", "everything"), found, (alone, whole), strict=True):
        luck = asked.luck.value * asked.attacks
        times = f"{peer['cpu'] / spent.cpu:.1f}" if peer else ""
        table.add_row(f"ours, {what}", f"{asked.successes}", f"{luck:.0f}", f"{spent.cpu:.2f}", times)
    return float(peer["cpu"] / alone.cpu) if peer else None


def _same_question(rows: list[Rows], how: TripleSettings) -> CountedConditions:
    """What anonymeter does: conditions from released rows, counted in the original and a control."""
    sides = BothSides(sealed_rows(rows[0]), rows[2])
    return conditions_asked(rows[1], sides, how)[1]


def recoding(console: Console) -> None:
    """A million rows through both anonymisers."""
    many = Rows.of_table(census(1_000_000))
    for how in ("mondrian:k=5", "datafly:k=5,suppress=0.02"):
        quasi = ["age", "sex", "zip", "origin", "schooling", "marital"]
        spent = cost(lambda how=how, quasi=quasi: anonymise(many, quasi, how, np.random.default_rng(1)))
        console.print(f"{how}: a million rows in {spent.cpu:.1f} CPU s ({spent.wall:.1f} on the clock)")


if __name__ == "__main__":
    main()
