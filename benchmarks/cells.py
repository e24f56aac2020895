"""Bounds of a thousand suppressed cells: linear programs started from each other against scipy's, one by one.

Run with ``python benchmarks/cells.py``. Two-way tables with complementary suppression about 1,500 people. The
peer solves some of them from nothing, in the same process and with the same filter; both count CPU seconds,
so that other work on the machine does not weigh.
"""

from __future__ import annotations

import time

import numpy as np
from rich.console import Console

from dalenius.knowledge.view import Knowledge, View
from dalenius.matrices.answers import Counts
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.people.schema import CodedColumns, Column, Kind, Role, Roster
from dalenius.reconstruction.attack.certain.cells import derive_cells
from dalenius.reconstruction.attack.certain.ranges import row_extremes
from dalenius.reconstruction.attack.linalg import programs as repeated
from dalenius.reconstruction.attack.search.parts import propagate
from dalenius.reconstruction.attack.system.build import build
from dalenius.release.release import Block, Release
from dalenius.statistics.tables import tables_of

PEOPLE, COLUMNS, LEVELS = 1_500, 7, 5
PEER_ROWS = 20
GOAL = 60.0
"""CPU seconds for a thousand cells."""


def make_view() -> View:
    """Tables of every two of seven columns, and of every one, small cells and complements hidden."""
    rng = np.random.default_rng(1)
    levels = tuple(map(str, range(LEVELS)))
    columns = tuple(Column(f"a{j}", Role.PUBLIC, Kind.CATEGORICAL, levels) for j in range(COLUMNS))
    codes = rng.integers(0, LEVELS, (PEOPLE, COLUMNS)).astype(np.int32)
    roster = Roster("id", np.arange(PEOPLE).astype(np.str_), CodedColumns(columns, codes))
    ill = rng.random(PEOPLE) < 0.15
    mechanism = parse_mechanism("suppression:below=15,complementary=yes")
    blocks = []
    for k in (2, 1):
        asked = tables_of(columns, k)
        counts = [asked.operator(roster).apply(part.astype(np.float64)) for part in (~ill, ill)]
        true = Counts(np.stack(counts, axis=1), asked.table, asked.sensitivity(2))
        blocks.append(Block(asked, ("no", "yes"), mechanism.protect(true, rng=rng)))
    secret = Column("ill", Role.SECRET, Kind.BINARY, ("no", "yes"))
    return View(Release("tables", secret, tuple(blocks), str(mechanism)), Knowledge(roster))


def run() -> None:
    """Print the times; fail if the goal is missed."""
    view = make_view()
    start = time.process_time()
    derived = derive_cells(view)
    seconds = time.process_time() - start
    per_thousand = seconds / len(derived.cells) * 1000
    system = propagate(build(view).systems[0])
    some = np.zeros(system.low.size, np.bool_)
    some[np.flatnonzero(system.low < system.high)[:PEER_ROWS]] = True
    times = {}
    for name, solver in (("warm", repeated.open_highs), ("cold", lambda: None)):
        repeated.open_highs = solver
        start = time.process_time()
        row_extremes(system, some)
        times[name] = time.process_time() - start
    console = Console()
    console.print(f"{len(derived.cells):,} hidden cells, {system.unknowns:,} unknowns: {seconds:.1f} CPU s")
    console.print(
        f"{PEER_ROWS} rows: {times['warm']:.2f} s from each other, {times['cold']:.2f} s from nothing"
    )
    console.print(f"goal {GOAL:g} s a thousand cells; got {per_thousand:.1f}")
    assert per_thousand <= GOAL


if __name__ == "__main__":
    run()
