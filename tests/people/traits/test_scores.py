from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.people.traits import scores
from dalenius.people.traits.scores import Stored
from dalenius.people.traits.two_bits import CODES, FLIPPED, unpack

seeds = st.integers(0, 2**32)


def some_values(room: int, rows: int, seed: int) -> np.ndarray:
    # what pads the last byte is random too: it must not matter
    return np.random.default_rng(seed).integers(0, 256, (rows, -(-room // 4)), np.uint8)


def codes_of(stored: Stored) -> np.ndarray:
    codes = unpack(stored.packed, stored.room())[stored.rows][:, stored.people]
    return np.where(stored.flip[:, None], FLIPPED[codes], codes)


def plain(stored: Stored, tables: np.ndarray) -> np.ndarray:
    codes = codes_of(stored)
    return np.stack([np.take_along_axis(t, codes, axis=1).sum(axis=0) for t in tables.astype(float)], axis=1)


def some(room: int, rows: int, people: int, attributes: int, seed: int) -> Stored:
    rng = np.random.default_rng(seed)
    return Stored(
        some_values(room, rows, seed),
        rng.integers(0, room, people),
        rng.integers(0, rows, attributes),
        rng.random(attributes) < 0.3,
    )


@settings(deadline=None, max_examples=60)
@given(
    st.integers(1, 700), st.integers(1, 40), st.integers(1, 700), st.integers(1, 4), st.integers(1, 3), seeds
)
@pytest.mark.parametrize("vector", [True, False])
def test_lookups_agree_with_plain_ones(
    vector: bool, room: int, rows: int, people: int, k: int, threads: int, seed: int
) -> None:
    stored = some(room, rows, people, 2 * rows + 1, seed)
    tables = np.random.default_rng(seed).standard_normal((k, 2 * rows + 1, 4))
    expected = plain(stored, tables)
    with pytest.MonkeyPatch.context() as patch:
        if not vector:
            patch.setattr(scores, "has_avx2", lambda: False)
        single = scores.look_up(stored, tables.astype(np.float32), threads=threads)
    assert np.allclose(single, expected, rtol=0, atol=1e-4)
    double = scores.look_up(stored, tables, threads=threads)
    assert np.allclose(double, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("precision", [np.float32, np.float64])
def test_sums_have_the_same_bits_with_any_number_of_threads(
    precision: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Spans are cut by size; a planted cut by threads would be seen in the last bits."""
    stored = some(400, 300, 350, 1000, 4)
    tables = np.random.default_rng(5).standard_normal((2, 1000, 4)).astype(precision)
    monkeypatch.setattr(scores, "SPAN", 128)
    one, *more = (scores.look_up(stored, tables, threads=threads) for threads in (1, 2, 3, 7))
    assert all(np.array_equal(one, other) for other in more)
    monkeypatch.setattr(scores, "SPAN", 500)
    assert not np.array_equal(one, scores.look_up(stored, tables, threads=2))


@pytest.mark.parametrize(("room", "rows"), [(4096 + 4, 600), (128, 5000), (125, 257), (5003, 1030)])
def test_larger_than_one_tile_chunk_or_strip(room: int, rows: int) -> None:
    packed = some_values(room, rows, 1)
    stored = Stored(packed, np.arange(room), np.arange(rows), np.zeros(rows, np.bool_))
    tables = np.random.default_rng(2).standard_normal((2, rows, 4))
    expected = plain(stored, tables)
    assert np.allclose(scores.look_up(stored, tables), expected, rtol=0, atol=1e-10)
    error = np.abs(scores.look_up(stored, tables.astype(np.float32)) - expected).max()
    assert error < 2e-6 * rows**0.5
    assert np.array_equal(scores.count(stored)[:, 1], np.count_nonzero(codes_of(stored) == 1, axis=1))


@settings(deadline=None)
@given(st.integers(1, 300), st.integers(1, 20), st.integers(1, 300), st.integers(1, 3), seeds, st.booleans())
def test_counts_and_decoding_agree_with_plain_ones(
    room: int, rows: int, people: int, threads: int, seed: int, twice: bool
) -> None:
    stored = some(room, rows, people, rows + 3, seed)
    if not twice:
        stored = Stored(stored.packed, np.unique(stored.people), stored.rows, stored.flip)
    codes = codes_of(stored)
    expected = np.stack([np.count_nonzero(codes == code, axis=1) for code in range(4)], axis=1)
    assert np.array_equal(scores.count(stored, threads=threads), expected)
    assert np.array_equal(scores.decode(stored, CODES), codes)


def test_nobody_and_nothing_are_not_errors() -> None:
    none = np.zeros(0, np.int64)
    packed = some_values(8, 3, 1)
    assert scores.look_up(
        Stored(packed, none, np.arange(3), np.zeros(3, np.bool_)), np.ones((2, 3, 4))
    ).shape == (0, 2)
    nothing = Stored(packed, np.arange(8), none, np.zeros(0, np.bool_))
    assert not scores.look_up(nothing, np.ones((2, 0, 4))).any()
    assert scores.count(nothing).shape == (0, 4)
