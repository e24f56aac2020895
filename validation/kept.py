"""Results of many seeds that an interrupted run does not lose: a line of JSON for each case and seed."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any


def asked(seeds: int) -> Kept:
    """Read ``--share`` of the seeds, the ``--first``, ``--only`` some cases, and the file of results."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--share", type=float, default=1.0, help="of the seeds")
    parser.add_argument("--first", type=int, default=0, help="seed; others are then drawn than before")
    parser.add_argument("--only", nargs="*", help="cases whose name holds one of these words")
    parser.add_argument("--kept", type=Path, help="results so far; what it holds is not computed again")
    options = parser.parse_args()
    return Kept(max(1, round(seeds * options.share)), options.kept, options.only, options.first)


class Kept:
    """Runs cases for many seeds; keeps each result as soon as it is there.

    Parameters
    ----------
    seeds : int
        How many seeds each case has.
    path : Path, optional
        File to keep results in. It is good for one state of the code: take another after a change.
    only : list of str, optional
        Words, one of which a case's name must hold; every case if not given.
    first : int
        The first of the seeds.
    """

    def __init__(
        self, seeds: int, path: Path | None = None, only: list[str] | None = None, first: int = 0
    ) -> None:
        self.seeds, self._path, self._only, self._first = seeds, path, only, first
        self._found: dict[tuple[str, int], Any] = {}
        if path is not None and path.exists():
            lines = map(json.loads, path.read_text().splitlines())
            self._found = {(line["case"], line["seed"]): line["result"] for line in lines}

    def wants(self, case: str) -> bool:
        """Whether a case was asked for."""
        return not self._only or any(word in case for word in self._only)

    def results(self, case: str, run: Callable[[int], Any]) -> Iterator[Any]:
        """Give the result for each seed: what was kept, or what comes out now."""
        start = time.process_time()
        for seed in range(self._first, self._first + self.seeds):
            if (case, seed) not in self._found:
                self._keep(case, seed, run(seed))
            yield self._found[case, seed]
        sys.stderr.write(f"{case}: {self.seeds} seeds, {time.process_time() - start:.1f} CPU s now\n")

    def _keep(self, case: str, seed: int, result: Any) -> None:
        self._found[case, seed] = result
        if self._path is not None:
            with self._path.open("a") as file:
                file.write(json.dumps({"case": case, "seed": seed, "result": result}) + "\n")
