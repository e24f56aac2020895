"""Many conjunctions at once give what each gives alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.conditions.boxes import axis, conjunctions
from dalenius.conditions.boxes.conjunctions import Conjunctions, RowIndex
from dalenius.conditions.leaves import Between, Equals, In, Like
from dalenius.conditions.predicate import evaluate
from dalenius.people.rows.rows import Rows
from dalenius.people.schema import MISSING

AGES = st.one_of(st.none(), st.integers(18, 30))
ZIPS = st.one_of(st.none(), st.sampled_from(["1000", "1001", "1010", "1100", "100", "2000", "20-30"]))
PARTS = {
    "age": st.one_of(
        st.none(),
        st.builds(
            Between,
            st.just("age"),
            st.one_of(st.none(), st.integers(17, 31)),
            st.one_of(st.none(), st.integers(17, 31)),
            st.sampled_from(["left", "right", "both", "neither"]),
        ),
        st.builds(Equals, st.just("age"), st.sampled_from(["20", "21.0", "99", "x", MISSING])),
        st.builds(In, st.just("age"), st.sampled_from([("18", "20", "22"), ("19", MISSING), ()])),
        st.builds(Like, st.just("age"), st.sampled_from(["2*", "*0", "**", "***"])),
    ),
    "zip": st.one_of(
        st.none(),
        st.builds(Like, st.just("zip"), st.sampled_from(["10**", "1*00", "*", "2000"]), st.booleans()),
        st.builds(In, st.just("zip"), st.sampled_from([("1000", "2000"), ("1001", "none"), (MISSING,)])),
        st.builds(Between, st.just("zip"), st.just(1000), st.just(1050), st.just("both")),
    ),
}  # fmt: skip


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(AGES, ZIPS), min_size=1, max_size=60),
    st.lists(PARTS["age"], min_size=1, max_size=5),
    st.lists(PARTS["zip"], min_size=1, max_size=5),
)
def test_boxes_against_one_by_one(people: list[Any], ages: list[Any], zips: list[Any]):
    table = {
        "age": pa.array([p[0] for p in people], pa.int64()),
        "zip": pa.array([*(p[1] for p in people)], pa.string()),
    }
    # a row more with text that is a number, so that ranges can be asked of the column
    table = {
        "age": pa.concat_arrays([table["age"], pa.array([20])]),
        "zip": pa.concat_arrays([table["zip"], pa.array(["1020"])]),
    }
    rows = Rows.of_table(pa.table(table))
    codes = np.array([[a, z] for a in range(len(ages)) for z in range(len(zips))], np.int32)
    boxes = Conjunctions(("age", "zip"), (tuple(ages), tuple(zips)), codes)
    index = RowIndex(rows, boxes.columns)
    wanted = [evaluate(boxes.predicate(i), rows) for i in range(len(boxes))]
    assert index.count(boxes).tolist() == [int(mask.sum()) for mask in wanted]
    starts, found = index.members(boxes)
    for i, mask in enumerate(wanted):
        assert sorted(found[starts[i] : starts[i + 1]].tolist()) == np.flatnonzero(mask).tolist()


def test_many_overlapping_boxes_in_many_points():
    rng = np.random.default_rng(1)
    points = rng.random((3000, 3))
    rows = Rows.of_table(pa.table({name: points[:, j] for j, name in enumerate("abc")}))
    lows = rng.random((400, 3)) * 0.9
    sides = tuple(
        tuple(Between(name, float(x), float(x) + 0.2) for x in lows[:, j]) for j, name in enumerate("abc")
    )
    boxes = Conjunctions(
        ("a", "b", "c"), sides, np.repeat(np.arange(400, dtype=np.int32)[:, None], 3, axis=1)
    )
    plain = [int(((points >= low) & (points < low + 0.2)).all(axis=1).sum()) for low in lows]
    assert RowIndex(rows, "abc").count(boxes).tolist() == plain
    assert sum(plain) > 1000


def test_fewer_boxes_than_threads(monkeypatch):
    """Parts without boxes must not take the place of one that has some."""
    monkeypatch.setattr(conjunctions, "cores", lambda: 8)
    rows = Rows.of_table(pa.table({"age": list(range(50))}))
    index = RowIndex(rows, ("age",))
    boxes = Conjunctions(("age",), ((Between("age", 10, 13),),), np.zeros((1, 1), np.int32))
    for _ in range(40):
        starts, found = index.members(boxes)
        assert (starts.tolist(), sorted(found.tolist())) == ([0, 3], [10, 11, 12])


def test_what_is_remembered_of_conditions_has_a_limit(monkeypatch):
    monkeypatch.setattr(axis, "REMEMBERED", 20)
    rows = Rows.of_table(pa.table({"age": list(range(50))}))
    index = RowIndex(rows, ("age",))
    for low in range(30):
        own = tuple(Between("age", low, low + width) for width in range(1, 6))
        boxes = Conjunctions(("age",), (own,), np.arange(5, dtype=np.int32)[:, None])
        assert index.count(boxes).tolist() == [1, 2, 3, 4, 5]
        assert index.count(boxes).tolist() == [1, 2, 3, 4, 5]
    assert len(index._axes["age"]._ranges) <= 5


def test_a_column_more_and_a_column_replaced():
    rows = Rows.of_table(pa.table({"age": [31, 37, 52], "sex": ["f", "m", "f"]}))
    young = Conjunctions(("age",), ((Between("age", 30, 40),),), np.zeros((2, 1), np.int32))
    by_sex = young.narrow("sex", (Equals("sex", "f"), Equals("sex", "m")), np.array([0, 1]))
    assert RowIndex(rows, by_sex.columns).count(by_sex).tolist() == [1, 1]
    old = by_sex.narrow("age", (Between("age", 50, None),), np.array([0, 0]))
    assert RowIndex(rows, ("age", "sex")).count(old).tolist() == [1, 0]
    assert RowIndex(rows, ("age", "sex")).count(young).tolist() == [2, 2]
    assert RowIndex(rows.take(np.zeros(3, np.bool_)), ("age",)).count(young).tolist() == [0, 0]
