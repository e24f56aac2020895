"""Simpler ways to rank records, which every attack must beat: what tables say without being put together.

Unit by unit, from one-way shares of the unit, from one table that fixes most columns, from other people. None
of them sees the truth.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.records.attack.claims import RecordClaims
from dalenius.records.attack.ranked.others import PopulationShares
from dalenius.records.cells.grid import GroupedCells, Whole
from dalenius.records.cells.release import PublishedRecords

Record = tuple[int, ...]
Floats = NDArray[np.float64]
Scored = tuple[float, Record]

MORE = 10
"""Records that are ranked in each unit beyond twice as many as it has people."""


@dataclass(frozen=True)
class OneWay:
    """How many people each unit has with each level of each column, as the reconstruction has it."""

    unit: int | None
    people: Whole
    counts: tuple[Floats, ...]

    @staticmethod
    def of(claims: RecordClaims, unit: int | None) -> OneWay:
        """Count the reconstruction: where a margin is published it has that margin.

        Under noise people are counted as often as they are expected: the likeliest data set may have nobody
        in a unit, and a baseline that says nothing would make any attack look good.
        """
        system, ranked = claims.bounds.system, claims.ranked
        guess: Floats = claims.guess.astype(np.float64)
        if not system.rows.shape[0] and not claims.wide:
            guess = np.zeros(guess.size)
            np.add.at(guess, ranked.record, ranked.probability)
        sizes = system.columns.sizes
        many = 1 if unit is None else sizes[unit]
        of = np.zeros(len(guess), np.int64) if unit is None else system.records[:, unit].astype(np.int64)
        counts = []
        for at, size in enumerate(sizes):
            table = np.zeros((many, size))
            np.add.at(table, (of, system.records[:, at]), guess)
            counts.append(table)
        people = np.ceil(np.bincount(of, weights=guess, minlength=many) - 1e-9).astype(np.int64)
        return OneWay(unit, people, tuple(counts))

    def units(self) -> Iterator[int]:
        """Units with people."""
        yield from np.flatnonzero(self.people).tolist()

    def share(self, unit: int, column: int) -> Floats:
        """The shares of a column's levels in a unit."""
        own = self.counts[column][unit]
        found: Floats = own / (own.sum() or 1.0)
        return found


def independent(one_way: OneWay) -> list[Record]:
    """Products of the one-way shares of a unit, likeliest first."""
    scored: list[Scored] = []
    for unit in one_way.units():
        people = int(one_way.people[unit])
        shares = [one_way.share(unit, at) for at in range(len(one_way.counts))]
        scored += [(people * p, record) for p, record in _likeliest(shares, 2 * people + MORE)]
    return _ranked(scored)


def modal(one_way: OneWay, fixing: GroupedCells) -> list[Record]:
    """Every cell of the table that fixes most columns, the others at the most frequent level of the unit."""
    scored = []
    for codes, count in slots_of(fixing):
        unit = _unit(codes, one_way)
        rest = [int(one_way.share(unit, at).argmax()) for at in range(len(one_way.counts))]
        scored.append((float(count), tuple(codes.get(at, level) for at, level in enumerate(rest))))
    return _ranked(scored)


def proportional(one_way: OneWay, fixing: GroupedCells, records: Sequence[Record]) -> tuple[float, int]:
    """The same with levels drawn by the shares of the unit: how often some records are expected to come.

    Returns the expected number among one draw for each cell with people, and the number of such cells.
    """
    slots = {tuple(codes[at] for at in fixing.columns) for codes, _ in slots_of(fixing)}
    expected = 0.0
    for record in records:
        if tuple(record[at] for at in fixing.columns) not in slots:
            continue
        unit = 0 if one_way.unit is None else record[one_way.unit]
        rest = [at for at in range(len(record)) if at not in fixing.columns]
        expected += float(np.prod([one_way.share(unit, at)[record[at]] for at in rest]))
    return expected, len(slots)


def elsewhere(one_way: OneWay, others: PopulationShares) -> list[Record]:
    """Records by how often other people have them, in every unit alike."""
    seen = Counter(map(tuple, others.records.tolist())).most_common()
    whole = sum(count for _, count in seen)
    scored = []
    for unit in one_way.units():
        people = int(one_way.people[unit])
        for key, count in seen[: 2 * people + MORE]:
            record = [unit if at == one_way.unit else 0 for at in range(len(one_way.counts))]
            for at, code in zip(others.columns, key, strict=True):
                record[at] = code
            scored.append((people * count / whole, tuple(record)))
    return _ranked(scored)


def on_support(claims: RecordClaims, one_way: OneWay, others: PopulationShares | None) -> list[Record]:
    """Records that no zero cell forbids, by other people's shares; by one-way shares without other people."""
    system = claims.bounds.system
    unit = one_way.unit
    of = np.zeros(len(system.records), np.int64) if unit is None else system.records[:, unit].astype(np.int64)
    if others is None:
        share = np.ones(len(system.records))
        for at, counts in enumerate(one_way.counts):
            if at != unit:
                share *= counts[of, system.records[:, at]] / np.maximum(one_way.people[of], 1)
    else:
        share = others.shares(system.columns, system.records)
    score = share * one_way.people[of]
    order = np.argsort(-score, kind="stable")
    return [tuple(record) for record in system.records[order].tolist()]


def fixing_table(published: PublishedRecords) -> GroupedCells | None:
    """The exact table with single levels that fixes most columns; with the units, where there are any."""
    best = None
    for grid in published.grids:
        single = all(np.bincount(group[group >= 0]).max(initial=0) == 1 for group in grid.groups)
        of_units = published.unit is None or published.unit in grid.columns
        if single and of_units and (grid.low == grid.high).all() and grid.columns:
            fixed = len(grid.columns), int(grid.low.sum())
            if best is None or fixed > best[0]:
                best = fixed, grid
    return None if best is None else best[1]


def slots_of(grid: GroupedCells) -> Iterator[tuple[dict[int, int], int]]:
    """The cells of a table of single levels: the level of each column, and how many people."""
    for row in np.flatnonzero(grid.low > 0):
        yield {column: levels[0] for column, levels in grid.where(int(row))}, int(grid.low[row])


def _unit(codes: dict[int, int], one_way: OneWay) -> int:
    return 0 if one_way.unit is None else codes[one_way.unit]


def _ranked(scored: Sequence[Scored]) -> list[Record]:
    return [record for _, record in sorted(scored, key=lambda each: (-each[0], each[1]))]


def _likeliest(shares: Sequence[Floats], count: int) -> Iterator[Scored]:
    """The combinations with the largest products, largest first, without writing all of them down."""
    orders = [np.argsort(-own, kind="stable") for own in shares]
    first = tuple(0 for _ in shares)

    def product(places: Record) -> float:
        return float(np.prod([own[order[p]] for own, order, p in zip(shares, orders, places, strict=True)]))

    heap, seen = [(-product(first), first)], {first}
    while heap and count > 0:
        negative, places = heapq.heappop(heap)
        if negative == 0:
            return
        yield -negative, tuple(int(order[p]) for order, p in zip(orders, places, strict=True))
        count -= 1
        for at, place in enumerate(places):
            after = (*places[:at], place + 1, *places[at + 1 :])
            if place + 1 < len(shares[at]) and after not in seen:
                seen.add(after)
                heapq.heappush(heap, (-product(after), after))
