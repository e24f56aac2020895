"""Tables of bits as parities, before LP decoding.

The cells of a table overlap in their lower margins, so a release in which all tables of one attribute are
wrong pulls the least absolute error after it. Parities of distinct attributes have no such common part: a
wrong table is one wrong row (Kasiviswanathan et al. 2013, Theorem 3.5, holds for them alone).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dalenius.knowledge.view import View
from dalenius.matrices.answers import Vector
from dalenius.matrices.operators import EXPLICIT_LIMIT, SparseRows, Stacked
from dalenius.people.schema import Column
from dalenius.reconstruction.attack.system.system import LinearSystem
from dalenius.statistics.tables import Tables, recode

Transform = Callable[[LinearSystem], LinearSystem]
Parity = tuple[str, ...]


@dataclass(frozen=True)
class BitTable:
    """One table of two or more columns of two levels: its columns, and where its cells are in the system."""

    names: tuple[str, ...]
    start: int

    @property
    def rows(self) -> slice:
        """The cells in their order."""
        return slice(self.start, self.start + 2 ** len(self.names))


def parities(view: View, group: NDArray[np.intp]) -> Transform | None:
    """Return what turns the tables of bits in a view's system into parities, or None if it has none.

    None also where the parities would not fit in memory.

    Parameters
    ----------
    view
        The release and the people.
    group
        For every person, the unknown that they are part of.
    """
    found, columns = bit_tables(view)
    first = np.unique(group, return_index=True)[1]
    wanted = {tuple(sorted(names)) for table in found for names in _subsets(table.names)}
    if not found or len(wanted) * first.size > EXPLICIT_LIMIT:
        return None
    known = view.knowledge.roster.take(first).attributes
    signs: dict[str, NDArray[np.int8]] = {}
    for column in columns:
        j = known.position(column.name)
        bits = recode(known.codes[:, j], known.columns[j], column)
        signs[column.name] = (2 * bits - 1).astype(np.int8)
    return lambda system: transform(system, found, signs)


def bit_tables(view: View) -> tuple[list[BitTable], list[Column]]:
    """Find the tables of two or more bits, and their columns.

    A column whose levels a later statistic lists in another order is left alone there.
    """
    columns: dict[str, Column] = {}
    found, start = [], 0
    for block in view.release.blocks:
        statistic = block.statistic
        if not isinstance(statistic, Tables):
            start += statistic.rows
            continue
        here = {
            c.name for c in statistic.columns if len(c.levels) == 2 and columns.setdefault(c.name, c) == c
        }
        for names, shape in zip(statistic.sets, statistic.shapes, strict=True):
            if len(names) >= 2 and here.issuperset(names):
                found.append(BitTable(names, start))
            start += int(np.prod(shape, dtype=np.int64))
    return found, list(columns.values())


def transform(
    system: LinearSystem, tables: list[BitTable], signs: dict[str, NDArray[np.int8]]
) -> LinearSystem:
    """Replace the cells of the tables by one parity per table and each lower parity once.

    A parity of a table of k bits sums its ``2^k`` cells with signs: its interval is as wide as theirs
    together, its standard deviation the root of the sum of their squares. A lower parity follows from every
    table that has its attributes; the middle one of those readings is taken, which a few wrong tables do
    not move.

    Parameters
    ----------
    system
        The equations, with the cells in their order.
    tables
        Which of them are tables of bits.
    signs
        For every column, -1 or 1 for each unknown.
    """
    readings: dict[Parity, list[Vector]] = {}
    for table in tables:
        for names, reading in zip(_subsets(table.names), _read(system, table), strict=True):
            readings.setdefault(tuple(sorted(names)), []).append(reading)
    kept = np.ones(system.centre.size, np.bool_)
    for table in tables:
        kept[table.rows] = False
    others = np.flatnonzero(kept)
    rows = np.stack([_product(names, signs, system.unknowns) for names in readings]).astype(np.float64)
    centre, low, high, sd = np.stack([np.median(found, axis=0) for found in readings.values()]).T
    labels = [f"parity of {', '.join(names) or 'nothing'}" for names in readings]
    return replace(
        system,
        A=Stacked([SparseRows(sparse.csr_array(part)) for part in (system.A.explicit()[others], rows)]),
        centre=np.concatenate([system.centre[others], centre]),
        low=np.concatenate([system.low[others], low]),
        high=np.concatenate([system.high[others], high]),
        sd=np.concatenate([system.sd[others], sd]),
        counting=np.concatenate([system.counting[others], np.zeros(len(readings), np.bool_)]),
        label=lambda row: system.label(int(others[row])) if row < others.size else labels[row - others.size],
    )


def _subsets(names: tuple[str, ...]) -> list[Parity]:
    """All subsets, in the order of the rows of `_signs`."""
    taken = itertools.product((False, True), repeat=len(names))
    return [tuple(itertools.compress(names, which)) for which in taken]


def _signs(k: int) -> NDArray[np.float64]:
    """One row a subset of the k bits, one column per cell: the product of -1 or 1 over the subset's bits."""
    table = np.ones((1, 1))
    for _ in range(k):
        table = np.kron(table, np.array([[1.0, 1.0], [-1.0, 1.0]]))
    return table


def _read(system: LinearSystem, table: BitTable) -> NDArray[np.float64]:
    """Centre, low, high and sd of every parity of one table, a row a parity."""
    low, high, centre, sd = (part[table.rows] for part in (system.low, system.high, system.centre, system.sd))
    bounded = np.isfinite(low) & np.isfinite(high)
    with np.errstate(invalid="ignore"):
        middle = np.where(bounded & (sd == 0), (low + high) / 2, centre)
        half = np.maximum(high - middle, middle - low).sum()
    answer = _signs(len(table.names)) @ middle
    spread = np.full(answer.size, np.sqrt((sd**2).sum()))
    return np.stack([answer, answer - half, answer + half, spread], axis=1)


def _product(names: Parity, signs: dict[str, NDArray[np.int8]], unknowns: int) -> NDArray[np.int8]:
    product = np.ones(unknowns, np.int8)
    for name in names:
        product = product * signs[name]
    return product
