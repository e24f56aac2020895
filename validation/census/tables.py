"""The person tables of 2010 by block, counted from people: P1, P6 to P12, P12A to I, P14.

People are five columns of codes: block, sex, age (38 bins), race (63 combinations of six), Hispanic origin.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dalenius.records.cells.columns import RecordColumns
from dalenius.records.cells.grid import Codes, GroupedCells
from dalenius.records.cells.release import PublishedRecords

AGE_STARTS = (*range(21), 21, 22, 25, 30, 35, 40, 45, 50, 55, 60, 62, 65, 67, 70, 75, 80, 85)
"""Where the 38 bins begin: single years to 21, as P14 and P12 together tell them apart."""

P12_STARTS = (0, 5, 10, 15, 18, 20, 21, 22, 25, 30, 35, 40, 45, 50, 55, 60, 62, 65, 67, 70, 75, 80, 85)

RACES = tuple(
    flags for flags in itertools.product((1, 0), repeat=6) if any(flags)
)  # white, black, native, asian, pacific, other

SEXES, ORIGINS = ("male", "female"), ("not Hispanic", "Hispanic")

BLOCK, SEX, AGE, RACE, ORIGIN = range(5)


def columns_of(blocks: Sequence[str]) -> RecordColumns:
    """The five columns over some blocks."""
    names = "white", "black", "native", "asian", "pacific", "other"
    races = [" and ".join(name for name, own in zip(names, flags, strict=True) if own) for flags in RACES]
    ages = [str(start) for start in AGE_STARTS]
    return RecordColumns.of(
        {"block": list(blocks), "sex": SEXES, "age": ages, "race": races, "origin": ORIGINS}
    )


def age_code(years: NDArray[np.int64]) -> NDArray[np.int64]:
    """The bin of an age in years."""
    return np.searchsorted(np.array(AGE_STARTS), years, side="right") - 1


def tables_of(people: Codes, columns: RecordColumns, name: str = "blocks") -> PublishedRecords:
    """Count every table; what no cell has is 0."""
    grids = list(_grids(people, columns))
    cells = sum(grid.places.size for grid in grids)
    return PublishedRecords(name, columns, tuple(grids), BLOCK, cells, "exact")


def _grids(people: Codes, columns: RecordColumns) -> list[GroupedCells]:
    """Every grid of every table."""
    count = len(columns.levels[0])
    blocks, single = np.arange(count), np.arange
    starts = np.array(AGE_STARTS)
    p12 = np.searchsorted(np.array(P12_STARTS), starts, side="right") - 1
    p14 = np.where(starts < 20, starts, -1)
    adult = np.where(starts >= 18, 0, -1)
    flags = np.array(RACES)
    alone = np.where(flags.sum(axis=1) == 1, flags.argmax(axis=1), 6)
    hispanic, white_not = np.array([-1, 0]), np.array([0, -1])
    block, sex, race, origin = (BLOCK, blocks), (SEX, single(2)), (RACE, single(63)), (ORIGIN, single(2))
    made = [
        counted("P1", people, [block]),
        *(counted("P6", people, [block, (RACE, np.where(flags[:, at] == 1, 0, -1))]) for at in range(6)),
        counted("P9", people, [block, origin, race]),
        counted("P11", people, [block, origin, race, (AGE, adult)]),
        counted("P12", people, [block, sex, (AGE, p12)]),
        counted("P12A-G", people, [block, sex, (AGE, p12), (RACE, alone)]),
        counted("P12H", people, [block, sex, (AGE, p12), (ORIGIN, hispanic)]),
        counted(
            "P12I", people, [block, sex, (AGE, p12), (RACE, np.where(alone == 0, 0, -1)), (ORIGIN, white_not)]
        ),
        counted("P14", people, [block, sex, (AGE, p14)]),
    ]
    return [grid for grid in made if grid.places.size]


def counted(table: str, people: Codes, parts: Sequence[tuple[int, NDArray[np.int64]]]) -> GroupedCells:
    """One table over groups of levels; a group of -1 is outside its universe. Empty cells are 0."""
    ordered = sorted(parts, key=lambda each: each[0])
    groups = tuple(group.astype(np.int32) for _, group in ordered)
    none = np.zeros(0, np.int64)
    empty = GroupedCells(table, tuple(at for at, _ in ordered), groups, none, none, none, complete=True)
    place = empty.place_of(people)
    places, counts = np.unique(place[place >= 0], return_counts=True)
    whole = places.astype(np.int64), counts.astype(np.int64)
    return GroupedCells(table, empty.columns, groups, whole[0], whole[1], whole[1].copy(), complete=True)
