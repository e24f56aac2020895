"""The compiled search: two people exchange their levels of one column, whose counts stay as they are."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dalenius.accelerate import kernel
from dalenius.random_kernel import uniform


@kernel
def _missed(count: Any, low: Any, high: Any) -> Any:
    """By how much a count lies outside its interval."""
    if count < low:
        return low - count
    return count - high if count > high else 0


@kernel
def _place(person: Any, table: int, of_start: Any, of_column: Any, adds: Any, widest: int) -> Any:
    """The cell of a person in a table; -1 outside its universe."""
    place = 0
    for k in range(of_start[table], of_start[table + 1]):
        own = adds[k * widest + person[of_column[k]]]
        if own < 0:
            return -1
        place += own
    return place


@kernel
def misses(
    people: Any,
    of_start: Any,
    of_column: Any,
    adds: Any,
    widest: int,
    first: Any,
    low: Any,
    high: Any,
    counts: Any,
) -> Any:
    """Count everybody into ``counts``; returns by how much all cells together are missed."""
    counts[:] = 0
    for i in range(people.shape[0]):
        for table in range(first.size):
            place = _place(people[i], table, of_start, of_column, adds, widest)
            if place >= 0:
                counts[first[table] + place] += 1
    total = 0
    for cell in range(counts.size):
        total += _missed(counts[cell], low[cell], high[cell])
    return total


@kernel
def _copy(source: Any, target: Any) -> None:
    """The same levels of the same people."""
    for i in range(source.shape[0]):
        for c in range(source.shape[1]):
            target[i, c] = source[i, c]


@kernel
def anneal_swaps(
    rng: Any, people: Any, of_start: Any, of_column: Any, adds: Any, widest: int, first: Any,
    at_start: Any, at_table: Any, low: Any, high: Any, counts: Any, missed: int, steps: int, cold: float,
    hot: float,
) -> Any:  # fmt: skip
    """Exchange levels, colder and colder, until all cells fit or the steps are over; returns what is missed.

    ``at_table[at_start[c]:at_start[c + 1]]`` are the tables of a column, ``adds`` what each level of each
    column of a table adds to the place of a person, ``first`` where the cells of a table begin.
    """
    n, columns = people.shape
    best = people.copy()
    least = missed
    ratio = math.log(cold / hot)
    changed = np.empty(4 * at_table.size, np.int64)
    for step in range(steps):
        if missed == 0:
            break
        strength = hot * math.exp(ratio * step / steps)
        column = int(uniform(rng) * columns)
        i, k = int(uniform(rng) * n), int(uniform(rng) * n)
        if people[i, column] == people[k, column]:
            continue
        used, change = 0, 0
        for side in range(2):
            for at in range(at_start[column], at_start[column + 1]):
                table = at_table[at]
                for who in (i, k):
                    place = _place(people[who], table, of_start, of_column, adds, widest)
                    if place >= 0:
                        cell = first[table] + place
                        by = 2 * side - 1
                        change += _missed(counts[cell] + by, low[cell], high[cell])
                        change -= _missed(counts[cell], low[cell], high[cell])
                        counts[cell] += by
                        changed[used] = cell * 2 + side
                        used += 1
            if side == 0:
                people[i, column], people[k, column] = people[k, column], people[i, column]
        if change <= 0 or uniform(rng) < math.exp(-strength * change):
            missed += change
            if missed < least:
                least = missed
                _copy(people, best)
        else:
            people[i, column], people[k, column] = people[k, column], people[i, column]
            for at in range(used):
                counts[changed[at] // 2] -= 2 * (changed[at] % 2) - 1
    _copy(best, people)
    return least
