"""All data sets of a piece, where they are few: every other question about it is then one of counting."""

from __future__ import annotations

import numpy as np

from dalenius.records.attack.certain._kernels import enumerate_fits, search_order
from dalenius.records.attack.certain.pieces import Piece, entries_of
from dalenius.records.cells.grid import Whole

MOST_FITS = 20_000
"""Data sets of one piece that are written down."""

MOST_STEPS = 60_000
"""Steps of the search for them."""

MOST_NUMBERS = 4_000_000
"""Numbers that are held at once."""


def all_fits(piece: Piece, most: int = MOST_FITS, steps: int = MOST_STEPS) -> Whole | None:
    """Return every data set of a piece, one row each; ``None`` if there are too many, or too hard to find.

    Examples
    --------
    >>> from scipy import sparse
    >>> ends = np.array([3]), np.array([3]), np.array([0, 0]), np.array([2, 2])
    >>> both = np.array([0, 1])
    >>> all_fits(Piece(both, np.array([0]), sparse.csr_array(np.array([[1, 1]])), *ends)).tolist()
    [[1, 2], [2, 1]]
    """
    by_record = entries_of(piece.by_record)
    order = search_order(*entries_of(piece.A)[:2], *by_record[:2])
    found = np.empty((min(most, max(MOST_NUMBERS // piece.size, 1)), piece.size), np.int64)
    count, _ = enumerate_fits(
        *by_record,
        piece.low,
        piece.high,
        piece.lo,
        piece.hi,
        order,
        found,
        steps,
    )
    if count < 0:
        return None
    points = found[:count]
    return points[np.lexsort(points.T[::-1])] if count > 1 else points.copy()
