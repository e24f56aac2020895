"""Run every benchmark, each in a process of its own: ``python -m benchmarks [name ...]``.

Exit code 1 if one fails or misses its goal.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from rich.console import Console

FIRST = ("startup", "hadamard", "tabulate", "decoders")
"""The quick ones; any other file with a benchmark comes after them."""


def names() -> list[str]:
    """List the benchmarks: every file here but the shared ones."""
    found = sorted(path.stem for path in Path(__file__).parent.glob("[a-z]*.py") if path.stem != "common")
    return [*FIRST, *(name for name in found if name not in FIRST)]


def main() -> None:
    """Run those named, or all."""
    wanted = sys.argv[1:] or names()
    if unknown := sorted(set(wanted) - set(names())):
        sys.exit(f"no benchmark {', '.join(unknown)}; there are {', '.join(names())}")
    console = Console()
    failed = []
    for name in wanted:
        console.rule(name)
        start = time.perf_counter()
        if subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], check=False).returncode:
            failed.append(name)
        console.print(f"{time.perf_counter() - start:.0f} s on the clock")
    if failed:
        sys.exit(f"failed or missed a goal: {', '.join(failed)}")


if __name__ == "__main__":
    main()
