"""Counting inside the engine, always split by secret: tables, predicates and explicit lists of people.

Rows never leave the engine; what leaves is one number a cell.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import ibis
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dalenius.dataset.coded import SECRET
from dalenius.dataset.covers import cut, plan_covers
from dalenius.dataset.dataset import Dataset
from dalenius.dataset.engine import fetch
from dalenius.errors import InputError, TooLargeError
from dalenius.records.predicate import Leaf, Predicate, fold, matching_codes
from dalenius.records.schema import Role

MOST_CELLS = 1 << 16
"""Cells of a cover. Of 10 million rows, the 56 tables by three of eight columns took 12 s each for itself and
5 s in covers of this size; larger covers gained little and hold more in memory."""

LARGEST_TABLE = 1 << 27
"""Cells of one table that is asked for: a gigabyte of counts."""

PREDICATES_PER_SCAN = 200
"""How many predicates share a scan: the engines plan hundreds of sums quickly, and thousands slowly."""

MEMBERS_PER_JOIN = 1 << 22
"""How many (query, person) pairs are joined at a time."""


def tabulate(dataset: Dataset, attribute_sets: Sequence[tuple[str, ...]]) -> list[NDArray[np.int64]]:
    """Count people by each set of public columns and by the secret, zeros included.

    Parameters
    ----------
    dataset
        The people.
    attribute_sets
        Sets of names of public columns; the empty one asks for the histogram of the secret.

    Returns
    -------
    list
        For each set an array with one axis a column, in the order given, and the secret last.

    Raises
    ------
    InputError
        For a column that is unknown, not public or repeated in its set.
    TooLargeError
        For a table of more than ``LARGEST_TABLE`` cells.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from dalenius.dataset.dataset import read
    >>> people = read(pa.table({"age": [32, 47, 32], "ill": ["no", "yes", "no"]}), secret="ill")
    >>> by_age, overall = tabulate(people, [("age",), ()])
    >>> by_age
    array([[2, 0],
           [0, 1]])
    >>> overall
    array([2, 1])
    >>> people.close()
    """
    sizes = [len(column.levels) for column in dataset.schema.public]
    secrets = len(dataset.schema.secret.levels)
    sets = [_positions(dataset, names) for names in attribute_sets]
    for names, positions in zip(attribute_sets, sets, strict=True):
        cells = secrets * math.prod(sizes[j] for j in positions)
        if cells > LARGEST_TABLE:
            raise TooLargeError(
                f"the table by {', '.join(names)}",
                f"must have at most {LARGEST_TABLE} cells",
                str(cells),
                "Use fewer columns or wider bins.",
            )
    tables: list[NDArray[np.int64]] = [np.empty(0, np.int64)] * len(sets)
    for cover in plan_covers(sets, sizes, MOST_CELLS // secrets):
        full = _count(dataset, cover.columns, [sizes[j] for j in cover.columns], secrets)
        for which in cover.sets:
            tables[which] = cut(full, cover.columns, sets[which])
    return tables


def _positions(dataset: Dataset, names: tuple[str, ...]) -> tuple[int, ...]:
    public = [column.name for column in dataset.schema.public]
    for k, name in enumerate(names):
        column = dataset.schema.column(name)
        if column.role is not Role.PUBLIC:
            raise InputError(
                f"column {name!r}",
                "must be public to be tabulated",
                f"the role {column.role}",
                "The secret is always counted; list the others as public.",
            )
        if name in names[:k]:
            raise InputError(f"column {name!r}", "must be once in a set", "twice")
    return tuple(public.index(name) for name in names)


def _count(
    dataset: Dataset, columns: tuple[int, ...], sizes: Sequence[int], secrets: int
) -> NDArray[np.int64]:
    rows = dataset.rows
    keys = [*(rows.public[j] for j in columns), SECRET]
    grouped = fetch(rows.table.group_by(keys).aggregate(people=rows.table.count()))
    shape = (*sizes, secrets)
    full = np.zeros(shape, np.int64)
    codes = tuple(rows.whole(grouped[key]) for key in keys)
    full[codes] = grouped["people"].to_numpy()
    rows.check_total(int(full.sum()))
    return full


def count_predicates(dataset: Dataset, predicates: Sequence[Predicate]) -> NDArray[np.int64]:
    """Count the people each predicate matches, one row a predicate, one column a level of the secret.

    Raises
    ------
    InputError
        For a column that is unknown or not public, and for a value that is not one of its levels.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from dalenius.dataset.dataset import read
    >>> from dalenius.records.predicate import Equals, Not
    >>> people = read(pa.table({"age": [32, 47, 32], "ill": ["no", "yes", "no"]}), secret="ill")
    >>> count_predicates(people, [Equals("age", "32"), Not(Equals("age", "32"))])
    array([[2, 0],
           [0, 1]])
    >>> people.close()
    """
    matches = [
        fold(predicate, lambda leaf: _leaf(dataset, leaf), ibis.literal(True)) for predicate in predicates
    ]
    counts = np.zeros((len(matches), len(dataset.schema.secret.levels)), np.int64)
    table = dataset.rows.table
    for first in range(0, len(matches), PREDICATES_PER_SCAN):
        batch = matches[first : first + PREDICATES_PER_SCAN]
        sums = {f"q{i}": table.count(where=match) for i, match in enumerate(batch)}
        grouped = fetch(table.group_by(SECRET).aggregate(**sums))
        secrets = dataset.rows.whole(grouped[SECRET])
        for i in range(len(batch)):
            counts[first + i, secrets] = grouped[f"q{i}"].to_numpy()
    return counts


def _leaf(dataset: Dataset, leaf: Leaf) -> Any:
    column = dataset.schema.column(leaf.column)
    if column.role is not Role.PUBLIC:
        raise InputError(
            f"column {column.name!r}", "must be public to be asked about", f"the role {column.role}"
        )
    code = dataset.rows.table[dataset.rows.public[dataset.schema.public.index(column)]]
    accepted = matching_codes(leaf, column)
    return code.isin(accepted) if accepted else ibis.literal(False)


def count_members(
    dataset: Dataset, query: NDArray[np.int64], person: NDArray[np.str_], queries: int
) -> NDArray[np.int64]:
    """Count the people on explicit lists, one row a list, one column a level of the secret.

    Parameters
    ----------
    dataset
        The people.
    query, person
        One entry a member: the number of the list, and the id of the person (see ``Dataset.ids``). A
        person named twice on one list counts once.
    queries
        How many lists there are; those without members count nobody.

    Raises
    ------
    InputError
        For arrays of different lengths, list numbers out of range and unknown ids; the message
        says how many are unknown and on which list the first stands, never which.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from dalenius.dataset.dataset import read
    >>> people = read(pa.table({"age": [32, 47, 32], "ill": ["no", "yes", "no"]}), secret="ill")
    >>> count_members(people, np.array([0, 0, 1]), np.array(["0", "1", "2"]), 2)
    array([[1, 1],
           [1, 0]])
    >>> people.close()
    """
    _check_lists(query, person, queries)
    order = np.argsort(query, kind="stable")
    query, person = query[order], person[order]
    counts = np.zeros((queries, len(dataset.schema.secret.levels)), np.int64)
    for first, last in _pieces(query):
        _count_piece(dataset, query[first:last], person[first:last], counts)
    return counts


def _check_lists(query: NDArray[np.int64], person: NDArray[np.str_], queries: int) -> None:
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


def _pieces(query: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Cut sorted list numbers into pieces to join, never inside a list: a list is a set of people."""
    cuts = [0]
    while cuts[-1] < len(query):
        end = min(cuts[-1] + MEMBERS_PER_JOIN, len(query))
        cuts.append(int(np.searchsorted(query, query[end - 1], side="right")))
    return list(pairwise(cuts))


def _count_piece(
    dataset: Dataset, query: NDArray[np.int64], person: NDArray[np.str_], counts: NDArray[np.int64]
) -> None:
    rows = dataset.rows
    asked = ibis.memtable(
        pa.table({"query": query, "person": pa.array(person.tolist(), pa.string())})
    ).distinct()
    people = rows.table.select(name=rows.person_id, secret=rows.table[SECRET])
    joined = asked.left_join(people, asked.person == people.name)
    grouped = fetch(joined.group_by(["query", "secret"]).aggregate(people=joined.count()))
    query_found, secret = grouped["query"].to_numpy(), grouped["secret"].to_numpy(zero_copy_only=False)
    found = grouped["people"].to_numpy()
    unknown = np.isnan(secret.astype(np.float64))
    if unknown.any():
        raise InputError(
            "the people of a query",
            "must be in the data",
            f"{found[unknown].sum()} unknown ids, the first in query {query_found[unknown].min()}",
            "Use the ids of the id column, or row numbers from 0 where there is none.",
        )
    counts[query_found, secret.astype(np.int64)] = found
