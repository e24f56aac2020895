"""Counting the people whom predicates match inside the engine, always split by secret.

A predicate about few cells is matched against their table; others are counted in a scan, several at a time.
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
    evaluate_all,
    fold,
    hashes,
    matching_codes,
)
from dalenius.people.dataset import Dataset
from dalenius.people.engine.coded_table import SECRET
from dalenius.people.engine.engine import fetch
from dalenius.people.engine.tabulate import cells_of, positions_of, tabulate
from dalenius.people.schema import CodedColumns, Column

MOST_CELLS_TO_MATCH = 1 << 12
"""A predicate whose columns have fewer cells is matched against their table: 3,000 of three columns took
0.4 s instead of 5 s."""

PREDICATES_PER_SCAN = 200
"""How many other predicates share a scan: engines plan hundreds of sums quickly, and thousands slowly."""


def count_predicates(dataset: Dataset, predicates: Sequence[Predicate]) -> NDArray[np.int64]:
    """Count the people each predicate matches, one row per predicate, one column per level of the secret.

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
    small = [names for names in groups if cells_of(dataset, names) <= MOST_CELLS_TO_MATCH]
    for names, table in zip(small, tabulate(dataset, small), strict=True):
        here = groups.pop(names)
        columns = tuple(dataset.schema.column(name) for name in names)
        counts[here] = _sum_matching([predicates[i] for i in here], columns, table)
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
    keys = [rows.public[j] for j in positions_of(dataset, names)]
    grouped = fetch(rows.table.group_by([*keys, SECRET]).aggregate(people=rows.count()))
    codes = np.stack([rows.whole(key, grouped[key]) for key in keys], axis=1).astype(np.int32)
    counts = np.zeros((len(codes), len(dataset.schema.secret.levels)), np.int64)
    counts[np.arange(len(codes)), rows.whole(SECRET, grouped[SECRET])] = grouped["people"].to_numpy()
    rows.check_total(int(counts.sum()))
    columns = tuple(dataset.schema.column(name) for name in names)
    return _sum_records(predicates, CodedColumns(columns, codes), counts)


def _scan(dataset: Dataset, predicates: Sequence[Predicate]) -> NDArray[np.int64]:
    """Count predicates over many columns in one pass over the rows."""
    table = dataset.rows.table
    matches = [fold(p, lambda leaf: _leaf(dataset, leaf), ibis.literal(True)) for p in predicates]
    sums = {f"q{i}": dataset.rows.count(where=match) for i, match in enumerate(matches)}
    grouped = fetch(table.group_by(SECRET).aggregate(**sums))
    counts = np.zeros((len(predicates), len(dataset.schema.secret.levels)), np.int64)
    secrets = dataset.rows.whole(SECRET, grouped[SECRET])
    for i in range(len(predicates)):
        counts[i, secrets] = grouped[f"q{i}"].to_numpy()
    return counts


def _leaf(dataset: Dataset, leaf: Leaf) -> Any:
    if isinstance(leaf, HashBit | HashBelow):
        raise TypeError("a hash is matched by record, not in the engine")
    (position,) = positions_of(dataset, (leaf.column,))
    accepted = matching_codes(leaf, dataset.schema.public[position])
    name = dataset.rows.public[position]
    code = dataset.rows.table[name]
    if name in dataset.rows.listed:
        return dataset.rows.listed[name].among(code, accepted)
    return code.isin(accepted) if accepted else ibis.literal(False)


def _sum_matching(
    predicates: Sequence[Predicate], columns: tuple[Column, ...], table: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Sum the cells of a table that each predicate matches, by the last axis."""
    shape = table.shape[:-1]
    cells = np.indices(shape, np.int32).reshape(len(shape), math.prod(shape)).T
    grid = CodedColumns(columns, cells)
    return _sum_records(predicates, grid, table.reshape(-1, table.shape[-1]))


def _sum_records(
    predicates: Sequence[Predicate], records: CodedColumns, counts: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Sum the counts of the records that each predicate matches, one row of counts a record."""
    sums = [counts[matched].sum(axis=0) for matched in evaluate_all(predicates, records)]
    return np.array(sums, np.int64)
