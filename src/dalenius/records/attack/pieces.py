"""What propagation leaves open, in pieces that share no row: data sets multiply over them, radii add up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from dalenius.records.attack._kernels import tighten
from dalenius.records.cells.grid import Whole

SIGNATURES = 20101
"""The seed of the numbers that rows are told apart by; members are compared, so any will do."""


@dataclass(frozen=True)
class Piece:
    """Open records and the rows between them.

    ``records`` and ``rows`` say which of the whole they are; ``A``, ``low``, ``high`` are without what
    is settled, and ``lo <= x <= hi``.
    """

    records: Whole
    rows: Whole
    A: sparse.csr_array
    low: Whole
    high: Whole
    lo: Whole
    hi: Whole

    @property
    def size(self) -> int:
        """How many records are open."""
        return int(self.records.size)

    def fits(self, point: Whole) -> bool:
        """Whether whole numbers meet every row, by exact arithmetic."""
        sums = self.A @ point
        inside = bool(((self.lo <= point) & (point <= self.hi)).all())
        return inside and bool(((self.low <= sums) & (sums <= self.high)).all())

    def tightened(self) -> int:
        """Propagate its bounds, in place; returns a row of it that cannot hold, or -1."""
        return propagate(self.A, self.low, self.high, self.lo, self.hi)


def propagate(A: sparse.csr_array, low: Whole, high: Whole, lo: Whole, hi: Whole) -> int:
    """Tighten bounds by all rows, in place; returns a row that cannot hold, or -1.

    Examples
    --------
    >>> lo, hi = np.array([0, 0]), np.array([5, 1])
    >>> propagate(sparse.csr_array(np.array([[1, 1]])), np.array([5]), np.array([5]), lo, hi)
    -1
    >>> lo.tolist(), hi.tolist()
    ([4, 0], [5, 1])
    """
    by_record = A.tocsc()
    return int(tighten(A.indptr, A.indices, A.data, by_record.indptr, by_record.indices, low, high, lo, hi))


def split(A: sparse.csr_array, low: Whole, high: Whole, lo: Whole, hi: Whole) -> list[Piece]:
    """Take out what is settled, drop rows that say nothing more, and return the connected pieces."""
    open_ = np.flatnonzero(lo < hi)
    if not open_.size:
        return []
    settled = A @ np.where(lo < hi, 0, lo)
    own, low, high = A[:, open_], low - settled, high - settled
    least, most = row_limits(own, lo[open_], hi[open_])
    binding = np.flatnonzero((least < low) | (most > high))
    binding, low, high = _merge_equal(own, binding, low, high)
    own = own[binding]
    links = sparse.csr_array((np.ones(own.nnz), own.indices, own.indptr), shape=own.shape)
    both: Any = sparse.block_array([[None, links], [links.T, None]], format="csr")
    count, label = sparse.csgraph.connected_components(both, directed=False)
    rows, records = label[: binding.size], label[binding.size :]
    by_row, by_record = np.argsort(rows, kind="stable"), np.argsort(records, kind="stable")
    row_ends = np.searchsorted(rows[by_row], np.arange(count + 1))
    record_ends = np.searchsorted(records[by_record], np.arange(count + 1))
    found = []
    for at in range(count):
        i = by_row[row_ends[at] : row_ends[at + 1]]
        j = by_record[record_ends[at] : record_ends[at + 1]]
        part = own[i][:, j]
        part.sort_indices()
        found.append(
            Piece(open_[j], binding[i], part, low[i], high[i], lo[open_[j]].copy(), hi[open_[j]].copy())
        )
    return found


def row_limits(A: sparse.csr_array, lo: Whole, hi: Whole) -> tuple[Whole, Whole]:
    """The least and the most that each row can be."""
    up, down = A.copy(), A.copy()
    up.data, down.data = np.maximum(A.data, 0), np.minimum(A.data, 0)
    return up @ lo + down @ hi, up @ hi + down @ lo


def _merge_equal(A: sparse.csr_array, rows: Whole, low: Whole, high: Whole) -> tuple[Whole, Whole, Whole]:
    """Keep one of the rows that are over the same records, with what all of them say."""
    numbers = np.random.default_rng(SIGNATURES).integers(1, 1 << 62, A.shape[1], dtype=np.uint64)
    part = A[rows]
    weights = part.data.astype(np.uint64) * numbers[part.indices]
    ends = np.concatenate([[0], np.cumsum(weights, dtype=np.uint64)])
    signature = ends[part.indptr[1:]] - ends[part.indptr[:-1]]
    _, first, same = np.unique(signature, return_index=True, return_inverse=True)
    leader = first[same]
    for at in np.flatnonzero(leader != np.arange(rows.size)):
        mine, theirs = (slice(part.indptr[row], part.indptr[row + 1]) for row in (at, leader[at]))
        if not (
            np.array_equal(part.indices[mine], part.indices[theirs])
            and np.array_equal(part.data[mine], part.data[theirs])
        ):
            leader[at] = at  # another row with the same signature
    low, high = low[rows].copy(), high[rows].copy()
    np.maximum.at(low, leader, low.copy())
    np.minimum.at(high, leader, high.copy())
    keep = np.unique(leader)
    return rows[keep], low[keep], high[keep]
