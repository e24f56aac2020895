"""Conditions on original rows against brute force over their values, in words, and as plain values."""

from __future__ import annotations

import datetime as dt
import json
import math
import re

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.conditions.predicate import (
    And,
    Between,
    Equals,
    HashBelow,
    HashBit,
    In,
    Like,
    Not,
    Or,
    columns_of,
    evaluate,
    from_json,
    matching_codes,
    to_json,
)
from dalenius.conditions.text import english
from dalenius.errors import InputError
from dalenius.people.rows.rows import Rows
from dalenius.people.schema import MISSING, CodedColumns, Column, Kind, Role
from dalenius.release.desk.sql import to_sql

PEOPLE = [
    {"age": age, "rate": rate, "smokes": smokes, "zip": code}
    for age in (None, -1, 20, 29, 30, 300)
    for rate in (None, 0.5, 30.0, -0.0)
    for smokes in (None, True, False)
    for code in (None, "47812", "4781", "04781", "30", "", "4*8")
]
ROWS = Rows.of_table(
    pa.table(
        {
            "age": pa.array([p["age"] for p in PEOPLE], pa.int32()),
            "rate": [p["rate"] for p in PEOPLE],
            "smokes": [p["smokes"] for p in PEOPLE],
            "zip": [p["zip"] for p in PEOPLE],
        }
    )
)

limits = st.sampled_from([None, -1, 0, 0.5, 20, 29.5, 30, 4781])
closed = st.sampled_from(["left", "right", "both", "neither"])
levels = st.sampled_from(
    [MISSING, "30", "30.0", "3e1", "0", "-0.0", "true", "FALSE", "1", "47812", "", "none of them"]
)
masks = st.sampled_from(["4781*", "*781*", "*****", "", "3*", "**", "-*", "4*8", "0*", "[0-9]*"])
columns = st.sampled_from(["age", "rate", "smokes", "zip"])
seeds = st.text(max_size=8)
leaves = st.one_of(
    st.builds(Equals, columns, levels),
    st.builds(In, columns, st.lists(levels, max_size=4).map(tuple)),
    st.builds(Between, columns, limits, limits, closed),
    st.builds(Like, st.sampled_from(["age", "zip"]), masks, st.booleans()),
)
hashes = st.builds(
    HashBelow,
    st.lists(columns, min_size=1, max_size=3, unique=True).map(tuple),
    st.sampled_from(["prf64", "cw61", "ms32"]),
    seeds,
    st.integers(0, 2**32),
)


def trees(leaf):
    return st.recursive(
        leaf,
        lambda inner: st.one_of(
            st.builds(Not, inner),
            st.builds(And, st.lists(inner, max_size=3).map(tuple)),
            st.builds(Or, st.lists(inner, max_size=3).map(tuple)),
        ),
        max_leaves=6,
    )


def is_level(value, level: str) -> bool:
    if value is None or level == MISSING:
        return value is None and level == MISSING
    if isinstance(value, str):
        return value == level
    if isinstance(value, bool) and level.lower() in ("true", "false"):
        return value == (level.lower() == "true")
    try:
        return float(value) == float(level)
    except ValueError:
        return False


def is_between(value, leaf: Between) -> bool:
    try:
        x = float(value)
    except (TypeError, ValueError):
        return False
    above = leaf.low is None or x > leaf.low or (x == leaf.low and leaf.closed in ("left", "both"))
    under = leaf.high is None or x < leaf.high or (x == leaf.high and leaf.closed in ("right", "both"))
    return above and under


def is_like(value, leaf: Like) -> bool:
    text = None if value is None else str(value)
    if text is None or len(text) < len(leaf.mask) or (len(text) > len(leaf.mask) and not leaf.longer):
        return False
    return all(m in ("*", c) for m, c in zip(leaf.mask, text, strict=False))


def holds(predicate, person) -> bool:
    match predicate:
        case And(parts):
            return all(holds(part, person) for part in parts)
        case Or(parts):
            return any(holds(part, person) for part in parts)
        case Not(part):
            return not holds(part, person)
        case Equals(column, level):
            return is_level(person[column], level)
        case In(column, own):
            return any(is_level(person[column], level) for level in own)
        case Between(column):
            return is_between(person[column], predicate)
    return is_like(person[predicate.column], predicate)


@settings(max_examples=150, deadline=None)
@given(trees(leaves))
def test_evaluation_is_what_the_tree_says_of_every_row(predicate):
    assert evaluate(predicate, ROWS).tolist() == [holds(predicate, person) for person in PEOPLE]


@settings(max_examples=100, deadline=None)
@given(trees(leaves | hashes))
def test_trees_survive_being_sent(predicate):
    sent = from_json(json.loads(json.dumps(to_json(predicate))))
    assert sent == predicate
    assert columns_of(predicate) <= set(ROWS.names)
    assert np.array_equal(evaluate(sent, ROWS), evaluate(predicate, ROWS))


@settings(max_examples=100, deadline=None)
@given(trees(leaves | hashes))
def test_every_tree_can_be_said(predicate):
    said = english(predicate)
    assert said.startswith("the only person")
    assert all(name in said for name in columns_of(predicate))


def test_cells_that_publishers_write():
    ages = Rows.of_table(pa.table({"x": [-5.0, -3.0, -1.0, 17.0, 20.0, 20.5, 29.5, 30.0]}))
    for leaf, accepted in (
        (Between("x", 20, 30), [20, 20.5, 29.5]),
        (Between("x", 20, 30, "right"), [20.5, 29.5, 30]),
        (Between("x", -5, -1, "both"), [-5, -3, -1]),
        (Between("x", None, 17, "right"), [-5, -3, -1, 17]),
        (Between("x", 20, 30, "neither"), [20.5, 29.5]),
    ):
        assert ages.column("x").values[evaluate(leaf, ages)].tolist() == accepted


@pytest.mark.parametrize(
    ("predicate", "words"),
    [
        (
            And((Between("age", 30, 40), Like("zip", "4781*"), Equals("disease", "asthma"))),
            "the only person with age at least 30 and below 40, zip 4781? and disease asthma",
        ),
        (Equals("sex", "f"), "the only person with sex f"),
        (Equals("town", "La Chaux"), "the only person with town 'La Chaux'"),
        (Equals("town", MISSING), "the only person with town missing"),
        (Not(In("town", ("Bern", "Zug", "Chur"))), "the only person with town not Bern, Zug or Chur"),
        (Between("age", 30, 40, "right"), "the only person with age above 30 and at most 40"),
        (Between("age", 30, 30, "both"), "the only person with age exactly 30"),
        (Between("age", None, 2.5), "the only person with age below 2.5"),
        (Between("age", None, None), "the only person with age known"),
        (Like("zip", "47", longer=True), "the only person with zip starting with 47"),
        (And(()), "the only person"),
        (Or(()), "the only person with nothing that anybody has"),
        (Not(And((Equals("a", "1"), Equals("b", "2")))), "the only person with not all of this: a 1 and b 2"),
        (Not(Or((Equals("a", "1"), Equals("b", "2")))), "the only person with none of this: a 1 or else b 2"),
        (Not(Not(Or((Equals("a", "1"),)))), "the only person with a 1"),
        (Not(And((Equals("a", "1"),))), "the only person with a not 1"),
        (Not(Or(())), "the only person with anything"),
        (
            Or((And((Equals("a", "1"), Equals("b", "2"))), Equals("c", "3"))),
            "the only person with either both a 1 and b 2 or else c 3",
        ),
        (
            HashBelow(("a", "b"), "ms32", "s", 9),
            "the only person whose keyed hash of a and b (ms32, seed 's') is below 9",
        ),
        (
            Not(HashBelow(("a",), "ms32", "s", 9)),
            "the only person with a record not among those whose keyed hash of a (ms32, seed 's') is below 9",
        ),
        (HashBit(("a",), "s", 3), "the only person whose hash of a (MD5, salt 's') has bit 3 set"),
    ],
)
def test_conditions_in_words(predicate, words):
    assert english(predicate) == words


def test_limits_that_are_dates():
    rows = Rows.of_table(pa.table({"born": [dt.date(1971, 2, 3)], "town": ["Bern"]}))
    born = Between("born", 0.0, 86_400e6)
    assert english(born, "woman", rows.kinds) == (
        "the only woman with born at least 1970-01-01 and below 1970-01-02"
    )


@pytest.mark.parametrize(
    ("predicate", "message"),
    [
        (Equals("agee", "3"), "column 'agee' must be one of the columns.*Did you mean 'age'"),
        (HashBelow(("agee",), "ms32", "s", 1), "column 'agee' must be one of the columns"),
        (And((Equals("age", "20"), HashBelow(("agee",), "ms32", "s", 1))), "column 'agee' must be one"),
        (HashBit(("age",), "s", 1), "bit of a hash must be asked of coded columns; got original rows"),
    ],
)
def test_conditions_that_rows_cannot_answer(predicate, message):
    with pytest.raises(InputError, match=message):
        evaluate(predicate, ROWS)


def test_text_has_no_size():
    rows = Rows.of_table(pa.table({"town": ["Bern", None]}))
    with pytest.raises(InputError, match=r"column 'town' must be numeric to be compared by size; got text"):
        evaluate(Between("town", 1, 2), rows)
    empty = Rows.of_table(pa.table({"town": pa.nulls(2, pa.string())}))
    assert not evaluate(Between("town", 1, 2), empty).any()


def test_leaves_that_cannot_be():
    with pytest.raises(InputError, match="closed must be left, right, both or neither; got 'open'"):
        Between("age", 1, 2, "open")
    with pytest.raises(InputError, match="limit of column 'age' must be a number; got NaN"):
        Between("age", math.nan, 2)


ZIP = Column("zip", Role.PUBLIC, Kind.CATEGORICAL, ("47812", "4781", "30", MISSING))
AGE = Column("age", Role.PUBLIC, Kind.NUMERIC, ("<30", "30-60", ">=60"), (30.0, 60.0))
CODED = CodedColumns((ZIP, AGE), np.array([[0, 0], [1, 1], [2, 2]], np.int32))


def test_new_leaves_on_coded_columns():
    assert matching_codes(Like("zip", "4781*"), ZIP) == (0,)
    assert matching_codes(Like("zip", "4781", longer=True), ZIP) == (0, 1)
    assert matching_codes(Between("zip", 30, 4781, "right"), ZIP) == (1,)
    assert matching_codes(Between("age", 30, None, "both"), AGE) == (1, 2)
    assert "47812" in to_sql(Like("zip", "4781*"), [ZIP])


@pytest.mark.parametrize("leaf", [Between("age", 30, 60, "both"), Between("age", 30, None, "right")])
def test_bins_hold_their_left_end_alone(leaf):
    with pytest.raises(InputError, match="range of column 'age' must hold its lower limit and not its upper"):
        evaluate(leaf, CODED)


def test_keyed_hashes_are_not_for_codes():
    leaf = HashBelow(("zip",), "ms32", "s", 1)
    message = re.escape("ms32 hash below a number must be asked of original rows in memory")
    with pytest.raises(InputError, match=message):
        evaluate(leaf, CODED)
    with pytest.raises(InputError, match=message):
        to_sql(leaf, [ZIP])


@pytest.mark.parametrize(
    "value",
    [{}, [], {"like": []}, {"hash-below": ["zip"]}, {"and": [3]}, {"equals": 3}, {"not": 3, "or": 3}],
)
def test_plain_values_that_are_no_tree(value):
    with pytest.raises(InputError, match="predicate must be one node, its name with its values"):
        from_json(value)
