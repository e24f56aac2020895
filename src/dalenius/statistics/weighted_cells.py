"""Cells in which everybody counts by a survey weight that is known: linear in a yes/no secret."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.matrices.answers import LinearForm, Vector
from dalenius.people.schema import Roster
from dalenius.shown import hides_people
from dalenius.statistics.cells import CellCounts


@hides_people()
@dataclass(frozen=True)
class WeightedCells:
    """How much the people of each cell weigh together who have the secret, or who do not.

    Parameters
    ----------
    cells
        Whom each number is about.
    ids, weights
        People and their weights.
    turned
        Which numbers are about people without the secret.
    slack
        By how much each number may be off by its digits alone.

    Examples
    --------
    >>> from dalenius.people.schema import CodedColumns
    >>> people = Roster("id", np.array(["a", "b"]), CodedColumns((), np.zeros((2, 0), np.int32)))
    >>> both = CellCounts((), ((), ()), ("yes", "no"))
    >>> turned, slack = np.array([False, True]), np.zeros(2)
    >>> asked = WeightedCells(both, people.ids, np.array([2.0, 5.0]), turned, slack)
    >>> asked.compute(people, np.array([1.0, 0.0])), asked.linear(people, np.array([2.0, 5.0])).target
    (array([2., 5.]), array([2., 2.]))
    """

    cells: CellCounts
    ids: NDArray[np.str_]
    weights: Vector
    turned: NDArray[np.bool_]
    slack: Vector

    kind = "weighted-cells"
    again = True
    """The same numbers also stand in a release as numbers of people, and count once."""

    @property
    def rows(self) -> int:
        """How many numbers there are."""
        return self.cells.rows

    def labels(self) -> Iterator[str]:
        """Name every number."""
        return self.cells.labels()

    def fingerprint(self, roster: Roster) -> NDArray[np.int32]:
        """What the cells tell apart, and everybody's weight."""
        _, weight = np.unique(self._weights(roster), return_inverse=True)
        return np.column_stack([self.cells.fingerprint(roster), weight.astype(np.int32)])

    def to_json(self) -> dict[str, Any]:
        """Return the statistic as plain values, without anybody's weight."""
        return {"kind": self.kind, "cells": self.cells.to_json(), "turned": self.turned.tolist()}

    def compute(self, roster: Roster, secret: NDArray[np.float64]) -> NDArray[np.float64]:
        """The true numbers."""
        rows = self._matrix(roster)
        return np.asarray(np.where(self.turned, rows @ (1 - secret), rows @ secret), np.float64)

    def linear(self, roster: Roster, answers: NDArray[np.float64]) -> LinearForm:
        """How much the people with the secret weigh: a number about the others is taken from all."""
        rows = self._matrix(roster)
        target = np.where(self.turned, rows.sum(axis=1) - answers, answers)
        one = np.diag(np.where(self.turned, -1.0, 1.0))
        return LinearForm(rows, target, one, np.abs(one), slack=self.slack)

    def _matrix(self, roster: Roster) -> NDArray[np.float64]:
        inside = self.cells.operator(roster).explicit().toarray()
        return np.asarray(inside * self._weights(roster)[None, :], np.float64)

    def _weights(self, roster: Roster) -> Vector:
        """The weights of a roster's people; nobody else's is known, and nobody else is counted."""
        order = np.argsort(self.ids)
        at = order[np.minimum(np.searchsorted(self.ids, roster.ids, sorter=order), order.size - 1)]
        return np.where(self.ids[at] == roster.ids, self.weights[at], 0.0)
