"""The compiled walk over everybody's record under noise: one changes, two swap, somebody comes or goes.

``says`` has four numbers for each row: between which counts nothing is missed, one over the scale of a miss,
and whether misses are weighed by their size (1) or their square (0). A grid's place is computed from groups
of levels; ``row_of`` says which row stands there, -1 if none does.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dalenius.accelerate import kernel
from dalenius.random_kernel import uniform


@kernel
def _miss(x: float, says: Any, row: int) -> Any:
    """How unlikely a row is when it counts ``x`` people."""
    away = max(says[row, 0] - x, x - says[row, 1], 0.0) * says[row, 2]
    return away if says[row, 3] > 0.0 else 0.5 * away * away


@kernel
def _put(
    person: Any, by: int, counts: Any, says: Any, grid_start: Any, column: Any, size: Any,
    group_start: Any, groups: Any, row_start: Any, row_of: Any,
) -> float:  # fmt: skip
    """Count somebody in (``by`` 1) or out (-1); returns by how much less likely the rows became."""
    cost = 0.0
    for g in range(grid_start.size - 1):
        place = 0
        for k in range(grid_start[g], grid_start[g + 1]):
            own = groups[group_start[k] + person[column[k]]]
            if own < 0:
                place = -1
                break
            place = place * size[k] + own
        if place < 0:
            continue
        row = row_of[row_start[g] + place]
        if row >= 0:
            x = counts[row]
            cost += _miss(x + by, says, row) - _miss(x, says, row)
            counts[row] = x + by
    return cost


@kernel
def _code(person: Any, steps: Any) -> int:
    code = 0
    for c in range(person.size):
        code += person[c] * steps[c]
    return code


@kernel
def _draw(rng: Any, cumulated: Any, levels: Any, steps: Any, unit: int, person: Any) -> None:
    """Draw a record by other people's shares, and the unit alike."""
    u = uniform(rng) * cumulated[cumulated.size - 1]
    first, last = 0, cumulated.size - 1
    while first < last:
        middle = (first + last) // 2
        if cumulated[middle] <= u:
            first = middle + 1
        else:
            last = middle
    for c in range(person.size):
        if c == unit:
            person[c] = int(uniform(rng) * levels[c])
        else:
            person[c] = (first // steps[c]) % levels[c]


@kernel
def _propose(
    rng: Any, people: Any, size: int, moves: bool, levels: Any, steps: Any, unit: int, cumulated: Any,
    gone: Any, come: Any, who: Any,
) -> int:  # fmt: skip
    """Write who goes and comes; returns 0 nobody, 1 comes, 2 goes, 3 drawn anew, 4 changed, 5 swapped."""
    kind = uniform(rng)
    d = people.shape[1]
    if moves and kind < 0.1:
        if kind < 0.05 and size < len(people):
            _draw(rng, cumulated, levels, steps, unit, come[0])
            return 1
        if kind < 0.05 or size == 0:
            return 0
        who[0] = int(uniform(rng) * size)
        for c in range(d):
            gone[0, c] = people[who[0], c]
        return 2
    if size == 0:
        return 0
    who[0] = int(uniform(rng) * size)
    for c in range(d):
        gone[0, c] = people[who[0], c]
        come[0, c] = people[who[0], c]
    if kind < 0.4:
        _draw(rng, cumulated, levels, steps, unit, come[0])
        if unit >= 0:
            come[0, unit] = gone[0, unit]
        return 3
    if kind < 0.7:
        for c in range(d):
            if uniform(rng) < 0.4 and c != unit:
                come[0, c] = int(uniform(rng) * levels[c])
        return 4
    who[1] = int(uniform(rng) * size)
    if who[1] == who[0]:
        return 0
    for c in range(d):
        gone[1, c] = people[who[1], c]
        come[1, c] = people[who[1], c]
        if uniform(rng) < 0.4:
            come[0, c], come[1, c] = gone[1, c], gone[0, c]
    return 5


@kernel
def anneal(
    rng: Any, people: Any, size: int, moves: bool, levels: Any, steps: Any, unit: int, log_p: Any,
    cumulated: Any, says: Any, counts: Any, grid_start: Any, column: Any, grid_size: Any, group_start: Any,
    groups: Any, row_start: Any, row_of: Any, kept: Any, sizes: Any, work: int,
) -> None:  # fmt: skip
    """Walk ``work`` steps; the likelihood counts fully after a third of them, and then people are kept.

    ``moves`` lets people come and go. ``kept`` gets copies of all people, and ``sizes`` how many they are.
    """
    d = people.shape[1]
    gone, come = np.empty((2, d), np.int64), np.empty((2, d), np.int64)
    who = np.zeros(2, np.int64)
    third, at = work // 3, 0
    every = max((work - third) // len(kept), 1)
    for step in range(work):
        heat = 1.0 if step >= third else 0.05 * 20.0 ** (step / third)
        kind = _propose(rng, people, size, moves, levels, steps, unit, cumulated, gone, come, who)
        out = 0 if kind < 2 else (2 if kind == 5 else 1)
        into = 0 if kind in (0, 2) else (2 if kind == 5 else 1)
        change, cost = 0.0, 0.0
        for way in range(2):  # done, and undone if it is rejected
            for k in range(out + into):
                person = gone[k] if k < out else come[k - out]
                by = -1 if (k < out) == (way == 0) else 1
                step_cost = _put(
                    person, by, counts, says, grid_start, column, grid_size, group_start, groups,
                    row_start, row_of,
                )  # fmt: skip
                if way == 0:
                    cost += step_cost
                    change += by * log_p[_code(person, steps)]
            if way == 0:
                gain = (change if kind > 3 else 0.0) - heat * cost  # otherwise drawn by the prior itself
                if kind == 0 or uniform(rng) < math.exp(min(gain, 0.0)):
                    break
        else:
            kind = 0
        if kind > 0:
            for c in range(d):
                if kind == 1:
                    people[size, c] = come[0, c]
                elif kind == 2:
                    people[who[0], c] = people[size - 1, c]
                else:
                    people[who[0], c] = come[0, c]
                    if kind == 5:
                        people[who[1], c] = come[1, c]
            size += (kind == 1) - (kind == 2)
        if step >= third and (step - third) % every == every - 1 and at < len(kept):
            sizes[at] = size
            for i in range(size):
                for c in range(d):
                    kept[at, i, c] = people[i, c]
            at += 1
