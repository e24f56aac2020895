"""The same people, whatever holds them, read as codes, rows and attributes."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from dalenius.errors import InputError
from dalenius.people.dataset import ReadSettings, read
from dalenius.people.opening import open_sheet, place_name, read_rows, split_table
from dalenius.people.rows.rows import Rows
from dalenius.people.traits.averaged import find_averaged, traits_of
from dalenius.people.traits.traits import Traits

FRAME = {
    "id": ["7", "07", "a"],
    "age": [32, 47, 32],
    "size": [1.5, 2.25, 0.5],
    "town": ["Zug", "Bern", "Zug"],
    "ill": ["no", "yes", "no"],
}
ROLES: dict[str, Any] = {"id": "id", "secret": "ill"}


def attributes(source: Any, column: str, *beside: Any) -> Traits:
    sheets = [open_sheet(each, id="id") for each in (source, *beside)]
    return traits_of(sheets[0], find_averaged(sheets, [column]), None)


def rows_of(source: Any) -> Rows:
    rows = read_rows(source, id="id")
    return rows.select([name for name in rows.names if name != "id"])


def csv(folder: Path, comma: str, point: str, ending: str) -> Path:
    lines = [comma.join(FRAME)]
    lines += [
        comma.join(str(v).replace(".", point) for v in row) for row in zip(*FRAME.values(), strict=True)
    ]
    path = folder / f"people{ending}"
    path.write_text("\n".join(lines) + "\n")
    return path


def sqlite(folder: Path) -> str:
    with sqlite3.connect(folder / "people.sqlite") as file:
        file.execute("create table t (id text, age integer, size real, town text, ill text)")
        rows = [*zip(*FRAME.values(), strict=True)]
        file.executemany("insert into t values (?, ?, ?, ?, ?)", rows[::-1])
    file.close()
    return f"{folder}/people.sqlite#t"


MAKERS: dict[str, Callable[[Path], Any]] = {
    "comma": lambda folder: csv(folder, ",", ".", ".csv"),
    "decimal comma": lambda folder: csv(folder, ";", ",", ".txt"),
    "tab": lambda folder: csv(folder, "\t", ",", ".tsv"),
    "pandas": lambda folder: pd.DataFrame(FRAME),
    "polars": lambda folder: pl.DataFrame(FRAME),
    "arrow": lambda folder: pa.table(FRAME),
    "sqlite": sqlite,
}


@pytest.mark.parametrize("kind", MAKERS)
def test_the_same_people_from_everywhere(kind: str, tmp_path: Path) -> None:
    people = MAKERS[kind](tmp_path)
    rows = rows_of(people)
    assert rows.names == ("age", "size", "town", "ill")
    order = [{"7": 0, "07": 1, "a": 2}[name] for name in open_sheet(people, id="id").text("id")]
    assert [rows.row_text(order.index(i)) for i in (0, 1)] == [
        "age 32, size 1.5, town Zug, ill no",
        "age 47, size 2.25, town Bern, ill yes",
    ]
    assert sorted(attributes(people, "size").values(slice(None)).ravel().tolist()) == [0.5, 1.5, 2.25]
    assert attributes(people, "age").names.tolist() == ["age=47"]
    assert attributes(people, "town").names.tolist() == ["town=Zug"]
    with read(people, **ROLES, bins={"size": [1.0, 2.0], "age": [40]}) as coded:
        assert coded.ids().tolist() == ["7", "a", "07"]
        assert coded.schema.column("size").levels == ("below 1", "1 to under 2", "2 or more")
        assert coded.attributes().codes.tolist() == [[0, 1, 1], [0, 0, 1], [1, 2, 0]]


def test_numbers_written_differently_are_one_value(tmp_path: Path) -> None:
    (tmp_path / "here.csv").write_text("smokes\n1.0\n0.0\n1.0\n")
    here, there = tmp_path / "here.csv", pd.DataFrame({"smokes": [0, 1, 0]})
    ours, theirs = attributes(here, "smokes", there), attributes(there, "smokes", here)
    assert ours.names.tolist() == theirs.names.tolist() == ["smokes=1"]
    assert np.array_equal(ours.values(slice(None)).ravel(), [1, -1, 1])
    assert np.array_equal(theirs.values(slice(None)).ravel(), [-1, 1, -1])


def test_marks_of_missing_values_mean_the_same_to_all(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("id,age,town,ill\n1,32,NA,no\n2,NA,Zug,yes\n3,47,Zug,no\n")
    people = tmp_path / "people.csv"
    assert rows_of(people).row_text(1) == "age (missing), town Zug, ill yes"
    with pytest.raises(InputError, match="1 in 'age'"):
        read(people, **ROLES)
    with pytest.raises(InputError, match="column 'age' must hold finite numbers; got 1 that are empty"):
        attributes(people, "age")
    with read(people, **ROLES, how=ReadSettings(missing="value")) as coded:
        assert coded.schema.column("age").levels == ("32", "47", "(missing)")
        assert coded.schema.column("town").levels == ("NA", "Zug")


def test_where_a_table_of_a_database_is_named(tmp_path: Path) -> None:
    place = sqlite(tmp_path)
    assert split_table(place) == (f"{tmp_path}/people.sqlite", "t")
    assert open_sheet(Path(place), id="id").text("id").tolist() == ["7", "a", "07"]
    assert place_name("postgres://anna:word@host/db#t") == "postgres://host/db, table t"
    (tmp_path / "odd#name.csv").write_text("x\n1\n")
    assert open_sheet(tmp_path / "odd#name.csv").numbers("x").tolist() == [1]
    with pytest.raises(InputError, match=r"table must be given for a database; got none. Tables there: t"):
        open_sheet(place.removesuffix("#t"))
    with pytest.raises(InputError, match=r"table 'u' must be in .*; got no such table"):
        open_sheet(place[:-1] + "u")
    with pytest.raises(InputError, match="table must only be given for a database"):
        open_sheet(pa.table(FRAME), table="t")


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("a;b\n1,5;x\n2;y\n", ("float", None)),
        ("a;b\n1,234;x\n2,500;y\n", (None, None)),
        ("a;b\n1,234;0,5\n2,500;1\n", ("float", "float")),
        ('a,b\n"1,5",x\n"2,5",y\n', (None, None)),
        ("a;b\n1.5;1,5\n2;2\n", ("float", "float")),
        ("a;b\n1.5;x\n2,5;y\n", (None, None)),
    ],
)
def test_commas_that_are_decimal(text: str, kinds: tuple[str | None, ...], tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text(text)
    rows = read_rows(tmp_path / "x.csv")
    assert tuple(rows.kinds.get(name) for name in ("a", "b")) == kinds
