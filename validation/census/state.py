"""A simulated state: blocks with the sizes of the nation, run whole, and resumed where it was killed.

``python -m validation.census.state FOLDER 300000`` keeps a part for every 1,000 blocks when these are done,
as commands do, and goes on after those that are there; a folder of another run is refused. At the end it
prints what was found by size of block, CPU time and memory.
"""

from __future__ import annotations

import hashlib
import resource
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from validation.census.tables import age_code, columns_of, tables_of

from dalenius.records.attack.certain.settle import settle
from dalenius.records.attack.system import make_system
from dalenius.records.attack.units import best_guess, count_units
from dalenius.records.simulated.shares import BLOCK_SIZES, draw_block, draw_sizes
from dalenius.spread.blocks import map_blocks
from dalenius.spread.parts import Arrays, keeping

TOGETHER = 1_000
"""Blocks that are done at once: what a kill can cost."""

NATION = sum(count for _, _, count in BLOCK_SIZES)


def people_of(part: int, blocks: int) -> np.ndarray:
    """The people of some blocks; the same whenever they are drawn."""
    rng = np.random.default_rng([2010, part])
    rows = []
    for block, size in enumerate(draw_sizes(blocks, rng=rng)):
        people = draw_block(int(size), rng=rng)
        people[:, 1] = age_code(people[:, 1])
        rows.append(np.concatenate([np.full((len(people), 1), block), people], axis=1))
    return np.concatenate(rows).astype(np.int32)


def run_part(part: int, blocks: int) -> dict[str, Any]:
    """Ranges, uniqueness and radius of every block, by class of size."""
    people = people_of(part, blocks)
    begun = time.process_time()
    published = tables_of(people, columns_of([str(at) for at in range(blocks)]))
    found = settle(make_system(published.columns, published.grids))
    guess = best_guess(found)
    units = count_units(found, guess, 0)
    took = time.process_time() - begun
    truth = {
        tuple(row): int(n) for row, n in zip(*np.unique(people, axis=0, return_counts=True), strict=True)
    }
    certain = zip(found.system.records[found.lo > 0].tolist(), found.lo[found.lo > 0].tolist(), strict=True)
    result: Counter[str] = Counter(wrong=sum(truth.get(tuple(key), 0) < least for key, least in certain))
    sizes = np.bincount(people[:, 0], minlength=blocks)
    for first, last, _ in BLOCK_SIZES:
        own = (sizes >= first) & (sizes <= last)
        result |= {
            f"{first} blocks": int(own.sum()),
            f"{first} people": int(sizes[own].sum()),
            f"{first} unique": int((units.unique[own] == 1).sum()),
            f"{first} certain": int(units.certain[own].sum()),
            f"{first} radius": int(units.radius_high[own].sum()),
            f"{first} decided": int(units.decided[own].sum()),
        }
    return {"seconds": took, "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, "counts": result}


def as_arrays(result: dict[str, Any]) -> dict[str, np.ndarray]:
    """A result as arrays alone, which is what is kept."""
    counts = result["counts"]
    return {
        "names": np.array(list(counts)),
        "counts": np.array(list(counts.values())),
        "cost": np.array([result["seconds"], result["memory"]]),
    }


def from_arrays(kept: Arrays) -> dict[str, Any]:
    """The result again."""
    counts = dict(zip(kept["names"].tolist(), kept["counts"].tolist(), strict=True))
    return {"seconds": float(kept["cost"][0]), "memory": float(kept["cost"][1]), "counts": counts}


def said(share: float, doing: str) -> None:
    """Say now and then how far it is."""
    if round(share * 1000) % 10 == 0:
        print(f"{share:.1%} at {time.process_time():.0f} CPU s", flush=True)


def code_digest() -> str:
    """The attack itself belongs to a run: parts that different code made would be counted together."""
    code = hashlib.sha256()
    for path in sorted(Path(settle.__code__.co_filename).parents[2].rglob("*.py")):
        code.update(path.read_bytes())
    return code.hexdigest()


def main(folder: Path, blocks: int) -> None:
    """Do what is not done yet, then print."""
    plan = {"number of blocks": str(blocks), "code": code_digest()}
    parts = [(at, min(TOGETHER, blocks - at * TOGETHER)) for at in range(-(-blocks // TOGETHER))]
    with keeping(folder, plan, announce=print):
        found = map_blocks(lambda part: as_arrays(run_part(*part)), parts, work="blocks", progress=said)
        results = [from_arrays(each) for each in found]
    counts: Counter[str] = sum((Counter(each["counts"]) for each in results), Counter())
    seconds = sum(each["seconds"] for each in results)
    for first, last, _ in BLOCK_SIZES:
        n, people = counts[f"{first} blocks"], counts[f"{first} people"]
        if n:
            print(
                f"{first}-{last} people: {n:,} blocks, {counts[f'{first} unique'] / n:.1%} unique, "
                f"{counts[f'{first} certain'] / people:.1%} of people certain, radius "
                f"{counts[f'{first} radius'] / people:.1%}, {counts[f'{first} decided'] / n:.1%} decided"
            )
    print(f"certain claims wrong: {counts['wrong']}")
    hours = seconds * NATION / blocks / 3600
    print(f"{blocks:,} blocks: {seconds:,.0f} CPU s; all {NATION:,} by arithmetic {hours:.1f} CPU h")
    print(f"peak memory {max(each['memory'] for each in results) / 1024:.0f} MB")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
