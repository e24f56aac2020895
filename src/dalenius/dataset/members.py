"""Explicit lists of people, joined to their secrets in a private engine."""

from __future__ import annotations

from itertools import pairwise

import ibis
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dalenius.dataset.coded import SECRET, CodedTable
from dalenius.dataset.engine import fetch
from dalenius.errors import InputError

MEMBERS_PER_JOIN = 1 << 22
"""How many (query, person) pairs are joined at a time."""


def check_lists(query: NDArray[np.int64], person: NDArray[np.str_], queries: int) -> None:
    """Refuse lists of different lengths, and list numbers out of range."""
    if query.ndim != 1 or query.shape != person.shape:
        raise InputError(
            "query and person",
            "must be two lists of the same length",
            f"shapes {query.shape} and {person.shape}",
        )
    if query.size and not (query.min() >= 0 and query.max() < queries):
        raise InputError(
            "query", f"must be a list number from 0 to {queries - 1}", f"{query.min()} to {query.max()}"
        )


def join_lists(
    rows: CodedTable, query: NDArray[np.int64], person: NDArray[np.str_], counts: NDArray[np.int64]
) -> dict[int, int]:
    """Fill in the counts of lists sorted by their number; return how many unknown ids each list has."""
    people = rows.table.select(name=rows.person_id, secret=rows.table[SECRET])
    unknown: dict[int, int] = {}
    for first, last in _pieces(query):
        pairs = pa.table({"query": query[first:last], "person": pa.array(person[first:last], pa.string())})
        asked = ibis.memtable(pairs).distinct()
        joined = asked.left_join(people, asked.person == people.name)
        grouped = fetch(joined.group_by(["query", "secret"]).aggregate(people=joined.count()))
        for stranger in grouped.filter(grouped["secret"].is_null()).to_pylist():
            unknown[stranger["query"]] = stranger["people"]
        known = grouped.filter(grouped["secret"].is_valid())
        counts[known["query"].to_numpy(), known["secret"].to_numpy()] = known["people"].to_numpy()
    return unknown


def _pieces(query: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Cut sorted list numbers into pieces to join, never inside a list: a list is a set of people."""
    cuts = [0]
    while cuts[-1] < len(query):
        end = min(cuts[-1] + MEMBERS_PER_JOIN, len(query))
        cuts.append(int(np.searchsorted(query, query[end - 1], side="right")))
    return list(pairwise(cuts))
