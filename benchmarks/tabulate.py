"""All tables of the secret with three of eight columns: the engine against a loop of pandas group-bys.

The people are drawn with replacement from the demo's survey. Run with ``python -m benchmarks.tabulate``.
"""

from __future__ import annotations

from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from benchmarks.common import best_by_turns, cost, exponent
from dalenius.people.dataset import Dataset, read
from dalenius.people.engine.tabulate import tabulate
from dalenius.people.examples.examples import EXAMPLES, example_frame

REPEATS = {10_000: 5, 100_000: 3, 1_000_000: 1}
SECRET = EXAMPLES["fair"]


def group_by(frame: Any, sets: list[tuple[str, ...]]) -> list[Any]:
    """Count every table with pandas."""
    return [frame.groupby([*names, SECRET], observed=True).size() for names in sets]


def check(people: Dataset, frame: Any, sets: list[tuple[str, ...]]) -> None:
    """Compare every number of both."""
    for own, peer in zip(tabulate(people, sets), group_by(frame, sets), strict=True):
        counts: NDArray[np.int64] = peer.to_numpy()
        assert np.array_equal(own[own > 0], counts), "the tables differ"


def run() -> None:
    """Print one row a size, and the growth."""
    survey = example_frame("fair")
    sets = list(combinations([name for name in survey.columns if name != SECRET], 3))
    table = Table(title=f"{len(sets)} tables of the secret with three columns, CPU seconds")
    for heading in ("people", "read", "tabulate", "pandas", "CPU ratio", "wall ratio"):
        table.add_column(heading, justify="right", no_wrap=True)
    costs = []
    for size, repeats in REPEATS.items():
        rows = np.random.default_rng(size).integers(0, len(survey), size)
        frame = survey.iloc[rows].reset_index(drop=True)
        loading = cost(lambda frame=frame: read(frame, secret=SECRET).close())
        with read(frame, secret=SECRET) as people:
            check(people, frame, sets)
            calls = {"own": partial(tabulate, people, sets), "peer": partial(group_by, frame, sets)}
            costs.append(best_by_turns(calls, repeats))
        own, peer = costs[-1]["own"], costs[-1]["peer"]
        seconds = f"{loading.cpu:.3g}", f"{own.cpu:.3g}", f"{peer.cpu:.3g}"
        table.add_row(f"{size:,}", *seconds, f"{peer.cpu / own.cpu:.1f}", f"{peer.wall / own.wall:.1f}")
    console = Console()
    console.print(table)
    console.print(
        f"growth in CPU seconds: tabulate n^{exponent(list(REPEATS), [c['own'] for c in costs]):.2f}, "
        f"pandas n^{exponent(list(REPEATS), [c['peer'] for c in costs]):.2f}"
    )


if __name__ == "__main__":
    run()
