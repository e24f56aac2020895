"""Which rows lie in boxes, compiled; `boxes` is the readable way in."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dalenius.accelerate import kernel

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class BoxSides(NamedTuple):
    """The limits of many boxes, column by column, and where the rows that may lie in each start and end."""

    columns: Ints
    low: Floats
    high: Floats
    among: Ints


@kernel
def find_rows(values: Floats, boxes: BoxSides, start: int, stop: int, counts: Ints, found: Ints) -> None:
    """Write for the boxes ``start .. stop`` the first rows inside and how many there are; stop when full."""
    columns, low, high, among = boxes
    limit = found.shape[1]
    for p in range(start, stop):
        first = values[columns[p, 0]]
        least, most = low[p, 0], high[p, 0]
        count = 0
        for i in range(among[p, 0], among[p, 1]):
            if first[i] < least or first[i] > most:
                continue
            inside = True
            for c in range(1, columns.shape[1]):
                x = values[columns[p, c], i]
                if x < low[p, c] or x > high[p, c]:
                    inside = False
                    break
            if inside:
                found[p, count] = i
                count += 1
                if count == limit:
                    break
        counts[p] = count
