"""Which original rows a condition on one column accepts.

A column of numbers is compared as numbers (``30`` is ``30.0``), a date with a date as ISO 8601 writes it, a
column of text letter by letter; ranges of text compare what reads as a number. The label ``(missing)`` is
for missing values alone, and nothing else accepts those.
"""

from __future__ import annotations

import numpy as np

from dalenius.conditions.leaves import Between, Equals, Like, OfColumn
from dalenius.errors import InputError
from dalenius.people.rows.columns import Mask, NumberColumn, RowColumn, TextColumn
from dalenius.people.schema import MISSING


def match_values(leaf: OfColumn, column: RowColumn) -> Mask:
    """Say for every row whether its value is accepted.

    Examples
    --------
    >>> age = NumberColumn("age", np.array([30.0, 40.0, np.nan]), "integer")
    >>> match_values(Between("age", 30, 40), age)
    array([ True, False, False])
    >>> match_values(Like("age", "3*"), age)
    array([ True, False, False])
    """
    if isinstance(leaf, Between):
        return _between(leaf, column)
    if isinstance(leaf, Like):
        return _like(leaf, column)
    levels = (leaf.level,) if isinstance(leaf, Equals) else leaf.levels
    matched = _one_of(tuple(level for level in levels if level != MISSING), column)
    return matched | column.missing if MISSING in levels else matched


def _one_of(levels: tuple[str, ...], column: RowColumn) -> Mask:
    if isinstance(column, TextColumn):
        code_of = column.labels.code_of
        codes = [code_of[level] for level in levels if level in code_of]
        return column.codes == codes[0] if len(codes) == 1 else np.isin(column.codes, codes)
    numbers = [column.number(level) for level in levels]
    return column.values == numbers[0] if len(numbers) == 1 else np.isin(column.values, numbers)


def _between(leaf: Between, column: RowColumn) -> Mask:
    if isinstance(column, NumberColumn):
        return leaf.holds(column.values)
    if column.levels and np.isnan(column.labels.numbers).all():
        raise InputError(
            f"column {column.name!r}", "must be numeric to be compared by size", "text", "Use equals or in."
        )
    return leaf.holds(column.labels.numbers)[column.codes]


def _like(leaf: Like, column: RowColumn) -> Mask:
    labels = column if isinstance(column, TextColumn) else column.as_text
    fits = leaf.pattern.fullmatch
    accepted = np.array([*(fits(level) is not None for level in labels.levels), False], np.bool_)
    return accepted[labels.codes]
