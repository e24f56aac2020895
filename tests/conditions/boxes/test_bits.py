"""Rows in boxes, counted over bits, are those that a look at every value finds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.conditions.boxes import bits
from dalenius.conditions.boxes.boxes import GONE, Boxes, IndexedRows, places, rows_inside
from dalenius.people.rows.columns import NumberColumn, TextColumn
from dalenius.people.rows.rows import Rows

LIMIT = 4


def people(seed: int, size: int, values: int) -> Rows:
    """Two columns of numbers, one with gaps, and one of labels."""
    rng = np.random.default_rng(seed)
    pay = rng.integers(0, values, size) / 4
    age = np.where(rng.random(size) < 0.1, np.nan, rng.integers(0, 90, size))
    town = rng.integers(-1, 3, size).astype(np.int32)
    return Rows(
        (
            NumberColumn("pay", pay, "float"),
            NumberColumn("age", age, "integer"),
            TextColumn("town", town, ("Bern", "Zug", "Chur")),
        )
    )


def some_boxes(rows: Rows, seed: int, number: int) -> Boxes:
    """Ranges around somebody's values, on all columns in an order of their own; some are empty."""
    rng = np.random.default_rng(seed)
    middle = np.stack([places(column) for column in rows.columns], axis=1)[rng.integers(0, len(rows), number)]
    reach = np.where(np.arange(3) < 2, rng.choice([-1.0, 0.0, 3.0, 40.0], (number, 3)), 0.0)
    columns = np.argsort(rng.random((number, 3)), axis=1)
    low, high = (np.take_along_axis(middle + side * reach, columns, axis=1) for side in (-1, 1))
    return Boxes(rows.columns, columns, low, high)


def looked_at(boxes: Boxes, rows: Rows) -> list[list[int]]:
    """The rows in every box, by its definition."""
    values = [places(column) for column in rows.columns]
    inside = [
        np.logical_and.reduce(
            [(values[j] >= low) & (values[j] <= high) for j, low, high in zip(*box, strict=True)]
        )
        for box in zip(boxes.columns.tolist(), boxes.low.tolist(), boxes.high.tolist(), strict=True)
    ]
    return [np.flatnonzero(own).tolist() for own in inside]


def check(boxes: Boxes, rows: Rows) -> None:
    """Compare with the definition."""
    counts, found = rows_inside(boxes, rows, LIMIT)
    for expected, count, first in zip(looked_at(boxes, rows), counts.tolist(), found.tolist(), strict=True):
        assert count == min(len(expected), LIMIT)
        assert len({*first[:count]}) == count
        assert {*first[:count]} <= {*expected}


@given(
    seed=st.integers(0, 10**6),
    size=st.sampled_from([1, 63, 64, 65, 511, 513, 1500]),
    values=st.sampled_from([1, 3, 63, 64, 65, 4000]),
)
def test_the_rows_of_every_box_are_found(seed: int, size: int, values: int) -> None:
    rows = people(seed, size, values)
    check(some_boxes(rows, seed + 1, 30), rows)


def test_few_cuts_of_very_many_rows_find_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bits, "BYTES", 1)
    rows = people(1, 3000, 4000)
    assert IndexedRows(rows).bits.cuts.shape == (3, bits.FEWEST_CUTS + 1)
    check(some_boxes(rows, 2, 200), rows)


def test_nobody_is_in_a_box_of_no_rows() -> None:
    rows = people(1, 20, 5)
    assert rows_inside(some_boxes(rows, 2, 10), rows.take(np.arange(0)), LIMIT).counts.tolist() == [0] * 10


def test_labels_are_compared_by_name_and_unknown_ones_match_nobody() -> None:
    asked = TextColumn("town", np.zeros(0, np.int32), ("Zug", "Basel", "Bern"))
    code = np.array([[0.0], [1.0], [2.0], [GONE]])
    boxes = Boxes((asked,), np.zeros((4, 1), np.int64), code, code)
    town = TextColumn("town", np.array([0, 0, 1, -1, 0], np.int32), ("Bern", "Zug"))
    assert rows_inside(boxes, Rows((town,)), LIMIT).counts.tolist() == [1, 0, 3, 1]
