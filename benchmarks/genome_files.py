"""Scores of twenty-two chromosome files: what they cost here, by processes and by a Dask cluster; same bits.

Genotypes are simulated: binomial draws in Hardy-Weinberg proportions, packed as they are drawn, without
linkage or ancestry, which scores do not ask about. CPU seconds are those of everybody who worked, without
the start of processes, which is told apart. One process and others take turns: a cluster is held against
what one process took before and after it, and how two turns of one process differ says what can be told.
A cluster takes some CPU by the clock, whether it works or not, and more where it waits for other work: its
settings are those that the page about clusters gives, in which nobody is watched a hundred times a second.
Two who work at once share one machine's memory, and take more for that alone, whoever gives them work: so a
cluster is held against as many processes, one worker against one process and two against two.
``python -m benchmarks.genome_files [people] [variants]``, with 5 GB of room in the temporary folder for all.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from statistics import median

import numpy as np
import psutil
from rich.console import Console
from rich.table import Table

from dalenius.genomes.plink import MAGIC
from dalenius.genomes.read import read_genotypes
from dalenius.people.traits import score_blocks
from dalenius.people.traits.packed_files import PackedFiles
from dalenius.people.traits.traits import CodedTraits
from dalenius.spread.places import working

PEOPLE, VARIANTS, FILES, SUMS = 20_480, 1_000_000, 22, 2
PASSES, ROUNDS = 3, 3
"""Passes over all files of a turn, and turns of everybody."""

RATIO = 1.05
"""Most that workers of a cluster may cost, in CPU seconds of as many processes."""

QUIET = {
    "distributed.worker.profile.enabled": False,
    "distributed.worker.memory.monitor-interval": "1s",
    "distributed.admin.tick.interval": "2s",
    "distributed.admin.tick.limit": "60s",
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.nanny.pre-spawn-environ.MALLOC_ARENA_MAX": 1,
    "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": 256 << 20,
    "distributed.nanny.pre-spawn-environ.MALLOC_MMAP_THRESHOLD_": 128 << 20,
}
"""Settings of Dask: what watches workers does so every few seconds, and memory of a block serves the next."""

IDLE = 5.0
"""Seconds for which a cluster is watched that has nothing to do."""

ALIKE = 500
"""Neighbouring variants of one frequency."""

ONE, TWO, DASK_ONE, DASK_TWO = "one process", "two processes", "Dask, 1 worker", "Dask, 2 workers"

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


@dataclass(frozen=True)
class Turn:
    """What one turn took.

    Parameters
    ----------
    bits
        Digest of what it gave.
    cpu, wall
        Seconds of everybody who worked, and on the clock.
    start
        CPU seconds until whoever does it had compiled what it needs.
    idle
        Share of a core that is taken by whoever waits for work.
    """

    bits: str
    cpu: float
    wall: float
    start: float = 0.0
    idle: float = 0.0


def spent() -> float:
    """CPU seconds of this process and of all that it started and that are there."""
    own = psutil.Process()
    times = (each.cpu_times() for each in (own, *own.children(recursive=True)))
    return sum(each.user + each.system for each in times)


@contextmanager
def dask(workers: int, first: Call) -> Iterator[None]:
    """Have Dask workers do it, who have compiled what they need."""
    from dask import config
    from distributed import Client, LocalCluster

    quiet = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0", "silence_logs": 50}
    with (
        config.set(QUIET),
        LocalCluster(n_workers=workers, threads_per_worker=1, **quiet) as cluster,
        Client(cluster) as client,
        working(cluster=cluster.scheduler_address),
    ):
        client.run(first)
        yield


@contextmanager
def processes(traits: CodedTraits) -> Iterator[None]:
    """Have two processes do it, who have compiled what they need."""
    with working(2):
        scores(traits, 1)
        yield


def turn(place: AbstractContextManager[None], traits: CodedTraits, passes: int = PASSES) -> Turn:
    """Score everybody in one place."""
    before = spent()
    with place:
        begun, clock = spent(), time.perf_counter()
        found = scores(traits, passes)
        cpu, wall = spent() - begun, time.perf_counter() - clock
        idle = 0.0
        if not isinstance(place, nullcontext):
            waited = spent()
            time.sleep(IDLE)
            idle = (spent() - waited) / IDLE
    return Turn(hashlib.sha256(found.tobytes()).hexdigest()[:16], cpu, wall, begun - before, idle)


def scores(traits: CodedTraits, passes: int) -> np.ndarray:
    """Two sums a person, as most calibrations ask for, some times over; of files that are mapped anew."""
    assert isinstance(traits.packed, PackedFiles)
    tables = np.random.default_rng(2).normal(size=(SUMS, traits.d, 4))
    total = np.zeros((traits.n, SUMS))
    for _ in range(passes):
        mapped = replace(traits, packed=PackedFiles(traits.packed.parts))
        total = mapped.add_up(lambda part: tables[:, part], SUMS)
    return total


def warm(folder: str) -> None:
    """Score a few variants, so that nothing is compiled while it is measured."""
    scores(read_genotypes(Path(folder) / "chr1.bed").traits.select(np.arange(4096)), 1)


def take_turns(traits: CodedTraits, first: Call) -> dict[str, list[Turn]]:
    """Let one process, two, and clusters of one and two do it by turns, one process before and after all."""
    found: dict[str, list[Turn]] = {ONE: [], TWO: [], DASK_TWO: [], DASK_ONE: []}
    for _ in range(ROUNDS):
        found[ONE].append(turn(nullcontext(), traits))
        found[DASK_TWO].append(turn(dask(2, first), traits))
        found[TWO].append(turn(processes(traits), traits))
        found[DASK_ONE].append(turn(dask(1, first), traits))
    found[ONE].append(turn(nullcontext(), traits))
    found["Dask, 3 workers"] = [turn(dask(3, first), traits, 1)]
    return found


def main() -> None:
    """Measure, print, and end with 1 if bits differ or the goal is missed."""
    people, variants = (int(word) for word in (*sys.argv[1:], PEOPLE, VARIANTS)[:2])
    console = Console()
    with tempfile.TemporaryDirectory() as place:
        make(Path(place), people, variants)
        traits = read_genotypes(Path(place) / "chr*.bed").traits
        blocks = len(list(score_blocks.cut(traits.d, traits.n * SUMS)))
        warm(place)
        found = take_turns(traits, _Warm(place))
    title = f"{people:,} x {variants:,}, {PASSES} passes of {blocks} blocks (of 3 workers one pass)"
    table = Table("place", "CPU s of each turn", "wall s", "start, CPU s", "idle", "bits", title=title)
    for name, turns in found.items():
        each = " ".join(f"{one.cpu:.2f}" for one in turns)
        rest = (f"{median(getattr(one, what) for one in turns):.2f}" for what in ("wall", "start", "idle"))
        table.add_row(name, each, *rest, turns[0].bits)
    console.print(table)
    here = [one.cpu for one in found[ONE]]
    beside = [(before + after) / 2 for before, after in pairwise(here)]
    two = [one.cpu for one in found[TWO]]
    ratios = [
        _compared(console, f"{DASK_ONE}, over one process before and after", found[DASK_ONE], beside),
        _compared(console, f"{DASK_TWO}, over two processes", found[DASK_TWO], two),
    ]
    _compared(console, f"{TWO} over one", found[TWO], beside)
    _compared(console, f"{DASK_TWO}, over one process", found[DASK_TWO], beside)
    apart = max(here) / min(here)
    console.print(f"turns of one process differ by {apart:.3f}; load {os.getloadavg()[0]:.1f}; goal {RATIO}")
    if len({one.bits for turns in found.values() for one in turns}) > 1 or max(ratios) > RATIO:
        sys.exit("missed a goal")


def _compared(console: Console, what: str, turns: list[Turn], plain: list[float]) -> float:
    """Print how much more each turn took than the plain one beside it, and give the median."""
    ratios = [one.cpu / other for one, other in zip(turns, plain, strict=True)]
    without = [(one.cpu - one.idle * one.wall) / other for one, other in zip(turns, plain, strict=True)]
    each = " ".join(f"{ratio:.3f}" for ratio in ratios)
    console.print(
        f"{what}: {each}, median {median(ratios):.3f}; {median(without):.3f} without what the clock takes"
    )
    return median(ratios)


class _Warm:
    """What workers do first."""

    def __init__(self, place: str) -> None:
        self.place = place

    def __call__(self) -> None:
        warm(self.place)


if __name__ == "__main__":
    main()
