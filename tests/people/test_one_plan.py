"""One plan with every kind of release gives the same findings wherever its people are."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import ibis
import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, feather, parquet

from dalenius.auditing.plan import check_plan
from dalenius.auditing.run import run_plan
from dalenius.mechanisms.anonymise.parse import anonymise
from dalenius.people.engine.engine import running
from dalenius.people.opening import place_name, read_rows

pytestmark = pytest.mark.xdist_group("postgres")

EVERYBODY, PEOPLE = 1500, 60
FILES = ("people", "others", "everybody", "edges")


def tables() -> dict[str, pa.Table]:
    rng = np.random.default_rng(8)
    everybody = pa.table(
        {
            "id": [f"p{i:04}" for i in range(EVERYBODY)],
            "age": rng.integers(18, 90, EVERYBODY),
            "zip": [f"{z:05}" for z in rng.integers(8000, 8300, EVERYBODY)],
            "sex": rng.choice(["f", "m"], EVERYBODY),
            "weight": rng.normal(70, 12, EVERYBODY).round(1),
            "ill": rng.choice(["no", "yes"], EVERYBODY),
        }
    )
    links = {"a": [f"p{i:04}" for i in range(0, PEOPLE, 2)], "b": [f"p{i:04}" for i in range(1, PEOPLE, 2)]}
    links["agreement"] = [0.75 for _ in links["a"]]
    others = everybody.slice(PEOPLE, 300)
    return {
        "people": everybody.slice(0, PEOPLE),
        "others": others,
        "everybody": everybody,
        "edges": pa.table(links),
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("plan")
    made = tables()
    for name, table in made.items():
        csv.write_csv(table, place / f"{name}.csv", csv.WriteOptions(quoting_style="needed"))
    rows = read_rows(made["people"]).select(["age", "zip", "sex"])
    anonymise(rows, ("age", "zip", "sex"), "mondrian:k=4", np.random.default_rng(1)).write(place / "rows.csv")
    columns = ["age", "zip", "sex", "weight", "ill"]
    csv.write_csv(made["everybody"].slice(900, 80).select(columns), place / "copies.csv")
    counted = made["people"].group_by(["sex", "ill"]).aggregate([([], "count_all")])
    csv.write_csv(counted.rename_columns(["sex", "ill", "count"]), place / "printed.csv")
    return place


def run(folder: Path, data: dict[str, Any], others: dict[str, str]) -> Any:
    plan = {
        "data": data,
        "schema": {
            "id": "id",
            "secret": "ill",
            "public": ["age", "sex", "weight"],
            "bins": {"age": [40, 60], "weight": [65.5]},
        },
        "release": [
            {"name": "tables", "statistics": ["tables:k=2"], "mechanism": "laplace:epsilon=1"},
            {"name": "means", "statistics": ["means:columns=age+weight"], "mechanism": "exact"},
            {"name": "rows", "kind": "anonymised-rows", "path": "rows.csv", "quasi": ["age", "zip", "sex"]},
            {
                "name": "copies",
                "kind": "released-rows",
                "path": "copies.csv",
                "link": [["age", "sex"], ["zip", "weight"]],
            },
            {"name": "printed", "tables": ["printed.csv"], "fixed": True},
            {"name": "counts", "kind": "counts", "queries": 8, "trials": 20},
            {"name": "sums", "kind": "amounts", "amount": "weight", "groups": ["sex"]},
        ],
        "knowledge": {
            "reference": others["others"],
            "population": others["everybody"],
            "holdout": others["others"],
            "prior": {"edges": others["edges"]},
        },
        "budget": {"resamples": 0},
    }
    report = run_plan(check_plan(plan, folder)).report
    found = json.loads(report.to_json())
    del found["data"]["source"]
    text = json.dumps(found).replace(f"{folder}/", "")
    for name in FILES:  # what differs is what the sources are called
        text = text.replace(place_name(others[name]), name)
    return json.loads(text)


@pytest.fixture(scope="module")
def expected(folder: Path) -> Any:
    found = run(folder, {"path": "people.csv"}, {name: f"{name}.csv" for name in FILES})
    assert {one["release"] for one in found["findings"]} >= {
        "tables",
        "means",
        "rows",
        "copies",
        "printed",
        "counts",
        "sums",
    }
    return found


def semicolons(table: pa.Table, path: Path) -> None:
    """As a spreadsheet of another country writes it: semicolons, decimal commas."""
    lines = [";".join(table.column_names)]
    for row in zip(*(column.to_pylist() for column in table.columns), strict=True):
        lines.append(";".join(str(v).replace(".", ",") if isinstance(v, float) else str(v) for v in row))
    path.write_text("\r\n".join(lines) + "\r\n")


WRITERS: dict[str, Any] = {
    "semi.csv": semicolons,
    "tab.tsv.gz": lambda table, path: path.write_bytes(
        gzip.compress(
            "\n".join(
                ["\t".join(table.column_names)]
                + ["\t".join(map(str, row.values())) for row in table.to_pylist()]
            ).encode()
        )
    ),
    "parquet": parquet.write_table,
    "feather": feather.write_feather,
}


OTHERS = [name for name in WRITERS if name != "semi.csv"]  # read by themselves in tests of files


@pytest.mark.parametrize(
    "ending",
    [
        "semi.csv",
        *(
            pytest.param(
                name, marks=pytest.mark.slow(beside="test_every_kind_of_file_gives_the_same_findings")
            )
            for name in OTHERS
        ),
    ],
)
def test_every_kind_of_file_gives_the_same_findings(folder: Path, expected: Any, ending: str) -> None:
    for name, table in tables().items():
        WRITERS[ending](table, folder / f"{name}.{ending}")
    found = run(folder, {"path": f"people.{ending}"}, {name: f"{name}.{ending}" for name in FILES})
    assert found == expected


@pytest.fixture(scope="module")
def address(postgres: str) -> str:
    """The same people in tables, in another order."""
    backend = ibis.connect(postgres)
    with running():
        for name, table in tables().items():
            backend.create_table(f"plan_{name}", table.take(pa.array(np.arange(len(table))[::-1])))
    backend.disconnect()
    return postgres


def test_a_database_gives_the_same_findings(folder: Path, expected: Any, address: str) -> None:
    others = {name: f"{address}#plan_{name}" for name in FILES}
    found = run(folder, {"url": address, "table": "plan_people"}, others)
    assert found == expected
