"""Which columns to count together, so that many small tables and predicates need few scans.

Sets of columns are gathered into covers whose full table is not too large. Each cover is one GROUP BY,
and every table inside it is a sum over axes. This is plain SQL in every engine, where GROUPING SETS is not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.conditions.predicate import Predicate, evaluate_all
from dalenius.people.coded_columns import CodedColumns
from dalenius.people.schema import Column


@dataclass
class Cover:
    """Columns counted together, and which of the asked sets are cut from that count."""

    columns: tuple[int, ...]
    sets: list[int]


def plan_covers(sets: Sequence[tuple[int, ...]], sizes: Sequence[int], most: int) -> list[Cover]:
    """Gather sets of columns into few covers of at most ``most`` cells; a larger set stands alone.

    Examples
    --------
    >>> plan_covers([(0, 1), (1, 2), (0, 3)], sizes=[4, 4, 4, 1000], most=64)
    [Cover(columns=(0, 3), sets=[2]), Cover(columns=(0, 1, 2), sets=[0, 1])]
    """
    covers: list[Cover] = []
    largest_first = sorted(range(len(sets)), key=lambda i: -math.prod(sizes[j] for j in sets[i]))
    for i in largest_first:
        for cover in covers:
            together = tuple(sorted({*cover.columns, *sets[i]}))
            inside = len(together) == len(cover.columns)
            if inside or math.prod(sizes[j] for j in together) <= most:
                cover.columns = together
                cover.sets.append(i)
                break
        else:
            covers.append(Cover(tuple(sorted(sets[i])), [i]))
    for cover in covers:
        cover.sets.sort()
    return covers


def cut(full: NDArray[np.int64], columns: tuple[int, ...], wanted: tuple[int, ...]) -> NDArray[np.int64]:
    """Sum a table over the columns that are not wanted, and put the rest in the order asked for."""
    gone = tuple(axis for axis, j in enumerate(columns) if j not in wanted)
    kept = [j for j in columns if j in wanted]
    order = [*(kept.index(j) for j in wanted), len(kept)]
    return np.ascontiguousarray(full.sum(axis=gone).transpose(order))


def sum_matching(
    predicates: Sequence[Predicate], columns: tuple[Column, ...], table: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Sum the cells of a table that each predicate matches, by the last axis."""
    shape = table.shape[:-1]
    cells = np.indices(shape, np.int32).reshape(len(shape), math.prod(shape)).T
    grid = CodedColumns(columns, cells)
    return sum_records(predicates, grid, table.reshape(-1, table.shape[-1]))


def sum_records(
    predicates: Sequence[Predicate], records: CodedColumns, counts: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Sum the counts of the records that each predicate matches, one row of counts a record."""
    sums = [counts[matched].sum(axis=0) for matched in evaluate_all(predicates, records)]
    return np.array(sums, np.int64)
