"""Original rows from files and frames, and which of them are the same."""

from __future__ import annotations

import datetime as dt
import gzip
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from dalenius.errors import InputError
from dalenius.people.opening import read_rows
from dalenius.people.rows.rows import NumberColumn, Rows, TextColumn, distinct

PEOPLE = '''age,zip,rate,smokes,born,seen,town,code
32,01234,0.5,true,1990-05-17,2001-02-03T04:05:06,Bern,NA
,47811,NA,false,,2001-02-03 04:05:06.5,,DE
-7,00001,3,,1969-12-31,,"Zug, ""old""",NA
'''


def kinds(rows: Rows) -> dict[str, str]:
    return {c.name: c.kind if isinstance(c, NumberColumn) else "text" for c in rows.columns}


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet"])
def test_every_column_has_the_kind_that_all_its_values_have(tmp_path, ending):
    path = tmp_path / f"people.{ending}"
    if ending == "parquet":
        table = pa.table(
            {
                "age": pa.array([32, None, -7], pa.int16()),
                "zip": pa.array(["01234", "47811", "00001"]).dictionary_encode(),
                "rate": pa.array([0.5, float("nan"), 3]),
                "smokes": [True, False, None],
                "born": [dt.date(1990, 5, 17), None, dt.date(1969, 12, 31)],
                "seen": pa.array([981_173_106_000, 981_173_106_500, None], pa.timestamp("ms")),
                "town": pa.array(["Bern", None, 'Zug, "old"'], pa.large_string()),
                "code": ["NA", "DE", "NA"],
            }
        )
        parquet.write_table(table, path)
    else:
        path.write_bytes(gzip.compress(PEOPLE.encode()) if ending == "csv.gz" else PEOPLE.encode())
    rows = read_rows(path)
    assert kinds(rows) == {
        "age": "integer", "zip": "text", "rate": "float", "smokes": "bool", "born": "date", "seen": "date",
        "town": "text", "code": "text",
    }  # fmt: skip
    assert [rows.row_text(i) for i in range(3)] == [
        "age 32, zip 01234, rate 0.5, smokes true, born 1990-05-17, "
        "seen 2001-02-03T04:05:06.000000, town Bern, code NA",
        "age (missing), zip 47811, rate (missing), smokes false, born (missing), "
        "seen 2001-02-03T04:05:06.500000, town (missing), code DE",
        "age -7, zip 00001, rate 3.0, smokes (missing), born 1969-12-31, seen (missing), "
        'town Zug, "old", code NA',
    ]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1", "2"], "integer"),
        (["0", "-5"], "integer"),
        (["1", "2.5"], "float"),
        (["1", "1e-3"], "float"),
        (["1", ".5"], "float"),
        (["1", "02"], "text"),
        (["1", "."], "text"),
        (["1", "1_0"], "text"),
        (["1", "x"], "text"),
        (["TRUE", "False"], "bool"),
        (["1", "true"], "text"),
        (["2001-02-03", "2001-12-31"], "date"),
        (["2001-02-03", "2001-02-30"], "text"),
        (["9007199254740992", "1"], "integer"),
        (["9007199254740994", "1"], "text"),
        (["99999999999999999999", "1"], "text"),
    ],
)
def test_what_a_column_of_csv_is(tmp_path, values, kind):
    path = tmp_path / "x.csv"
    path.write_text("\n".join(["a,b", *(f"{value},1" for value in values)]) + "\n")
    assert kinds(read_rows(path))["a"] == kind
    assert kinds(read_rows(path, text=["a"]))["a"] == "text"
    assert read_rows(path, text=["a"]).column("a").levels == tuple(values)


def test_other_separators_and_a_mark_at_the_start(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("\ufeffage;zip\n3;04\n", encoding="utf-8")
    rows = read_rows(path)
    assert rows.names == ("age", "zip")
    assert rows.row_text(0) == "age 3, zip 04"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "must start with a line of column names"),
        (b"a,b\n", "must have at least one row"),
        (b"a,a\n1,2\n", "must have each column name once.*column 2 named like column 1"),
        (b"a,\n1,2\n", "must name every column"),
        (b"a,b\n1,2\n3\n", "line 3, must have 2 fields like the header; got 1"),
        (b"a,b\n1,secret\n3,4,5\n", "line 3, must have 2 fields like the header; got 3"),
        (b"a,b\n1,\xff\n", "line 2, must be UTF-8 text"),
        (b'a,b\n1,"secret\n2,3\n', "from line 2, must close every quote"),
    ],
)
def test_broken_files_are_refused_without_quoting_people(tmp_path, content, message):
    path = tmp_path / "x.csv"
    path.write_bytes(content)
    with pytest.raises(InputError, match=f"x.csv'?,? {message}") as caught:
        read_rows(path)
    assert "secret" not in str(caught.value)


def test_files_that_are_something_else(tmp_path):
    with pytest.raises(InputError, match="must be a file; got no such file"):
        read_rows(tmp_path / "none.csv")
    (tmp_path / "x.xlsx").write_bytes(b"PK")
    with pytest.raises(InputError, match="must be a whole xlsx workbook; got a damaged one"):
        read_rows(tmp_path / "x.xlsx")
    (tmp_path / "x.docx").write_bytes(b"PK")
    with pytest.raises(InputError, match=r"DuckDB.*SQLite.*; got the ending '\.docx'"):
        read_rows(tmp_path / "x.docx")
    (tmp_path / "x.parquet").write_bytes(b"PAR1")
    with pytest.raises(InputError, match="must be a whole Parquet file"):
        read_rows(tmp_path / "x.parquet")
    (tmp_path / "x.csv").write_text("age\n3\n")
    with pytest.raises(InputError, match=r"x.csv must have a column 'agee'.*Did you mean 'age'"):
        read_rows(tmp_path / "x.csv", text=["agee"])


def test_frames_and_what_is_none():
    frame = {"age": [32.0, None], "town": ["Bern", None]}
    for made in (pd.DataFrame(frame), pl.DataFrame(frame), pa.table(frame)):
        rows = read_rows(made)
        assert rows.row_text(0) == "age 32.0, town Bern"
        assert rows.row_text(1) == "age (missing), town (missing)"
    with pytest.raises(InputError, match=r"an Arrow table or a frame; got builtins\.dict"):
        read_rows(frame)
    with pytest.raises(InputError, match="the frame must hold one type per column"):
        read_rows(pd.DataFrame({"x": [1, "secret"]}))
    with pytest.raises(InputError, match="column 'x' must hold numbers, dates or text; got list"):
        Rows.of_table(pa.table({"x": [[1]]}))


def test_categories_that_repeat_or_hold_missing():
    column = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 3, None]), ["a", "b", "a", None])
    rows = Rows.of_table(pa.table({"x": column}))
    assert rows.column("x").codes.tolist() == [0, 1, 0, -1, -1]
    assert Rows.of_table(pa.table({"x": pa.array([3, 4]).dictionary_encode()})).row_text(1) == "x 4"
    assert Rows.of_table(pa.table({"x": pa.nulls(2)})).column("x").missing.all()
    assert len(Rows.of_table(pa.table({"x": pa.array([], pa.string())}))) == 0


def test_columns_that_do_not_fit():
    age = NumberColumn("age", np.array([1.0, 2.0]), "integer")
    with pytest.raises(InputError, match="rows must have at least one column"):
        Rows(())
    with pytest.raises(InputError, match="column 'age' must be once among the columns"):
        Rows((age, age))
    with pytest.raises(InputError, match="column 'b' must be as long as the others; got 1 beside 2"):
        Rows((age, TextColumn("b", np.array([0], np.int32), ("x",))))
    with pytest.raises(InputError, match="levels of column 'b' must be distinct"):
        TextColumn("b", np.array([0], np.int32), ("x", "x"))
    with pytest.raises(InputError, match="codes of column 'b' must be -1 to 0; got 0 to 3"):
        TextColumn("b", np.array([0, 3], np.int32), ("x",))
    with pytest.raises(InputError, match=r"column 'agee' must be one of the columns.*Did you mean 'age'"):
        Rows((age,)).column("agee")


cell = st.one_of(st.none(), st.sampled_from(["a", "b", "c"]))
number = st.one_of(st.none(), st.sampled_from([0.0, -0.0, 1.0, 2.5, float("nan")]))
wide = st.one_of(st.none(), st.integers(0, 2**40))


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(cell, number, wide), min_size=1, max_size=30))
def test_distinct_rows_against_counting_them(people):
    town, rate, code = (list(values) for values in zip(*people, strict=True))
    rows = Rows.of_table(pa.table({"t": pa.array(town, pa.string()), "r": pa.array(rate, pa.float64()),
                                   "c": pa.array(code, pa.int64())}))  # fmt: skip
    same = [(t, None if r is None or np.isnan(r) else r + 0.0, c) for t, r, c in people]
    found = distinct(rows)
    assert [same[i] for i in found.representatives] == list(dict.fromkeys(same))
    assert found.counts.tolist() == list(Counter(same).values())
    assert [same[found.representatives[k]] for k in found.which] == same


def test_many_wide_columns_are_told_apart_exactly():
    rng = np.random.default_rng(3)
    base = rng.integers(0, 2**50, (300, 6))
    table = np.concatenate((base, base, base))
    table[300:600, 5] ^= 1  # differs in the last column alone
    rows = Rows.of_table(pa.table({f"c{j}": table[:, j] for j in range(6)}))
    found = distinct(rows)
    assert found.counts.tolist() == [2] * 300 + [1] * 300


def test_taking_rows_and_columns():
    rows = Rows.of_table(pa.table({"a": [1, 2, 3], "b": ["x", "y", None]}))
    some = rows.take(np.array([2, 0])).select(["b", "a"])
    assert [some.row_text(i) for i in range(2)] == ["b (missing), a 3", "b x, a 1"]
    assert rows.take(np.array([False, True, False])).row_text(0) == "a 2, b y"
