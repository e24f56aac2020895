"""Scores of twenty-two chromosome files: what they cost here, by processes and by a Dask cluster; same bits.

Genotypes are simulated: binomial draws in Hardy-Weinberg proportions, packed as they are drawn, without
linkage or ancestry, which scores do not ask about. CPU seconds are those of everybody who worked. A cluster
takes some of them by the clock, whether it works or not: heartbeats, and a scheduler that looks around. On a
machine that has other work it waits longer and so takes more; that share is measured apart.
``python -m benchmarks.genome_files [people] [variants]``, with 5 GB of room in the temporary folder for all.
"""

from __future__ import annotations

import hashlib
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from dalenius.genomes.plink import MAGIC
from dalenius.genomes.read import read_genotypes
from dalenius.people.traits import score_blocks
from dalenius.people.traits.packed_files import PackedFiles
from dalenius.people.traits.traits import CodedTraits
from dalenius.spread.places import working

PEOPLE, VARIANTS, FILES, SUMS, PASSES = 20_480, 1_000_000, 22, 2, 4
RATIO = 1.05
"""Most that two workers of a cluster may cost, in CPU seconds of one process."""

IDLE = 5.0
"""Seconds for which a cluster is watched that has nothing to do."""

ALIKE = 500
"""Neighbouring variants of one frequency."""

Call = Callable[[], object]


def make(folder: Path, people: int, variants: int) -> None:
    """Draw genotypes straight into the two bits of a ``.bed``, a file a chromosome."""
    rng = np.random.default_rng(1)
    fam = "".join(f"0\tp{i}\t0\t0\t0\t-9\n" for i in range(people))
    for number in range(1, FILES + 1):
        size = variants * number // FILES - variants * (number - 1) // FILES
        lines = (f"{number}\trs{number}_{j}\t0\t{j + 1}\tA\tG\n" for j in range(size))
        (folder / f"chr{number}.bim").write_text("".join(lines))
        (folder / f"chr{number}.fam").write_text(fam)
        with (folder / f"chr{number}.bed").open("wb") as bed:
            bed.write(MAGIC)
            for start in range(0, size, ALIKE):
                drawn = rng.integers(0, 1 << 16, (min(ALIKE, size - start), -(-people // 4)), np.uint16)
                bed.write(_bytes_of(rng.uniform(0.05, 0.95))[drawn].tobytes())


def _bytes_of(share: float) -> np.ndarray:
    """Every byte of four genotypes, as often among 65,536 as it is likely at this frequency of the allele.

    Stored codes 0, 2 and 3 are two copies, one and none.
    """
    each = np.array([share**2, 0.0, 2 * share * (1 - share), (1 - share) ** 2])
    four = np.multiply.outer(np.multiply.outer(each, each), np.multiply.outer(each, each)).ravel()
    edges = np.rint(np.cumsum(four) * (1 << 16)).astype(np.int64)
    return np.repeat(np.arange(256, dtype=np.uint8), np.diff(edges, prepend=0))


def cpu_of(run: Callable[[], np.ndarray]) -> tuple[str, float]:
    """Digest what a run gives, and the CPU seconds of this process and of those it started."""
    begun = _seconds()
    found = run()
    return hashlib.sha256(found.tobytes()).hexdigest()[:16], _seconds() - begun


def _seconds() -> float:
    own, others = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime


def on_cluster(run: Callable[[], np.ndarray], warm: Call, workers: int) -> tuple[str, float, float]:
    """The same by Dask workers that have compiled what they need; and what the clock alone took of it."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            silence_logs=50,
        ) as cluster,
        Client(cluster) as client,
        working(cluster=cluster.scheduler_address),
    ):

        def spent() -> float:
            return time.process_time() + sum(client.run(time.process_time).values())

        client.run(warm)
        begun, clock = spent(), time.perf_counter()
        found = run()
        cpu, wall = spent() - begun, time.perf_counter() - clock
        begun = spent()
        time.sleep(IDLE)
        idle = (spent() - begun) / IDLE
    console = Console()
    console.print(f"{workers} workers: {wall:.0f} s; a cluster without work takes {idle:.3f} of a core")
    return hashlib.sha256(found.tobytes()).hexdigest()[:16], cpu, idle * wall


def scores(traits: CodedTraits) -> np.ndarray:
    """Two sums a person, as most calibrations ask for, some times over; of files that are mapped anew."""
    assert isinstance(traits.packed, PackedFiles)
    tables = np.random.default_rng(2).normal(size=(SUMS, traits.d, 4))
    total = np.zeros((traits.n, SUMS))
    for _ in range(PASSES):
        mapped = replace(traits, packed=PackedFiles(traits.packed.parts))
        total += mapped.add_up(lambda part: tables[:, part], SUMS)
    return total


def by_two(traits: CodedTraits) -> np.ndarray:
    """The same by two processes, which have ended when it is done."""
    with working(2):
        return scores(traits)


def warm(folder: str) -> None:
    """Score a few variants, so that nothing is compiled while it is measured."""
    scores(read_genotypes(Path(folder) / "chr1.bed").traits.select(np.arange(4096)))


def main() -> None:
    """Measure, print, and end with 1 if bits differ or the goal is missed."""
    people, variants = (int(word) for word in (*sys.argv[1:], PEOPLE, VARIANTS)[:2])
    console = Console()
    with tempfile.TemporaryDirectory() as place:
        make(Path(place), people, variants)
        traits = read_genotypes(Path(place) / "chr*.bed").traits
        blocks = len(list(score_blocks.cut(traits.d, traits.n * SUMS)))
        warm(place)
        found: dict[str, tuple[str, float, float]] = {"one process": (*cpu_of(lambda: scores(traits)), 0.0)}
        found["two processes, with their start"] = (*cpu_of(lambda: by_two(traits)), 0.0)
        for workers in (1, 2, 3):
            found[f"Dask, {workers} workers"] = on_cluster(lambda: scores(traits), _Warm(place), workers)
        found["one process again"] = (*cpu_of(lambda: scores(traits)), 0.0)
    plain = min(found["one process"][1], found["one process again"][1])
    title = f"{people:,} x {variants:,}, {PASSES} passes of {blocks} blocks"
    table = Table("place", "CPU s", "by the clock", "ratio", "without the clock", "bits", title=title)
    for name, (bits, cpu, clock) in found.items():
        ratios = f"{cpu / plain:.3f}", f"{(cpu - clock) / plain:.3f}"
        table.add_row(name, f"{cpu:.2f}", f"{clock:.2f}", *ratios, bits)
    console.print(table)
    _, cpu, clock = found["Dask, 2 workers"]
    ratio = cpu / plain
    without = f"{(cpu - clock) / plain:.3f} without what the clock takes"
    console.print(f"Dask with two workers over one process {ratio:.3f}, {without} (goal {RATIO})")
    console.print(f"load {os.getloadavg()[0]:.1f}; simulated genotypes")
    if len({bits for bits, _, _ in found.values()}) > 1 or ratio > RATIO:
        sys.exit("missed a goal")


class _Warm:
    """What workers do first."""

    def __init__(self, place: str) -> None:
        self.place = place

    def __call__(self) -> None:
        warm(self.place)


if __name__ == "__main__":
    main()
