"""The fast Walsh-Hadamard transform against its numpy twin: time, ratio, growth and memory.

Run with ``python benchmarks/hadamard.py``. Both run by turns in one process and the best of several runs
counts, so that other work on the machine weighs on both alike.
"""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable

import numpy as np
from rich.console import Console
from rich.table import Table

from dalenius.matrices.fast_products import transform, transform_plain

SIZES = tuple(1 << k for k in range(16, 25, 2))
REPEATS = 5
GOAL = 20.0
"""How many times faster than numpy the largest size must be."""


def measure(size: int) -> dict[str, float]:
    """Time both transforms of one size, and the memory that the fast one allocates."""
    x = np.random.default_rng(size).standard_normal(size)
    assert np.array_equal(transform(x), transform_plain(x))
    plain, fast = [], []
    for _ in range(REPEATS):
        plain.append(_seconds(lambda: transform_plain(x)))
        fast.append(_seconds(lambda: transform(x)))
    tracemalloc.start()
    transform(x)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return {"size": size, "plain": min(plain), "fast": min(fast), "peak": peak / x.nbytes}


def run() -> None:
    """Print the table; fail if the goal is missed."""
    rows = [measure(size) for size in SIZES]
    table = Table(title="Walsh-Hadamard transform, float64")
    for heading in ("size", "numpy, s", "compiled, s", "ratio", "peak memory / input"):
        table.add_column(heading, justify="right")
    for row in rows:
        ratio = row["plain"] / row["fast"]
        table.add_row(
            f"2^{int(row['size']).bit_length() - 1}",
            f"{row['plain']:.5f}",
            f"{row['fast']:.5f}",
            f"{ratio:.1f}",
            f"{row['peak']:.2f}",
        )
    console = Console()
    console.print(table)
    console.print(
        f"growth: (N log N)^{_exponent(rows, 'fast'):.2f}, numpy (N log N)^{_exponent(rows, 'plain'):.2f}"
    )
    console.print(f"goal at 2^24: {GOAL:g} times faster than numpy; got {ratio:.1f}")
    assert ratio >= GOAL


def _seconds(function: Callable[[], object]) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def _exponent(rows: list[dict[str, float]], key: str) -> float:
    work = [np.log(row["size"] * np.log2(row["size"])) for row in rows]
    return float(np.polyfit(work, [np.log(row[key]) for row in rows], 1)[0])


if __name__ == "__main__":
    run()
