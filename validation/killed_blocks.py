"""A country of blocks whose audit is killed and started again, by processes and on Dask: the same findings.

Run: python -m validation.killed_blocks [blocks] [--place here processes dask]

People are simulated, 45 a block, counted by block with sex and age and rounded to 3: bundles of some dozens
of blocks, of the release and then of its control. The command is killed (-9) once three fifths of its bundles
are kept; the same command goes on. Counted are the bundles that were there and did not have to be done again.
"""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pandas as pd

from dalenius.spread.parts import PARTS

BLOCKS, PEOPLE = 300, 45
PLACES = ["here", "processes", "dask"]

PLAN = """
seed = 1
[data]
path = "country.csv"
[schema]
secret = "ill"
split = "block"
[[release]]
name = "blocks"
statistics = ["tables:k=2,attributes=block+sex", "tables:k=2,attributes=block+age"]
mechanism = "rounding:base=3"
[budget]
resamples = 0
"""


def make(folder: Path, blocks: int) -> None:
    """Write the people and the plan."""
    rng, block = np.random.default_rng(1), np.repeat(np.arange(blocks), PEOPLE)
    columns = {
        "block": [f"b{number:05}" for number in block],
        "sex": rng.choice(["f", "m"], block.size),
        "age": rng.integers(0, 10, block.size) * 10,
        "ill": rng.choice(["no", "yes"], block.size, p=[0.8, 0.2]),
    }
    pd.DataFrame(columns).to_csv(folder / "country.csv", index=False)
    (folder / "audit.toml").write_text(PLAN)


def start(folder: Path, out: str, *words: str) -> subprocess.Popen[bytes]:
    """Begin the audit, or go on with it."""
    command = [sys.executable, "-c", "from dalenius.cli.main import run; run()"]
    asked = ["audit", str(folder / "audit.toml"), "--out", str(folder / out), "--quiet", *words]
    return subprocess.Popen([*command, *asked], stdout=subprocess.DEVNULL)


def kept(folder: Path, out: str) -> int:
    """How many bundles are kept now."""
    return sum(1 for _ in (folder / out / PARTS).glob("blocks-*/*.npz"))


def killed(folder: Path, out: str, after: int, *words: str) -> int:
    """Kill the audit once so many bundles are kept, and run it to its end; how many it went on from."""
    driver = start(folder, out, *words)
    while kept(folder, out) < after and driver.poll() is None:
        time.sleep(0.005)
    driver.send_signal(signal.SIGKILL)
    driver.wait()
    there = kept(folder, out)
    if driver.returncode != -signal.SIGKILL:
        raise SystemExit("ended before it was killed")
    start(folder, out, *words).wait()
    return there


def main() -> None:
    """Run it whole, then killed in every place that is named; end with 1 if anything differs."""
    parser = argparse.ArgumentParser()
    parser.add_argument("blocks", type=int, nargs="?", default=BLOCKS)
    parser.add_argument("--place", choices=PLACES, nargs="+", default=PLACES)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder, wrong = Path(name), False
        make(folder, asked.blocks)
        begun, most = time.perf_counter(), 0
        whole = start(folder, "whole")
        while whole.poll() is None:
            most = max(most, kept(folder, "whole"))
            time.sleep(0.005)
        expected = (folder / "whole" / "findings.json").read_bytes()
        told = json.loads(expected)["findings"][0]["details"]["blocks"]
        print(
            f"{asked.blocks} blocks of {PEOPLE} people, {most} bundles with those of the control: "
            f"{time.perf_counter() - begun:.0f} s; somebody at risk in {told['with_people_at_risk']} blocks"
        )
        for place in asked.place:
            there = killed(folder, place, most * 3 // 5, *words_of(place, stack))
            same = (folder / place / "findings.json").read_bytes() == expected
            left = (folder / place / PARTS).exists()
            wrong |= not same or left
            print(
                f"{place}: killed with {there} of {most} bundles kept, and gone on from there: findings "
                f"{'the same bytes' if same else 'DIFFER'}, parts {'LEFT' if left else 'gone'}"
            )
    sys.exit("something differs" if wrong else 0)


def words_of(place: str, stack: ExitStack) -> list[str]:
    """What the command is told about who works; a cluster is there as long as the stack is."""
    if place == "dask":
        from distributed import LocalCluster

        quiet = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0", "silence_logs": 50}
        cluster = stack.enter_context(LocalCluster(n_workers=2, threads_per_worker=1, **quiet))
        return ["--cluster", cluster.scheduler_address]
    return ["--workers", "2"] if place == "processes" else []


if __name__ == "__main__":
    main()
