"""Tables of Ibis stay where they are, and several Parquet files are one table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import fsspec
import ibis
import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import dalenius
from dalenius.errors import InputError
from dalenius.people.dataset import read
from dalenius.people.opening import open_sheet
from dalenius.people.truth import secret_codes

N = 60
TABLE = pa.table(
    {
        "key": [f"p{i:02}" for i in range(N)],
        "age": [20 + i % 5 for i in range(N)],
        "sex": ["fm"[i % 2] for i in range(N)],
        "ill": [["no", "yes"][i % 3 == 0] for i in range(N)],
    }
)


@pytest.fixture
def connection() -> Any:
    backend = ibis.duckdb.connect()
    backend.create_table("people", TABLE)
    return backend


def test_a_table_of_ibis_is_read_where_it_is_and_its_session_goes_on(connection: Any) -> None:
    with (
        read(TABLE, secret="ill", id="key") as held,
        read(connection.table("people"), secret="ill", id="key") as there,
    ):
        assert there.rows.engine.backend is connection
        assert not there.rows.engine.local
        assert there.schema == held.schema
        assert np.array_equal(there.ids(), held.ids())
        assert np.array_equal(secret_codes(there), secret_codes(held))
    # nothing was written there, and it was not disconnected
    assert [row[2] for row in connection.con.execute("SHOW ALL TABLES").fetchall()] == ["people"]
    assert connection.con.execute("SELECT count(*) FROM people").fetchone() == (N,)


def test_a_query_of_ibis_is_people_too(connection: Any) -> None:
    table = connection.table("people")
    with read(table.filter(table.age < 23), secret="ill", id="key") as some:
        assert some.n == 36
    assert len(open_sheet(table)) == N


def test_findings_are_those_of_the_table_in_memory(connection: Any) -> None:
    here, there = (
        dalenius.audit(source, secret="ill", id="key", statistics="tables:k=2")
        for source in (TABLE, connection.table("people"))
    )
    assert here.report.findings[0].certain == there.report.findings[0].certain
    assert here.verdict == there.verdict


def test_a_table_without_a_connection_is_refused() -> None:
    with pytest.raises(InputError, match="must belong to one connection; got none"):
        read(ibis.table({"key": "string", "ill": "string"}, name="people"), secret="ill", id="key")


def test_a_table_in_a_database_needs_an_id(connection: Any) -> None:
    with pytest.raises(InputError, match="whose rows have no order"):
        read(connection.table("people"), secret="ill")


def in_parts(folder: Path) -> Path:
    folder.mkdir()
    for number, start in enumerate(range(0, N, 25)):
        pyarrow.parquet.write_table(TABLE.slice(start, 25), folder / f"part-{number}.parquet")
    (folder / "_SUCCESS").touch()
    return folder


@pytest.mark.parametrize("place", ["people", "people/part-*.parquet"])
def test_several_parquet_files_are_one_table(place: str, tmp_path: Path) -> None:
    in_parts(tmp_path / "people")
    with read(tmp_path / place, secret="ill", id="key") as parts, read(TABLE, secret="ill", id="key") as one:
        assert parts.schema == one.schema
        assert np.array_equal(secret_codes(parts), secret_codes(one))
    sheet = open_sheet(tmp_path / place)
    assert len(sheet) == N
    assert sheet.numbers("age").tolist() == TABLE["age"].to_pylist()


@pytest.fixture
def store(tmp_path: Path) -> str:
    """Two files in a store that is reached by address."""
    memory = fsspec.filesystem("memory")
    for path in in_parts(tmp_path / "people").iterdir():
        memory.pipe_file(f"/{tmp_path.name}/{path.name}", path.read_bytes())
    return f"memory://{tmp_path.name}"


def test_parquet_files_by_address_are_one_table(store: str) -> None:
    with (
        read(TABLE, secret="ill", id="key") as held,
        read(f"{store}/*.parquet", secret="ill", id="key") as there,
    ):
        assert there.schema == held.schema
        assert np.array_equal(there.ids(), held.ids())
        assert np.array_equal(secret_codes(there), secret_codes(held))
    assert len(open_sheet(f"{store}/part-0.parquet")) == 25


def test_stores_that_hold_nothing_or_refuse(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for place in (f"{store}/none-*.parquet", f"{store}/none.parquet"):
        with pytest.raises(InputError, match="must stand for Parquet files; got none"):
            read(place, secret="ill", id="key")
    with pytest.raises(InputError, match="whose package is installed; got s3:// without it"):
        read("s3://bucket/people.parquet", secret="ill", id="key")
    with pytest.raises(InputError, match="must hold no name or password") as caught:
        read("https://anna:word@host/people.parquet", secret="ill", id="key")
    assert "word@" not in str(caught.value)

    def refuse(*words: object, **named: object) -> None:
        raise PermissionError("key SECRET is not allowed")

    monkeypatch.setattr(fsspec.implementations.memory.MemoryFileSystem, "open", refuse)
    with pytest.raises(InputError, match="must let us read it; got PermissionError") as caught:
        read(f"{store}/*.parquet", secret="ill", id="key")
    assert "SECRET" not in str(caught.value)


def test_files_that_are_not_alike_are_refused(tmp_path: Path) -> None:
    """Put together by their place, ages would become the sex of other people."""
    folder = in_parts(tmp_path / "people")
    turned = TABLE.select(["key", "sex", "age", "ill"])
    pyarrow.parquet.write_table(turned, folder / "part-9.parquet")
    with pytest.raises(InputError, match=r"'part-9\.parquet' must have the columns of 'part-0\.parquet'"):
        read(folder, secret="ill")
    pyarrow.parquet.write_table(TABLE.drop_columns("age"), folder / "part-9.parquet")
    with pytest.raises(InputError, match="got one without 'age'"):
        open_sheet(folder)


@pytest.mark.parametrize("place", ["empty", "people-*.parquet"])
def test_no_parquet_file_is_refused(place: str, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "people.csv").write_text("a,ill\n1,no\n")
    with pytest.raises(InputError, match="must hold Parquet files; got none"):
        read(tmp_path / place, secret="ill")
