"""Damage every kind of file for every command, and count how the command ends.

Run: python validation/damaged_files.py [--minutes 60] [--seed 1] [--only audit] [--log FILE]

Wanted: every damaged file is read or refused (exit code 2, one line, nothing written). Anything else is a
defect and ends this with exit code 1: a traceback, a crash, a hang, somebody's name or value on the screen or
in ``findings.json``, a file left behind, something written beside a refusal, a warning of a library.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib  # noqa: TID251  (to load everything once)
import pkgutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from validation.damaged_bytes import Way
from validation.damaged_cases import Case, cases, damageable
from validation.damaged_make import make_files
from validation.damaged_run import GOOD, OUTCOMES, Ended, run_damaged
from validation.damaged_ways import ways


@dataclass(frozen=True)
class Tried:
    """A damaged file, and how the command ended."""

    case: Case
    file: str
    way: str
    seed: int
    ended: Ended

    def __str__(self) -> str:
        where = f"{self.case.command}, {self.file}, {self.way} (seed {self.seed})"
        return f"{self.ended.outcome}: {where}: {self.ended.detail or self.ended.said[:160]!r}"


def load() -> None:
    """Import every module of the package and what it stands on, so that copies of this process need not."""
    import dalenius

    for module in pkgutil.walk_packages(dalenius.__path__, "dalenius."):
        importlib.import_module(module.name)
    for name in (
        "cyvcf2",
        "ibis.backends.duckdb",
        "ibis.backends.sqlite",
        "matplotlib.pyplot",
        "openpyxl",
        "zarr",
    ):
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


def check_valid(chosen: list[Case], valid: Path) -> None:
    """Refuse to go on if a command does not work on files that are whole: damage would show nothing."""
    for case in chosen:
        if (ended := run_damaged(case, valid, {})).outcome != "read":
            raise RuntimeError(f"{case.words} does not work on valid files: {ended.outcome}, {ended.said}")


def every(chosen: list[Case], valid: Path) -> list[tuple[Case, str, Way]]:
    """Every case with every file it reads and every way to damage it."""
    return [
        (case, name, way)
        for case in chosen
        for name in damageable(case, valid)
        for way in dict.fromkeys(ways(name))
    ]


def damage_all(
    combinations: list[tuple[Case, str, Way]],
    valid: Path,
    *,
    seed: int,
    minutes: float,
    count: int | None = None,
) -> Iterator[Tried]:
    """Try combinations in a fixed random order, again and again, until time or number runs out."""
    end = time.monotonic() + 60 * minutes
    done = 0
    while combinations:
        order = np.random.default_rng([seed, done]).permutation(len(combinations))
        for place in order:
            if time.monotonic() > end or done == count:
                return
            case, name, way = combinations[place]
            rng = np.random.default_rng([seed, done])
            raw = way((valid / name).read_bytes(), rng)
            done += 1
            if raw is not None:
                yield Tried(case, name, way.__name__, done - 1, run_damaged(case, valid, {name: raw}))


def main() -> int:
    """Damage files for so many minutes and print what happened."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int)
    parser.add_argument("--only", default="", help="commands that contain this")
    parser.add_argument("--file", default="", help="files that contain this")
    parser.add_argument("--way", default="", help="ways that contain this")
    parser.add_argument("--log", type=Path)
    told = parser.parse_args()
    chosen = [case for case in cases() if told.only in case.command]
    seen: dict[str, Counter[str]] = {}
    with tempfile.TemporaryDirectory() as place:
        valid = Path(place, "valid")
        make_files(valid)
        load()
        check_valid(chosen, valid)
        wanted = [c for c in every(chosen, valid) if told.file in c[1] and told.way in c[2].__name__]
        try:
            for tried in damage_all(wanted, valid, seed=told.seed, minutes=told.minutes, count=told.count):
                seen.setdefault(tried.case.command, Counter())[tried.ended.outcome] += 1
                if tried.ended.outcome not in GOOD:
                    print(tried, flush=True)
                    if told.log:
                        with told.log.open("a") as log:
                            log.write(f"{tried}\n{tried.ended.said[:4000]}\n\n")
        finally:  # an hour that was interrupted still says what it saw
            _print(seen)
    return 1 if any(counts[bad] for counts in seen.values() for bad in OUTCOMES if bad not in GOOD) else 0


def _print(seen: dict[str, Counter[str]]) -> None:
    total: Counter[str] = sum(seen.values(), Counter())
    print(f"\n{sum(total.values()):,} damaged files")
    for name, counts in [*sorted(seen.items()), ("all", total)]:
        print(f"{name:<24}" + "  ".join(f"{kind} {counts[kind]:,}" for kind in OUTCOMES if counts[kind]))


if __name__ == "__main__":
    sys.exit(main())
