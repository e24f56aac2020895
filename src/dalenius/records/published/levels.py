"""The columns behind all tables together, and which levels each label of each table stands for."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from dalenius.errors import InputError
from dalenius.records.cells.columns import RecordColumns
from dalenius.records.published.nesting import LabelsOf, Nesting, find_levels
from dalenius.records.published.said import SaidOfTables
from dalenius.records.published.sheets import RecordTable
from dalenius.shown import several


@dataclass(frozen=True)
class SharedLevels:
    """The columns, and for each the levels behind a label; coarser columns go by the name of the fine one."""

    columns: RecordColumns
    labels: dict[str, dict[str, frozenset[int]]]
    fine: dict[str, str]
    unit: int | None
    notes: tuple[str, ...] = ()

    def codes(self, column: str, label: str) -> tuple[int, frozenset[int]]:
        """The column that a label restricts, and the levels that it allows."""
        name = self.fine.get(column, column)
        return self.columns.position(name), self.labels[name][label]


def share_levels(tables: Sequence[RecordTable], said: SaidOfTables) -> SharedLevels:
    """Find the levels that all tables together tell apart.

    Raises
    ------
    InputError
        If labels do not nest, a unit lies within none, or a universe names a column that no table has.
    """
    fine = dict.fromkeys(said.geography[1:], next(iter(said.geography), ""))
    for nesting in said.nestings:
        fine |= {name: nesting.column for name in nesting.coarser if name != nesting.column}
    every = [*(name for table in tables for name in table.columns), *said.numbers]
    names = dict.fromkeys(fine.get(name, name) for name in every)
    universes = {column for own in said.universe.values() for column in own}
    lost = [column for column in universes if fine.get(column, column) not in names]
    if lost:
        raise InputError("--universe", "must name columns of the tables", repr(lost[0]))
    if said.geography and not any(said.geography[0] in table.columns for table in tables):
        rule = "must begin with a column of the tables"
        raise InputError("--geography", rule, repr(said.geography[0]), "Name the smallest units first.")
    if said.geography and said.geography[0] in fine:
        rule, coarse = "must begin with the smallest units", repr(said.geography[0])
        raise InputError("--geography", rule, f"{coarse}, which --within makes a coarser column")
    levels, labels, absent = {}, {}, {}
    for name in sorted(names, key=lambda each: each not in said.geography):
        printed = _labels_of(name, tables, said, fine)
        found = find_levels(printed, _nesting_of(name, tables, said, fine))
        own = list(dict.fromkeys(level for some in found.values() for level in some))
        if printed.numbers is None:
            there = {level for some in printed.tables.values() for label in some for level in found[label]}
            absent[name] = len(own) - len(there)
            own = [level for level in own if level in there]
        if not own:
            raise InputError(f"column {name!r}", "must have labels besides totals", "none")
        code = {level: at for at, level in enumerate(own)}
        levels[name] = own
        labels[name] = {
            label: frozenset(code[level] for level in some if level in code) for label, some in found.items()
        }
    unit = list(levels).index(said.geography[0]) if said.geography else None
    columns = RecordColumns.of(levels)
    return SharedLevels(columns, labels, fine, unit, tuple(_absent_notes(columns, absent)))


def _absent_notes(columns: RecordColumns, absent: Mapping[str, int]) -> Iterator[str]:
    """Say what is left out because no table has it."""
    every = math.prod(
        len(own) + absent.get(name, 0) for name, own in zip(columns.names, columns.levels, strict=True)
    )
    for name, count in absent.items():
        if count:
            levels = several(count, "level that no table has does", "levels that no table has do")
            own = len(columns.levels[columns.position(name)])
            left = every * count // (own + count)
            yield f"column {name!r}: {levels} not exist: {left:,} of {every:,} combinations are left out."


def _labels_of(
    name: str, tables: Sequence[RecordTable], said: SaidOfTables, fine: dict[str, str]
) -> LabelsOf:
    found: dict[str, list[str]] = {}
    for table in tables:
        own = [
            label
            for cell in table.cells
            for column, label in cell.labels.items()
            if fine.get(column, column) == name
        ]
        if own:
            found[table.name] = list(dict.fromkeys(own))
    beside = [
        label
        for universe in said.universe.values()
        for column, some in universe.items()
        if fine.get(column, column) == name
        for label in some
    ]
    numbers = next((ends for column, ends in said.numbers.items() if fine.get(column, column) == name), None)
    return LabelsOf(name, found, beside, numbers)


def _nesting_of(
    name: str, tables: Sequence[RecordTable], said: SaidOfTables, fine: dict[str, str]
) -> Nesting | None:
    """What a file says of a column; without one, the label of a unit begins with that of its larger unit."""
    for nesting in said.nestings:
        if nesting.column == name:
            return nesting
    if not said.geography or name != said.geography[0]:
        return None
    own: dict[str, None] = {}
    larger: dict[str, None] = {}
    for table in tables:
        for cell in table.cells:
            for column, label in cell.labels.items():
                if column == name:
                    own[label] = None
                elif fine.get(column) == name:
                    larger[label] = None
    within = {label: tuple(level for level in own if level.startswith(label)) for label in larger}
    for label, inside in within.items():
        if not inside:
            raise InputError(
                f"column {name!r}",
                "must have units within every larger one",
                "a larger unit whose label begins none of theirs",
                "Give --nesting FILE: the smallest units in its first column, larger ones beside it.",
                value=label,
            )
    return Nesting(name, tuple(own), within)
