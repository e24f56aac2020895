"""Scores of people straight from a ``.bed`` file, against PLINK 1.9, plink2 and one read of the file.

Run with ``python -m benchmarks.scores`` for a tenth of the variants, with ``full`` after it for all: 20,480
people and 200,000 variants, a file of 1 GB. One pass gives a linear score, and in a second measurement a
likelihood ratio beside it; missing genotypes are in the file. The peers must agree.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from benchmarks.common import Cost, best_by_turns, cost, exponent, peak_megabytes
from dalenius.accelerate import cores
from dalenius.genomes.plink import MAGIC, read_plink
from dalenius.people.traits.traits import CodedTraits

PEOPLE, VARIANTS = 20_480, 200_000
FASTER, SLOWER, PORTABLE = 25.0, 3.0, 6.0
"""The goals: how many times faster than plink2; at most how many times one read of the file; the rate of the
kernel for any machine, which is the one for double precision."""


def make(folder: Path, people: int, variants: int) -> Path:
    """Write random genotypes, one in fifty missing; each variant with a frequency of its own."""
    rng = np.random.default_rng(1)
    # a thousand packed rows, shifted against each other, are random enough for a clock
    frequency = rng.uniform(0.05, 0.5, 1000)
    copies = rng.binomial(2, frequency[:, None], (1000, people))
    stored = np.where(rng.random(copies.shape) < 0.02, 1, np.array([3, 2, 0])[copies]).astype(np.uint8)
    rows = np.bitwise_or.reduce(stored.reshape(1000, -1, 4) << np.array([0, 2, 4, 6], np.uint8), axis=2)
    with (folder / "x.bed").open("wb") as bed:
        bed.write(MAGIC)
        for start in range(0, variants, 1000):
            bed.write(np.roll(rows, start // 1000, axis=1)[: variants - start].tobytes())
    (folder / "x.bim").write_text("".join(f"1\ts{j}\t0\t{j + 1}\tA\tG\n" for j in range(variants)))
    (folder / "x.fam").write_text("".join(f"0\tp{i}\t0\t0\t0\t-9\n" for i in range(people)))
    return folder / "x.bed"


def weights_file(folder: Path, weights: NDArray[np.float32]) -> None:
    """Write the weights for the peers."""
    lines = (f"s{j}\tA\t{w:.9g}\n" for j, w in enumerate(weights))
    (folder / "w.txt").write_text("".join(lines))


def peer(folder: Path, program: str) -> None:
    """Let PLINK score; missing genotypes add nothing, as in ours."""
    how = ["no-mean-imputation", *(["cols=+scoresums"] if program == "plink2" else [])]
    files = ["--bfile", str(folder / "x"), "--out", str(folder / program)]
    command = [program, *files, "--threads", "2", "--score", str(folder / "w.txt"), "1", "2", "3", *how]
    subprocess.run(command, check=True, capture_output=True)


def peer_scores(folder: Path, program: str) -> NDArray[np.float64]:
    """Read what PLINK wrote: sums of weight times copies."""
    name = "plink2.sscore" if program == "plink2" else f"{program}.profile"
    lines = [line.split() for line in (folder / name).read_text().splitlines()]
    if program == "plink2":
        return np.array([float(line[lines[0].index("SCORE1_SUM")]) for line in lines[1:]])
    # PLINK 1.9 gives means over the alleles that were seen
    seen, mean = lines[0].index("CNT"), lines[0].index("SCORE")
    return np.array([float(line[seen]) * float(line[mean]) for line in lines[1:]])


def copies_tables(weights: NDArray[np.float32]) -> NDArray[np.float32]:
    """Weight times copies for every code; missing adds nothing."""
    return np.stack([0 * weights, weights, 2 * weights, 0 * weights], axis=1)[None]


def ratio_tables(frequency: NDArray[np.float64]) -> NDArray[np.float32]:
    """The logarithm of a likelihood ratio between two frequencies, by code."""
    other = np.clip(frequency + 0.01, 0.01, 0.99)
    one, none = np.log(other / frequency), np.log((1 - other) / (1 - frequency))
    return np.stack([2 * none, one + none, 2 * one, 0 * one], axis=1)[None].astype(np.float32)


def read_once(path: Path) -> int:
    """Read the file from the page cache, in pieces that stay in a near cache."""
    piece, total = bytearray(1 << 18), 0
    with path.open("rb", buffering=0) as file:
        while got := file.readinto(piece):
            total += got
    return total


def growth(traits: CodedTraits, tables: NDArray[np.float32]) -> tuple[list[int], list[Cost]]:
    """Measure a quarter of the variants, half of them, and all."""
    sizes = [traits.d // 4, traits.d // 2, traits.d]
    parts = [traits.select(np.arange(size)) for size in sizes]
    costs = [min((cost(lambda p=p, s=s: p.lookup(tables[:, :s])) for _ in range(3)), key=lambda c: c.cpu)
             for p, s in zip(parts, sizes, strict=True)]  # fmt: skip
    return sizes, costs


def run(folder: Path, variants: int) -> None:
    """Print the table; fail if the goal is missed."""
    console = Console()
    path = make(folder, PEOPLE, variants)
    traits = read_plink(path).traits
    rng = np.random.default_rng(2)
    weights = rng.standard_normal(variants).astype(np.float32)
    weights_file(folder, weights)
    linear, ratio = copies_tables(weights), ratio_tables(rng.uniform(0.05, 0.5, variants))
    both = np.concatenate((linear, ratio))
    ours = traits.lookup(linear)[:, 0]
    peers = [name for name in ("plink2", "plink1.9") if shutil.which(name)]
    calls = {
        "ours": lambda: traits.lookup(linear),
        "ours, linear and likelihood ratio": lambda: traits.lookup(both),
        "ours, double precision": lambda: traits.lookup(linear.astype(np.float64)),
        "ours, counts": lambda: traits.counts(),
        "one read of the file": lambda: read_once(path),
    }
    costs = best_by_turns(calls, 5)
    for name in peers:
        costs[name] = best_by_turns({name: lambda name=name: peer(folder, name)}, 1)[name]
    for name, each in costs.items():
        rate = PEOPLE * variants / each.wall / 1e9
        console.print(f"{name:34}{each.wall:7.3f} s wall{each.cpu:7.3f} s CPU{rate:6.1f} Ggeno/s")
    for name in peers:
        theirs = peer_scores(folder, name)
        apart = np.abs(theirs - ours).max() / ours.std()
        console.print(f"{name} and ours differ by at most {apart:.1e} standard deviations of a score")
        assert apart < 1e-4
    exact = traits.lookup(linear.astype(np.float64))[:, 0]
    console.print(f"single and double precision differ by {np.abs(exact - ours).max() / exact.std():.1e}")
    peak, size = peak_megabytes(lambda: traits.lookup(linear)), path.stat().st_size / 1e6
    console.print(f"peak memory of our own {peak:.0f} MB for a file of {size:.0f} MB")
    console.print(f"CPU seconds grow as variants to the power {exponent(*growth(traits, linear)):.2f}")
    once, own = costs["one read of the file"], costs["ours"]
    busy = own.cpu / cores() / once.cpu
    console.print(f"{busy:.2f} times one read in CPU seconds a core: what a quiet machine takes on the clock")
    read = own.wall / once.wall
    console.print(f"goal: at most {SLOWER:g} times one read on the clock; got {read:.2f}")
    assert read <= SLOWER
    portable = PEOPLE * variants / costs["ours, double precision"].cpu / 1e9
    console.print(f"goal: {PORTABLE:g} Ggeno/s a core on any machine; got {portable:.1f}")
    assert portable >= PORTABLE
    if "plink2" in costs:
        times = costs["plink2"].wall / costs["ours"].wall
        console.print(f"goal: {FASTER:g} times plink2; got {times:.0f}")
        assert times >= FASTER


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        run(Path(place), VARIANTS if "full" in sys.argv[1:] else VARIANTS // 10)
