"""Cells of published tables, one by one, and lists of questions that may overlap."""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dalenius.matrices.answers import Sensitivity, Vector
from dalenius.matrices.operators import Operator, SparseRows
from dalenius.matrices.table_cells import WAYS
from dalenius.matrices.tables import SummedRows, TableRows
from dalenius.people.schema import Column, Roster
from dalenius.statistics.statistic import Counting
from dalenius.statistics.tables import ENTRY_LIMIT, LEVEL_LIMIT


class Overlapping(ABC):
    """Questions each of which stands alone."""

    @property
    @abstractmethod
    def rows(self) -> int:
        """How many questions there are."""

    @property
    def table(self) -> NDArray[np.int64]:
        """Every question stands alone."""
        return np.arange(self.rows)


class OnRecords(Overlapping):
    """Questions by public columns, each with a name."""

    names: tuple[str, ...]

    def labels(self) -> Iterator[str]:
        """Name every question."""
        return iter(self.names)

    def sensitivity(self, values: int) -> Sensitivity:
        """A replaced record may meet all questions or none: the value left and the one taken move by one."""
        changed = float(self.rows * min(2, values))
        return Sensitivity(changed, changed)


Condition = tuple[str, tuple[str, ...]]
"""A column and the levels of it that are counted."""


@dataclass(frozen=True)
class CellCounts(OnRecords):
    """How many people who meet the conditions of each cell have each value of the secret.

    Parameters
    ----------
    columns
        The public columns that appear, with their levels.
    cells
        For each cell the conditions that all hold in it; none of them: everybody.
    names
        What each cell is called.

    Examples
    --------
    >>> from dalenius.people.schema import CodedColumns
    >>> from dalenius.people.schema import Kind, Role
    >>> sex = Column("sex", Role.PUBLIC, Kind.BINARY, ("f", "m"))
    >>> people = Roster("id", np.array(["a", "b"]), CodedColumns((sex,), np.array([[0], [1]], np.int32)))
    >>> CellCounts((sex,), ((("sex", ("f",)),), ()), ("women", "all")).operator(people).explicit().toarray()
    array([[1., 0.],
           [1., 1.]])
    """

    columns: tuple[Column, ...]
    cells: tuple[tuple[Condition, ...], ...]
    names: tuple[str, ...]

    kind = "cells"
    counts_all_values = True

    @property
    def rows(self) -> int:
        """How many cells there are, without the values of the secret."""
        return len(self.cells)

    def fingerprint(self, roster: Roster) -> NDArray[np.int32]:
        """For every column, which of its printed sets of levels each person is in."""
        parts = []
        for name in dict.fromkeys(name for name, _ in self._conditions()):
            at = roster.attributes.position(name)
            sets = [set(levels) for other, levels in self._conditions() if other == name]
            inside = [tuple(level in one for one in sets) for level in roster.attributes.columns[at].levels]
            place = {which: code for code, which in enumerate(dict.fromkeys(inside))}
            kinds = np.array([place[which] for which in inside], np.int32)
            parts.append(kinds[roster.attributes.codes[:, at]])
        return np.stack(parts, axis=1) if parts else np.zeros((len(roster), 1), np.int32)

    def operator(self, roster: Roster) -> Operator:
        """One row per cell, a 1 for each person in it; nothing is written out for many people."""
        used = self._used(roster)
        levels = sum(len(roster.attributes.columns[at].levels) for at in used)
        widest = max((len(cell) for cell in self.cells), default=0)
        sets = {tuple(sorted(name for name, _ in cell)) for cell in self.cells}
        if len(sets) * len(roster) > ENTRY_LIMIT and widest <= WAYS and levels <= LEVEL_LIMIT:
            sums, sizes, tables = self._sums(roster, used)
            return SummedRows(sums, TableRows(roster.attributes.codes[:, used], sizes, tables))
        within = {condition: self._within(roster, *condition) for condition in self._conditions()}
        everybody = np.ones(len(roster), np.bool_)
        members = []
        for conditions in self.cells:
            parts = [within[condition] for condition in conditions]
            members.append(np.flatnonzero(np.logical_and.reduce(parts) if parts else everybody))
        starts = np.concatenate([[0], np.cumsum([found.size for found in members], dtype=np.int64)])
        person = np.concatenate([*members, np.zeros(0, np.intp)])
        matrix = sparse.csr_array((np.ones(person.size), person, starts), shape=(self.rows, len(roster)))
        return SparseRows(matrix)

    def totals(self, roster: Roster) -> Vector:
        """How many people are in each cell, counted without a matrix."""
        codes, used = roster.attributes.codes, self._used(roster)
        sums, sizes, tables = self._sums(roster, used)
        counts = []
        for table in tables:
            inner = np.zeros(len(roster), np.intp)
            for at in table:
                inner = inner * sizes[at] + codes[:, used[at]]
            counts.append(np.bincount(inner, minlength=math.prod(sizes[at] for at in table)))
        return np.asarray(sums @ np.concatenate([*counts, np.zeros(0, np.intp)]), np.float64)

    def _used(self, roster: Roster) -> list[int]:
        return sorted({roster.attributes.position(name) for name, _ in self._conditions()})

    def _sums(
        self, roster: Roster, used: list[int]
    ) -> tuple[sparse.csr_array, list[int], list[tuple[int, ...]]]:
        """The cells as sums over tables of all levels, a band of ages being several; and the tables."""
        columns = [roster.attributes.columns[at] for at in used]
        place = {column.name: j for j, column in enumerate(columns)}
        codes = [{level: code for code, level in enumerate(column.levels)} for column in columns]
        sizes = [len(column.levels) for column in columns]
        starts: dict[tuple[int, ...], int] = {}
        row, cell, end = [], [], 0
        for j, conditions in enumerate(self.cells):
            ordered = sorted((place[name], levels) for name, levels in conditions)
            table = tuple(at for at, _ in ordered)
            if table not in starts:
                starts[table] = end
                end += math.prod(sizes[at] for at in table)
            for combination in itertools.product(*([codes[at][v] for v in vs] for at, vs in ordered)):
                inner = 0
                for at, code in zip(table, combination, strict=True):
                    inner = inner * sizes[at] + code
                row.append(j)
                cell.append(starts[table] + inner)
        sums = sparse.csr_array((np.ones(len(row)), (row, cell)), shape=(self.rows, end))
        return sums, sizes, list(starts)

    def _conditions(self) -> list[Condition]:
        return list(dict.fromkeys(condition for cell in self.cells for condition in cell))

    def _within(self, roster: Roster, name: str, levels: tuple[str, ...]) -> NDArray[np.bool_]:
        at = roster.attributes.position(name)
        wanted = np.array([level in levels for level in roster.attributes.columns[at].levels], np.bool_)
        return wanted[roster.attributes.codes[:, at]]

    def to_json(self) -> dict[str, Any]:
        """Return the statistic as plain values."""
        cells = [{name: list(levels) for name, levels in cell} for cell in self.cells]
        return {"kind": self.kind, "cells": cells, "names": list(self.names)}

    @staticmethod
    def from_json(value: dict[str, Any], columns: tuple[Column, ...]) -> CellCounts:
        """Read the statistic back."""
        cells = tuple(
            tuple((str(name), tuple(levels)) for name, levels in cell.items()) for cell in value["cells"]
        )
        used = {name for cell in cells for name, _ in cell}
        return CellCounts(tuple(c for c in columns if c.name in used), cells, tuple(value["names"]))


def join_cells(parts: Sequence[CellCounts]) -> CellCounts:
    """The cells of several lists, one after the other."""
    columns = {column.name: column for part in parts for column in part.columns}
    return CellCounts(
        tuple(columns.values()),
        tuple(itertools.chain.from_iterable(part.cells for part in parts)),
        tuple(itertools.chain.from_iterable(part.names for part in parts)),
    )


def tables_of_questions(statistic: Counting) -> NDArray[np.int64]:
    """Which printed table each question stands in: a file, and the columns by which it is crossed.

    Questions that are no parts of tables are one.

    Examples
    --------
    >>> sex = ("sex", ("f",))
    >>> tables_of_questions(CellCounts((), ((sex,), (), (sex,)), ("a.csv: f", "a.csv: all", "b.csv: f")))
    array([0, 1, 2])
    """
    asked = getattr(statistic, "asked", statistic)
    if not isinstance(asked, CellCounts):
        table = asked.table
        return table if np.unique(table).size < asked.rows else np.zeros(asked.rows, np.int64)
    places: dict[tuple[str, frozenset[str]], int] = {}
    named = zip(asked.names, asked.cells, strict=True)
    keys = [(name.partition(": ")[0], frozenset(column for column, _ in cell)) for name, cell in named]
    return np.array([places.setdefault(key, len(places)) for key in keys], np.int64)
