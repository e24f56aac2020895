"""The compiled walk over data sets of one piece: people change records, two or three at a time.

Every record has a signature, the sum of its rows' random numbers; people whose records have the same sum
together fill the same rows. A step takes two or three people and draws new records for them among all with
that sum, so that nothing is ever rejected. ``table`` holds one or two records an entry (the second is -1
for one), ordered by their sum; ``sums``, ``slots`` and ``starts`` find the entries of a sum.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dalenius.accelerate import kernel
from dalenius.random_kernel import uniform


@kernel
def _slots_of(sums: Any) -> Any:
    """Places of different sums by their first bits, which are random, -1 where there is none.

    A sum is looked up for every record that three people may have: halving a list of a thousand takes ten
    branches that nobody can foresee, this takes one.
    """
    size = 2
    while size < 2 * sums.size:
        size *= 2
    slots = np.full(size, -1, np.int64)
    for at in range(sums.size):
        slot = _slot_of(sums[at], size)
        while slots[slot] >= 0:
            slot = (slot + 1) & (size - 1)
        slots[slot] = at
    return slots


@kernel
def _slot_of(wanted: Any, size: int) -> Any:
    """Where a sum is looked for first: its upper half, cut to the number of slots."""
    return np.int64(wanted >> np.uint64(32)) & (size - 1)


@kernel
def _class_of(sums: Any, slots: Any, wanted: Any) -> Any:
    """Where a sum stands, or -1."""
    slot = _slot_of(wanted, slots.size)
    while slots[slot] >= 0:
        if sums[slots[slot]] == wanted:
            return slots[slot]
        slot = (slot + 1) & (slots.size - 1)
    return -1


@kernel
def _allowed(x: Any, lo: Any, hi: Any, old: Any, new: Any, count: int) -> bool:
    """Whether ``new`` records may stand where ``old`` ones were just taken out of ``x``."""
    for i in range(count):
        gain = 0
        for k in range(count):
            gain += new[k] == new[i]
        if x[new[i]] + gain > hi[new[i]]:
            return False
    for i in range(count):
        gain = 0
        for k in range(count):
            gain += new[k] == old[i]
        if x[old[i]] + gain < lo[old[i]]:
            return False
    return True


@kernel
def _redraw(
    rng: Any, count: int, who: Any, size: int, x: Any, lo: Any, hi: Any, H: Any, p: Any, scan: bool,
    sums: Any, slots: Any, starts: Any, table: Any, old: Any, new: Any, best: Any, at: Any,
) -> None:  # fmt: skip
    """Draw new records for ``count`` people; with ``scan`` one record is tried out before the table."""
    total = np.uint64(0)
    for i in range(count):
        fresh = False
        while not fresh:
            at[i] = int(uniform(rng) * size)
            fresh = True
            for k in range(i):
                fresh = fresh and at[k] != at[i]
        old[i] = who[at[i]]
        x[old[i]] -= 1
        total += H[old[i]]
    weight = 0.0
    for z in range(H.size if scan else 1):
        first = 0
        rest = total
        share = 1.0
        if scan:
            if x[z] >= hi[z]:  # seen before its sum is looked for
                continue
            new[0] = z
            first = 1
            rest = total - H[z]
            share = p[z]
        found = _class_of(sums, slots, rest)
        if found < 0:
            continue
        for entry in range(starts[found], starts[found + 1]):
            a, b = table[entry, 0], table[entry, 1]
            if x[a] >= hi[a] or (b >= 0 and x[b] >= hi[b]):
                continue
            new[first] = a
            own = share * p[a]
            if b >= 0:
                new[first + 1] = b
                own *= p[b] * (1.0 if a == b else 2.0)
            if not _allowed(x, lo, hi, old, new, count):
                continue
            weight += own
            if uniform(rng) * weight < own:
                for i in range(count):
                    best[i] = new[i]
    first = 1 if scan else 0
    if count - first == 2 and uniform(rng) < 0.5:
        best[first], best[first + 1] = best[first + 1], best[first]
    for i in range(count):
        who[at[i]] = best[i]
        x[best[i]] += 1


@kernel
def _rows_hold(j: int, by: int, start: Any, row: Any, adds: Any, low: Any, high: Any, filled: Any) -> bool:
    for k in range(start[j], start[j + 1]):
        value = filled[row[k]] + by * adds[k]
        if value < low[row[k]] or value > high[row[k]]:
            return False
    return True


@kernel
def _fill(j: int, by: int, start: Any, row: Any, adds: Any, filled: Any) -> None:
    for k in range(start[j], start[j + 1]):
        filled[row[k]] += by * adds[k]


@kernel
def _filled_hold(j: int, start: Any, row: Any, low: Any, high: Any, filled: Any) -> bool:
    for k in range(start[j], start[j + 1]):
        if filled[row[k]] < low[row[k]] or filled[row[k]] > high[row[k]]:
            return False
    return True


@kernel
def _change_one(
    rng: Any, who: Any, size: int, x: Any, lo: Any, hi: Any, p: Any,
    start: Any, row: Any, adds: Any, low: Any, high: Any, filled: Any,
) -> int:  # fmt: skip
    """Let one person change, come or go, as far as rows that are intervals allow it; returns the size."""
    n = x.size
    j = int(uniform(rng) * n)
    kind = uniform(rng)
    if kind < 0.6 and size > 0:
        at = int(uniform(rng) * size)
        i = who[at]
        if i == j or x[i] - 1 < lo[i] or x[j] + 1 > hi[j] or uniform(rng) * p[i] > p[j]:
            return size
        _fill(i, -1, start, row, adds, filled)
        _fill(j, 1, start, row, adds, filled)
        if _filled_hold(i, start, row, low, high, filled) and _filled_hold(j, start, row, low, high, filled):
            x[i] -= 1
            x[j] += 1
            who[at] = j
        else:
            _fill(i, 1, start, row, adds, filled)
            _fill(j, -1, start, row, adds, filled)
    elif kind < 0.8:
        if x[j] + 1 <= hi[j] and uniform(rng) * (x[j] + 1) < p[j] and _rows_hold(
            j, 1, start, row, adds, low, high, filled
        ):  # fmt: skip
            _fill(j, 1, start, row, adds, filled)
            x[j] += 1
            who[size] = j
            return size + 1
    elif x[j] - 1 >= lo[j] and uniform(rng) * p[j] < x[j] and _rows_hold(
        j, -1, start, row, adds, low, high, filled
    ):  # fmt: skip
        _fill(j, -1, start, row, adds, filled)
        x[j] -= 1
        for at in range(size):
            if who[at] == j:
                who[at] = who[size - 1]
                return size - 1
    return size


@kernel
def _log_factorials(hi: Any) -> Any:
    """Logarithms of the factorials of all numbers that a record can have."""
    most = 0
    for j in range(hi.size):
        most = max(most, hi[j])
    found = np.empty(most + 1, np.float64)
    for k in range(most + 1):
        found[k] = math.lgamma(k + 1.0)
    return found


@kernel
def _jump(
    rng: Any, jumps: Any, changes: Any, who: Any, size: int, x: Any, lo: Any, hi: Any, log_p: Any,
    logs_of: Any, low: Any, high: Any, filled: Any,
) -> int:  # fmt: skip
    """Move by the difference of two known data sets, forwards or back; returns the size."""
    which = int(uniform(rng) * len(jumps))
    sign = 1 if uniform(rng) < 0.5 else -1
    gain = 0.0
    for j in range(x.size):
        step = sign * jumps[which, j]
        if step != 0:
            to = x[j] + step
            if to < lo[j] or to > hi[j]:
                return size
            gain += step * log_p[j] - logs_of[to] + logs_of[x[j]]
    if math.log(1.0 - uniform(rng)) >= gain:
        return size
    for r in range(low.size):
        to = filled[r] + sign * changes[which, r]
        if to < low[r] or to > high[r]:
            return size
    for r in range(low.size):
        filled[r] += sign * changes[which, r]
    size = 0
    for j in range(x.size):
        x[j] += sign * jumps[which, j]
        for _ in range(x[j]):
            who[size] = j
            size += 1
    return size


@kernel
def walk(
    rng: Any, x: Any, who: Any, lo: Any, hi: Any, log_p: Any, H: Any,
    one_sums: Any, one_starts: Any, one_table: Any, two_sums: Any, two_starts: Any, two_table: Any,
    start: Any, row: Any, adds: Any, low: Any, high: Any, jumps: Any, changes: Any,
    begins: Any, counts: Any, mode: Any, steps: int, thin: int,
) -> int:  # fmt: skip
    """Walk from ``x``; after a fifth of the steps count in ``counts`` how often each record had each number.

    ``counts`` has a place for each record and number from its least on, from ``begins`` on; ``mode`` becomes
    the most probable data set that was counted. Returns how many were counted.
    """
    p = np.empty(x.size, np.float64)
    for j in range(x.size):
        p[j] = math.exp(log_p[j])
    filled = np.zeros(low.size, np.int64)
    size: Any = np.int64(0)  # a plain 0 is a constant at first: every step would be compiled for it too
    for j in range(x.size):
        _fill(j, x[j], start, row, adds, filled)
        for _ in range(x[j]):
            who[size] = j
            size += 1
    loose = False
    for r in range(low.size):
        loose = loose or low[r] < high[r]
    pairs = two_sums.size > 0
    slots = _slots_of(two_sums if pairs else one_sums)
    logs_of = _log_factorials(hi)
    old, new = np.zeros(3, np.int64), np.zeros(3, np.int64)
    best, at = np.zeros(3, np.int64), np.zeros(3, np.int64)
    seen, highest = 0, -np.inf
    for step in range(steps):
        kind = uniform(rng)
        if kind < 0.2 and len(jumps) > 0:
            size = _jump(rng, jumps, changes, who, size, x, lo, hi, log_p, logs_of, low, high, filled)
        elif kind < 0.45 and loose:
            size = _change_one(rng, who, size, x, lo, hi, p, start, row, adds, low, high, filled)
        elif size >= 2:
            three = kind < 0.4 + 0.25 * loose and pairs and size >= 3
            _redraw(
                rng, 3 if three else 2, who, size, x, lo, hi, H, p, three or not pairs,
                two_sums if pairs else one_sums, slots, two_starts if pairs else one_starts,
                two_table if pairs else one_table, old, new, best, at,
            )  # fmt: skip
        if step * 5 >= steps and step % thin == 0:
            seen += 1
            logs = 0.0
            for j in range(x.size):
                counts[begins[j] + x[j] - lo[j]] += 1
                logs += x[j] * log_p[j] - logs_of[x[j]]
            if logs > highest:
                highest = logs
                for j in range(x.size):
                    mode[j] = x[j]
    return seen
