"""How the benchmarks measure: by turns, the best of several, wall and CPU seconds, growth between sizes."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

Call = Callable[[], object]


@dataclass(frozen=True)
class Cost:
    """Seconds on the clock, and CPU seconds of all threads."""

    wall: float
    cpu: float


def cost(call: Call) -> Cost:
    """Run once and measure."""
    wall, cpu = time.perf_counter(), time.process_time()
    call()
    return Cost(time.perf_counter() - wall, time.process_time() - cpu)


def best_by_turns(calls: Mapping[str, Call], repeats: int) -> dict[str, Cost]:
    """Run all calls by turns, so that other work on the machine weighs on all alike; keep the best."""
    costs: dict[str, list[Cost]] = {name: [] for name in calls}
    for _ in range(repeats):
        for name, call in calls.items():
            costs[name].append(cost(call))
    return {name: Cost(min(c.wall for c in own), min(c.cpu for c in own)) for name, own in costs.items()}


def peak_megabytes(call: Call) -> float:
    """Return the most memory that Python and NumPy allocated at once during a call."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()


def exponent(sizes: Sequence[float], costs: Sequence[Cost]) -> float:
    """Return the power of the size that CPU seconds grow with, by least squares in logarithms."""
    return float(np.polyfit(np.log(sizes), np.log([c.cpu for c in costs]), 1)[0])
