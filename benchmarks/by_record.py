"""Audits of many people by record: seconds of all processors and peak memory, by the number of people.

Run: python -m benchmarks.by_record 1000000 10000000 25000000 100000000 [--folder DIR]

People are made inside DuckDB, in a file of its own (about 10 bytes each), which is removed. Eight columns
have 57,600 combinations, so from a million people on there are no more records: what grows is the counting.
Each size is audited in a process of its own: all tables of three columns, exact, with a control.
"""
# ruff: noqa: S106, S608  (a column called secret; SQL made of our own numbers)

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb

from dalenius.people.dataset import ReadSettings, read
from dalenius.reconstruction.audit import audit
from dalenius.reconstruction.opened import Planned, Scenario

SIZES = (2, 2, 3, 4, 4, 5, 5, 6)


def write_people(path: Path, people: int) -> None:
    """Make people with eight public columns and a secret that goes with the first of them."""
    columns = ", ".join(
        f"CAST(hash(i * 16 + {j}) % {size} AS TINYINT) AS c{j}" for j, size in enumerate(SIZES)
    )
    with duckdb.connect(str(path), config={"memory_limit": "1GB"}) as connection:
        connection.execute(
            f"CREATE TABLE people AS SELECT {columns}, "
            f"CASE WHEN hash(i * 16 + 9) % 20 <= hash(i * 16) % 2 THEN 'yes' ELSE 'no' END AS ill "
            f"FROM range({people}) t(i)"
        )


def run(path: Path) -> None:
    """Audit the people of a file and print what it took."""
    start = time.process_time()
    how = ReadSettings(table="people", by_record=True, memory="2GB")
    with read(path, secret="ill", how=how) as people:
        read_in, records = time.process_time() - start, people.rows.n
        scenario = Scenario(resamples=0, why=False)
        found = audit(people, Planned("tables:k=3", "exact"), scenario).report.findings[0]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    took = time.process_time() - start
    print(
        f"{people_of(found.people)} people, {records:,} lines of records and secrets: {took:.0f} CPU s, of "
        f"which {read_in:.0f} to read; peak {peak:.2f} GB; {found.certain:,} certain, advantage "
        f"{100 * found.advantage.value:.2f} points"
    )


def people_of(count: int | None) -> str:
    """Write how many people there are."""
    return f"{count or 0:>11,}"


def main() -> None:
    """Make people, and audit them in a process of their own, size by size."""
    parser = argparse.ArgumentParser()
    parser.add_argument("people", type=int, nargs="*", default=[1_000_000])
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--file", type=Path, help="audit the people of this file, and nothing else")
    asked = parser.parse_args()
    if asked.file is not None:
        run(asked.file)
        return
    for people in asked.people:
        with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
            path = Path(folder, "people.duckdb")
            write_people(path, people)
            again = [sys.executable, "-m", "benchmarks.by_record", "--file", str(path)]
            subprocess.run(again, check=True)


if __name__ == "__main__":
    main()
