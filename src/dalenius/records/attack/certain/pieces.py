"""What propagation leaves open, in pieces that share no row: data sets multiply over them, radii add up."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dalenius.records.attack.certain._kernels import holds, tighten
from dalenius.records.cells.grid import Whole

SIGNATURES = 20101
"""The seed of the numbers that rows are told apart by; members are compared, so any will do."""


def entries_of(A: sparse.csr_array | sparse.csc_array) -> tuple[Whole, Whole, Whole]:
    """Return where rows start, their members and entries, in the one width that kernels are compiled for."""
    return A.indptr.astype(np.int64, copy=False), A.indices.astype(np.int64, copy=False), A.data


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
        return bool(holds(*entries_of(self.A), self.low, self.high, self.lo, self.hi, point))

    @cached_property
    def by_record(self) -> sparse.csc_array:
        """The rows of each record."""
        return self.A.tocsc()

    def summed(self, within: NDArray[np.bool_]) -> int | None:
        """How many people some of its records have together, where exact rows part them; else ``None``.

        Rows of one table are one beside the other, so the first that fit beside each other are mostly those.
        """
        starts, at, entries = entries_of(self.A)
        exact = (self.low == self.high) & (self.A @ (~within).astype(np.int64) == 0)
        left, total = within.copy(), 0
        for row in np.flatnonzero(exact):
            own = slice(starts[row], starts[row + 1])
            if left[at[own]].all() and (entries[own] == 1).all():
                left[at[own]] = False
                total += int(self.low[row])
        return None if left.any() else total

    def tightened(self) -> int:
        """Propagate its bounds, in place; returns a row of it that cannot hold, or -1."""
        at = entries_of(self.by_record)[:2]
        return int(tighten(*entries_of(self.A), *at, self.low, self.high, self.lo, self.hi))


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
    return int(tighten(*entries_of(A), *entries_of(A.tocsc())[:2], low, high, lo, hi))


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
    ordered = own[by_row][:, by_record]  # the pieces are blocks along its diagonal
    ordered.sort_indices()
    make: Any = sparse.csr_array  # its types know no whole numbers
    found = []
    for at in range(count):
        i, j = by_row[row_ends[at] : row_ends[at + 1]], by_record[record_ends[at] : record_ends[at + 1]]
        first, last = ordered.indptr[row_ends[at]], ordered.indptr[row_ends[at + 1]]
        part = make(
            (
                ordered.data[first:last],
                ordered.indices[first:last] - record_ends[at],
                ordered.indptr[row_ends[at] : row_ends[at + 1] + 1] - first,
            ),
            shape=(i.size, j.size),
        )
        here = open_[j]
        found.append(Piece(here, binding[i], part, low[i], high[i], lo[here].copy(), hi[here].copy()))
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
