"""Tables that no data set fits: which of them contradict each other, totals first."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from dalenius.errors import InputError, SolveError, TooLargeError
from dalenius.records.attack.certain.pieces import Piece, propagate, split
from dalenius.records.attack.certain.ranges import OpenProgram
from dalenius.records.attack.certain.whole import any_fit
from dalenius.records.attack.system import CellSystem, make_system
from dalenius.records.cells.cell import NO_LIMIT
from dalenius.records.cells.grid import GroupedCells, Whole
from dalenius.shown import several

FIX = (
    "The mechanism as stated is not what was done, or a table is about fewer people: state "
    "--mechanism TABLE=... (unknown if it is) or --universe TABLE=column=levels."
)

MOST_TRIED = 300_000
"""Partial records while tables are left out one after the other."""


def refuse_totals(system: CellSystem) -> None:
    """Refuse tables of everybody that count different numbers of people.

    Raises
    ------
    InputError
        With both tables and what they count.
    """
    known: list[tuple[GroupedCells, int, int]] = []
    for grid in system.grids:
        if not _counts_all(grid):
            continue
        low, high = int(grid.low.sum()), int(grid.high.sum())
        for other, least, most in known:
            if low > most or least > high:
                own = other.table == grid.table
                raise InputError(
                    f"table {grid.table}" if own else f"tables {other.table} and {grid.table}",
                    "must add up to its own totals" if own else "must count the same people",
                    f"{_people(least, most)} and {_people(low, high)} people",
                    FIX,
                )
        known.append((grid, low, high))


def _counts_all(grid: GroupedCells) -> bool:
    """Whether everybody is in one of its cells."""
    return not any((group < 0).any() for group in grid.groups) and (
        grid.complete or grid.places.size == grid.size
    )


def _people(low: int, high: int) -> str:
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def refuse_unbounded(system: CellSystem, hi: Whole) -> None:
    """Refuse records of which there may be any number.

    Raises
    ------
    InputError
        With how many.
    """
    endless = int((hi >= NO_LIMIT // 2).sum())
    if endless:
        raise InputError(
            "tables",
            "must limit how many people there are",
            f"{several(endless, 'record')} in no cell with a limit",
            "Give a table with the total, or one that breaks everybody down.",
        )


def contradiction(system: CellSystem, nodes: int) -> InputError:
    """Say which tables no data set fits, as few of them as leaving out one after the other gives."""
    kept = sorted(
        {
            *(grid.table for grid in system.grids),
            *(each.table for each in system.sums),
            *(each.table for each in system.medians),
        }
    )
    for name in list(kept):
        rest = [other for other in kept if other != name]
        if rest and _contradict(system, rest, nodes):
            kept = rest
    got = "cells that contradict each other"
    if not _contradict(system, kept, nodes, whole=False):
        got = "cells that fractions of people would fit, and whole people do not"
    names = f"tables {', '.join(kept[:-1])} and {kept[-1]}" if len(kept) > 1 else f"table {kept[0]}"
    return InputError(names, "must fit one data set", got, FIX)


def _contradict(system: CellSystem, tables: Iterable[str], nodes: int, *, whole: bool = True) -> bool:
    """Whether some tables contradict each other: by propagation, by fractions, or only in whole numbers."""
    wanted = set(tables)
    grids = [grid for grid in system.grids if grid.table in wanted]
    sums = [each for each in system.sums if each.table in wanted]
    medians = [each for each in system.medians if each.table in wanted]
    try:
        own = make_system(system.columns, grids, sums, medians, MOST_TRIED)
    except TooLargeError:  # zeros of the others are what keeps it small
        return False
    lo, hi = np.zeros(own.rows.shape[1], np.int64), own.most(_most(own))
    if propagate(own.rows, own.low, own.high, lo, hi) >= 0:
        return True
    parts = split(own.rows, own.low, own.high, lo, hi)
    ask = (lambda part: any_fit(part, nodes=nodes).said == "no") if whole else _no_fraction
    return any(ask(part) for part in parts)


def _no_fraction(part: Piece) -> bool:
    try:
        OpenProgram(part).least(np.zeros(part.size, np.int64))
    except SolveError:
        return True
    return False


def _most(system: CellSystem) -> int:
    """More people than any limited row counts."""
    limited = system.high[system.high < NO_LIMIT // 2]
    return int(limited.max(initial=1)) + 1
