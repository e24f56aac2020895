"""Ten million people within a memory budget: load, all pairs of eight columns, seconds and peak memory.

Run: python validation/ten_million_rows.py [rows] [memory]
The engine writes the file itself, so that nothing but the engine's budget is measured.
"""
# ruff: noqa: S106, S608  (a column called secret; SQL made of our own numbers)

from __future__ import annotations

import resource
import sys
import tempfile
import time
from itertools import combinations
from pathlib import Path

import duckdb

from dalenius.people.dataset import ReadSettings, read
from dalenius.people.engine.tabulate import tabulate
from dalenius.people.truth import secret_codes

SIZES = (2, 3, 5, 5, 7, 8, 12, 20)


def write_people(path: Path, rows: int) -> None:
    """Write people with eight public columns, one of them a wide number, an id and a rare secret."""
    columns = ", ".join(
        f"CAST(hash(i * 16 + {j}) % {size} AS INTEGER) AS c{j}" for j, size in enumerate(SIZES[:-1])
    )
    with duckdb.connect() as connection:
        connection.execute(
            f"COPY (SELECT i AS person, {columns}, (hash(i * 16 + 9) % 1000000) / 7.0 AS income,"
            f" CASE WHEN hash(i * 16 + 10) % 20 = 0 THEN 'yes' ELSE 'no' END AS ill"
            f" FROM range({rows}) t(i)) TO '{path}' (FORMAT parquet)"
        )


def peak() -> float:
    """Return the most memory this process has held, in gigabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def main() -> None:
    """Run each step and print what it cost."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
    memory = sys.argv[2] if len(sys.argv) > 2 else "2GB"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "people.parquet")
        start = time.perf_counter()
        write_people(path, rows)
        _say("write", start)
        start = time.perf_counter()
        with read(path, secret="ill", id="person", how=ReadSettings(memory=memory)) as people:
            _say("read", start)
            names = [column.name for column in people.schema.public]
            for ways in (2, 3):
                start = time.perf_counter()
                tables = tabulate(people, list(combinations(names, ways)))
                assert all(table.sum() == rows for table in tables)
                _say(f"tabulate {len(tables)} tables of {ways} columns", start)
            start = time.perf_counter()
            assert len(people.attributes()) == rows
            _say("fetch attributes", start)
            start = time.perf_counter()
            assert len(secret_codes(people)) == rows
            _say("fetch secrets", start)


def _say(step: str, start: float) -> None:
    print(f"{step}: {time.perf_counter() - start:.1f} s, peak {peak():.2f} GB")


if __name__ == "__main__":
    main()
