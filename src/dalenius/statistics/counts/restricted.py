"""A statistic about some of the people, as they were then: this year's table beside last year's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dalenius.matrices.counts import Sensitivity
from dalenius.matrices.operators import Operator, SparseRows
from dalenius.people.roster import Roster
from dalenius.people.schema import Column
from dalenius.statistics.statistic import Counting


@dataclass(frozen=True)
class Among:
    """Questions that were asked about the people of one list only.

    Parameters
    ----------
    asked
        The questions.
    people
        Who was counted, with the public columns they had then.
    name
        What the questions are a part of; stands before their names.
    """

    asked: Counting
    people: Roster
    name: str = ""

    kind = "among"

    @property
    def counts_all_values(self) -> bool:
        """As the questions do."""
        return self.asked.counts_all_values

    @property
    def columns(self) -> tuple[Column, ...]:
        """The public columns that the questions speak of."""
        return getattr(self.asked, "columns", ())

    @property
    def rows(self) -> int:
        """How many questions there are."""
        return self.asked.rows

    @property
    def table(self) -> NDArray[np.int64]:
        """Which table each question is a part of."""
        return self.asked.table

    def sensitivity(self, values: int) -> Sensitivity:
        """As for the questions."""
        return self.asked.sensitivity(values)

    def labels(self) -> Iterator[str]:
        """Name every question."""
        return (f"{self.name}: {label}" if self.name else label for label in self.asked.labels())

    def fingerprint(self, roster: Roster) -> NDArray[np.int32]:
        """What the questions tell apart, and who was not asked about at all."""
        theirs, at = self._placed(roster)
        codes = self.asked.fingerprint(self.people.take(theirs))
        full = np.full((len(roster), codes.shape[1] + 1), -1, np.int32)
        full[at, 0] = 1
        full[at, 1:] = codes
        return full

    def operator(self, roster: Roster) -> Operator:
        """One row per question; people who were not on the list have a zero everywhere."""
        theirs, at = self._placed(roster)
        found = self.asked.operator(self.people.take(theirs)).explicit().tocoo()
        shape = (self.rows, len(roster))
        return SparseRows(sparse.csr_array((found.data, (found.row, at[found.col])), shape=shape))

    def _placed(self, roster: Roster) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """People on both lists, in the order of their own: where they stand there and on the roster."""
        _, theirs, at = np.intersect1d(self.people.ids, roster.ids, assume_unique=True, return_indices=True)
        order = np.argsort(theirs)
        return theirs[order], at[order]

    def called(self, roster: Roster, ids: NDArray[np.str_]) -> Among:
        """Return the same questions about those on a roster, who are now called so.

        Where rows have no names of their own, some of them are numbered anew.
        """
        theirs, at = self._placed(roster)
        return replace(self, people=replace(self.people.take(theirs), ids=ids[at]))

    def to_json(self) -> dict[str, Any]:
        """Return the statistic as plain values."""
        return {"kind": self.kind, "asked": self.asked.to_json(), "people": self.people.ids.tolist()}
