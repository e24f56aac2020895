"""Mondrian: cut the rows at medians, column by column, as long as every part stays anonymous.

LeFevre, DeWitt and Ramakrishnan, *Mondrian Multidimensional K-Anonymity* (2006), strict partitioning: rows
with equal values are never torn apart. Each class is cut along the column of which it takes up most; where
that is not allowed, along the next. Two differences: of the two cuts around the ties of a median the more
even allowed one is taken, and text is cut along the order of its labels, for want of a hierarchy.

What is published of a class is either the tight box of its values (``cells=tight``, the paper's summary
statistic and what most tools write), or the region that the cuts leave (``cells=regions``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.grammar import Options
from dalenius.mechanisms.anonymise.conditions import Conditions
from dalenius.mechanisms.anonymise.released import (
    AnonymisedRows,
    Codes,
    check_quasi,
    labelled,
    replace_cells,
    text_column,
)
from dalenius.people.rows.columns import NumberColumn, RowColumn, TextColumn, number_text
from dalenius.people.rows.rows import Rows
from dalenius.people.schema import MISSING


@dataclass(frozen=True)
class Mondrian:
    """Strict Mondrian under some conditions.

    Parameters
    ----------
    conditions
        What every class must meet.
    tight
        Publish the box of a class's values; otherwise the region that the cuts leave.
    """

    conditions: Conditions
    tight: bool = True

    @staticmethod
    def parse(options: Options) -> Mondrian:
        """Read ``mondrian:k=5[,l=2,...][,cells=tight|regions]``."""
        options.only(*Conditions.NAMES, "cells")
        tight = options.choice("cells", ("tight", "regions"), "tight") == "tight"
        return Mondrian(Conditions.parse(options), tight)

    def __str__(self) -> str:
        return f"mondrian:{self.conditions}" + ("" if self.tight else ",cells=regions")

    def recode(self, rows: Rows, quasi: Sequence[str]) -> AnonymisedRows:
        """Recode the quasi-identifiers, row by row in the same order."""
        check_quasi(rows, quasi)
        coded = [_coded(rows.column(name)) for name in quasi]
        cut = _cut(self.conditions, rows, quasi, coded)
        write = _tight if self.tight else _region
        cells = [write(rows.column(name), coded[j], cut, j) for j, name in enumerate(quasi)]
        return replace_cells(rows, cells, str(self))


@dataclass(frozen=True, eq=False)
class _Coded:
    """A column whose values are numbered in their order, missing last; and where each lies in 0 .. 1."""

    codes: NDArray[np.int32]
    labels: tuple[str, ...]
    positions: NDArray[np.float64]
    missing: bool


@dataclass(frozen=True, eq=False)
class _Cut:
    """For every row its class; for every class its region of codes, column by column."""

    which: Codes
    low: Codes
    high: Codes


def _coded(column: RowColumn) -> _Coded:
    missing = bool(column.missing.any())
    if isinstance(column, NumberColumn):
        found, codes = np.unique(column.values + 0.0, return_inverse=True)
        known = found[~np.isnan(found)]
        labels = tuple(number_text(x, column.kind) for x in known.tolist())
        spread = known - known[0] if known.size else known
        positions = spread / (spread[-1] or 1.0) if known.size else spread
    else:
        ordered = sorted(range(len(column.levels)), key=column.levels.__getitem__)
        present = np.bincount(column.codes[~column.missing], minlength=len(ordered)) > 0
        ordered = [code for code in ordered if present[code]]
        rank = np.full(len(column.levels) + 1, len(ordered), np.int64)
        rank[ordered] = np.arange(len(ordered))
        codes, labels = rank[column.codes], tuple(column.levels[code] for code in ordered)
        positions = np.arange(len(labels)) / max(len(labels) - 1, 1)
        _check_labels(column.name, labels)
    if missing:
        labels, positions = (*labels, MISSING), np.append(positions, 1.5)
    return _Coded(codes.astype(np.int32), labels, positions, missing)


def _check_labels(name: str, labels: Sequence[str]) -> None:
    """A set of labels must be readable again."""
    for label in labels:
        if any(mark in label for mark in ",{}*"):
            raise InputError(
                f"column {name!r}",
                "must have labels without comma, brace or star to be written as sets",
                "one with such a sign",
                "Rename the labels, or keep the column out of the quasi-identifiers.",
            )


def _cut(conditions: Conditions, rows: Rows, quasi: Sequence[str], coded: Sequence[_Coded]) -> _Cut:
    from dalenius.mechanisms.anonymise._mondrian_kernel import (
        ClassRegions,
        NumberedColumns,
        SensitiveRule,
        cut_all,
    )

    sensitive, n = conditions.of(rows, quasi), len(rows)
    columns = NumberedColumns(
        np.stack([column.codes for column in coded], axis=1),
        np.concatenate([column.positions for column in coded]),
        np.cumsum([0, *(len(column.labels) for column in coded)]),
    )
    rule = SensitiveRule(
        sensitive.values.astype(np.int64),
        sensitive.share,
        float(conditions.l),
        conditions.diversity == "entropy",
        float(conditions.t),
        sensitive.ordered,
    )
    order, starts = np.arange(n), np.empty(n // conditions.k + 1, np.int64)
    low, high = np.empty((2, starts.size, len(coded)), np.int64)
    classes = cut_all(columns, rule, conditions.k, order, ClassRegions(starts, low, high))
    which = np.zeros(n, np.int64)
    at = np.zeros(n, np.int64)
    at[starts[:classes]] = 1
    by_start = np.argsort(starts[:classes])
    which[order] = by_start[np.cumsum(at) - 1]
    return _Cut(which, low[:classes], high[:classes])


def _tight(column: RowColumn, coded: _Coded, cut: _Cut, j: int) -> TextColumn:
    """The values of a class from the least to the greatest; of text all that it has."""
    if isinstance(column, TextColumn):
        return _sets(column.name, coded, cut)
    classes, m = cut.low.shape[0], len(coded.labels)
    low, high = np.full(classes, m, np.int64), np.full(classes, -1, np.int64)
    np.minimum.at(low, cut.which, coded.codes)
    np.maximum.at(high, cut.which, coded.codes)

    def write(key: int) -> str:
        first, last = divmod(key, m)
        if first == last:
            return "" if coded.missing and first == m - 1 else coded.labels[first]
        if coded.missing and last == m - 1:
            return "*"  # a range would say that nobody's value is missing
        return f"[{coded.labels[first]}, {coded.labels[last]}]"

    return text_column(column.name, low * m + high, write).take(cut.which)


def _sets(name: str, coded: _Coded, cut: _Cut) -> TextColumn:
    m = len(coded.labels)
    pairs = np.unique(cut.which * m + coded.codes)
    of, code = np.divmod(pairs, m)
    ends = np.append(np.flatnonzero(np.diff(of)) + 1, of.size).tolist()
    members, texts, start = code.tolist(), [], 0
    for end in ends:
        texts.append(_set(coded, members[start:end]))
        start = end
    return labelled(name, texts).take(cut.which)


def _region(column: RowColumn, coded: _Coded, cut: _Cut, j: int) -> TextColumn:
    """What the cuts leave: up to a median and above another, or all labels between."""
    m = len(coded.labels)
    last_known = m - 1 - coded.missing

    def write(key: int) -> str:
        first, last = divmod(key, m)
        if first == 0 and last == m - 1:
            return "*"
        if isinstance(column, TextColumn):
            return _set(coded, list(range(first, last + 1)))
        if first > last_known:
            return ""
        if last > last_known:
            return "*"
        above = "(-inf" if first == 0 else f"({coded.labels[first - 1]}"
        return f"{above}, inf)" if last == last_known else f"{above}, {coded.labels[last]}]"

    return text_column(column.name, cut.low[:, j] * m + cut.high[:, j], write).take(cut.which)


def _set(coded: _Coded, members: list[int]) -> str:
    if len(members) == 1:
        return "" if coded.missing and members[0] == len(coded.labels) - 1 else coded.labels[members[0]]
    return "{" + ", ".join(coded.labels[code] for code in members) + "}"
