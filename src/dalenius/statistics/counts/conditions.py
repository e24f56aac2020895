"""Counts of the people who meet a condition on public columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.conditions.predicate import Predicate, columns_of, evaluate_all, from_json, to_json
from dalenius.matrices.operators import BitRows, Operator
from dalenius.people.schema import CodedColumns, Column, Roster
from dalenius.statistics.cells import OnRecords
from dalenius.statistics.tables import recode


@dataclass(frozen=True)
class ConditionCounts(OnRecords):
    """How many people who meet each condition have the secret.

    Parameters
    ----------
    columns
        The public columns that the conditions speak of, with their levels.
    predicates
        The conditions.
    names
        What each is called.
    """

    columns: tuple[Column, ...]
    predicates: tuple[Predicate, ...]
    names: tuple[str, ...]

    kind = "conditions"
    counts_all_values = False

    @property
    def rows(self) -> int:
        """How many conditions there are."""
        return len(self.predicates)

    def fingerprint(self, roster: Roster) -> NDArray[np.int32]:
        """What the conditions can tell people apart by."""
        used = {name for predicate in self.predicates for name in columns_of(predicate)}
        return roster.attributes.select(tuple(sorted(used))).codes

    def operator(self, roster: Roster) -> Operator:
        """One row per condition, a 1 for each person who meets it."""
        theirs = roster.attributes.select(tuple(c.name for c in self.columns))
        codes = [recode(theirs.codes[:, j], theirs.columns[j], c) for j, c in enumerate(self.columns)]
        people = CodedColumns(self.columns, np.stack(codes, axis=1) if codes else theirs.codes)
        packed = [np.packbits(matched) for matched in evaluate_all(self.predicates, people)]
        return BitRows(np.stack(packed), len(roster))

    def to_json(self) -> dict[str, Any]:
        """Return the statistic as plain values."""
        return {
            "kind": self.kind,
            "predicates": [to_json(predicate) for predicate in self.predicates],
            "names": list(self.names),
        }

    @staticmethod
    def from_json(value: dict[str, Any], columns: tuple[Column, ...]) -> ConditionCounts:
        """Read the statistic back."""
        predicates = tuple(from_json(p) for p in value["predicates"])
        used = {name for predicate in predicates for name in columns_of(predicate)}
        return ConditionCounts(tuple(c for c in columns if c.name in used), predicates, tuple(value["names"]))
