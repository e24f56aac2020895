"""Counts of people who meet a condition, and queries that somebody else made.

Those of somebody else are in a file: long, ``query,<id>``, one row for each person a query counts; or
``query,condition``, a condition on public columns for each query.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.conditions.parse import parse_condition
from dalenius.conditions.predicate import Predicate, columns_of, evaluate, evaluate_all, from_json, to_json
from dalenius.errors import InputError, nearest_column
from dalenius.grammar import Options
from dalenius.matrices.operators import BitRows, Operator
from dalenius.people.files.read_file import read_sheet
from dalenius.people.files.sheet import Sheet
from dalenius.people.schema import CodedColumns, Column, Roster
from dalenius.statistics.cells import OnRecords
from dalenius.statistics.counts.subsets import subsets_from_pairs
from dalenius.statistics.statistic import Counting
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


def ask_queries(options: Options, roster: Roster, rng: np.random.Generator) -> Counting:
    """Make ``queries:path=queries.csv``."""
    return read_queries(options.text("path"), roster)


def read_queries(path: str, roster: Roster) -> Counting:
    """Read queries about the people of a roster."""
    table = read_sheet(path)
    if "condition" in table.names:
        return _conditions(table, roster)
    if roster.id_name in table.names:
        return subsets_from_pairs(table.text("query"), table.text(roster.id_name), roster.ids)
    raise InputError(
        path,
        f"must have the columns 'query' and {roster.id_name!r}, or 'query' and 'condition'",
        f"{len(table.names):,} columns of other names",
        nearest_column(roster.id_name, table.names),
    )


def _conditions(table: Sheet, roster: Roster) -> ConditionCounts:
    names = table.text("query")
    if np.unique(names).size < names.size:
        raise InputError(f"{table.name}: query", "must name every condition once", "a repeated name")
    nobody = roster.take(np.zeros(0, np.intp)).attributes
    predicates = []
    for row, text in enumerate(table.text("condition").tolist(), start=1):
        try:
            predicates.append(parse_condition(text))
            evaluate(predicates[-1], nobody)  # an unknown column or level is found before anything is counted
        except InputError as error:
            place = f"{table.name}: the condition in row {row}, or a part of it,"
            raise InputError(place, error.rule, "something else", error.fix, value=text) from None
    return ConditionCounts(roster.attributes.columns, tuple(predicates), tuple(str(name) for name in names))
