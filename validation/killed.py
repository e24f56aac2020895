"""Kill a worker at a quarter and the driver at three fifths of 20,000 census blocks, and go on: same hash.

Run: python -m validation.killed [spans] [--place processes|dask]

Blocks are simulated and reconstructed from their tables, 50 a span. Counted are the spans that were done
again, and processes that outlive a driver that is killed. ``--growth`` compares CPU seconds of 2,000 and of
20,000 blocks instead.
"""

from __future__ import annotations

import argparse
import hashlib
import math
import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from benchmarks.spread import span

from dalenius.spread.blocks import map_blocks
from dalenius.spread.parts import PARTS, Arrays, keeping
from dalenius.spread.places import working

SPANS, BLOCKS, WORKERS = 400, 50, 2
AGAIN, GROWTH = 0.02, 1.05
"""Share of spans that may be done twice, and how CPU seconds may grow: as a power of the number."""


def noted(folder: str, part: int) -> Arrays:
    """Do one span, and note who did it."""
    with Path(folder, "log").open("a") as log:
        log.write(f"{os.getpid()} {part}\n")
    found = dict(span(part, BLOCKS))
    del found["cpu"]
    return found


def drive(folder: Path, spans: int, place: str) -> None:
    """Do all spans, and write the hash of everything found."""
    with ExitStack() as stack:
        where: dict[str, object] = {"workers": WORKERS}
        if place == "dask":
            from distributed import LocalCluster

            quiet = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0", "silence_logs": 50}
            cluster = stack.enter_context(LocalCluster(n_workers=WORKERS, threads_per_worker=1, **quiet))
            where = {"cluster": cluster.scheduler_address}
        stack.enter_context(keeping(folder / "out", {"spans": str(spans)}))
        stack.enter_context(working(**where))
        found = hashlib.sha256()
        for each in map_blocks(partial(noted, str(folder)), range(spans), work="spans"):
            found.update(each["lo"].tobytes() + each["hi"].tobytes())
    (folder / "hash").write_text(found.hexdigest()[:16])


def _wait(ready: object, driver: subprocess.Popen[bytes]) -> None:
    while not ready() and driver.poll() is None:  # type: ignore[operator]
        time.sleep(0.02)


def killed(spans: int, place: str) -> bool:
    """Run once in one process and once with kills; say how they compare."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        parts, log = folder / "out" / PARTS, folder / "log"

        def kept() -> int:
            return sum(1 for _ in parts.glob("*/*.npz"))

        command = [sys.executable, "-m", "validation.killed", str(spans), "--place", place, "--drive", name]
        driver = subprocess.Popen(command)
        _wait(lambda: kept() >= spans // 4, driver)
        workers = {int(line.split()[0]) for line in log.read_text().splitlines()}
        os.kill(next(iter(workers)), signal.SIGKILL)
        _wait(lambda: kept() >= 3 * spans // 5, driver)
        driver.send_signal(signal.SIGKILL)
        driver.wait()
        at, seen = kept(), {int(line.split()[0]) for line in log.read_text().splitlines()}
        time.sleep(5)
        left = [pid for pid in seen if Path(f"/proc/{pid}").exists()]
        subprocess.run(command, check=True)
        found, done = (folder / "hash").read_text(), len(log.read_text().splitlines())
    plain = hashlib.sha256()
    for part in range(spans):
        each = span(part, BLOCKS)
        plain.update(each["lo"].tobytes() + each["hi"].tobytes())
    same, again = found == plain.hexdigest()[:16], done - spans
    print(
        f"{place}: {spans * BLOCKS:,} blocks; one of {WORKERS} workers killed at a quarter, the driver after "
        f"{at} of {spans} parts; hash {found} {'as' if same else 'NOT as'} in one process; {again} spans "
        f"done again ({again / spans:.1%}, at most {AGAIN:.0%} of the driver's and as many of the worker's); "
        f"{len(left)} processes left over"
    )
    return same and again <= 2 * AGAIN * spans and not left


def growth() -> bool:
    """CPU seconds of 2,000 and 20,000 blocks here, kept and planned as long work is."""
    took = []
    span(0, BLOCKS)
    for spans in (2_000 // BLOCKS, 20_000 // BLOCKS):
        with tempfile.TemporaryDirectory() as name, keeping(Path(name), {"spans": str(spans)}):
            begun = time.process_time()
            for _ in map_blocks(partial(noted, name), range(spans), work="spans"):
                pass
            took.append(time.process_time() - begun)
    power = math.log10(took[1] / took[0])
    print(f"2,000 blocks {took[0]:.1f} CPU s, 20,000 blocks {took[1]:.1f}: n^{power:.3f} (goal {GROWTH})")
    return power <= GROWTH


def main() -> None:
    """Run what was asked for; end with 1 if something is missed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("spans", type=int, nargs="?", default=SPANS)
    parser.add_argument("--place", choices=["processes", "dask"], default="processes")
    parser.add_argument("--growth", action="store_true")
    parser.add_argument("--drive", type=Path)
    asked = parser.parse_args()
    if asked.drive is not None:
        drive(asked.drive, asked.spans, asked.place)
    elif not (growth() if asked.growth else killed(asked.spans, asked.place)):
        sys.exit("missed a goal")


if __name__ == "__main__":
    main()
