"""Data that are damaged or hostile: one error that names nobody, no file made, no scratch left."""

from __future__ import annotations

import gzip
import sqlite3
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from openpyxl import Workbook
from pyarrow import feather, parquet

from dalenius.errors import InputError
from dalenius.people.dataset import ReadSettings, read
from dalenius.people.files.other_programs import read_workbook
from dalenius.people.files.reading import MOST_CELL
from dalenius.people.schema import round_edges
from dalenius.printed.grid import read_grids

CANARY = "ZQ7x"
N = 30


@pytest.fixture(autouse=True)
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place for temporary files, which must be empty afterwards."""
    place = tmp_path / "scratch"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    return place


def people() -> pa.Table:
    return pa.table(
        {
            "id": [f"{CANARY}{i}" for i in range(N)],
            "age": [20 + i % 3 for i in range(N)],
            "ill": ["no", "yes"] * (N // 2),
        }
    )


def refused(source: Any, scratch: Path, **how: Any) -> str:
    with pytest.raises(InputError) as caught:
        read(source, secret="ill", id="id", how=ReadSettings(**how)).close()
    message = str(caught.value)
    assert CANARY not in message
    assert "\n" not in message
    assert not list(scratch.iterdir())
    return message


@pytest.mark.parametrize("form", ["file", "stream"])
@pytest.mark.parametrize("offset", [-1, 2**31 - 1, 10**8])
def test_text_that_points_outside_of_its_buffer(
    form: str, offset: int, tmp_path: Path, scratch: Path
) -> None:
    table = people()
    ids = table.column("id").combine_chunks()
    offsets = np.frombuffer(ids.buffers()[1], np.int32).copy()
    offsets[7] = offset
    bad = pa.Array.from_buffers(pa.string(), N, [None, pa.py_buffer(offsets), ids.buffers()[2]])
    table = table.set_column(0, "id", bad)
    path = tmp_path / "people.arrow"
    if form == "file":
        feather.write_feather(table, path, compression="uncompressed")
    else:
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
    assert "must be a whole Arrow IPC file; got a damaged one" in refused(path, scratch)


@pytest.mark.parametrize(
    "name", ["people.arrow", "people.parquet", "people.csv.gz", "people.duckdb", "people.sqlite"]
)
@pytest.mark.parametrize("share", [0.1, 0.5, 0.97])
def test_files_that_are_cut_short(name: str, share: float, tmp_path: Path, scratch: Path) -> None:
    whole, path = tmp_path / f"whole-{name}", tmp_path / name
    if name.endswith("arrow"):
        feather.write_feather(people(), whole)
    elif name.endswith("parquet"):
        parquet.write_table(people(), whole)
    elif name.endswith("gz"):
        rows = "".join(f"{CANARY}{i},{i % 3},{'no' if i % 2 else 'yes'}\n" for i in range(N))
        whole.write_bytes(gzip.compress(f"id,age,ill\n{rows}".encode()))
    elif name.endswith("duckdb"):
        with duckdb.connect(str(whole)) as base:
            base.register("given", people())
            base.execute("create table people as from given")
    else:
        with sqlite3.connect(whole) as base:
            base.execute("create table people (id text, age int, ill text)")
            base.executemany(
                "insert into people values (?, ?, ?)", [(f"{CANARY}{i}", i, "no") for i in range(N)]
            )
        base.close()
    path.write_bytes(whole.read_bytes()[: int(whole.stat().st_size * share)])
    how = {"table": "people"} if name.endswith(("duckdb", "sqlite")) else {}
    refused(path, scratch, **how)


def test_a_sqlite_file_that_is_not_there_is_not_made(tmp_path: Path, scratch: Path) -> None:
    path = tmp_path / "people.sqlite"
    assert "must be a file; got no such file" in refused(f"sqlite://{path}", scratch, table="people")
    assert not path.exists()


@pytest.mark.parametrize(
    ("column", "values", "message"),
    [
        ("age", ["a\0b"] * N, "column 'age' must hold text; got a value with the character NUL"),
        ("age", ["x" * (MOST_CELL + 1)] * N, "column 'age' must have at most 131,072 characters in a value"),
        ("age", [float("nan")] * N, "column 'age' must have at least one value"),
        ("ill", [None] * N, "column 'ill' must have at least one value"),
    ],
    ids=["nul", "long", "nan", "missing"],
)
def test_columns_that_say_nothing(
    column: str, values: list[Any], message: str, tmp_path: Path, scratch: Path
) -> None:
    table = people()
    at = table.column_names.index(column)
    parquet.write_table(table.set_column(at, column, pa.array(values)), tmp_path / "people.parquet")
    assert message in refused(tmp_path / "people.parquet", scratch, missing="value")


def test_ids_with_nul_stay_apart_or_are_refused(tmp_path: Path) -> None:
    ids = [*(f"{CANARY}{i}" for i in range(N - 1)), f"{CANARY}0\0"]
    parquet.write_table(people().set_column(0, "id", pa.array(ids)), tmp_path / "people.parquet")
    with (
        read(tmp_path / "people.parquet", secret="ill", id="id") as opened,
        pytest.raises(InputError, match="the id must hold text; got a value with the character NUL"),
    ):
        opened.ids()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            f"{CANARY},20,no\nb,21,yes\n",
            "secret column 'ill' must be in the data; got no such column. None of",
        ),
        (f"id,{CANARY},ill,{CANARY}\na,1,no,2\n", "got column 4 named like column 2"),
        (
            "id,age,ill\n" + "x" * (MOST_CELL + 1) + ",1,no\n",
            "must have at most 131,072 characters in a cell",
        ),
        ("id,age,ill\n" + "x" * 2_100_000, "must have at most 2,000,000 bytes"),
        (f"id,age,ill\n{CANARY}\0,1,no\n", "line 2, must be UTF-8 text"),
    ],
    ids=["no header", "twice", "long cell", "long line", "nul"],
)
def test_csv(text: str, message: str, tmp_path: Path, scratch: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text(text)
    assert message in refused(path, scratch)


def test_a_gzip_file_is_known_by_its_content(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(gzip.compress(b"id,age,ill\na,1,no\nb,2,yes\n"))
    with read(path, secret="ill", id="id") as opened:
        assert opened.n == 2


def test_bins_of_absurd_numbers() -> None:
    assert round_edges([1e308, -1e308, 5e307], low=-1.7e308) == (-1e308, 5e307, 1e308)
    assert round_edges([5e-324, 1e-323], low=0) == (5e-324, 1e-323)
    assert round_edges([1e-300, 1e300], low=0) == (1e300,)


def test_more_columns_than_anybody_can_wait_for(tmp_path: Path, scratch: Path) -> None:
    names = [f"c{j}" for j in range(1001)]
    lines = [",".join(["id", "ill", *names]), *(f"{CANARY}{i},{i % 2}" + ",0" * 1001 for i in range(4))]
    (tmp_path / "wide.csv").write_text("\n".join(lines) + "\n")
    assert "public columns must be at most 1,000; got 1,001" in refused(tmp_path / "wide.csv", scratch)
    with read(tmp_path / "wide.csv", secret="ill", id="id", public=["c0"]) as opened:
        assert opened.n == 4


@pytest.mark.parametrize(
    ("memory", "message"),
    [
        ("1KB", "memory must hold the work of the engine; got too little"),
        ("99999999999TB", "memory must be a size that the engine can be given"),
    ],
)
def test_memory_that_no_engine_has(memory: str, message: str, tmp_path: Path, scratch: Path) -> None:
    (tmp_path / "people.csv").write_text("id,age,ill\na,1,no\nb,2,yes\n")
    assert message in refused(tmp_path / "people.csv", scratch, memory=memory)


@pytest.mark.parametrize("reader", [read_workbook, read_grids])
def test_a_number_of_a_sheet_that_is_no_float(reader: Any, tmp_path: Path) -> None:
    book = Workbook()
    for row in (["age", "ill"], [34, 1], [123, 0]):
        book.active.append(row)
    book.save(tmp_path / "made.xlsx")
    with zipfile.ZipFile(tmp_path / "made.xlsx") as made, zipfile.ZipFile(tmp_path / "p.xlsx", "w") as bad:
        for name in made.namelist():
            bad.writestr(name, made.read(name).replace(b"<v>123</v>", b"<v>1" + b"0" * 400 + b"</v>"))
    with pytest.raises(InputError, match=r"must hold (a )?finite number"):
        reader(tmp_path / "p.xlsx")


@pytest.mark.parametrize(
    ("column", "levels"),
    [
        (pa.nulls(N), None),
        (pa.DictionaryArray.from_arrays(pa.array([0] * N), pa.nulls(1)), None),
        (pa.RunEndEncodedArray.from_arrays([N], ["x"]), ("x",)),
        (pa.array([0.5] * N).cast(pa.float16()), ("0.5",)),
    ],
    ids=["nobody has a value", "codes of nothing", "runs", "half a float"],
)
def test_columns_of_a_frame_that_the_engine_has_no_type_for(column: Any, levels: Any) -> None:
    table = people().append_column("more", column)
    if levels is None:
        with pytest.raises(InputError, match="column 'more' must have at least one value"):
            read(table, secret="ill", how=ReadSettings(missing="value"))
        return
    with read(table, secret="ill") as found:
        assert found.schema.column("more").levels == levels


@pytest.mark.parametrize(
    "column",
    [
        pa.array([[None]] * N),
        pa.array([{"a": None}] * N),
        pa.array([(1, 2, 3)] * N, pa.month_day_nano_interval()),
        pa.UnionArray.from_sparse(pa.array([0] * N, pa.int8()), [pa.array(range(N))]),
        pa.array([b"xy"] * N, pa.binary(2)),
    ],
    ids=["lists", "structs", "intervals", "unions", "bytes"],
)
def test_columns_of_a_frame_that_nobody_can_count(column: Any) -> None:
    with pytest.raises(InputError, match="column 'more' must hold numbers, text, booleans or dates"):
        read(people().append_column("more", column), secret="ill")
