"""Tracing a thousand people in a million variants with two thousand references, every way to calibrate.

Run with ``python -m benchmarks.tracing`` for a tenth of the variants, with ``full`` after it for all. Targets
and references are read straight from a ``.bed`` file. The goal: a minute of all cores for a calibration
at full size, in CPU seconds since other work may be going on; and growth no faster than the variants. The one
that adjusts for ancestry compares everybody with everybody and has no goal.
"""

from __future__ import annotations

import resource
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.common import Cost, cost, exponent
from benchmarks.scores import make
from dalenius.accelerate import cores
from dalenius.genomes.plink import read_plink
from dalenius.knowledge.tracing import TracingView
from dalenius.people.traits.traits import sums
from dalenius.release.means import MeansRelease
from dalenius.tracing.attack.attack import trace
from dalenius.tracing.attack.score_test import ScoreTest

PEOPLE, TARGETS, REFERENCES, VARIANTS = 4000, 1000, 2000, 1_000_000
SECONDS = 60.0
"""Of every core."""
TESTS = (
    ("llr", "pooled:tail=saddlepoint"),
    ("llr", "conformal:how=held-out"),
    ("opt", "adjusted"),
    ("raw", "flip:tail=bd"),
)


def view_of(path: Path, variants: int) -> TracingView:
    """Publish the means of a thousand people; ask about half of them and five hundred others."""
    people = read_plink(path).traits.select(np.arange(variants))
    members = people.take(np.arange(1000))
    total, seen = sums(members)
    release = MeansRelease(
        "study", people.names, total / np.maximum(seen, 1), "genotype", members.n, "exact", 0.0
    )
    targets = people.take(np.arange(500, 500 + TARGETS))
    others = people.take(np.arange(PEOPLE - REFERENCES, PEOPLE))
    return TracingView(release, targets, replace(others, ids=np.char.add("r", others.ids)))


def measure(view: TracingView, weights: str, calibration: str) -> Cost:
    """Trace once."""
    rng = np.random.default_rng(3)
    return cost(lambda: trace(view, rng=rng, test=ScoreTest(weights=weights, calibration=calibration)))


def main() -> None:
    """Print the table; fail if the goal is missed."""
    largest = VARIANTS if "full" in sys.argv[1:] else VARIANTS // 10
    sizes = [largest // 4, largest // 2, largest]
    table = Table("weights", "calibration", *(f"{size:,} wall / CPU s" for size in sizes), "growth")
    slow = []
    with tempfile.TemporaryDirectory() as folder:
        views = [view_of(make(Path(folder), PEOPLE, largest), size) for size in sizes]
        for weights, calibration in TESTS:
            measure(views[0], weights, calibration)  # compiles
            costs = [measure(view, weights, calibration) for view in views]
            shown = [f"{one.wall:.2f} / {one.cpu:.2f}" for one in costs]
            table.add_row(weights, calibration, *shown, f"{exponent(sizes, costs):.2f}")
            if costs[-1].cpu > SECONDS * cores() and calibration != "adjusted":
                slow.append(calibration)
    console = Console()
    console.print(f"{TARGETS:,} targets, {REFERENCES:,} references, straight from a .bed file")
    console.print(table)
    console.print(
        f"peak memory of the process {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f} GB"
    )
    if slow:
        sys.exit(f"over {SECONDS:g} seconds of {cores()} cores: {', '.join(slow)}")


if __name__ == "__main__":
    main()
