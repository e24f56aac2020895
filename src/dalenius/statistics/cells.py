"""Cells of published tables, one by one: whatever was printed, margins and incomplete tables included."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dalenius.records.counts import Sensitivity
from dalenius.records.operators import Operator, SparseRows
from dalenius.records.roster import Roster
from dalenius.records.schema import Column

Condition = tuple[str, tuple[str, ...]]
"""A column and the levels of it that are counted."""


@dataclass(frozen=True)
class Cells:
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
    >>> from dalenius.records.columns import CodedColumns
    >>> from dalenius.records.schema import Kind, Role
    >>> sex = Column("sex", Role.PUBLIC, Kind.BINARY, ("f", "m"))
    >>> people = Roster("id", np.array(["a", "b"]), CodedColumns((sex,), np.array([[0], [1]], np.int32)))
    >>> Cells((sex,), ((("sex", ("f",)),), ()), ("women", "all")).operator(people).explicit().toarray()
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

    @property
    def table(self) -> NDArray[np.int64]:
        """Every cell stands alone: a list of cells may overlap."""
        return np.arange(self.rows)

    def sensitivity(self, values: int) -> Sensitivity:
        """A replaced record may be in all cells or in none, and change the value counted there."""
        changed = float(self.rows * min(2, values))
        return Sensitivity(changed, changed)

    def labels(self) -> Iterator[str]:
        """Name every cell."""
        return iter(self.names)

    def fingerprint(self, roster: Roster) -> NDArray[np.int32]:
        """Which of the printed sets of levels each person is in."""
        parts = [self._within(roster, *condition) for condition in self._conditions()]
        return np.stack(parts, axis=1).astype(np.int32) if parts else np.zeros((len(roster), 1), np.int32)

    def operator(self, roster: Roster) -> Operator:
        """One row a cell, a 1 for each person in it."""
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
    def from_json(value: dict[str, Any], columns: tuple[Column, ...]) -> Cells:
        """Read the statistic back."""
        cells = tuple(
            tuple((str(name), tuple(levels)) for name, levels in cell.items()) for cell in value["cells"]
        )
        used = {name for cell in cells for name, _ in cell}
        return Cells(tuple(c for c in columns if c.name in used), cells, tuple(value["names"]))
