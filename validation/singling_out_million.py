"""A million rows that another tool anonymised: attack and report by the clock.

Run: python -m validation.singling_out_million FOLDER [--rows 10000 100000 1000000]

anonypyx's Mondrian recodes age, sex, postal code and hours of people of the example census at k = 5, women
and men by themselves on two cores; work is released as it is. A million rows take it many minutes: files that
are in the folder already are not made again. Then ``dalenius single-out rows`` attacks each file from start
to end, the population ten times as many people, at a weight limit of 0.1/n. Prints seconds on the clock, CPU
seconds of all threads and the peak of memory; exit code 1 if a million rows take 60 seconds or 4 GB.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
from pyarrow import csv, parquet
from rich.console import Console
from validation.anonymisers import anonypyx_mondrian

from dalenius.people.examples.census import census

QUASI, TEXT, VERBATIM = ("age", "sex", "zip", "hours"), ("sex", "zip"), "work"
K, TIMES, PART = 5, 10, 1_000_000
LIMIT = 0.1
SECONDS, MEGABYTES = 60.0, 4000.0


def make(folder: Path, sizes: list[int]) -> bool:
    """Write the population, the people and what is released of them; False without the tool."""
    folder.mkdir(parents=True, exist_ok=True)
    for size in sizes:
        files = names(folder, size)
        if not files["population"].exists():
            drawn = [
                census(PART, seed).select([*QUASI, VERBATIM]) for seed in range(-(-TIMES * size // PART))
            ]
            everybody = pa.concat_tables(drawn).slice(0, TIMES * size)
            parquet.write_table(everybody, files["population"])
            parquet.write_table(everybody.slice(0, size), files["people"])
        if not files["released"].exists():
            csv.write_csv(parquet.read_table(files["people"]), files["text"])
            if not anonypyx_mondrian([(files["text"], files["released"])], QUASI, TEXT, K, block="sex"):
                return False
    return True


def names(folder: Path, size: int) -> dict[str, Path]:
    """The files of one size."""
    return {
        "population": folder / f"population-{size}.parquet",
        "people": folder / f"people-{size}.parquet",
        "text": folder / f"people-{size}.csv",
        "released": folder / f"released-{size}.csv",
    }


def attack(folder: Path, size: int) -> tuple[float, float, float, str]:
    """Run the command; return seconds, CPU seconds, megabytes, and the line of the verdict's limit."""
    files = names(folder, size)
    command = [
        str(Path(sys.executable).with_name("dalenius")), "single-out", "rows",
        "--original", str(files["people"]), "--anonymised", str(files["released"]),
        "--population", str(files["population"]), "--quasi", ",".join(QUASI), "--limit", str(LIMIT),
        "--out", str(folder / f"report-{size}"),
    ]  # fmt: skip
    start = time.perf_counter()
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert running.stdout is not None
    said = running.stdout.read()
    _, _, used = os.wait4(running.pid, 0)
    wall = time.perf_counter() - start
    decided = [line for line in said.splitlines() if "at most 1 in" in line and " * " in line]
    if not decided or "critical" not in said:
        sys.exit(f"{size:,} rows: nobody was singled out\n{said}")
    return wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1000, decided[0].strip()


def main() -> None:
    """Print a line a size."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    options, console = parser.parse_args(), Console(width=200)
    if not make(options.folder, options.rows):
        sys.exit("anonypyx cannot be installed here")
    slow = False
    console.print(f"load of the machine: {os.getloadavg()[0]:.1f}")
    for size in options.rows:
        wall, cpu, megabytes, decided = attack(options.folder, size)
        console.print(f"| {size:,} | {wall:.1f} | {cpu:.1f} | {megabytes:,.0f} | {decided} |", markup=False)
        slow |= size >= 1_000_000 and (wall >= SECONDS or megabytes >= MEGABYTES)
    sys.exit(slow)


if __name__ == "__main__":
    main()
