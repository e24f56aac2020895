"""Joining by bits: the records that no zero forbids are those of a search through all of them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import sparse

from dalenius.errors import TooLargeError
from dalenius.records.attack import support
from dalenius.records.attack.certain import ranges
from dalenius.records.attack.certain.pieces import Piece
from dalenius.records.attack.support import find_support
from dalenius.records.cells.columns import RecordColumns
from dalenius.records.cells.grid import EMPTY_PLACE, GroupedCells

SIZES = (70, 5, 3, 2)
"""More levels than bits in a number, so that some are in a second one."""


def columns_of(sizes: tuple[int, ...]) -> RecordColumns:
    return RecordColumns.of({f"c{at}": [str(level) for level in range(n)] for at, n in enumerate(sizes)})


def random_grid(rng: np.random.Generator) -> GroupedCells:
    """Some columns in some groups, a universe now and then, cells of 0 to 2 people, some not printed."""
    own = sorted(rng.choice(len(SIZES), rng.integers(1, 4), replace=False).tolist())
    groups = []
    for column in own:
        size = SIZES[column]
        group = rng.integers(-1 if rng.random() < 0.3 else 0, max(size // 2, 2), size).astype(np.int32)
        _, group = np.unique(group, return_inverse=True) if (group >= 0).all() else (None, group)
        groups.append(np.asarray(group, np.int32))
    count = int(np.prod([group.max() + 1 for group in groups]))
    places = np.flatnonzero(rng.random(count) < 0.9).astype(np.int64)
    high = rng.integers(0, 3, places.size)
    return GroupedCells("t", tuple(own), tuple(groups), places, high * 0, high, bool(rng.random() < 0.5))


def by_brute_force(grids: list[GroupedCells]) -> list[tuple[int, ...]]:
    everything = np.array(list(itertools.product(*map(range, SIZES))), np.int32)
    keep = np.ones(len(everything), np.bool_)
    for grid in grids:
        row = grid.row_of(everything)
        high = np.concatenate([grid.high, [0, 1]])  # the last two: nothing is there, nothing is said
        keep &= high[np.where(row == EMPTY_PLACE, grid.high.size, np.where(row < 0, -1, row))] > 0
    return [tuple(record) for record in everything[keep].tolist()]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("small", [1 << 16, 0])
def test_the_join_finds_what_brute_force_finds(
    seed: int, small: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(support, "SMALL", small)  # with 0 places are searched for among keys
    rng = np.random.default_rng(seed)
    grids = [random_grid(rng) for _ in range(4)]
    found = find_support(columns_of(SIZES), grids)
    assert list(map(tuple, found.tolist())) == by_brute_force(grids)


def test_too_many_partial_records_name_the_column() -> None:
    with pytest.raises(TooLargeError, match=r"at column 'c1'.*at most 100 partial records; got 350"):
        find_support(columns_of(SIZES), [], most=100)


def test_records_that_never_move_are_settled_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sixty records that no data set has: one program proves it, where each had one of its own."""
    n = 60
    rows = np.vstack([np.ones(n + 2), np.concatenate([np.arange(1, n + 1) % 7 + 2, [1, 1]])]).astype(np.int64)
    ends = np.array([5, 5]), np.array([5, 5]), np.zeros(n + 2, np.int64), np.full(n + 2, 5)
    piece = Piece(np.arange(n + 2), np.arange(2), sparse.csr_array(rows), *ends)
    asked = []
    least = ranges.OpenProgram.least
    monkeypatch.setattr(ranges.OpenProgram, "least", lambda own, cost: asked.append(1) or least(own, cost))
    ranges.tighten_by_programs(piece)
    assert piece.hi.tolist() == [0] * n + [5, 5]
    assert len(asked) < 12


def test_records_that_may_move_are_not_settled_with_others() -> None:
    """One of the last two people may have the first record: it is not settled with those that cannot be."""
    rows = np.array([[1, 1, 1, 1], [2, 3, 1, 1]])
    ends = np.array([5, 5]), np.array([5, 7]), np.zeros(4, np.int64), np.full(4, 5)
    piece = Piece(np.arange(4), np.arange(2), sparse.csr_array(rows), *ends)
    ranges.tighten_by_programs(piece)
    assert piece.hi.tolist() == [2, 1, 5, 5]
