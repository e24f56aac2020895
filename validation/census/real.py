"""Real records of 2010 that are public, from a file that is no part of this project; units made of them.

*Merged* units are neighbouring blocks of a tract joined up to a size; *mixed* ones are people drawn from all
tracts; *stress* has real sex and age, and races drawn independently by national shares.
"""

from __future__ import annotations

import csv
import gzip
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from validation.census.tables import (
    AGE,
    BLOCK,
    ORIGIN,
    RACE,
    RACES,
    SEX,
    age_code,
    columns_of,
    counted,
    tables_of,
)

from dalenius.records.cells.columns import RecordColumns
from dalenius.records.cells.grid import Codes
from dalenius.records.cells.release import PublishedRecords

FLAGS = ("white", "black", "aian", "asian", "nhpi", "other")


@dataclass(frozen=True)
class RealPeople:
    """People as codes, and the labels of their blocks; a block's first eleven digits are its tract."""

    people: Codes
    blocks: tuple[str, ...]

    @property
    def tracts(self) -> NDArray[np.int64]:
        """The tract of each block, by number."""
        return np.unique([label[:11] for label in self.blocks], return_inverse=True)[1].astype(np.int64)


def read_real(path: Path) -> RealPeople:
    """Read block, sex, age, six races and origin."""
    with gzip.open(path, "rt") as file:
        rows = list(csv.DictReader(file))
    blocks = sorted({row["block"] for row in rows})
    at = {label: code for code, label in enumerate(blocks)}
    race = {flags: code for code, flags in enumerate(RACES)}
    ages = age_code(np.array([int(row["age"]) for row in rows]))
    people = [
        (
            at[row["block"]],
            row["sex"] == "female",
            age,
            race[tuple(int(row[flag] == "Y") for flag in FLAGS)],
            row["hispanic"] == "Y",
        )
        for row, age in zip(rows, ages, strict=True)
    ]
    return RealPeople(np.array(people, np.int32), tuple(blocks))


def with_tracts(real: RealPeople) -> PublishedRecords:
    """Block tables, and sex by age, by race group, by origin, and race group of non-Hispanics by tract."""
    columns = columns_of(real.blocks)
    block_tables = tables_of(real.people, columns)
    flags = np.array(RACES)
    alone = np.where(flags.sum(axis=1) == 1, flags.argmax(axis=1), 6)
    tract, sex, age = (BLOCK, real.tracts), (SEX, np.arange(2)), (AGE, np.arange(38))
    more = (
        counted("tract sex by age", real.people, [tract, sex, age]),
        counted("tract by race", real.people, [tract, sex, age, (RACE, alone)]),
        counted("tract by origin", real.people, [tract, sex, age, (ORIGIN, np.arange(2))]),
        counted(
            "tract, not Hispanic",
            real.people,
            [tract, sex, age, (RACE, alone), (ORIGIN, np.array([0, -1]))],
        ),
    )
    return PublishedRecords(
        "blocks and tracts", columns, (*block_tables.grids, *more), BLOCK, block_tables.cells, "exact"
    )


def mixed(real: RealPeople, size: int, units: int, *, rng: np.random.Generator) -> Codes:
    """Units of people drawn from all tracts."""
    chosen = np.concatenate([rng.choice(len(real.people), size, replace=False) for _ in range(units)])
    people = real.people[chosen].copy()
    people[:, BLOCK] = np.repeat(np.arange(units), size)
    return people


def merged(real: RealPeople, size: int, units: int, *, rng: np.random.Generator) -> Codes:
    """Neighbouring blocks of a tract, joined until they have so many people; some of those there are."""
    counts = np.bincount(real.people[:, BLOCK], minlength=len(real.blocks))
    group, have, now, tract = np.full(len(counts), -1), 0, 0, -1
    made: list[int] = []
    for block, own in enumerate(real.tracts):
        if own != tract:
            now, have, tract = now + 1, 0, int(own)
        group[block] = now
        have += int(counts[block])
        if have >= size:
            made.append(now)
            now, have = now + 1, 0
    kept = rng.choice(made, min(units, len(made)), replace=False)
    number = {int(own): at for at, own in enumerate(kept)}
    mine = np.array([number.get(int(own), -1) for own in group[real.people[:, BLOCK]]])
    people = real.people[mine >= 0].copy()
    people[:, BLOCK] = mine[mine >= 0]
    return people


def stress(real: RealPeople, size: int, units: int, *, rng: np.random.Generator) -> Codes:
    """Mixed units with races and origins drawn by national shares of 2010."""
    from dalenius.records.simulated.shares import draw_races

    people = mixed(real, size, units, rng=rng)
    people[:, RACE], people[:, ORIGIN] = draw_races(len(people), rng=rng)
    return people


def unit_columns(people: Codes) -> RecordColumns:
    """Columns of units that are numbered."""
    return columns_of([f"u{at}" for at in range(int(people[:, BLOCK].max()) + 1)])
