"""The compiled search: two people exchange their levels of one column, whose counts stay as they are."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dalenius.accelerate import kernel
from dalenius.random_kernel import uniform

FAR = (1 << 31) - 1
"""No count of people is so large."""

COOLED = 64
"""Steps after which it grows colder."""


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
def _place_with(
    person: Any, table: int, column: int, level: int, of_start: Any, of_column: Any, adds: Any, widest: int
) -> Any:  # fmt: skip
    """The cell of a person in a table, if they had another level of a column."""
    place = 0
    for k in range(of_start[table], of_start[table + 1]):
        other = of_column[k]
        own = adds[k * widest + (level if other == column else person[other])]
        if own < 0:
            return -1
        place += own
    return place


@kernel
def _leaves(cell: Any) -> Any:
    """By how much more a cell is missed once somebody leaves it."""
    if cell[0] <= cell[1]:
        return 1
    return -1 if cell[0] > cell[2] else 0


@kernel
def _joins(cell: Any) -> Any:
    """By how much more a cell is missed once somebody joins it."""
    if cell[0] >= cell[2]:
        return 1
    return -1 if cell[0] < cell[1] else 0


@kernel
def anneal_swaps(
    rng: Any, people: Any, of_start: Any, of_column: Any, adds: Any, widest: int, first: Any,
    at_start: Any, at_table: Any, at_part: Any, low: Any, high: Any, counts: Any, usual: Any, stride: Any,
    missed: int, steps: int, cold: float, hot: float,
) -> Any:  # fmt: skip
    """Exchange levels, colder and colder, until all cells fit or the steps are over.

    Returns what is missed, and how many steps were taken.
    ``at_table[at_start[c]:at_start[c + 1]]`` are the tables of a column, ``at_part`` where it stands in
    them, ``adds`` what each level of each column of a table adds to the place of a person, ``first`` where
    the cells of a table begin. An exchange touches four cells of a table, all different unless it changes
    nothing there: so what it would change is read from the counts as they are.
    ``usual`` says how usual each record is among other people, as a logarithm, at the sum of its levels times
    ``stride``; it is empty where all are alike. What is drawn at one temperature then follows the law of
    independent draws of such people, and of these those who fit.
    """
    n, columns = people.shape
    best = people.copy()
    least = missed
    ratio = math.log(cold / hot)
    cells = np.empty((counts.size, 3), np.int32)  # count, low and high side by side, as they are read
    for at in range(counts.size):
        cells[at, 0], cells[at, 1], cells[at, 2] = counts[at], min(low[at], FAR), min(high[at], FAR)
    place = np.empty((n, first.size), np.int64)
    for i in range(n):
        for table in range(first.size):
            place[i, table] = _place(people[i], table, of_start, of_column, adds, widest)
    record = np.zeros(n, np.int64)
    for i in range(n):
        for c in range(columns):
            record[i] += people[i, c] * stride[c]
    weighed = usual.size > 0
    moved = np.empty((at_table.size, 2), np.int64)
    strength = hot
    taken = 0
    for step in range(steps):
        if missed == 0:
            break
        taken += 1
        if step % COOLED == 0:
            strength = hot * math.exp(ratio * step / steps)
        column = int(uniform(rng) * columns)
        i, k = int(uniform(rng) * n), int(uniform(rng) * n)
        mine, other = people[i, column], people[k, column]
        if mine == other:
            continue
        change = 0
        for at in range(at_start[column], at_start[column + 1]):
            table, part = at_table[at], at_part[at] * widest
            a, b = place[i, table], place[k, table]
            if a >= 0 and b >= 0:  # all their other columns are inside, and both levels are
                by = adds[part + other] - adds[part + mine]
                x, y = a + by, b - by
            else:
                x = _place_with(people[i], table, column, other, of_start, of_column, adds, widest)
                y = _place_with(people[k], table, column, mine, of_start, of_column, adds, widest)
            moved[at, 0], moved[at, 1] = x, y
            if a == y and b == x:
                continue
            f = first[table]
            if a != x:
                if a >= 0:
                    change += _leaves(cells[f + a])
                if x >= 0:
                    change += _joins(cells[f + x])
            if b != y:
                if b >= 0:
                    change += _leaves(cells[f + b])
                if y >= 0:
                    change += _joins(cells[f + y])
        gain = -strength * change
        shift = (other - mine) * stride[column]
        if weighed:
            gain += usual[record[i] + shift] + usual[record[k] - shift] - usual[record[i]] - usual[record[k]]
        if gain < 0 and uniform(rng) >= math.exp(gain):
            continue
        people[i, column], people[k, column] = other, mine
        record[i] += shift
        record[k] -= shift
        for at in range(at_start[column], at_start[column + 1]):
            table = at_table[at]
            for side in range(2):
                who = k if side else i
                old, new = place[who, table], moved[at, side]
                if old >= 0:
                    cells[first[table] + old, 0] -= 1
                if new >= 0:
                    cells[first[table] + new, 0] += 1
                place[who, table] = new
        missed += change
        if missed < least:
            least = missed
            _copy(people, best)
    _copy(best, people)
    return least, taken
