"""Counting tables inside the engine, always split by secret.

Rows never leave the engine; what leaves is one number per cell. Sets of columns are gathered into covers
whose full table is not too large. Each cover is one GROUP BY, and every table inside it is a sum over axes.
This is plain SQL in every engine, where GROUPING SETS is not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError, TooLargeError
from dalenius.people.dataset import Dataset
from dalenius.people.engine.coded_table import SECRET
from dalenius.people.engine.engine import fetch
from dalenius.people.schema import Role
from dalenius.progress import Progress, silent
from dalenius.shown import several

MOST_CELLS = 1 << 16
"""Cells of a cover. Of 10 million rows, the 56 tables by three of eight columns took 12 s each for itself and
5 s in covers of this size; larger covers gained little and hold more in memory."""

LARGEST_TABLE = 1 << 27
"""Cells of one table that is asked for: a gigabyte of counts."""


@dataclass
class Cover:
    """Columns counted together, and which of the asked sets are cut from that count."""

    columns: tuple[int, ...]
    sets: list[int]
    cells: int


def plan_covers(sets: Sequence[tuple[int, ...]], sizes: Sequence[int], most: int) -> list[Cover]:
    """Gather sets of columns into few covers of at most ``most`` cells; a larger set stands alone.

    Examples
    --------
    >>> plan_covers([(0, 1), (1, 2), (0, 3)], sizes=[4, 4, 4, 1000], most=64)
    [Cover(columns=(0, 3), sets=[2], cells=4000), Cover(columns=(0, 1, 2), sets=[0, 1], cells=64)]
    """
    covers: list[Cover] = []
    largest_first = sorted(range(len(sets)), key=lambda i: -math.prod(sizes[j] for j in sets[i]))
    for i in largest_first:
        for cover in covers:
            more = [j for j in sets[i] if j not in cover.columns]
            together = cover.cells * math.prod(sizes[j] for j in more)
            if not more or together <= most:
                cover.cells = together
                cover.columns = tuple(sorted((*cover.columns, *more)))
                cover.sets.append(i)
                break
        else:
            covers.append(Cover(tuple(sorted(sets[i])), [i], math.prod(sizes[j] for j in sets[i])))
    for cover in covers:
        cover.sets.sort()
    return covers


def cut(full: NDArray[np.int64], columns: tuple[int, ...], wanted: tuple[int, ...]) -> NDArray[np.int64]:
    """Sum a table over the columns that are not wanted, and put the rest in the order asked for."""
    gone = tuple(axis for axis, j in enumerate(columns) if j not in wanted)
    kept = [j for j in columns if j in wanted]
    order = [*(kept.index(j) for j in wanted), len(kept)]
    return np.ascontiguousarray(full.sum(axis=gone).transpose(order))


def tabulate(
    dataset: Dataset, attribute_sets: Sequence[tuple[str, ...]], progress: Progress = silent
) -> list[NDArray[np.int64]]:
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
        For each set an array with one axis per column, in the order given, and the secret last.

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
    sets = [positions_of(dataset, names) for names in attribute_sets]
    for names in attribute_sets:
        cells = cells_of(dataset, names)
        if cells > LARGEST_TABLE:
            raise TooLargeError(
                f"the table by {', '.join(names)}",
                f"must have at most {LARGEST_TABLE} cells",
                str(cells),
                "Use fewer columns or wider bins.",
            )
    tables: list[NDArray[np.int64]] = [np.empty(0, np.int64)] * len(sets)
    done = 0
    for cover in plan_covers(sets, sizes, MOST_CELLS // secrets):
        progress(done / len(sets), f"{done:,} of {several(len(sets), 'table')} counted")
        full = _count(dataset, cover.columns, [sizes[j] for j in cover.columns], secrets)
        for which in cover.sets:
            tables[which] = cut(full, cover.columns, sets[which])
        done += len(cover.sets)
    return tables


def cells_of(dataset: Dataset, names: Sequence[str]) -> int:
    """How many cells a table by these columns and the secret has."""
    columns = [dataset.schema.column(name) for name in names]
    return math.prod(len(column.levels) for column in [*columns, dataset.schema.secret])


def positions_of(dataset: Dataset, names: tuple[str, ...]) -> tuple[int, ...]:
    """Which public columns these are; refuse one that is not public, or repeated."""
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
    grouped = fetch(rows.table.group_by(keys).aggregate(people=rows.count()))
    shape = (*sizes, secrets)
    full = np.zeros(shape, np.int64)
    codes = tuple(rows.whole(key, grouped[key]) for key in keys)
    full[codes] = grouped["people"].to_numpy()
    rows.check_total(int(full.sum()))
    return full
