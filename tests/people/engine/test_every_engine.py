"""What is asked of an engine can be put to all of them: here it is compiled, the engines are not there."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import ibis
import pytest
from ibis.backends.sql import compilers

from dalenius.people.engine.levels import Coding
from dalenius.people.engine.recode import recode
from dalenius.people.schema import Column, Kind, Role

COMPILERS = {
    "bigquery": compilers.BigQueryCompiler,
    "clickhouse": compilers.ClickHouseCompiler,
    "databricks": compilers.DatabricksCompiler,
    "duckdb": compilers.DuckDBCompiler,
    "mssql": compilers.MSSQLCompiler,
    "mysql": compilers.MySQLCompiler,
    "postgres": compilers.PostgresCompiler,
    "pyspark": compilers.PySparkCompiler,
    "snowflake": compilers.SnowflakeCompiler,
    "sqlite": compilers.SQLiteCompiler,
    "trino": compilers.TrinoCompiler,
}
TYPES = {
    "whole": "int32",
    "single": "float32",
    "double": "float64",
    "price": "decimal(9, 2)",
    "town": "string",
    "flag": "boolean",
    "day": "date",
    "moment": "timestamp",
}


def backend(name: str) -> Any:
    """All that reading asks of an engine before it compiles: what it is called, and what it can do."""
    cannot = COMPILERS[name].UNSUPPORTED_OPS
    return SimpleNamespace(name=name, has_operation=lambda operation: operation not in cannot)


def coded(engine: str, column: str) -> str:
    rows = ibis.table(TYPES, name="people")
    value = recode(backend(engine), rows, column, by_year=False, codes=())
    numeric = value.type().is_numeric()
    coding = (
        Coding(Column(column, Role.PUBLIC, Kind.NUMERIC, ("below 0.7", "0.7 or more"), (0.7,)), ())
        if numeric
        else Coding(Column(column, Role.PUBLIC, Kind.BINARY, ("a", "b")), ("a", "b"))
    )
    table = rows.select(c=coding.code(value), x=value)
    matched = table.c.isin([0, 1]) & ~(table.c == 1)
    asked = table.group_by("c").aggregate(n=table.count(), some=table.count(where=matched))
    dialect = "databricks" if engine == "pyspark" else engine  # which compiles where no Spark is installed
    return str(ibis.to_sql(asked, dialect=dialect))


@pytest.mark.parametrize("engine", COMPILERS)
def test_columns_of_every_type_and_conditions_compile(engine: str) -> None:
    assert all("COUNT" in coded(engine, column).upper() for column in TYPES)


@pytest.mark.parametrize("engine", ["duckdb", "postgres", "pyspark"])
def test_single_numbers_are_read_as_they_are_written(engine: str) -> None:
    """A single 0.7 is 0.699999988 as a double: it would stand below an edge of 0.7."""
    text = coded(engine, "single").upper().replace("`", "").replace('"', "")
    assert any(f"CAST(T0.SINGLE AS {kind})" in text for kind in ("STRING", "VARCHAR", "TEXT"))
