"""Compiled reading of a calibrated junction tree: how likely two people who meet in a table agree."""

from __future__ import annotations

import math
from typing import Any

from dalenius.accelerate import kernel


@kernel
def pair_log_odds(met: Any, offset: Any, tables: Any, result: Any) -> None:
    """Log-odds that a person agrees with each of those they meet: the person is a table's lowest bit."""
    for p in range(met.size - 1):
        company = met[p + 1] - met[p]
        own = tables[offset[p] : offset[p] + (2 << company)]
        for k in range(company):
            high = [-math.inf, -math.inf]
            total = [0.0, 0.0]
            for t in range(own.size):
                differ = (t ^ (t >> (k + 1))) & 1
                high[differ] = max(high[differ], own[t])
            for t in range(own.size):
                differ = (t ^ (t >> (k + 1))) & 1
                total[differ] += math.exp(own[t] - high[differ])
            result[met[p] + k] = high[0] - high[1] + math.log(total[0] / total[1])
