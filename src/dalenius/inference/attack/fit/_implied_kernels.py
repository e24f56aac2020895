"""Compiled simulation of a prior: two chains from opposite ends, driven by the same numbers."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dalenius.accelerate import kernel


class Neighbours(NamedTuple):
    """Whom each person is linked with: rows of a sparse matrix of couplings; and what pulls them alone."""

    start: NDArray[np.int64]
    ends: NDArray[np.int64]
    coupling: NDArray[np.float64]
    field: NDArray[np.float64]


@kernel
def _settle(neighbours: Any, spin: Any, uniform: Any) -> None:
    """Draw everybody once given the others."""
    start, ends, coupling, field = neighbours
    for v in range(field.size):
        pull = field[v]
        for k in range(start[v], start[v + 1]):
            pull += coupling[k] * spin[ends[k]]
        spin[v] = 1.0 if uniform[v] * (1.0 + math.exp(-2.0 * pull)) < 1.0 else -1.0


@kernel
def until_met(neighbours: Any, low: Any, high: Any, uniform: Any) -> int:
    """Draw two chains with the same numbers; return after how many rounds they are equal, -1 if never."""
    for turn in range(uniform.shape[0]):
        _settle(neighbours, low, uniform[turn])
        _settle(neighbours, high, uniform[turn])
        apart = False
        for v in range(low.size):
            if low[v] != high[v]:
                apart = True
                break
        if not apart:
            return turn + 1
    return -1


@kernel
def count(neighbours: Any, spin: Any, uniform: Any, edges: Any, alike: Any, ones: Any) -> None:
    """Draw one chain and count how often linked people agree and people are 1."""
    for turn in range(uniform.shape[0]):
        _settle(neighbours, spin, uniform[turn])
        for e in range(edges.shape[0]):
            if spin[edges[e, 0]] == spin[edges[e, 1]]:
                alike[e] += 1.0
        for v in range(spin.size):
            if spin[v] < 0:
                ones[v] += 1.0
