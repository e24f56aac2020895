"""What passes of sums, means and quantiles of an amount: leaks never, harmless ones nearly always.

Run it whole with ``python -m validation.passes_amounts [--share 0.1] [--only WORD ...] [--kept FILE]``. Exit
code 1 if a leak passes, or if a harmless release stops more often than its interval allows.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from validation.kept import Kept, asked
from validation.markdown import table

from dalenius.auditing.plan import check_plan
from dalenius.auditing.run import run_plan

SEEDS = 40
PEOPLE = 400
STOPS = 0.05
"""Share of harmless releases that may stop: one minus the confidence of the interval."""

Columns = dict[str, NDArray[Any]]


def drawn(rng: np.random.Generator) -> Columns:
    """Four towns of a hundred firms, two sectors and the one mine; incomes within a factor of a few."""
    sector = rng.choice(["shop", "farm"], PEOPLE)
    sector[7] = "mine"
    return {
        "town": np.resize(list("ABCD"), PEOPLE),
        "sector": sector,
        "twelfth": np.array([f"t{i % 12}" for i in range(PEOPLE)]),
        "pair": np.array([f"p{i // 2}" for i in range(PEOPLE)]),
        **{f"of{k}": np.array([f"g{i // k}" for i in range(PEOPLE)]) for k in (3, 4, 5, 7)},
        "income": rng.lognormal(10, 0.4, PEOPLE).round(),
    }


def moved(rng: np.random.Generator) -> Columns:
    """A second division into districts, which differs from the towns by one firm."""
    columns = drawn(rng)
    columns["district"] = columns["town"].copy()
    columns["district"][4] = "B"
    return columns


def giant(rng: np.random.Generator) -> Columns:
    """A firm that has nearly all of its town, beside many small ones."""
    columns = drawn(rng)
    columns["income"][4] = 1e9
    return columns


def keys(*groups: str, mechanism: str = "exact", **more: Any) -> dict[str, Any]:
    """What a release says."""
    return {"groups": list(groups), "mechanism": mechanism, **more}


CELLS = "town*sector"

QUARTILES = ["q25", "median", "q75"]


def of(size: int, *statistics: str, **more: Any) -> dict[str, Any]:
    """What a release says of groups of so many."""
    return keys(f"of{size}", margins=False, statistics=list(statistics), **more)


LEAKS: dict[str, tuple[Callable[[np.random.Generator], Columns], dict[str, Any]]] = {
    "sums by town and sector, one firm alone": (drawn, keys(CELLS)),
    "the same, noise 0.01": (drawn, keys(CELLS, mechanism="gaussian:sigma=0.01")),
    "the same, Laplace noise 0.01": (drawn, keys(CELLS, mechanism="laplace:scale=0.01")),
    "the same, noise 150": (drawn, keys(CELLS, mechanism="gaussian:sigma=150")),
    "the same, Laplace noise 100": (drawn, keys(CELLS, mechanism="laplace:scale=100")),
    "the same, rounded to 10": (drawn, keys(CELLS, mechanism="rounding:base=10")),
    "the same, cells below 3 hidden, with totals": (drawn, keys(CELLS, hide_below=3)),
    "sums of pairs: each knows the other": (drawn, keys("pair", margins=False)),
    "the same, Laplace noise 100: as good as known": (
        drawn,
        keys("pair", margins=False, mechanism="laplace:scale=100"),
    ),
    "mean and standard deviation of pairs": (
        drawn,
        keys("pair", margins=False, statistics=["count", "mean", "sd"]),
    ),
    "medians of 3": (drawn, of(3, "median")),
    "medians of 5": (drawn, of(5, "median")),
    "medians of 7": (drawn, of(7, "median")),
    "medians of 5, rounded to 1,000": (drawn, of(5, "median", mechanism="rounding:base=1000")),
    "medians of 3, noise 500": (drawn, of(3, "median", mechanism="gaussian:sigma=500")),
    "sums and standard deviations of 3": (drawn, of(3, "sum", "sd")),
    "sums and standard deviations of 4": (drawn, of(4, "sum", "sd")),
    "sums and variances of 5": (drawn, of(5, "sum", "variance")),
    "medians and variances of 3": (drawn, of(3, "median", "variance")),
    "quartiles, smallest and largest of 5": (drawn, of(5, "min", *QUARTILES, "max")),
    "quartiles of 5": (drawn, of(5, *QUARTILES)),
    "largest income of each town": (drawn, keys("town", statistics=["max"])),
    "two divisions that differ by one firm": (moved, keys("town", "district")),
    "one firm has nearly all of its town": (giant, keys("town")),
}
"""Somebody's income follows within 10%, for anybody or for another of the group."""

HARMLESS: dict[str, tuple[Callable[[np.random.Generator], Columns], dict[str, Any]]] = {
    "sums of a hundred": (drawn, keys("town")),
    "means of about 33, rounded to 100": (
        drawn,
        keys("twelfth", margins=False, statistics=["mean"], mechanism="rounding:base=100"),
    ),
    "medians of a hundred": (drawn, keys("town", margins=False, statistics=["median"])),
    "quartiles of a hundred": (drawn, keys("town", margins=False, statistics=QUARTILES)),
    "sums and standard deviations of a hundred": (
        drawn,
        keys("town", margins=False, statistics=["sum", "sd"]),
    ),
    "medians of a hundred, noise 500": (
        drawn,
        keys("town", margins=False, statistics=["median"], mechanism="gaussian:sigma=500"),
    ),
    "sums of a hundred, noise of 100,000": (drawn, keys("town", mechanism="gaussian:sigma=100000")),
}
"""Nobody's income can be told from that of people like them."""


def verdict(name: str, seed: int) -> str:
    """Audit a release about one draw of firms."""
    make, release = (LEAKS | HARMLESS)[name]
    columns = make(np.random.default_rng([seed, 7]))
    with tempfile.TemporaryDirectory() as place:
        rows = zip(*columns.values(), strict=True)
        lines = [",".join(["id", *columns]), *(",".join([f"f{i}", *map(str, r)]) for i, r in enumerate(rows))]
        Path(place, "firms.csv").write_text("\n".join(lines) + "\n")
        told = {"name": "incomes", "kind": "amounts", "amount": "income"} | release
        raw = {"data": {"path": "firms.csv"}, "schema": {"id": "id"}, "release": [told]}
        raw |= {"seed": seed, "budget": {"why": False}}
        return run_plan(check_plan(raw, Path(place))).verdict


def shown(kept: Kept, head: str, names: Any) -> list[Counter[str]]:
    """Print how often each release came to each verdict."""
    line = table(head, "pass", "undecided", "stop")
    every = []
    for name in filter(kept.wants, names):
        found = Counter(kept.results(name, partial(verdict, name)))
        line([name, *(str(found[word]) for word in ("pass", "undecided", "stop"))])
        every.append(found)
    return every


def main() -> int:
    """Print both tables; exit 1 if one shows what must not be."""
    kept = asked(SEEDS)
    leaks = shown(kept, "amounts that leak by construction", LEAKS)
    harmless = shown(kept, "amounts that do not", HARMLESS)
    often = any(found["stop"] > max(1, STOPS * kept.seeds) for found in harmless)
    return int(any(found["pass"] for found in leaks) or often)


if __name__ == "__main__":
    sys.exit(main())
