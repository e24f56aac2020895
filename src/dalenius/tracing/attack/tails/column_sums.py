"""Sums over the attributes of many records, in one pass.

Whatever is added up is a function of a record's value in a column. Coded records have three values, so the
function is a table of a few numbers a column, and the pass is a lookup; real values are computed as they
stream by.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from dalenius.people.traits.traits import CodedTraits, Traits
from dalenius.tracing.attack.tails.record_law import BITS, CODES

Values = NDArray[np.float64]
Terms = Callable[[Values, slice], Values]
"""From values ``(records, width)`` in some columns to what they add: ``(sums, records, width)``. May be asked
about the same columns again."""

WIDTH = 32_768
"""Columns whose tables are made at a time."""

REAL_VALUES = 2_000_000
"""Real values that are worked on at a time."""


def column_sums(traits: Traits, terms: Terms, *, depth: int = 1) -> Values:
    """Add up terms over the columns that each record has: ``(records, sums)``.

    Parameters
    ----------
    traits
        The records.
    terms
        What a value adds to each sum.
    depth
        How many numbers ``terms`` makes of one value in between, for real values.
    """
    if isinstance(traits, CodedTraits):
        return _coded(traits, terms)
    total: Values | None = None
    width = max(1, REAL_VALUES // (traits.n * depth))
    for start in range(0, traits.d, width):
        part = slice(start, min(start + width, traits.d))
        found = _dense(traits.values(part), terms, part)
        total = found if total is None else total + found
    assert total is not None  # noqa: S101  (there is at least one attribute)
    return total


def _coded(traits: CodedTraits, terms: Terms) -> Values:
    """Tabulate the terms at every code; a missing value adds nothing."""
    codes = BITS if traits.kind == "binary" else CODES
    sums = len(terms(codes[:, None], slice(0, 1)))

    def tables(part: slice) -> Values:
        found = np.zeros((sums, part.stop - part.start, 4))
        for start in range(part.start, part.stop, WIDTH):
            here = slice(start, min(start + WIDTH, part.stop))
            grid = np.broadcast_to(codes[:, None], (codes.size, here.stop - start))
            made = terms(np.ascontiguousarray(grid), here)
            inside = slice(start - part.start, here.stop - part.start)
            found[:, inside, (codes + 1).astype(np.intp)] = np.moveaxis(made, 1, 2)
        return found

    return traits.add_up(tables, sums)


def _dense(values: Values, terms: Terms, part: slice) -> Values:
    seen = ~np.isnan(values)
    made = terms(np.where(seen, values, 0.0), part)
    return np.asarray(np.where(seen, made, 0.0).sum(axis=2).T)
