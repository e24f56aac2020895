"""Hidden cells that follow from a total: of the people in the cell, or of the table."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from dalenius.knowledge.view import View
from dalenius.matrices.answers import Vector
from dalenius.reconstruction.attack.system.build import Problem
from dalenius.reconstruction.attack.system.single_cells import Alone, read_alone
from dalenius.statistics.cells import CellCounts, Condition
from dalenius.statistics.statistic import Among, Statistic
from dalenius.statistics.tables import Tables

Key = tuple[int, tuple[Condition, ...]]
"""Who was counted, and the conditions in the order of their columns."""


@dataclass(frozen=True)
class _Cell:
    """The rows that count one cell, as one interval for each value."""

    rows: list[int]


def from_totals(view: View, problem: Problem) -> Iterator[str]:
    """Name every hidden or rounded cell that follows exactly from a total, and how."""
    alone = read_alone(view, problem)
    words = _Words(view.release.secret.name, problem.systems[0].label)
    for value in problem.levels:
        yield from _from_people(alone, value, words)
    cells = _cells(view, problem)
    for value in problem.levels:
        yield from _from_parents(cells, alone, value, words)


@dataclass(frozen=True)
class _Words:
    """What the secret and the rows are called."""

    secret: str
    label: Callable[[int], str]

    def not_printed(self, row: int, value: str) -> str:
        """The beginning of every sentence."""
        return f"{self.label(row)!r}, {self.secret}={value} is not printed as it is, but"


def _from_people(alone: Alone, value: str, words: _Words) -> Iterator[str]:
    """A hidden cell beside printed ones: how many people are in its row is public."""
    others = [other for other in alone.low if other != value]
    low, high = alone.of(value)
    hidden = (low < high) & alone.printed[value]
    for other in others:
        hidden &= (alone.low[other] == alone.high[other]) & alone.printed[other]
    for row in map(int, np.flatnonzero(hidden)):
        rest, total = sum(alone.low[other][row] for other in others), alone.totals[row]
        yield (
            f"{words.not_printed(row, value)} {total:g} people are in it and {rest:g} of them are printed as "
            f"{' or '.join(others)}: {total - rest:g}"
        )


def _from_parents(cells: dict[Key, _Cell], alone: Alone, value: str, words: _Words) -> Iterator[str]:
    """A hidden cell among printed ones whose total is printed too."""
    low, high = _best(alone, value)
    for parent, children in _families(cells, alone.totals):
        ends = [_interval(low, high, cells[child]) for child in children]
        total = _interval(low, high, cells[parent])
        unsure = [j for j, (least, most) in enumerate(ends) if least < most]
        if len(unsure) != 1 or total[0] != total[1]:
            continue
        row = cells[children[unsure[0]]].rows[0]
        others = sum(end[0] for j, end in enumerate(ends) if j != unsure[0])
        if alone.printed[value][row]:
            yield (
                f"{words.not_printed(row, value)} the total {words.label(cells[parent].rows[0])!r} is "
                f"{total[0]:g} and the other cells are {others:g}: {total[0] - others:g}"
            )


def _best(alone: Alone, value: str) -> tuple[Vector, Vector]:
    """The interval of each row by itself and by the other values in it."""
    others = [other for other in alone.low if other != value]
    low, high = alone.of(value)
    least = np.maximum(low, alone.totals - sum(alone.high[other] for other in others))
    most = np.minimum(high, alone.totals - sum(alone.low[other] for other in others))
    return least, most


def _interval(low: Vector, high: Vector, cell: _Cell) -> tuple[float, float]:
    return float(low[cell.rows].max()), float(high[cell.rows].min())


def _cells(view: View, problem: Problem) -> dict[Key, _Cell]:
    cells: dict[Key, _Cell] = {}
    people: dict[tuple[str, ...], int] = {}
    start = 0
    for block, rows in zip(view.release.blocks, problem.rows, strict=True):
        asked: Statistic = block.statistic
        who = 0
        if isinstance(asked, Among):
            who = people.setdefault(tuple(asked.people.ids), len(people) + 1)
            asked = asked.asked
        for row, conditions in enumerate(conditions_of(asked)):
            cells.setdefault((who, conditions), _Cell([])).rows.append(start + row)
        start += rows
    return cells


def conditions_of(statistic: Statistic) -> Iterator[tuple[Condition, ...]]:
    """The conditions of every row of a table, in the order of their columns; nothing for other questions."""
    if isinstance(statistic, CellCounts):
        yield from (tuple(sorted(cell)) for cell in statistic.cells)
    elif isinstance(statistic, Tables):
        levels = {column.name: column.levels for column in statistic.columns}
        for names in statistic.sets:
            for combination in itertools.product(*(levels[name] for name in names)):
                yield tuple(sorted((n, (level,)) for n, level in zip(names, combination, strict=True)))


def _families(cells: dict[Key, _Cell], totals: Vector) -> Iterator[tuple[Key, list[Key]]]:
    """Cells and those that split them by one more column, where these hold all of their people."""
    found: dict[tuple[Key, str], list[Key]] = {}
    for key in cells:
        who, conditions = key
        for j, (name, _) in enumerate(conditions):
            parent = (who, conditions[:j] + conditions[j + 1 :])
            if parent in cells:
                found.setdefault((parent, name), []).append(key)
    for (parent, _), children in found.items():
        people = sum(totals[cells[child].rows[0]] for child in children)
        if people == totals[cells[parent].rows[0]]:
            yield parent, children
