"""What blocks cost here, done by processes and by a Dask cluster; the same bits everywhere.

Blocks are simulated census blocks, reconstructed from their tables, some seconds of work in spans of about
one. CPU seconds are those of everybody who worked. ``python -m benchmarks.spread [spans]``.
"""

from __future__ import annotations

import hashlib
import os
import signal
import sys
import time
import tracemalloc
from collections.abc import Iterator, Sequence

import numpy as np
from rich.console import Console
from rich.table import Table
from validation.census.state import people_of
from validation.census.tables import columns_of, tables_of

from dalenius.records.attack.certain.settle import settle
from dalenius.records.attack.system import make_system
from dalenius.spread.blocks import map_blocks
from dalenius.spread.parts import Arrays
from dalenius.spread.places import working

BLOCKS = 300
"""Census blocks of one span: about a second."""

HERE, CLUSTER = 1.02, 1.35
"""Most that the joint may cost beside a plain loop, and a cluster beside processes on a machine that has
other work (1.15 on one that has none)."""

PLANNED, MEGABYTES = 1_000_000, 300
"""Blocks that are planned, and what this process may hold for them."""


def span(part: int, blocks: int = BLOCKS) -> Arrays:
    """Reconstruct some blocks; and what that took."""
    begun = time.process_time()
    published = tables_of(people_of(part, blocks), columns_of([str(at) for at in range(blocks)]))
    found = settle(make_system(published.columns, published.grids))
    return {"lo": found.lo, "hi": found.hi, "cpu": np.array(time.process_time() - begun)}


def digest(results: Iterator[Arrays]) -> tuple[str, float]:
    """All bits of all results, and the CPU seconds that they took where they were made."""
    found, cpu = hashlib.sha256(), 0.0
    for each in results:
        found.update(each["lo"].tobytes() + each["hi"].tobytes())
        cpu += float(each["cpu"])
    return found.hexdigest()[:16], cpu


def mapped(parts: Sequence[int], workers: int) -> tuple[str, float]:
    """What the joint gives; of processes what they took, starting them apart, and what this one took."""
    begun = time.process_time()
    with working(workers):
        found, cpu = digest(map_blocks(span, parts, work="spans"))
    own = time.process_time() - begun
    return found, own + (cpu if workers > 1 else 0.0)


def on_cluster(parts: Sequence[int], *, lose: bool = False) -> tuple[str, float]:
    """The same on two Dask workers, one of which is killed after a quarter if asked; CPU of all of them."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            silence_logs=50,
        ) as cluster,
        Client(cluster) as client,
    ):
        client.run(span, 0)  # compiled
        begun = time.process_time() + sum(client.run(time.process_time).values())
        with working(cluster=cluster.scheduler_address):
            results = map_blocks(span, parts, work="spans")
            if lose:
                results = _losing(results, client, len(parts) // 4)
            found, inside = digest(results)
        if lose:  # what the one who was killed took is not known
            return found, inside
        return found, time.process_time() + sum(client.run(time.process_time).values()) - begun


def _losing(results: Iterator[Arrays], client: object, after: int) -> Iterator[Arrays]:
    for at, each in enumerate(results):
        if at == after:
            os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)  # type: ignore[attr-defined]
        yield each


def planned_megabytes() -> float:
    """What this process holds for a million planned blocks of which a thousand are done."""
    tracemalloc.start()
    results = map_blocks(_small, range(PLANNED), work="planned")
    for _ in range(1_000):
        next(results)
    most = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    return most


def _small(block: int) -> Arrays:
    return {"at": np.array([block])}


def main() -> None:
    """Measure, print, and end with 1 if something is missed."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 16
    parts = range(count)
    span(0)
    table = Table("place", "CPU s", "ratio", "bits", title=f"{count} spans of {BLOCKS} census blocks")
    costs, hashes = {}, {}
    for name in ("plain loop", "here", "plain loop again", "here again", "two processes"):
        begun = time.process_time()
        if name.startswith("plain"):
            hashes[name], _ = digest(span(part) for part in parts)
            costs[name] = time.process_time() - begun
        else:
            hashes[name], costs[name] = mapped(parts, 2 if "two" in name else 1)
    hashes["Dask, two workers"], costs["Dask, two workers"] = on_cluster(parts)
    hashes["Dask, one of two killed"], costs["Dask, one of two killed"] = on_cluster(parts, lose=True)
    plain = min(costs["plain loop"], costs["plain loop again"])
    for name, cpu in costs.items():
        table.add_row(name, f"{cpu:.2f}", f"{cpu / plain:.3f}", hashes[name])
    console = Console()
    console.print(table)
    here = min(costs["here"], costs["here again"]) / plain
    cluster = costs["Dask, two workers"] / costs["two processes"]
    held = planned_megabytes()
    console.print(
        f"here over a plain loop {here:.3f} (goal {HERE}); Dask over processes {cluster:.3f} (goal {CLUSTER})"
    )
    console.print(f"{PLANNED:,} blocks planned: {held:.0f} MB (goal {MEGABYTES})")
    if len(set(hashes.values())) > 1 or here > HERE or cluster > CLUSTER or held > MEGABYTES:
        sys.exit("missed a goal")


if __name__ == "__main__":
    main()
