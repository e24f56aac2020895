"""Attacks on classes that need nothing of the anonymiser: a hash, and values released as they were.

Cohen and Nissim, Theorem 6.1: any class with a hash that keeps one row in k. Much better where some column
was released verbatim: a value that occurs once in its class needs no luck at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from dalenius.conditions.boxes.conjunctions import Conjunctions
from dalenius.conditions.leaves import Equals
from dalenius.people.rows.columns import NumberColumn, TextColumn
from dalenius.people.rows.rows import Rows, distinct
from dalenius.people.schema import MISSING
from dalenius.release.rows.classes import Classes
from dalenius.singling_out.attack.candidates import Candidates, ClassMembers, Integers, one_of

CANDIDATES = 500_000
"""Conditions of one kind that are weighed at most; with more classes, fewer columns are tried."""

COMPARISONS = 2_000_000_000
"""Rows of other people that are looked at, at most, to weigh conditions about single rows."""

NEARLY = 0.9
"""A column names rows if at least this share of them has a value that no other row has."""


def hash_candidates(classes: Classes) -> Iterator[Candidates]:
    """Every class with a hash: B(k, 1/k), whatever the population, if the rows of the class differ."""
    for kind, which, assumes in (
        ("class of one", np.flatnonzero(classes.sizes == 1), "no suppressed row has the same values"),
        ("hash", np.flatnonzero(classes.sizes > 1), "the rows of the class are different"),
    ):
        if which.size:
            sizes = classes.sizes[which]
            yield Candidates(kind, which, classes.boxes.take(which), sizes, one_of(sizes), assumes)


def verbatim_candidates(classes: Classes) -> Iterator[Candidates]:
    """The rarest verbatim value of every class, column by column and of all columns together."""
    columns = sorted(classes.verbatim, key=lambda name: -len(_column(classes, name).levels))
    affordable = max(1, CANDIDATES // max(1, len(classes)) - 1)
    for name in columns[:affordable]:
        yield from _rarest(classes, (name,))
    if len(columns) > 1:
        yield from _rarest(classes, tuple(columns))


def alone_candidates(
    classes: Classes, known: ClassMembers | None, rng: np.random.Generator
) -> Iterator[Candidates]:
    """Every released row that no other row of its class equals in the columns released as they were.

    Of more rows than can be weighed some are drawn.
    """
    alone = alone_rows(classes) if classes.verbatim else np.empty(0, np.int64)
    if not alone.size:
        return
    order = rng.permutation(alone)[:CANDIDATES]
    if known is not None:
        work = np.cumsum(known.counts[classes.of_row[order]])
        order = order[: max(1, int(np.searchsorted(work, COMPARISONS)))]
    alone = np.sort(order)
    of_class = classes.of_row[alone]
    boxes = classes.boxes.take(of_class)
    for name in classes.verbatim:
        boxes = _equal(boxes, _column(classes, name), alone)
    ones = np.ones(alone.size, np.int64)
    assumes = f"{' and '.join(classes.verbatim)} released as in the original"
    yield Candidates("unique value", of_class, boxes, ones, ones.astype(np.float64), assumes, each=True)


def alone_rows(classes: Classes) -> Integers:
    """The released rows that are the only ones of their class with their verbatim values."""
    rows = classes.by_class
    number = NumberColumn("", classes.of_row[rows].astype(np.float64), "integer")
    found = distinct(Rows((number, *(_column(classes, name).take(rows) for name in classes.verbatim))))
    return np.asarray(rows[found.representatives[found.counts == 1]], np.int64)


def nearly_unique(classes: Classes) -> tuple[str, ...]:
    """Columns released as they were of which most values are one row's: they name rows, whatever k is."""
    found = []
    for name in classes.verbatim:
        codes = _column(classes, name).codes
        alone = np.bincount(codes[codes >= 0]) == 1
        if alone.sum() >= NEARLY * codes.size:
            found.append(name)
    return tuple(found)


def _rarest(classes: Classes, columns: Sequence[str]) -> Iterator[Candidates]:
    """For every class the combination of values that fewest of its rows have."""
    combined = Rows(tuple(_column(classes, name) for name in columns))
    rows = classes.by_class
    values = distinct(combined.take(rows)) if len(columns) > 1 else None
    value = _column(classes, columns[0]).codes[rows] + 1 if values is None else values.which
    most = int(value.max(initial=0)) + 1
    groups, first, times = np.unique(
        classes.of_row[rows] * most + value, return_index=True, return_counts=True
    )
    everywhere = np.bincount(value, minlength=most)[groups % most]  # rarer in the release: lighter
    order = np.lexsort((everywhere, times, groups // most))
    of_class, best = np.unique((groups // most)[order], return_index=True)
    chosen = order[best]
    useful = (times[chosen] < classes.sizes[of_class]) | (times[chosen] == 1)
    of_class, chosen = of_class[useful], chosen[useful]
    boxes = classes.boxes.take(of_class)
    for name in columns:
        boxes = _equal(boxes, _column(classes, name), rows[first[chosen]])
    for alone, kind in ((True, "unique value"), (False, "rare value")):
        own = np.flatnonzero((times[chosen] == 1) == alone)
        if own.size:
            yield Candidates(
                kind,
                of_class[own],
                boxes.take(own),
                times[chosen][own],
                one_of(times[chosen][own]),
                f"{' and '.join(columns)} released as in the original",
            )


def _equal(boxes: Conjunctions, column: TextColumn, rows: Integers) -> Conjunctions:
    """Ask for the value that a released row has in a column."""
    leaves = [Equals(column.name, level) for level in (*column.levels, MISSING)]
    codes = column.codes[rows]
    return boxes.narrow(column.name, leaves, np.where(codes < 0, len(column.levels), codes))


def _column(classes: Classes, name: str) -> TextColumn:
    column = classes.released.column(name)
    return column if isinstance(column, TextColumn) else column.as_text
