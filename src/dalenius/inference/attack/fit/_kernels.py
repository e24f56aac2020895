"""Compiled loops of the fit: junction trees that are read, and priors that are simulated."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dalenius.accelerate import kernel
from dalenius.inference.attack.solvers._junction_kernels import calibrate_group


@kernel
def _pair_log_odds(own: Any, company: int, result: Any) -> None:
    """Log-odds that a person agrees with each of those they meet: the person is a table's lowest bit."""
    for k in range(company):
        high0, high1, total0, total1 = -math.inf, -math.inf, 0.0, 0.0
        for t in range(own.size):
            if (t ^ (t >> (k + 1))) & 1:
                high1 = max(high1, own[t])
            else:
                high0 = max(high0, own[t])
        for t in range(own.size):
            if (t ^ (t >> (k + 1))) & 1:
                total1 += math.exp(own[t] - high1)
            else:
                total0 += math.exp(own[t] - high0)
        result[k] = high0 - high1 + math.log(total0 / total1)


@kernel
def calibrate_and_read(layout: Any, field: Any, room: Any, log_odds: Any, together: Any, none: Any) -> None:
    """Calibrate every group and read it before the next one uses its memory.

    ``log_odds`` are people's, ``together`` those of agreement with whom they meet, ``none`` the logarithm of
    the probability that all bits of a group are 0: each is 0 given that those met later are.
    """
    first, met, offset, tables = layout.first, layout.met, layout.offset, room.tables
    for group in range(first.size - 1):
        calibrate_group(layout, group, field, room, log_odds)
        total = 0.0
        for p in range(first[group], first[group + 1]):
            company = met[p + 1] - met[p]
            own = tables[offset[p] : offset[p] + (2 << company)]
            high, low = max(own[0], own[1]), min(own[0], own[1])
            total += own[0] - high - math.log1p(math.exp(low - high))
            _pair_log_odds(own, company, together[met[p] : met[p + 1]])
        none[group] = total


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
def run_both(neighbours: Any, low: Any, high: Any, uniform: Any) -> None:
    """Draw two chains with the same numbers."""
    for turn in range(uniform.shape[0]):
        _settle(neighbours, low, uniform[turn])
        _settle(neighbours, high, uniform[turn])


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
