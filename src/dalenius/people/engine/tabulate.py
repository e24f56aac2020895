"""Counting inside the engine, always split by secret: tables and predicates.

Rows never leave the engine; what leaves is one number a cell.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import ibis
import numpy as np
from numpy.typing import NDArray

from dalenius.conditions.predicate import (
    HashBelow,
    HashBit,
    Leaf,
    Predicate,
    columns_of,
    fold,
    hashes,
    matching_codes,
)
from dalenius.errors import InputError, TooLargeError
from dalenius.people.coded_columns import CodedColumns
from dalenius.people.dataset import Dataset
from dalenius.people.engine.coded_table import SECRET
from dalenius.people.engine.covers import cut, plan_covers, sum_matching, sum_records
from dalenius.people.engine.engine import fetch
from dalenius.people.schema import Role

MOST_CELLS = 1 << 16
"""Cells of a cover. Of 10 million rows, the 56 tables by three of eight columns took 12 s each for itself and
5 s in covers of this size; larger covers gained little and hold more in memory."""

LARGEST_TABLE = 1 << 27
"""Cells of one table that is asked for: a gigabyte of counts."""

MOST_CELLS_TO_MATCH = 1 << 12
"""A predicate whose columns have fewer cells is matched against their table: 3,000 of three columns took
0.4 s instead of 5 s."""

PREDICATES_PER_SCAN = 200
"""How many other predicates share a scan: engines plan hundreds of sums quickly, and thousands slowly."""


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
    >>> from dalenius.people.dataset import read
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
    for names in attribute_sets:
        cells = _cells(dataset, names)
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


def _cells(dataset: Dataset, names: Sequence[str]) -> int:
    columns = [dataset.schema.column(name) for name in names]
    return math.prod(len(column.levels) for column in [*columns, dataset.schema.secret])


def _positions(dataset: Dataset, names: tuple[str, ...]) -> tuple[int, ...]:
    public = [column.name for column in dataset.schema.public]
    for k, name in enumerate(names):
        column = dataset.schema.column(name)
        if column.role is not Role.PUBLIC:
            raise InputError(
                f"column {name!r}",
                "must be public to be counted by",
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
    >>> from dalenius.people.dataset import read
    >>> from dalenius.conditions.predicate import Equals, Not
    >>> people = read(pa.table({"age": [32, 47, 32], "ill": ["no", "yes", "no"]}), secret="ill")
    >>> count_predicates(people, [Equals("age", "32"), Not(Equals("age", "32"))])
    array([[2, 0],
           [0, 1]])
    >>> people.close()
    """
    groups: dict[tuple[str, ...], list[int]] = {}
    for i, predicate in enumerate(predicates):
        groups.setdefault(tuple(sorted(columns_of(predicate))), []).append(i)
    counts = np.zeros((len(predicates), len(dataset.schema.secret.levels)), np.int64)
    small = [names for names in groups if _cells(dataset, names) <= MOST_CELLS_TO_MATCH]
    for names, table in zip(small, tabulate(dataset, small), strict=True):
        here = groups.pop(names)
        columns = tuple(dataset.schema.column(name) for name in names)
        counts[here] = sum_matching([predicates[i] for i in here], columns, table)
    for names in [names for names, here in groups.items() if any(hashes(predicates[i]) for i in here)]:
        here = groups.pop(names)
        counts[here] = _match_records(dataset, names, [predicates[i] for i in here])
    wide = sorted(i for here in groups.values() for i in here)
    for first in range(0, len(wide), PREDICATES_PER_SCAN):
        batch = wide[first : first + PREDICATES_PER_SCAN]
        counts[batch] = _scan(dataset, [predicates[i] for i in batch])
    return counts


def _match_records(
    dataset: Dataset, names: tuple[str, ...], predicates: Sequence[Predicate]
) -> NDArray[np.int64]:
    """Count predicates that hash: not every engine can, so the different records are hashed here."""
    rows = dataset.rows
    keys = [rows.public[j] for j in _positions(dataset, names)]
    grouped = fetch(rows.table.group_by([*keys, SECRET]).aggregate(people=rows.table.count()))
    codes = np.stack([rows.whole(grouped[key]) for key in keys], axis=1).astype(np.int32)
    counts = np.zeros((len(codes), len(dataset.schema.secret.levels)), np.int64)
    counts[np.arange(len(codes)), rows.whole(grouped[SECRET])] = grouped["people"].to_numpy()
    rows.check_total(int(counts.sum()))
    columns = tuple(dataset.schema.column(name) for name in names)
    return sum_records(predicates, CodedColumns(columns, codes), counts)


def _scan(dataset: Dataset, predicates: Sequence[Predicate]) -> NDArray[np.int64]:
    """Count predicates over many columns in one pass over the rows."""
    table = dataset.rows.table
    matches = [fold(p, lambda leaf: _leaf(dataset, leaf), ibis.literal(True)) for p in predicates]
    sums = {f"q{i}": table.count(where=match) for i, match in enumerate(matches)}
    grouped = fetch(table.group_by(SECRET).aggregate(**sums))
    counts = np.zeros((len(predicates), len(dataset.schema.secret.levels)), np.int64)
    secrets = dataset.rows.whole(grouped[SECRET])
    for i in range(len(predicates)):
        counts[i, secrets] = grouped[f"q{i}"].to_numpy()
    return counts


def _leaf(dataset: Dataset, leaf: Leaf) -> Any:
    if isinstance(leaf, HashBit | HashBelow):
        raise TypeError("a hash is matched by record, not in the engine")
    (position,) = _positions(dataset, (leaf.column,))
    accepted = matching_codes(leaf, dataset.schema.public[position])
    code = dataset.rows.table[dataset.rows.public[position]]
    return code.isin(accepted) if accepted else ibis.literal(False)
