"""A simulated state: blocks with the sizes of the nation, run whole, and resumed where it was killed.

``python -m validation.census.state FOLDER 300000`` writes a file for every 2,000 blocks when these are
done, whole or not at all, and goes on after those that are there; a folder of another run is refused. At
the end it prints what was found by size of block, CPU time and memory.
"""

from __future__ import annotations

import hashlib
import json
import resource
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from validation.census.tables import age_code, columns_of, tables_of

from dalenius.atomic_write import write_files
from dalenius.records.attack.certain.settle import settle
from dalenius.records.attack.system import make_system
from dalenius.records.attack.units import best_guess, count_units
from dalenius.records.simulated.shares import BLOCK_SIZES, draw_block, draw_sizes

TOGETHER = 2_000
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


def keep_to(folder: Path, blocks: int) -> None:
    """Refuse to go on in a folder where something else was begun; otherwise write down what this is.

    The attack itself belongs to it: parts that different code made would be counted together.
    """
    code = hashlib.sha256()
    for path in sorted(Path(settle.__code__.co_filename).parents[1].rglob("*.py")):
        code.update(path.read_bytes())
    plan = json.dumps(
        {"blocks": blocks, "together": TOGETHER, "sizes": BLOCK_SIZES, "code": code.hexdigest()}
    )
    place = folder / "plan.json"
    if place.is_file() and place.read_text() != plan:
        sys.exit(f"{folder} holds parts of another run: other blocks or other code; give another folder")
    write_files(folder, {place.name: plan})


def main(folder: Path, blocks: int) -> None:
    """Do what is not done yet, then print."""
    folder.mkdir(parents=True, exist_ok=True)
    keep_to(folder, blocks)
    parts = -(-blocks // TOGETHER)
    there = {path.stem for path in folder.glob("part*.json")}
    if there:
        print(f"resumed after {len(there)} of {parts} parts", flush=True)
    for part in range(parts):
        if f"part{part}" not in there:
            done = run_part(part, min(TOGETHER, blocks - part * TOGETHER))
            write_files(folder, {f"part{part}.json": json.dumps(done)})
    results = [json.loads((folder / f"part{part}.json").read_text()) for part in range(parts)]
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
