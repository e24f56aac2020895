"""The same people in PostgreSQL, SQLite and DuckDB give the same answers; the databases are only read."""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import ibis
import numpy as np
import psycopg
import pyarrow as pa
import pytest
from typer.testing import CliRunner

from dalenius.cli.main import app
from dalenius.conditions.predicate import And, Between, Equals, HashBit, Not
from dalenius.errors import InputError
from dalenius.people.dataset import Dataset, ReadSettings, read
from dalenius.people.describe.profile import profile
from dalenius.people.engine import count_predicates as matching
from dalenius.people.engine.count_predicates import count_predicates
from dalenius.people.engine.engine import fetch, running
from dalenius.people.engine.tabulate import tabulate
from dalenius.people.schema import Role
from dalenius.people.truth import replace_secrets, secret_codes
from dalenius.random import stream
from dalenius.release.desk.sql import sql_source
from dalenius.release.desk.terms import Terms

pytestmark = pytest.mark.xdist_group("postgres")

N = 300
OPTIONS = {"secret": "ill", "id": "key", "bins": {"weight": [50.5, 80]}}


def people_table() -> pa.Table:
    rng = stream(1, "test", "databases")
    weight = rng.normal(70, 15, N)
    town = rng.choice(["Ås", "aarau", "Zug", "O'Fallon", 'q"t'], N).astype(object)
    town[:5] = None
    return pa.table(
        {
            "key": [f"{'aB'[i % 2]}{i}" for i in range(N)],
            "age": rng.integers(18, 24, N),
            "weight": np.where(rng.random(N) < 0.1, None, weight),
            "income": rng.lognormal(10, 1, N),
            "town": town,
            "urban": rng.random(N) < 0.5,
            "seen": [datetime.date(2024, 1, 1 + i % 3) for i in range(N)],
            "ratio": (rng.integers(0, 4, N) / 4).astype(np.float32),
            "ill": rng.choice(["no", "yes", "perhaps"], N),
        }
    )


@pytest.fixture(scope="module", params=["postgres", "sqlite"])
def database(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    if request.param == "postgres":
        address: str = request.getfixturevalue("postgres")
    else:
        address = f"sqlite://{tmp_path_factory.mktemp('sqlite') / 'people.sqlite'}"
    backend = ibis.connect(address)
    with running():
        backend.create_table("people", people_table())
    backend.disconnect()
    return address


@pytest.fixture(scope="module")
def remote(database: str) -> Iterator[Dataset]:
    with read(database, how=ReadSettings(missing="value", table="people"), **OPTIONS) as data:
        yield data


@pytest.fixture(scope="module")
def local() -> Iterator[Dataset]:
    with read(people_table(), how=ReadSettings(missing="value"), **OPTIONS) as data:
        yield data


def test_schema_ids_codes_and_secrets_are_the_same(local: Dataset, remote: Dataset) -> None:
    assert remote.schema == local.schema
    assert remote.n == N
    assert (remote.ids() == local.ids()).all()
    assert (remote.attributes().codes == local.attributes().codes).all()
    assert (secret_codes(remote) == secret_codes(local)).all()


def test_tables_are_the_same(local: Dataset, remote: Dataset) -> None:
    names = [column.name for column in local.schema.public]
    sets = [subset for ways in range(3) for subset in combinations(names, ways)]
    for here, there in zip(tabulate(local, sets), tabulate(remote, sets), strict=True):
        assert (here == there).all()


@pytest.mark.parametrize("most_cells", [0, 1 << 12])
def test_predicates_count_the_same(
    local: Dataset, remote: Dataset, most_cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matching, "MOST_CELLS_TO_MATCH", most_cells)
    predicates = [Equals("town", "O'Fallon"), Not(Equals("town", "(missing)")), Between("weight", 50.5, 80)]
    assert (count_predicates(local, predicates) == count_predicates(remote, predicates)).all()


def test_a_control_is_a_local_copy(remote: Dataset) -> None:
    codes = (secret_codes(remote) + 1) % 3
    with replace_secrets(remote, codes) as others:
        assert others.rows.engine.local
        assert (secret_codes(others) == codes).all()
        assert (others.attributes().codes == remote.attributes().codes).all()


def test_the_description_shows_no_user(remote: Dataset, database: str) -> None:
    assert remote.source.endswith("table people")
    assert "@" not in remote.source


def test_nothing_is_created_in_the_database(remote: Dataset, database: str) -> None:
    tabulate(remote, [("age",)])
    backend = ibis.connect(database)
    assert backend.list_tables() == ["people"]
    backend.disconnect()


def test_types_only_a_database_has(postgres: str) -> None:
    backend = ibis.connect(postgres)
    backend.raw_sql(
        "CREATE TABLE typed AS SELECT gen_random_uuid() AS key, (i % 4) / 4.0 AS share,"
        " i::real / 10 AS single, timestamp '2024-01-01 10:30:00' + (i % 2) * interval '1 day' AS seen,"
        " CASE WHEN i = 3 THEN 'NaN'::float8 ELSE i END AS gap, i % 2 = 0 AS ill FROM generate_series(1, 8) i"
    ).close()
    backend.con.commit()
    with read(postgres, secret="ill", id="key", how=ReadSettings(table="typed", missing="value")) as data:
        levels = {column.name: column.levels for column in data.schema.columns}
    assert levels["share"] == ("0", "0.25", "0.5", "0.75")
    assert levels["single"][:3] == ("0.1", "0.2", "0.3")
    assert levels["seen"] == ("2024-01-01 10:30:00", "2024-01-02 10:30:00")
    assert levels["gap"] == ("1", "2", "4", "5", "6", "7", "8", "(missing)")
    assert profile(postgres, "typed")[0].role is Role.ID
    backend.drop_table("typed")
    backend.disconnect()


def test_a_table_that_changes_under_the_audit_is_noticed(postgres: str) -> None:
    backend = ibis.connect(postgres)
    backend.create_table("moving", pa.table({"key": [1, 2], "ill": ["no", "yes"]}))
    with read(postgres, secret="ill", id="key", how=ReadSettings(table="public.moving")) as data:
        backend.insert("moving", pa.table({"key": [3], "ill": ["unheard of"]}))
        for ask in (secret_codes, lambda d: tabulate(d, [()])):
            with pytest.raises(InputError, match="the table must not change while it is audited"):
                ask(data)
    backend.drop_table("moving")
    backend.disconnect()


def test_a_database_that_goes_away_is_one_line(
    postgres: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = psycopg.connect(postgres, autocommit=True)
    server.execute("create database leaving")
    address = postgres.replace("/postgres?", "/leaving?")
    backend = ibis.connect(address)
    backend.create_table("leaving", pa.table({"key": [1, 2, 3, 4], "ill": ["no", "yes", "no", "yes"]}))
    backend.disconnect()
    (tmp_path / "plan.toml").write_text(
        f'seed = 1\n[data]\nurl = "{address}"\ntable = "leaving"\n[schema]\nid = "key"\nsecret = "ill"\n'
        '[[release]]\nname = "a"\nstatistics = ["random-subsets:m=4"]\nmechanism = "exact"\n'
    )

    def close_all(*read: Any) -> Any:
        server.execute("select pg_terminate_backend(pid) from pg_stat_activity where datname = 'leaving'")
        return fetch(*read)

    monkeypatch.setattr("dalenius.people.engine.coded_table.fetch", close_all)
    said = CliRunner().invoke(app, ["audit", str(tmp_path / "plan.toml"), "--out", str(tmp_path / "out")])
    assert (said.exit_code, len(said.stderr.splitlines())) == (2, 1), said.output
    assert said.stderr.startswith("error: the database must answer to the last row; got")
    assert not (tmp_path / "out").exists()
    server.close()


def test_a_question_put_wrong_is_no_fault_of_the_database(postgres: str) -> None:
    backend = ibis.connect(postgres)
    with pytest.raises(Exception, match="syntax") as caught, running():
        backend.raw_sql("select from where")
    assert not isinstance(caught.value, InputError)
    backend.disconnect()


def test_hashes_are_the_same_in_every_engine_and_as_text(
    local: Dataset, remote: Dataset, database: str
) -> None:
    """Counted by record from any engine, and by the text of SQL where the engine has md5."""
    names = ("age", "town", "weight")
    asked = [
        *(HashBit(names, "salt", bit) for bit in range(20)),
        And((HashBit(("town",), "O'", 9), Not(Between("weight", None, 80.0)), Equals("age", "20"))),
        Equals("town", "(missing)"),
    ]
    here = count_predicates(local, asked)
    assert (count_predicates(remote, asked) == here).all()
    backend = ibis.connect(database)
    if backend.name == "sqlite":
        backend.con.create_function(
            "md5", 1, lambda text: hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()
        )
    terms = Terms(local.schema.secret, local.schema.public)
    told = sql_source(lambda text: backend.con.execute(text).fetchall(), "people", terms)(tuple(asked))
    backend.disconnect()
    assert (np.array(told) == here).all()


def test_a_user_without_rights_is_told_so_and_nobody_is_named(postgres: str) -> None:
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 'anna' AS who, 1 AS age, 'no' AS ill")
        connection.execute("CREATE ROLE outsider LOGIN")
        theirs = postgres.replace("//postgres", "//outsider", 1)
        for rights in ("", "GRANT SELECT (age) ON kept TO outsider"):
            if rights:
                connection.execute(rights)
            for how in (ReadSettings(table="kept"), ReadSettings(table="kept", by_record=True)):
                with pytest.raises(InputError, match="what the user may read") as error:
                    read(theirs, secret="ill", id="who", how=how)
                assert "anna" not in str(error.value)
