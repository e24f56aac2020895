"""Start-up: the help text and the first real call of a process, the first time on a machine and ever after.

The first time, kernels are compiled and kept; the goals are about every later one. Modules are kept as byte
code, as ``pip install`` leaves them, whatever this process was told about that.

Run with ``python -m benchmarks.startup``.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.common import Cost

REPEATS = 5
FIRST_CALL = """
import numpy as np
from dalenius import Release
from dalenius.reconstruction import Knowledge, View, reconstruct
from dalenius.release.release import Block
from dalenius.people.schema import Roster
from dalenius.people.schema import Column, Kind, Role
from dalenius.statistics.counts.subsets import {asked}
rng = np.random.default_rng(1)
roster = Roster.of_names("person", np.array([f"p{{i}}" for i in range(256)]))
secrets = rng.integers(0, 2, 256)
statistic = {statistic}
answers = statistic.operator(roster).apply(secrets.astype(float)) + rng.normal(0, 1, statistic.rows)
release = Release("first", Column("ill", Role.SECRET, Kind.BINARY, ("no", "yes")),
                  (Block(statistic, ("yes",), answers[:, None]),), "gaussian:sigma=1")
claims = reconstruct(View(release, Knowledge(roster)), rng=rng)
assert claims.method == "{method}" and (claims.guess == secrets).mean() > 0.99
"""
HELP = [str(Path(sys.executable).with_name("dalenius")), "--help"]
HADAMARD = FIRST_CALL.format(
    asked="HadamardQueries", statistic="HadamardQueries(roster.ids)", method="hadamard"
)
POSTERIOR = FIRST_CALL.format(
    asked="random_subsets", statistic="random_subsets(roster.ids, 1024, rng=rng)", method="posterior"
)
GOALS = {
    "dalenius --help": (HELP, 0.3),
    "first call, Hadamard queries": ([sys.executable, "-c", HADAMARD], 1.5),
    "first call, posterior": ([sys.executable, "-c", POSTERIOR], 1.5),
}


def measure(command: list[str], kernels: str) -> Cost:
    """Run a command in a process of its own, which keeps compiled kernels in a folder."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": kernels}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, env=environment)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return Cost(wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def run() -> None:
    """Print the table; fail if a goal is missed on the clock and in CPU seconds alike."""
    first: dict[str, Cost] = {}
    costs: dict[str, list[Cost]] = {name: [] for name in GOALS}
    with tempfile.TemporaryDirectory() as folder:
        for name, (command, _) in GOALS.items():
            with tempfile.TemporaryDirectory() as unused:
                measure(command, unused)  # modules become byte code here, kernels below
            first[name] = measure(command, folder)
        for _ in range(REPEATS):
            for name, (command, _) in GOALS.items():
                costs[name].append(measure(command, folder))
    table = Table(title=f"Start-up of a fresh process: the first time, then the best of {REPEATS}")
    for heading in ("", "first, CPU s", "wall, s", "CPU, s", "goal, s"):
        table.add_column(heading, justify="left" if not heading else "right")
    missed = []
    for name, (_, goal) in GOALS.items():
        wall, cpu = min(c.wall for c in costs[name]), min(c.cpu for c in costs[name])
        table.add_row(name, f"{first[name].cpu:.2f}", f"{wall:.2f}", f"{cpu:.2f}", f"{goal:g}")
        if min(wall, cpu) > goal:
            missed.append(name)
    Console().print(table)
    assert not missed, f"slower than the goal: {', '.join(missed)}"


if __name__ == "__main__":
    run()
