"""Who is told apart: the same as comparing rows of codes, whatever the codes are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.reconstruction.attack.system.build import alike


@st.composite
def fingerprints(draw: st.DrawFn) -> list[np.ndarray]:
    people = draw(st.integers(1, 20))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    ends = st.sampled_from([(0, 2), (0, 256), (0, 257), (-1, 2), (0, 70_000)])
    parts = draw(st.lists(st.tuples(st.integers(0, 3), ends), min_size=1, max_size=3))
    return [rng.integers(*between, (people, width), dtype=np.int32) for width, between in parts]


@given(fingerprints())
def test_people_are_together_when_all_their_codes_are_equal(parts: list[np.ndarray]) -> None:
    rows = [tuple(row) for row in np.concatenate(parts, axis=1).tolist()]
    places = {row: place for place, row in enumerate(dict.fromkeys(rows))}
    first, group, sizes = alike(parts)
    assert group.tolist() == [places[row] for row in rows]
    assert first.tolist() == [rows.index(row) for row in places]
    assert sizes.tolist() == [rows.count(row) for row in places]


@pytest.mark.parametrize("codes", [[[1], [257]], [[255], [-1]], [[0], [256]]])
def test_codes_that_one_byte_would_confuse_are_told_apart(codes: list[list[int]]) -> None:
    assert alike([np.array(codes, np.int32)])[1].tolist() == [0, 1]
