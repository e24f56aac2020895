"""Queries that somebody else made, from a file.

Either long, ``query,<id>``: one row for each person a query counts; or ``query,condition``: a condition
on public columns for each query.
"""

from __future__ import annotations

import numpy as np

from dalenius.conditions.parse import parse_condition
from dalenius.conditions.predicate import evaluate
from dalenius.errors import InputError, nearest_column
from dalenius.grammar import Options
from dalenius.people.files.read_file import read_sheet
from dalenius.people.files.sheet import Sheet
from dalenius.people.schema import Roster
from dalenius.statistics.counts.conditions import ConditionCounts
from dalenius.statistics.counts.subsets import subsets_from_pairs
from dalenius.statistics.statistic import Counting


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
