"""Compiled reading of calibrated junction trees: how likely people agree, and nobody is 1."""

from __future__ import annotations

import math
from typing import Any

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
