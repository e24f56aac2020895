"""Every kind of source gives the same people."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
import pytest

from dalenius.errors import InputError
from dalenius.people.dataset import ReadSettings, read
from dalenius.people.truth import secret_codes

TABLE = pa.table(
    {
        "key": [f"p{i}" for i in range(40)],
        "age": [20 + i % 5 for i in range(40)],
        "height": [1.5 + (i % 3) / 4 for i in range(40)],
        "sex": ["fm"[i % 2] for i in range(40)],
        "ill": [["no", "yes"][i % 3 == 0] for i in range(40)],
    }
)


def csv_file(folder: Path) -> Path:
    pyarrow.csv.write_csv(TABLE, folder / "people.csv")
    return folder / "people.csv"


def parquet_file(folder: Path) -> Path:
    pyarrow.parquet.write_table(TABLE, folder / "people.parquet")
    return folder / "people.parquet"


def feather_file(folder: Path) -> Path:
    pyarrow.feather.write_feather(TABLE, folder / "people.feather")
    return folder / "people.feather"


def stream_file(folder: Path) -> Path:
    with (
        pa.OSFile(str(folder / "people.arrow"), "wb") as file,
        pa.ipc.new_stream(file, TABLE.schema) as writer,
    ):
        writer.write_table(TABLE)
    return folder / "people.arrow"


def dictionary_table(folder: Path) -> pa.Table:
    return TABLE.set_column(3, "sex", TABLE["sex"].dictionary_encode())


def pandas_frame(folder: Path) -> pd.DataFrame:
    return TABLE.to_pandas().set_index(np.arange(40) + 100)


def pandas_categories(folder: Path) -> pd.DataFrame:
    return TABLE.to_pandas().astype({"sex": "category"})


def polars_frame(folder: Path) -> pl.DataFrame:
    return pl.DataFrame(TABLE)


SOURCES = [csv_file, parquet_file, feather_file, stream_file, dictionary_table]
SOURCES += [pandas_frame, pandas_categories, polars_frame]


@pytest.mark.parametrize("make", SOURCES)
@pytest.mark.parametrize("id", ["key", None])
def test_every_source_gives_the_same_people(tmp_path: Path, make: Any, id: str | None) -> None:
    drop = [] if id else ["key"]
    with (
        read(TABLE, secret="ill", id=id, ignored=drop) as expected,
        read(make(tmp_path), secret="ill", id=id, ignored=drop) as got,
    ):
        assert got.schema == expected.schema
        assert (got.ids() == expected.ids()).all()
        assert (got.attributes().codes == expected.attributes().codes).all()
        assert (secret_codes(got) == secret_codes(expected)).all()


@pytest.fixture
def duckdb_file(tmp_path: Path) -> Path:
    path = tmp_path / "people.db"
    with duckdb.connect(str(path)) as connection:
        connection.register("given", TABLE)
        connection.execute("CREATE TABLE people AS SELECT * FROM given")
    return path


def test_a_duckdb_file_is_read_and_left_alone(duckdb_file: Path) -> None:
    before = duckdb_file.read_bytes()
    for source in (duckdb_file, f"duckdb://{duckdb_file}"):
        with read(source, secret="ill", id="key", how=ReadSettings(table="people")) as people:
            assert people.n == 40
            assert people.source == "people.db, table people"
    assert duckdb_file.read_bytes() == before


def test_a_database_needs_its_table(duckdb_file: Path) -> None:
    with pytest.raises(
        InputError, match=r"table must be given for a database; got none. Tables there: people."
    ):
        read(duckdb_file, secret="ill")
    with pytest.raises(InputError, match=r"table 'peopel' must be in people.db; .* Did you mean 'people'\?"):
        read(duckdb_file, secret="ill", how=ReadSettings(table="peopel"))


def test_a_sqlite_file_is_known_by_its_first_bytes(tmp_path: Path) -> None:
    path = tmp_path / "people.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE people (key INTEGER PRIMARY KEY, ill TEXT)")
    connection.execute("INSERT INTO people VALUES (10, 'no'), (9, 'yes')")
    connection.commit()
    connection.close()
    with read(path, secret="ill", id="key", how=ReadSettings(table="people")) as people:
        assert people.ids().tolist() == ["9", "10"]
    with pytest.raises(
        InputError, match="id must be given for a table in a database, whose rows have no order"
    ):
        read(path, secret="ill", how=ReadSettings(table="people"))


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("peple.csv", "must be a file; got no such file. Did you mean 'people.csv'?"),
        (
            "people.xls",
            "file 'people.xls' must be CSV, Parquet, Arrow, xlsx, SPSS, Stata, SAS, DuckDB or SQLite; got "
            "the ending '.xls'.",
        ),
        (
            "broken.parquet",
            "file 'broken.parquet' must be a whole Parquet file; got a damaged one (ArrowInvalid).",
        ),
        (
            "broken.arrow",
            "file 'broken.arrow' must be a whole Arrow IPC file; got a damaged one (ArrowInvalid).",
        ),
        (
            "broken.duckdb",
            "file 'broken.duckdb' must be a whole DuckDB file that nobody else has open; got a damaged one",
        ),
        ("nowhere/people.csv", "must be a file; got no such file. Check the path."),
    ],
)
def test_paths_that_cannot_be_read(tmp_path: Path, source: str, words: str) -> None:
    csv_file(tmp_path)
    for name in ("people.xls", "broken.parquet", "broken.arrow", "broken.duckdb"):
        (tmp_path / name).write_text("this is not what the name says, and long enough to be looked at")
    with pytest.raises(InputError) as caught:
        read(tmp_path / source, secret="ill")
    assert words in str(caught.value)


def test_addresses_that_cannot_be_opened() -> None:
    with pytest.raises(InputError, match="must be of a database that Ibis speaks; got ftp://"):
        read("ftp://host/people", secret="ill", how=ReadSettings(table="people"))
    with pytest.raises(InputError, match="must let us in") as caught:
        read("postgres://reader:hunter2@127.0.0.1:1/people", secret="ill", how=ReadSettings(table="people"))
    assert "hunter2" not in str(caught.value)
    assert "reader" not in str(caught.value)


def test_a_name_with_brackets_is_one_file(tmp_path: Path) -> None:
    (tmp_path / "people[1].csv").write_text("a,ill\n1,no\n2,yes\n")
    pyarrow.parquet.write_table(TABLE, tmp_path / "people[1].parquet")
    pyarrow.parquet.write_table(TABLE, tmp_path / "people1.parquet")
    assert [read(tmp_path / f"people[1].{end}", secret="ill").n for end in ("csv", "parquet")] == [2, 40]


def test_parquet_names_that_differ_in_case(tmp_path: Path) -> None:
    pyarrow.parquet.write_table(pa.table({"a": [1], "A": [2]}), tmp_path / "people.parquet")
    with pytest.raises(InputError, match="must have each column name once"):
        read(tmp_path / "people.parquet", secret="a")


def test_objects_that_are_not_tables() -> None:
    with pytest.raises(InputError, match=r"source must be a path, .* got builtins\.int"):
        read(42, secret="ill")
    with pytest.raises(InputError, match=r"got polars.lazyframe.frame.LazyFrame. Call .collect\(\)"):
        read(polars_frame(Path()).lazy(), secret="ill")
    with pytest.raises(InputError, match="the frame must have each column name once"):
        read(pd.DataFrame([[1, 2]], columns=["a", "a"]), secret="a")
    with pytest.raises(InputError, match="the frame must hold one type per column"):
        read(pd.DataFrame({"a": [1, "x"], "ill": [1, 2]}), secret="ill")


def test_polars_is_not_imported_for_files(tmp_path: Path) -> None:
    code = (
        "import sys; from dalenius.people.dataset import read\n"
        f"read({str(parquet_file(tmp_path))!r}, secret='ill', id='key').attributes()\n"
        "sys.exit('polars' in sys.modules)"  # pandas comes in through Ibis itself
    )
    subprocess.run([sys.executable, "-c", code], check=True)
