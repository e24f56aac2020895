"""Compiled loops of the join: the levels with which a partial record may go on, as bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from dalenius.accelerate import kernel

WORD = 64
"""Bits of a number in which levels are marked."""


@kernel
def mark_levels(masks: Any, row: Any, group: Any, level_group: Any) -> None:
    """Mark in the row of each place the levels of its group; levels in no group are marked everywhere."""
    groups = 0
    for level in range(level_group.size):
        groups = max(groups, level_group[level] + 1)
    own = np.zeros((groups + 1, masks.shape[1]), np.uint64)
    for level in range(level_group.size):
        at = level_group[level] if level_group[level] >= 0 else groups
        own[at, level // 64] |= np.uint64(1) << np.uint64(level % 64)
    for r in range(masks.shape[0]):
        for w in range(masks.shape[1]):
            masks[r, w] = own[groups, w]
    for k in range(row.size):
        for w in range(masks.shape[1]):
            masks[row[k], w] |= own[group[k], w]


@kernel
def levels_allowed(
    partial: Any, filters: Any, parts: Any, groups: Any, masks: Any, keys: Any, allowed: Any
) -> Any:
    """Keep in ``allowed`` the levels that every filter leaves to each partial record; returns how many.

    A row of ``filters`` is where a filter begins in ``parts``, ``masks`` and ``keys``, and a last row where
    they end; one of ``parts`` is a column, where the groups of its levels begin, and how much a group counts
    in a place. Outside its universe a filter says nothing. Places are rows of ``masks``, by themselves or by
    their number among the keys; a place that is not there has the last row of the filter.
    """
    count = 0
    for i in range(partial.shape[0]):
        some = True
        for f in range(filters.shape[0] - 1):
            place, outside = 0, False
            for k in range(filters[f, 0], filters[f + 1, 0]):
                own = groups[parts[k, 1] + partial[i, parts[k, 0]]]
                if own < 0:
                    outside = True
                    break
                place += own * parts[k, 2]
            if outside:
                continue
            first, last = filters[f, 2], filters[f + 1, 2]
            if last > first:
                at = first + np.searchsorted(keys[first:last], place)
                place = at - first if at < last and keys[at] == place else last - first
            some = False
            row = filters[f, 1] + place
            for w in range(allowed.shape[1]):
                allowed[i, w] &= masks[row, w]
                some = some or allowed[i, w] != 0
            if not some:
                break
        if some:
            for w in range(allowed.shape[1]):
                left = allowed[i, w]
                while left:
                    left &= left - np.uint64(1)
                    count += 1
    return count


@kernel
def extend_by(partial: Any, allowed: Any, column: int, longer: Any) -> None:
    """Write every partial record once for each level that it may go on with, in their order."""
    at = 0
    for i in range(partial.shape[0]):
        for w in range(allowed.shape[1]):
            left = allowed[i, w]
            level = w * 64
            while left:
                if left & np.uint64(1):
                    for c in range(partial.shape[1]):
                        longer[at, c] = partial[i, c]
                    longer[at, column] = level
                    at += 1
                left >>= np.uint64(1)
                level += 1
