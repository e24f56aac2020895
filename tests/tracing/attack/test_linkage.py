"""Blocks of linked columns."""

import numpy as np
import pytest

from dalenius.errors import InputError
from dalenius.people.traits.traits import coded_from_values
from dalenius.tracing import blocks_by_correlation, blocks_by_position


def traits(values):
    n, d = values.shape
    return coded_from_values("id", np.arange(n).astype(str), np.arange(d).astype(str), values, "binary")


def test_positions_outside_order_keep_their_block():
    chromosome = np.array(["2", "1", "2", "1"])
    assert blocks_by_position(chromosome, np.array([5, 7, 1_000_006, 8])).tolist() == [0, 1, 2, 1]


def test_cuts_fall_between_linked_stretches():
    rng = np.random.default_rng(0)
    sizes = [7, 9, 6, 8, 9, 7, 8]
    ends = np.cumsum(sizes)
    shared = np.repeat(rng.integers(0, 2, (400, len(sizes))) * 2 - 1, sizes, axis=1)
    noisy = np.where(rng.random(shared.shape) < 0.1, -shared, shared).astype(float)
    noisy[:, 3] = 1.0  # a column that does not vary
    noisy[5, 10] = np.nan
    blocks = blocks_by_correlation(traits(noisy), longest=12, reach=6)
    cuts = np.flatnonzero(np.diff(blocks)) + 1
    assert cuts.tolist() == ends[:-1].tolist()


def test_blocks_cover_every_column_and_are_no_longer_than_asked():
    rng = np.random.default_rng(1)
    values = rng.integers(0, 2, (30, 2500)) * 2.0 - 1
    blocks = blocks_by_correlation(traits(values), longest=50, reach=5)
    sizes = np.bincount(blocks)
    assert blocks[0] == 0
    assert set(np.diff(blocks)) == {0, 1}
    assert sizes.max() <= 50
    assert sizes[:-1].min() >= 25


def test_bad_blocks():
    with pytest.raises(InputError, match="at least 1 base pair"):
        blocks_by_position(np.array(["1"]), np.array([1]), window=0)
    with pytest.raises(InputError, match="one per column"):
        blocks_by_position(np.array(["1"]), np.array([1, 2]))
    with pytest.raises(InputError, match="longest"):
        blocks_by_correlation(traits(np.ones((3, 4))), longest=1)
