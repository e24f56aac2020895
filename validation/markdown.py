"""A table in Markdown on the screen, line by line as results come."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence

from rich.console import Console

Line = Callable[[Sequence[str]], None]


def asked() -> argparse.Namespace:
    """Read ``--share``, which scales the numbers of trials, and ``--only``, which names rows."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--only", nargs="*")
    return parser.parse_args()


def table(*columns: str) -> Line:
    """Print the head of a table; return what prints a line of it."""
    console = Console(width=200)

    def line(cells: Sequence[str]) -> None:
        console.print(f"| {' | '.join(cells)} |", highlight=False, markup=False)

    line(columns)
    console.print("|" + "---|" * len(columns), highlight=False, markup=False)
    return line
