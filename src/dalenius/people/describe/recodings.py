"""Columns that tell the same in other words or numbers: education, and the number of its years."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from dalenius.people.engine.engine import fetch


def recodings(rows: Any, values: Mapping[str, Any], sizes: Mapping[str, int]) -> dict[str, str]:
    """Find the columns that put the same people together as an earlier one does.

    Parameters
    ----------
    rows
        The table.
    values
        For each column what is made of it, in the order in which they are to be kept.
    sizes
        How many different values each has, a missing one being one, too.

    Returns
    -------
    dict[str, str]
        For each such column the first that tells the same.
    """
    alike = defaultdict(list)
    for name in values:
        alike[sizes[name]].append(name)
    found = {}
    for groups, names in alike.items():
        for same in _by_groups(rows, values, names):
            kept: list[str] = []
            for name in same:
                first = next((one for one in kept if _one_to_one(rows, values, name, one, groups)), None)
                if first is None:
                    kept.append(name)
                else:
                    found[name] = first
    return found


def _by_groups(rows: Any, values: Mapping[str, Any], names: list[str]) -> Iterator[list[str]]:
    """Put columns together whose groups are as large: few pairs of many columns are left to compare."""
    if len(names) == 1:
        return
    found = defaultdict(list)
    for name in names:
        column = rows.select(x=values[name])
        counts = column.group_by("x").aggregate(people=lambda t: t.count())
        found[tuple(sorted(fetch(counts)["people"].to_pylist()))].append(name)
    yield from (same for same in found.values() if len(same) > 1)


def _one_to_one(rows: Any, values: Mapping[str, Any], a: str, b: str, groups: int) -> bool:
    """Whether each value of one column stands with one value of the other, both having as many."""
    both = rows.select(a=values[a], b=values[b]).distinct()
    return int(fetch(both.aggregate(pairs=both.count()))["pairs"][0].as_py()) == groups
