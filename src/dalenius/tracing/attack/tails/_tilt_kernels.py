"""The compiled loop of `tilts`: logarithms of means of exponentials, value by value."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dalenius.accelerate import kernel

Values = NDArray[np.float64]


class Records(NamedTuple):
    """What the values of records may be.

    ``values`` and ``chance`` are ``(atoms, records, width)``, weights ``v`` and values ``x``
    ``(records, width)``.
    """

    values: Values
    chance: Values
    v: Values
    x: Values


@kernel
def curves(made: Values, records: Records, points: Values, start: int, stop: int) -> None:
    """Write ``ln E exp(s v (X - x))`` and its first two derivatives in s, for some columns.

    ``made`` is ``(points, 3, records, width)``. The largest exponent is taken out before anything is
    exponentiated.
    """
    values, chance, v, x = records
    atoms, people = chance.shape[0], chance.shape[1]
    steps, tilted = np.empty(atoms), np.empty(atoms)
    for r in range(people):
        for j in range(start, stop):
            for a in range(atoms):
                steps[a] = v[r, j] * (values[a, r, j] - x[r, j])
            for k in range(points.size):
                s, top = points[k], -math.inf
                for a in range(atoms):
                    if chance[a, r, j] > 0:
                        top = max(top, s * steps[a])
                total = first = second = 0.0
                for a in range(atoms):
                    tilted[a] = chance[a, r, j] * math.exp(s * steps[a] - top) if chance[a, r, j] > 0 else 0.0
                    total += tilted[a]
                    first += tilted[a] * steps[a]
                first /= total
                for a in range(atoms):
                    second += tilted[a] * (steps[a] - first) ** 2
                made[k, 0, r, j], made[k, 1, r, j] = top + math.log(total), first
                made[k, 2, r, j] = second / total
