"""Compiled loops over whole numbers: bounds that follow from each other, and all data sets that fit."""

from __future__ import annotations

from typing import Any

import numpy as np

from dalenius.accelerate import kernel

NO_CONFLICT = -1


@kernel
def tighten(
    row_start: Any,
    row_at: Any,
    row_adds: Any,
    at_start: Any,
    at_row: Any,
    low: Any,
    high: Any,
    lo: Any,
    hi: Any,
) -> Any:
    """Tighten ``lo <= x <= hi`` by every row until nothing moves; returns a row that cannot hold, or -1.

    Rows may add any whole numbers. Every change is at least 1, so it ends.
    """
    rows = low.size
    queue = np.empty(rows, np.int64)
    waiting = np.ones(rows, np.bool_)
    for r in range(rows):
        queue[r] = r
    head, count = 0, rows
    while count > 0:
        r = queue[head]
        head = (head + 1) % rows
        count -= 1
        waiting[r] = False
        least, most = 0, 0
        for k in range(row_start[r], row_start[r + 1]):
            a, j = row_adds[k], row_at[k]
            if a > 0:
                least += a * lo[j]
                most += a * hi[j]
            else:
                least += a * hi[j]
                most += a * lo[j]
        if least > high[r] or most < low[r]:
            return r
        if least >= low[r] and most <= high[r]:
            continue
        for k in range(row_start[r], row_start[r + 1]):
            a, j = row_adds[k], row_at[k]
            old_lo, old_hi = lo[j], hi[j]
            if old_lo == old_hi:
                continue
            if a > 0:
                most_here = (high[r] - (least - a * old_lo)) // a
                least_here = -((most - a * old_hi - low[r]) // a)
            else:
                least_here = -((high[r] - (least - a * old_hi)) // -a)
                most_here = (most - a * old_lo - low[r]) // -a
            if most_here >= old_hi and least_here <= old_lo:
                continue
            if least_here > old_lo:
                lo[j] = least_here
            if most_here < old_hi:
                hi[j] = most_here
            if lo[j] > hi[j]:
                return r
            if a > 0:
                least += a * (lo[j] - old_lo)
                most += a * (hi[j] - old_hi)
            else:
                least += a * (hi[j] - old_hi)
                most += a * (lo[j] - old_lo)
            for i in range(at_start[j], at_start[j + 1]):
                other = at_row[i]
                if not waiting[other]:
                    waiting[other] = True
                    queue[(head + count) % rows] = other
                    count += 1
    return NO_CONFLICT


@kernel
def first_ends(row_start: Any, row_at: Any, row_adds: Any, high: Any, hi: Any) -> None:
    """Bound every record by the rows that only add: no row allows more of it than its high end."""
    for r in range(high.size):
        only_adds = True
        for k in range(row_start[r], row_start[r + 1]):
            if row_adds[k] < 0:
                only_adds = False
        if only_adds and high[r] >= 0:
            for k in range(row_start[r], row_start[r + 1]):
                j = row_at[k]
                most = high[r] // row_adds[k]
                hi[j] = min(hi[j], most)


@kernel
def holds(row_start: Any, row_at: Any, row_adds: Any, low: Any, high: Any, lo: Any, hi: Any, x: Any) -> bool:
    """Whether ``lo <= x <= hi`` and ``low <= A x <= high``, by exact arithmetic."""
    for j in range(x.size):
        if x[j] < lo[j] or x[j] > hi[j]:
            return False
    for r in range(low.size):
        total = 0
        for k in range(row_start[r], row_start[r + 1]):
            total += row_adds[k] * x[row_at[k]]
        if total < low[r] or total > high[r]:
            return False
    return True


@kernel
def bound_by(
    row_start: Any, row_at: Any, row_adds: Any, low: Any, high: Any, lo: Any, hi: Any, cost: Any, parts: Any,
    one: int, far: int, largest: float,
) -> Any:  # fmt: skip
    """The least whole number that ``cost @ x`` can be, as far as multipliers of ``parts / one`` prove it.

    Ends of rows beyond ``far`` are none. Sums that could grow beyond ``largest`` prove nothing.
    """
    n = cost.size
    reduced = np.empty(n, np.int64)
    plain = 0
    for j in range(n):
        reduced[j] = cost[j] * one
        plain += min(cost[j] * lo[j], cost[j] * hi[j])
    total = 0
    size = 0.0
    for r in range(low.size):
        part = parts[r]
        if part == 0 or (part < 0 and high[r] >= far) or (part > 0 and low[r] <= -far):
            continue
        end = low[r] if part > 0 else high[r]
        total += part * end
        size += abs(float(part) * float(end))
        for k in range(row_start[r], row_start[r + 1]):
            reduced[row_at[k]] -= part * row_adds[k]
            size += abs(float(part) * float(row_adds[k]))
    for j in range(n):
        total += min(reduced[j] * lo[j], reduced[j] * hi[j])
        size += abs(float(reduced[j])) * max(abs(float(lo[j])), abs(float(hi[j])))
    if size > largest:
        return plain
    return -((-total) // one)


@kernel
def search_order(row_start: Any, row_at: Any, at_start: Any, at_row: Any) -> Any:
    """An order of records in which those of one row are near each other: breadth first, then backwards."""
    n, rows = at_start.size - 1, row_start.size - 1
    order = np.empty(n, np.int64)
    seen = np.zeros(n, np.bool_)
    done = np.zeros(rows, np.bool_)
    head, tail = 0, 0
    while tail < n:
        first = -1
        for j in range(n):
            if not seen[j] and (
                first < 0 or at_start[j + 1] - at_start[j] < at_start[first + 1] - at_start[first]
            ):
                first = j
        seen[first] = True
        order[tail] = first
        tail += 1
        while head < tail:
            j = order[head]
            head += 1
            for i in range(at_start[j], at_start[j + 1]):
                r = at_row[i]
                if not done[r]:
                    done[r] = True
                    for k in range(row_start[r], row_start[r + 1]):
                        other = row_at[k]
                        if not seen[other]:
                            seen[other] = True
                            order[tail] = other
                            tail += 1
    return order[::-1].copy()


@kernel
def enumerate_fits(
    at_start: Any, at_row: Any, at_adds: Any, low: Any, high: Any, lo: Any, hi: Any, order: Any, found: Any,
    steps: int,
) -> Any:  # fmt: skip
    """Write all ``x`` with ``lo <= x <= hi`` and ``low <= A x <= high`` into ``found``, depth first.

    Returns how many there are and how many steps were taken; the number is -1 if ``found`` has too few
    rows for them, or the steps did not suffice. Records are taken in an order; ``rest`` is what the
    records after one can still add to each of its rows.
    """
    n, rows = lo.size, low.size
    rest_least = np.empty(at_row.size, np.int64)
    rest_most = np.empty(at_row.size, np.int64)
    least = np.zeros(rows, np.int64)
    most = np.zeros(rows, np.int64)
    for at in range(n - 1, -1, -1):
        j = order[at]
        for k in range(at_start[j], at_start[j + 1]):
            r, a = at_row[k], at_adds[k]
            rest_least[k] = least[r]
            rest_most[k] = most[r]
            if a > 0:
                least[r] += a * lo[j]
                most[r] += a * hi[j]
            else:
                least[r] += a * hi[j]
                most[r] += a * lo[j]
    for r in range(rows):
        if least[r] > high[r] or most[r] < low[r]:
            return 0, 0
    sums = np.zeros(rows, np.int64)
    x = np.zeros(n, np.int64)
    last = np.zeros(n, np.int64)
    count, taken, at = 0, 0, 0
    fresh = True
    while at >= 0:
        taken += 1
        if taken > steps:
            return -1, taken
        if at == n:
            if count == found.shape[0]:
                return -1, taken
            for i in range(n):
                found[count, i] = x[i]
            count += 1
            at -= 1
            fresh = False
            continue
        j = order[at]
        if fresh:
            first, end = lo[j], hi[j]
            for k in range(at_start[j], at_start[j + 1]):
                r, a = at_row[k], at_adds[k]
                room = high[r] - sums[r] - rest_least[k]
                need = low[r] - sums[r] - rest_most[k]
                if a > 0:
                    end = min(end, room // a)
                    first = max(first, -((-need) // a))
                else:
                    first = max(first, -(room // -a))
                    end = min(end, (-need) // -a)
            if first > end:
                at -= 1
                fresh = False
                continue
            x[j], last[j] = first, end
            step = first
        else:
            if x[j] == last[j]:
                for k in range(at_start[j], at_start[j + 1]):
                    sums[at_row[k]] -= at_adds[k] * x[j]
                at -= 1
                continue
            x[j] += 1
            step = 1
        for k in range(at_start[j], at_start[j + 1]):
            sums[at_row[k]] += at_adds[k] * step
        at += 1
        fresh = True
    return count, taken
