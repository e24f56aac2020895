"""Sums over the attributes of many records, in one pass.

Whatever is added up is a function of a record's value in a column. Coded records have three values, so the
function is a table of a few numbers a column, and the pass is a lookup; real values are computed as they
stream by.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from dalenius.people.traits.traits import CodedTraits, Traits
from dalenius.tracing.attack.tails.laws import BITS, CODES

Values = NDArray[np.float64]
Terms = Callable[[Values, slice], Values]
"""From values ``(records, width)`` in some columns to what they add: ``(sums, records, width)``."""

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
    total: Values | None = None
    for part, piece in _pieces(traits, depth):
        if isinstance(piece, CodedTraits):
            found = _tables(piece, terms, part)
        else:
            found = _dense(piece.values(slice(None)), terms, part)
        total = found if total is None else total + found
    assert total is not None  # noqa: S101  (there is at least one attribute)
    return total


def _pieces(traits: Traits, depth: int) -> Iterator[tuple[slice, Traits]]:
    coded = isinstance(traits, CodedTraits)
    width = WIDTH if coded else max(1, REAL_VALUES // (traits.n * depth))
    if width >= traits.d:
        yield slice(0, traits.d), traits
        return
    for start in range(0, traits.d, width):
        part = slice(start, min(start + width, traits.d))
        yield part, traits.select(np.arange(part.start, part.stop))


def _tables(traits: CodedTraits, terms: Terms, part: slice) -> Values:
    """Tabulate the terms at every code; a missing value adds nothing."""
    codes = BITS if traits.kind == "binary" else CODES
    grid = np.broadcast_to(codes[:, None], (codes.size, traits.d))
    made = terms(np.ascontiguousarray(grid), part)
    tables = np.zeros((len(made), traits.d, 4))
    tables[:, :, (codes + 1).astype(np.intp)] = np.moveaxis(made, 1, 2)
    return traits.lookup(tables)


def _dense(values: Values, terms: Terms, part: slice) -> Values:
    seen = ~np.isnan(values)
    made = terms(np.where(seen, values, 0.0), part)
    return np.asarray(np.where(seen, made, 0.0).sum(axis=2).T)
