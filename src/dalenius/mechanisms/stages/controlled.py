"""Controlled rounding: a rounded table whose totals still add up, unbiased in every entry.

Cox (1987), *A Constructive Procedure for Unbiased Controlled Rounding*, JASA 82. The part of each
entry above its multiple of the base is an amount to be decided. A further row and column take up what
the totals lack, so that all totals are multiples. Then an undecided entry always shares its row, and its
column, with another one, hence there is a cycle of undecided entries. Adding an amount to every second
one and taking it from the others keeps all totals; of the two largest such moves one is drawn so that the
expected change is 0. Each move decides at least one entry.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dalenius.mechanisms.base import Floats

_FRACTIONS = 1 << 20
"""Numbers that are not whole are rounded in this many parts of 1, so that all arithmetic is exact."""


def round_table(values: Floats, base: int, *, rng: np.random.Generator) -> Floats:
    """Round one table so that entries, row and column totals and the grand total stay consistent.

    Each of them becomes one of the two multiples of ``base`` around its true value, or stays if it is a
    multiple already. Suppressed entries (not a number) stay so and count for 0 in the totals.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> round_table(np.array([[3.0, 5.0], [4.0, 8.0]]), 5, rng=rng)
    array([[5., 5.],
           [5., 5.]])
    """
    known = np.nan_to_num(values)
    parts = 1 if np.array_equal(known, np.rint(known)) else _FRACTIONS
    numbers = np.rint(known * parts).astype(np.int64)
    unit = base * parts
    undecided = _close(numbers % unit, unit)
    _decide(undecided, unit, rng)
    rounded = (numbers // unit * unit + undecided[:-1, :-1]) // parts
    return np.where(np.isnan(values), np.nan, rounded)


def _close(rest: NDArray[np.int64], unit: int) -> NDArray[np.int64]:
    """Add the row and column that make all totals multiples of ``unit``."""
    closed = np.zeros((rest.shape[0] + 1, rest.shape[1] + 1), dtype=np.int64)
    closed[:-1, :-1] = rest
    closed[:-1, -1] = -rest.sum(axis=1) % unit
    closed[-1, :-1] = -rest.sum(axis=0) % unit
    closed[-1, -1] = rest.sum() % unit
    return closed


def _decide(table: NDArray[np.int64], unit: int, rng: np.random.Generator) -> None:
    """Move every entry to 0 or ``unit``, in place, keeping all totals."""
    open_ = (table > 0) & (table < unit)
    across: list[list[int]] = [np.flatnonzero(row).tolist() for row in open_]
    down: list[list[int]] = [np.flatnonzero(column).tolist() for column in open_.T]
    for row in range(len(across)):
        while _prune(across[row], open_[row]):
            cycle = _cycle(row, across, down, open_)
            index = tuple(np.array(cycle).T)
            _move(table, index, unit, rng)
            open_[index] = (table[index] > 0) & (table[index] < unit)


def _cycle(
    row: int, across: list[list[int]], down: list[list[int]], open_: NDArray[np.bool_]
) -> list[tuple[int, int]]:
    """Walk along open entries, by turns within a row and within a column, until a row or column returns."""
    path: list[tuple[int, int]] = []
    seen_rows, seen_columns = {row: 0}, dict[int, int]()
    column = -1
    while True:
        column = _other(across[row], open_[row], column)
        path.append((row, column))
        if column in seen_columns:
            return path[seen_columns[column] :]
        seen_columns[column] = len(path)
        row = _other(down[column], open_[:, column], row)
        path.append((row, column))
        if row in seen_rows:
            return path[seen_rows[row] :]
        seen_rows[row] = len(path)


def _other(line: list[int], open_: NDArray[np.bool_], avoid: int) -> int:
    """Return an open place of a line other than one; closed ones met on the way are dropped."""
    while True:
        at = -2 if line[-1] == avoid else -1
        if open_[line[at]]:
            return line[at]
        del line[at]


def _prune(line: list[int], open_: NDArray[np.bool_]) -> bool:
    while line and not open_[line[-1]]:
        line.pop()
    return bool(line)


def _move(
    table: NDArray[np.int64], cycle: tuple[NDArray[np.int64], ...], unit: int, rng: np.random.Generator
) -> None:
    """Make one of the two largest moves along a cycle, with probabilities that cancel on average."""
    amounts = table[cycle]
    signs = np.where(np.arange(amounts.size) % 2 == 0, 1, -1)
    rising, falling = amounts[::2], amounts[1::2]
    forth = min(int((unit - rising).min()), int(falling.min()))
    back = min(int(rising.min()), int((unit - falling).min()))
    step = forth if rng.integers(forth + back) < back else -back
    table[cycle] = amounts + signs * step
