"""Conditions in an engine against the same conditions in memory."""

from __future__ import annotations

import datetime as dt

import ibis
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.dataset.compiled import compile_condition
from dalenius.errors import InputError
from dalenius.records.predicate import And, Between, Equals, HashBelow, HashBit, In, Like, Not, Or, evaluate
from dalenius.records.rows import Rows
from dalenius.records.schema import MISSING

DAY = 86_400e6


def make_people(size: int = 400) -> pa.Table:
    """Random people: every kind of column, missing values in each, and text that is sometimes a number."""
    rng = np.random.default_rng(5)

    def column(values, kind):
        gone = rng.random(size) < 0.15
        return pa.array([None if g else v for g, v in zip(gone, values, strict=True)], kind)

    days = [dt.date(1970, 1, 1) + dt.timedelta(int(d)) for d in rng.integers(-20, 20, size)]
    times = [dt.datetime(1970, 1, 1) + dt.timedelta(hours=int(h)) for h in rng.integers(-99, 99, size)]
    floats = rng.choice([0.0, -0.0, 0.5, 30.0, np.nan, np.inf], size)
    return pa.table(
        {
            "row": np.arange(size),
            "age": column(rng.integers(-3, 120, size).tolist(), pa.int64()),
            "rate": column(floats.tolist(), pa.float64()),
            "smokes": column(rng.integers(0, 2, size).astype(bool).tolist(), pa.bool_()),
            "born": column(days, pa.date32()),
            "seen": column(times, pa.timestamp("us")),
            "zip": column(
                rng.choice(["01234", "0123", "47%12", "4_811", "é1234", "30", "30.0"], size), pa.string()
            ),
            "town": column(rng.choice(["Bern", "Zug", "1", "2.5", "1e2", ""], size), pa.string()),
        }
    )


TABLE = make_people()
ROWS = Rows.of_table(TABLE)
PEOPLE = ibis.memtable(TABLE)

numbers = st.sampled_from([None, -1, 0.0, 0.5, 1, 2.5, 29.5, 30, 100])
moments = st.sampled_from([None, -3 * DAY, 0.0, DAY, 3.6e9, 7.5 * DAY])
closed = st.sampled_from(["left", "right", "both", "neither"])
level = st.sampled_from(
    [MISSING, "30", "30.0", "0", "-0", "true", "False", "1", "1970-01-02", "1969-12-31T05:00:00", "Bern",
     "01234", "47%12", "", "no such value"]
)  # fmt: skip
mask = st.sampled_from(["*****", "0123*", "**%**", "4_*1*", "*", "", "3*", "-*", "é*", "01"])
any_column = st.sampled_from([name for name in TABLE.column_names if name != "row"])
leaves = st.one_of(
    st.builds(Equals, any_column, level),
    st.builds(In, any_column, st.lists(level, max_size=4).map(tuple)),
    st.builds(Between, st.sampled_from(["age", "rate", "smokes", "town", "zip"]), numbers, numbers, closed),
    st.builds(Between, st.sampled_from(["born", "seen"]), moments, moments, closed),
    st.builds(Like, st.sampled_from(["zip", "town", "age"]), mask, st.booleans()),
)
predicates = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(Not, inner),
        st.builds(And, st.lists(inner, max_size=3).map(tuple)),
        st.builds(Or, st.lists(inner, max_size=3).map(tuple)),
    ),
    max_leaves=6,
)


@settings(max_examples=100, deadline=None)
@given(predicates)
def test_the_engine_accepts_the_same_rows(predicate):
    found = PEOPLE.filter(compile_condition(predicate, PEOPLE)).select("row").to_pyarrow()["row"].to_numpy()
    assert np.array_equal(np.sort(found), np.flatnonzero(evaluate(predicate, ROWS)))


@pytest.mark.parametrize(
    ("predicate", "message"),
    [
        (Equals("agee", "3"), "column 'agee' must be in the table.*Did you mean 'age'"),
        (
            HashBelow(("age",), "prf64", "s", 1),
            "prf64 hash below a number must be asked of original rows in memory",
        ),
        (HashBit(("age",), "s", 1), "bit of a hash must be asked of coded columns"),
        (Like("rate", "3*"), "column 'rate' must be text or whole numbers to be compared with a mask"),
        (Between("born", 0.5, None), "date for column 'born' must be a whole number of microseconds"),
        (Between("seen", None, 1e30), "date for column 'seen' must be a whole number of microseconds"),
    ],
)
def test_what_an_engine_cannot_be_asked(predicate, message):
    with pytest.raises(InputError, match=message):
        compile_condition(Not(predicate), PEOPLE)


def test_columns_of_other_kinds_are_refused():
    lists = ibis.memtable(pa.table({"x": [[1], [2]]}))
    with pytest.raises(InputError, match="column 'x' must hold numbers, dates or text"):
        compile_condition(Equals("x", "1"), lists)


def test_moments_with_a_zone_are_compared_in_utc():
    noon = [dt.datetime(2020, 1, 1, 12, tzinfo=dt.UTC), dt.datetime(2020, 1, 1, 13, tzinfo=dt.UTC)]
    table = pa.table({"t": pa.array(noon, pa.timestamp("us", "Europe/Zurich"))})
    predicate = Equals("t", "2020-01-01T12:00:00")
    assert evaluate(predicate, Rows.of_table(table)).tolist() == [True, False]
    people = ibis.memtable(table)
    assert people.filter(compile_condition(predicate, people)).count().to_pyarrow().as_py() == 1
