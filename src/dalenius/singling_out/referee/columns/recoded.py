"""Columns whose released values are unlike everybody's: numbers in another unit, or labels in another code.

Conditions are taken from released rows and asked of people. If all incomes were doubled, or all labels
renamed, no condition meets anybody, and the rows seem to know nobody, though whoever learns the code has all.
So synthetic values are held against those of people outside the data: where the two are far apart, what the
attack did not find is not shown. Columns of generalised rows that were called untouched must have values of
the original: ``T-123.456.789`` is 123456789 to whoever reads it, and an income one higher is that income.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dalenius.people.rows.columns import NumberColumn, RowColumn, TextColumn
from dalenius.people.rows.rows import Rows
from dalenius.release.rows.classes import Classes
from dalenius.singling_out.referee.classes import OriginalRows

FAR = 0.2
"""Largest distance of two distributions (Kolmogorov and Smirnov; total variation for labels) that a
synthesiser may have beyond chance: poor ones stay below it, another unit is far above."""

CHANCE = 1.63
"""Times the root of one over each size: what chance exceeds once in a hundred (Smirnov 1948)."""

OWN = 0.5
"""Share of different labels among people from which on labels are people's own, and nobody else has them."""

MARKS = 1
"""Values that no original has, up to which they are taken for the mark of a suppressed cell."""


def recoded_columns(released: Rows, others: Rows) -> tuple[str, ...]:
    """Name the columns whose released values are far from those of other people."""
    return tuple(column.name for column in released.columns if _far(column, others.column(column.name)))


def _far(released: RowColumn, others: RowColumn) -> bool:
    sizes = [int((~column.missing).sum()) for column in (released, others)]
    if not all(sizes):
        return False
    apart = _apart(released, others)
    return apart is not None and apart > FAR + CHANCE * (1 / sizes[0] + 1 / sizes[1]) ** 0.5


def _apart(released: RowColumn, others: RowColumn) -> float | None:
    """How far two columns are apart, from 0 to 1; ``None`` where that says nothing."""
    if isinstance(released, NumberColumn) and isinstance(others, NumberColumn):
        at = np.concatenate([released.different, others.different])
        reached = [_reached(column, at) for column in (released, others)]
        return float(np.abs(reached[0] - reached[1]).max())
    if isinstance(released, TextColumn) and isinstance(others, TextColumn):
        first_shares, second_shares = _shares(released), _shares(others)
        if len(second_shares) > OWN * int((~others.missing).sum()):
            return None
        names = {*first_shares, *second_shares}
        return sum(abs(first_shares.get(name, 0.0) - second_shares.get(name, 0.0)) for name in names) / 2
    return None


def _reached(column: NumberColumn, at: NDArray[np.float64]) -> NDArray[np.float64]:
    """The share of a column's values up to each of some numbers."""
    up_to = np.append(0, np.cumsum(column.counts))
    shares: NDArray[np.float64] = up_to[np.searchsorted(column.different, at, side="right")] / up_to[-1]
    return shares


def _shares(column: TextColumn) -> dict[str, float]:
    used = column.codes[column.codes >= 0]
    counts = np.bincount(used, minlength=len(column.levels)) / max(used.size, 1)
    return {level: float(share) for level, share in zip(column.levels, counts, strict=True) if share > 0}


def changed_columns(classes: Classes, truth: OriginalRows) -> list[str]:
    """Name the columns outside the quasi-identifiers that hold values which no original row has."""
    return [
        name
        for name in classes.verbatim
        if _strangers(classes.released.column(name), truth.rows.column(name)) > MARKS
    ]


def read_as(released: RowColumn, original: RowColumn) -> RowColumn:
    """A released column read as the original is: 30 is 30.0 where that is a number."""
    if isinstance(original, TextColumn) or not isinstance(released, TextColumn):
        return released
    numbers = np.array([*(original.number(level) for level in released.levels), math.nan])
    return NumberColumn(released.name, numbers[released.codes], original.kind)


def _strangers(released: RowColumn, original: RowColumn) -> int:
    """Count the different released values that no original row has; a missing one is none."""
    read = read_as(released, original)
    if isinstance(read, NumberColumn) and isinstance(original, NumberColumn):
        strange = ~np.isin(read.different, original.different)
        unread = np.unique(released.codes[read.missing & ~released.missing]).size  # no number of that kind
        return int(strange.sum()) + unread
    known = {original.text(int(row)) for row in _one_of_each(original)}
    return sum(read.text(int(row)) not in known for row in _one_of_each(read))


def _one_of_each(column: RowColumn) -> np.ndarray:
    """A row of each value, none of a missing one."""
    codes, rows = np.unique(column.codes, return_index=True)
    return rows[codes >= 0]
