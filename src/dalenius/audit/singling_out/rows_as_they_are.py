"""Columns released as they are: how many people their values alone point at, and what luck would.

No other people are needed for that. The rows are draws from some population, and a condition "has the values
of this row" is fixed by one row, independently of all others. If x others are expected to meet it, none
does with chance ``e^-x``, and luck isolates somebody by a condition of that weight with chance ``x e^-x``.
Over all rows the first is the share s of people who are alone; given s, the mean of the second is at most
``-s ln s`` (Jensen: ``-y ln y`` is concave). So at least ``s (1 + ln s)`` of the people are singled out
beyond luck, whatever the population is. A column of social-security numbers has s = 1.
"""

from __future__ import annotations

import math

import numpy as np

from dalenius.attacks.singling_out.classes import Classes
from dalenius.findings.singling_out import AsTheyAre
from dalenius.records.leaves import Equals
from dalenius.records.row_columns import NumberColumn, RowColumn, TextColumn
from dalenius.records.rows import Rows, distinct, stacked

IDENTIFIES = 0.9
"""A column names people if at least this share of them has a value that nobody else has."""

TURNS = math.exp(-2)
"""Where ``s (1 + ln s)`` starts to rise."""


def as_they_are(classes: Classes, original: Rows, confidence: float) -> AsTheyAre | None:
    """Count people singled out by the columns that were released as they are; None without such columns.

    Parameters
    ----------
    classes
        The release.
    original
        The rows behind it.
    confidence
        Of the cautious end.
    """
    columns = [*classes.verbatim, *_untouched(classes)]
    if not columns:
        return None
    hits, s, low = _alone(classes.released, original, columns, confidence)
    names = [
        name for name in columns if _alone(classes.released, original, [name], confidence)[1] >= IDENTIFIES
    ]
    luck = s * math.log(1 / s) if s > 0 else 0.0
    return AsTheyAre(
        columns=tuple(columns),
        identifying=tuple(names),
        people=hits,
        luck=min(luck, 1 / math.e),
        advantage=hits / len(original) - luck,
        low=hits / len(original) - s + low * (1 + math.log(low)),
    )


def _untouched(classes: Classes) -> list[str]:
    """Columns called generalised in which every cell is a plain value."""
    plain = zip(classes.quasi, classes.boxes.leaves, strict=True)
    return [name for name, leaves in plain if all(isinstance(leaf, Equals) for leaf in leaves)]


def _alone(released: Rows, original: Rows, columns: list[str], confidence: float) -> tuple[int, float, float]:
    """Originals whom a released row alone equals, the share of originals that are alone, and its low end.

    A row less changes the number of those who are alone by one if it was alone or one of two (Efron, Stein).
    """
    from scipy.special import ndtri

    alike = Rows(tuple(_like(released.column(name), original.column(name)) for name in columns))
    both = distinct(stacked(original.select(columns), alike))
    n, size = len(original), both.counts.size
    here = np.bincount(both.which[:n], minlength=size)
    there = np.bincount(both.which[n:], minlength=size)
    share = float((here == 1).sum()) / n
    spread = math.sqrt(float((here == 1).sum() + 2 * (here == 2).sum())) / n
    low = share - float(ndtri(confidence)) * spread
    return int(((here == 1) & (there == 1)).sum()), share, max(low, TURNS)


def _like(released: RowColumn, original: RowColumn) -> RowColumn:
    """A released column read as the original is: 30 is 30.0 where that is a number."""
    if isinstance(original, TextColumn) or not isinstance(released, TextColumn):
        return released
    numbers = np.array([*(original.number(level) for level in released.levels), math.nan])
    return NumberColumn(released.name, numbers[released.codes], original.kind)
