"""A million people with forty categorical columns: far fewer equations than people, nothing n x m in memory.

All one-way and two-way tables with the secret are published exactly, and attacked twice: planned, through
`dalenius audit`, and printed as 820 files, through `dalenius reconstruct tables`. Both say beforehand what to
expect, and what they needed is printed: seconds, peak memory, certain, recovered, baseline.

Run: python validation/million_people.py [people] [audit|tables|both]
"""
# ruff: noqa: S106  (a column called secret)

from __future__ import annotations

import csv
import json
import os
import sys
import tempfile
import time
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import csv as arrow_csv
from pyarrow import parquet

from dalenius.people.dataset import read
from dalenius.people.engine.tabulate import tabulate

COLUMNS = 40
SEED = 7

PLAN = """seed = 1
[data]
path = "people.parquet"
[schema]
secret = "ill"
id = "person"
[[release]]
name = "tables"
statistics = ["tables:k=1", "tables:k=2"]
mechanism = "exact"
"""


def make_people(people: int, rng: np.random.Generator) -> dict[str, pa.Array]:
    """Columns of two to seven levels, rarer the later, every third tied to a trait; so is the secret."""
    trait = rng.normal(size=people)
    columns = {"person": pa.array([f"p{i:07d}" for i in range(people)])}
    for j in range(COLUMNS):
        size = 2 + j % 6
        share = 0.5 ** np.arange(size)
        place = rng.random(people)
        if j % 3 == 0:
            place = place / 2 + 1 / (2 + 2 * np.exp(-trait))
        code = np.searchsorted(np.cumsum(share / share.sum())[:-1], place)
        columns[f"c{j:02d}"] = _words(code, [f"v{k}" for k in range(size)])
    ill = rng.random(people) < 1 / (1 + np.exp(1.5 - trait))
    columns["ill"] = _words(ill.astype(np.intp), ["no", "yes"])
    return columns


def _words(code: NDArray[np.intp], words: list[str]) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(code.astype(np.int8)), words).cast("string")


def write_tables(folder: Path) -> list[Path]:
    """Print all one-way and two-way tables with the secret, one file each, as the engine counts them."""
    written = []
    with read(folder / "people.parquet", secret="ill", id="person") as people:
        names = [column.name for column in people.schema.public]
        levels = {column.name: column.levels for column in (*people.schema.public, people.schema.secret)}
        sets = [*((name,) for name in names), *combinations(names, 2)]
        for columns, table in zip(sets, tabulate(people, sets), strict=True):
            path = folder / f"{'-'.join(columns)}.csv"
            with path.open("w", newline="") as file:
                writer = csv.writer(file)
                writer.writerow([*columns, "ill", "count"])
                labels = product(*(levels[name] for name in (*columns, "ill")))
                writer.writerows([*label, count] for label, count in zip(labels, table.ravel(), strict=True))
            written.append(path)
    return written


def run(folder: Path, *arguments: str) -> None:
    """Run the command in the folder and print what it cost."""
    start = time.perf_counter()
    command = str(Path(sys.executable).with_name("dalenius"))
    child = os.posix_spawn(command, [command, *arguments], os.environ)
    _, status, used = os.wait4(child, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        raise SystemExit("the command failed")
    print(
        f"{time.perf_counter() - start:.0f} s ({used.ru_utime + used.ru_stime:.0f} CPU seconds), "
        f"peak {used.ru_maxrss / 1e6:.2f} GB"
    )
    found = json.loads((folder / "report" / "findings.json").read_text())
    finding = found["finding"] if "finding" in found else found["findings"][0]
    best = finding[f"baseline_{finding['best_baseline']}"]
    print(
        f"recovered {finding['attack']['hits']:,} ({finding['attack']['rate']:.2%}), without the release "
        f"{best['hits']:,} ({best['rate']:.2%}), certain {finding['certain']['hits']:,} "
        f"({finding['certain_right']:,} right), calibration error {finding['calibration_error']:.3f}"
    )


def main() -> None:
    """Make the people, then attack both ways."""
    people = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    which = sys.argv[2] if len(sys.argv) > 2 else "both"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made = make_people(people, np.random.default_rng(SEED))
        parquet.write_table(pa.table(made), folder / "people.parquet")
        if which in ("audit", "both"):
            (folder / "audit.toml").write_text(PLAN)
            run(folder, "audit", str(folder / "audit.toml"), "--out", str(folder / "report"))
        if which in ("tables", "both"):
            tables = [word for path in write_tables(folder) for word in ("--table", str(path))]
            for file, columns in (("public", made.keys() - {"ill"}), ("truth", {"person", "ill"})):
                kept = pa.table({key: value for key, value in made.items() if key in columns})
                arrow_csv.write_csv(kept, folder / f"{file}.csv")
            files = ["--people", str(folder / "public.csv"), "--truth", str(folder / "truth.csv")]
            run(
                folder, "reconstruct", "tables", *files, "--id", "person", *tables, "--out",
                str(folder / "report"),
            )  # fmt: skip


if __name__ == "__main__":
    main()
